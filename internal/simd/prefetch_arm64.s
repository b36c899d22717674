//go:build !purego && !race

#include "textflag.h"

// func prefetch(data *byte, offs *uint64, n int)
TEXT ·prefetch(SB), NOSPLIT, $0-24
	MOVD data+0(FP), R0
	MOVD offs+8(FP), R1
	MOVD n+16(FP), R2

next:
	CBZ    R2, done
	MOVD.P 8(R1), R3
	ADD    R0, R3, R3
	PRFM   (R3), PLDL1KEEP
	SUB    $1, R2, R2
	B      next

done:
	RET
