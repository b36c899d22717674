package bloomcore

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// A portable is the verbs of a table that need no kernel.
type portable struct {
	set     func(h uint64) bool
	hasEach func(hs []uint64, dst []bool)
}

// kernelTables returns three empty tables of that many split blocks, or of blocks with k positions a key, and the
// portable verbs of the second.
func kernelTables(blocks uint64, k int) (tables [3]Table, plain portable) {
	for i := range tables {
		if k == 0 {
			tables[i] = Split.New(Table{Slots: blocks * SplitBits, Hashes: SplitLanes, CellBits: 1})
		} else {
			tables[i] = Blocked.New(Table{Slots: blocks * BlockBits, Hashes: k, CellBits: 1})
		}
	}
	second := tables[1]
	if k == 0 {
		return tables, portable{second.splitSet, second.hasEach}
	}
	return tables, portable{second.blockSet, second.hasEach}
}

// againstPortable runs the digests through the verbs of this build and through the portable ones, half
// of them inserted, and compares every answer and the tables.
func againstPortable(t *testing.T, blocks uint64, k int, hs []uint64) {
	t.Helper()
	tables, plain := kernelTables(blocks, k)
	one, all := &tables[0], &tables[2]
	half := hs[:len(hs)/2]
	for _, h := range half {
		if got, want := Set[[0]struct{}](one, h), plain.set(h); got != want {
			t.Fatalf("%d blocks, k=%d: Set(%#x) is %t, want %t", blocks, k, h, got, want)
		}
	}
	AddAll[[0]struct{}](all, half)
	if !slices.Equal(one.Words, tables[1].Words) || !slices.Equal(all.Words, one.Words) || all.Len() != len(half) {
		t.Fatalf("%d blocks, k=%d, %d digests: tables differ", blocks, k, len(half))
	}
	got, want := make([]bool, len(hs)+1), make([]bool, len(hs))
	got[len(hs)] = true // a mark that must stay
	one.HasEach(hs, got)
	plain.hasEach(hs, want)
	if !slices.Equal(got[:len(hs)], want) || !got[len(hs)] {
		t.Fatalf("%d blocks, k=%d, %d digests: answers differ", blocks, k, len(hs))
	}
	for i, h := range hs {
		if Has[[0]struct{}](one, h) != want[i] {
			t.Fatalf("%d blocks, k=%d: Has(%#x) is %t", blocks, k, h, !want[i])
		}
	}
}

// TestKernels_AgainstPortable goes over small tables, every number of positions and every length of a
// batch up to 70. k = 0 stands for split blocks.
func TestKernels_AgainstPortable(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, blocks := range []uint64{1, 2, 3, 5, 64, 1000} {
		for n := range 70 {
			hs := make([]uint64, n)
			for i := range hs {
				hs[i] = r.Uint64()
			}
			againstPortable(t, blocks, 0, hs)
			againstPortable(t, blocks, 1+n%MaxHashes, hs)
		}
	}
	odd := []uint64{0, 1, 1 << 63, ^uint64(0), 1<<32 - 1, 1 << 32, 0, ^uint64(0)}
	for k := range MaxHashes + 1 {
		againstPortable(t, 7, k, odd)
	}
}

// TestKernels_LengthsOfDst holds the promise of HasEach: a dst that is too short is a panic, and
// nothing behind it is written.
func TestKernels_LengthsOfDst(t *testing.T) {
	for _, k := range []int{0, 5} {
		tables, _ := kernelTables(3, k)
		dst := make([]bool, 4)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("k=%d: 4 digests fit into a dst of 3", k)
				}
			}()
			tables[0].HasEach([]uint64{1, 2, 3, 4}, dst[:3:3])
		}()
		tables[0].HasEach(nil, nil)
		AddAll[[0]struct{}](&tables[0], nil)
	}
}

func FuzzKernelsAgainstPortable(f *testing.F) {
	f.Add(uint16(1), uint8(0), []byte("sixteen bytes.. and some more that make two"))
	f.Add(uint16(300), uint8(7), make([]byte, 64))
	f.Add(uint16(3), uint8(64), []byte("sixteen bytes.. and some more that make two"))
	f.Fuzz(func(t *testing.T, blocks uint16, k uint8, b []byte) {
		var hs []uint64
		for ; len(b) >= 8; b = b[8:] {
			hs = append(hs, binary.LittleEndian.Uint64(b))
		}
		againstPortable(t, uint64(blocks)+1, int(k)%(MaxHashes+1), hs)
	})
}

// TestNew_BlocksInOneLine holds tables of every small number of blocks, and a large one, to begin
// at a multiple of the block: the verbs count on one cache line, and would be slower without.
func TestNew_BlocksInOneLine(t *testing.T) {
	for _, bits := range []uint64{SplitBits, BlockBits} {
		for blocks := uint64(1); blocks <= 1<<16; blocks += 1 + blocks/8 {
			table := Classic.New(Table{Slots: blocks * bits, Hashes: 1, CellBits: 1})
			if offset := offsetIn(table.Words, bits/8); offset != 0 {
				t.Errorf("%d blocks of %d bits begin %d bytes into a block", blocks, bits, offset)
			}
		}
	}
}

// offsetIn returns where the words begin in memory, modulo n. The address comes from fmt, because the
// build tag purego has no package unsafe.
func offsetIn(words []uint64, n uint64) uint64 {
	address, err := strconv.ParseUint(fmt.Sprintf("%p", words), 0, 64)
	if err != nil {
		panic(err)
	}
	return address % n
}
