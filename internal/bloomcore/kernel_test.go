package bloomcore

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// kernelTable is what the tables with kernels have: every verb twice.
type kernelTable interface {
	Has(h uint64) bool
	Set(h uint64) bool
	HasEach(hs []uint64, dst []bool)
	SetAll(hs []uint64)
	hasEachPortable(hs []uint64, dst []bool)
	setPortable(h uint64) bool
}

// kernelTables returns three empty tables of that many split blocks, or of blocks with k positions a
// key, with their words.
func kernelTables(blocks uint64, k int) (tables [3]kernelTable, words [3][]uint64) {
	for i := range tables {
		if k == 0 {
			t := SplitTable(divided(Shape{blocks * SplitBits, SplitLanes}, SplitBits))
			tables[i], words[i] = &t, t.Words
		} else {
			t := BlockTable(divided(Shape{blocks * BlockBits, k}, BlockBits))
			tables[i], words[i] = &t, t.Words
		}
	}
	return tables, words
}

// againstPortable runs the digests through the verbs of this build and through the portable ones, half
// of them inserted, and compares every answer and the tables.
func againstPortable(t *testing.T, blocks uint64, k int, hs []uint64) {
	t.Helper()
	tables, words := kernelTables(blocks, k)
	one, portable, all := tables[0], tables[1], tables[2]
	half := hs[:len(hs)/2]
	for _, h := range half {
		if got, want := one.Set(h), portable.setPortable(h); got != want {
			t.Fatalf("%d blocks, k=%d: Set(%#x) is %t, want %t", blocks, k, h, got, want)
		}
	}
	all.SetAll(half)
	if !slices.Equal(words[0], words[1]) || !slices.Equal(words[2], words[1]) {
		t.Fatalf("%d blocks, k=%d, %d digests: tables differ", blocks, k, len(half))
	}
	got, want := make([]bool, len(hs)+1), make([]bool, len(hs))
	got[len(hs)] = true // a mark that must stay
	one.HasEach(hs, got)
	portable.hasEachPortable(hs, want)
	if !slices.Equal(got[:len(hs)], want) || !got[len(hs)] {
		t.Fatalf("%d blocks, k=%d, %d digests: answers differ", blocks, k, len(hs))
	}
	for i, h := range hs {
		if one.Has(h) != want[i] {
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
		tables[0].SetAll(nil)
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

// TestNewTable_BlocksInOneLine holds tables of every small number of blocks, and a large one, to begin
// at a multiple of the block: the verbs count on one cache line, and would be slower without.
func TestNewTable_BlocksInOneLine(t *testing.T) {
	for _, bits := range []uint64{SplitBits, BlockBits} {
		for blocks := uint64(1); blocks <= 1<<16; blocks += 1 + blocks/8 {
			table := NewTable(Shape{blocks * bits, 1}, 1, nil, 0)
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

// divided returns an empty table of bits in blocks.
func divided(shape Shape, block uint64) Table {
	t := NewTable(shape, 1, nil, 0)
	t.Divide(block)
	return t
}
