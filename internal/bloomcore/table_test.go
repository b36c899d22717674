package bloomcore

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// randomTable has cells that are zero, full or anything with equal probability.
func randomTable(r *rand.Rand, cells uint64, width uint) Table {
	t := Counting.New(Table{Slots: cells, Hashes: 1, CellBits: width})
	top := uint64(1)<<width - 1
	for i := range cells {
		v := [3]uint64{0, top, r.Uint64() & top}[r.IntN(3)]
		bit := i * uint64(width)
		t.Words[bit>>6] |= v << (bit & 63)
	}
	return t
}

func (t *Table) cell(i uint64) uint64 {
	bit := i * uint64(t.CellBits)
	return t.Words[bit>>6] >> (bit & 63) & (1<<t.CellBits - 1)
}

// dirty sets the bits behind the last cell, which damaged bytes may have, and clean clears them.
func (t *Table) dirty() {
	if used := t.Slots * uint64(t.CellBits) & 63; used != 0 {
		t.Words[len(t.Words)-1] |= ^uint64(0) << used
	}
}

func (t *Table) clean() { t.Words[len(t.Words)-1] ^= t.behind() }

// TestLanes_AgainstCells holds the arithmetic on whole words against one cell at a time.
func TestLanes_AgainstCells(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, width := range []uint{1, 2, 4, 8, 16, 32} {
		for _, cells := range []uint64{1, 7, 64, 65, 1000} {
			a, b := randomTable(r, cells, width), randomTable(r, cells, width)
			top := uint64(1)<<width - 1
			var nonzero, full uint64
			want := make([]uint64, cells)
			for i := range cells {
				if a.cell(i) != 0 {
					nonzero++
				}
				if a.cell(i) == top {
					full++
				}
				want[i] = min(top, a.cell(i)+b.cell(i))
			}
			a.dirty()
			if n, f := a.tally(); n != nonzero || f != full {
				t.Errorf("width %d, %d cells: tally %d, want %d; full %d, want %d", width, cells, n, nonzero, f, full)
			}
			if n := a.ones(); width == 1 && n != nonzero {
				t.Errorf("%d bits: ones %d, want %d", cells, n, nonzero)
			}
			a.clean()
			if err := a.Sum("pkg", &b); err != nil {
				t.Fatal(err)
			}
			for i := range cells {
				if a.cell(i) != want[i] {
					t.Fatalf("width %d: sum %d is %d, want %d", width, i, a.cell(i), want[i])
				}
			}
		}
	}
}

// TestReduce_HugeTables checks positions in tables that no machine holds: they stay below m, and
// reach its last part and its low bits as often as they should. A count of 2^16 coins stays within 5
// standard deviations; 10 such counts raise a false alarm once in 170,000 seeds.
func TestReduce_HugeTables(t *testing.T) {
	const keys, k = 1 << 13, 8
	for _, m := range []uint64{1<<32 + 1, 3 << 32, 1<<40 - 1, 1 << 40, 1<<62 + 12345} {
		upper, odd := 0, 0
		r := rand.New(rand.NewPCG(m, 1))
		for range keys {
			x := r.Uint64()
			for range k {
				p := Reduce(x, m)
				if p >= m {
					t.Fatalf("position %d of %d", p, m)
				}
				if p >= m/2 {
					upper++
				}
				odd += int(p & 1)
				x = Next(x)
			}
		}
		for what, n := range map[string]int{"upper half": upper, "odd": odd} {
			if dev := math.Abs(float64(n)-keys*k/2) / math.Sqrt(keys*k/4); dev > 5 {
				t.Errorf("m=%d: %s %d of %d, %.1f standard deviations off", m, what, n, keys*k, dev)
			}
		}
	}
}

// TestBlockState_UniformWithinBlocks checks the fields of keys that share a block, in the smallest
// and the largest tables: digests of one block have their high bits in common.
func TestBlockState_UniformWithinBlocks(t *testing.T) {
	const keys = 1 << 15
	for _, blockBits := range []uint{0, 10, 27, 32} {
		r := rand.New(rand.NewPCG(uint64(blockBits), 7))
		high := r.Uint64() >> (63 - blockBits) >> 1 << (63 - blockBits) << 1
		if blockBits == 0 {
			high = 0
		}
		for field := range 2 * BlockFields {
			var hits [BlockBits]int
			for range keys {
				x := BlockState(high | r.Uint64()>>blockBits)
				if field >= BlockFields {
					x = Next(x)
				}
				hits[x<<(BlockField*uint(field%BlockFields))>>(64-BlockField)]++
			}
			chi := 0.0
			for _, n := range hits {
				d := float64(n) - float64(keys)/BlockBits
				chi += d * d / (float64(keys) / BlockBits)
			}
			// Chi-squared of 511 degrees has mean 511 and deviation 32; five deviations are passed
			// once in 10^6, and there are 56 draws.
			if chi > 511+5*32+20 || chi < 511-5*32 {
				t.Errorf("blocks of %d bits, field %d: chi-squared %.0f", blockBits, field, chi)
			}
		}
	}
}

// TestNext_IsBijection inverts steps: nothing of a digest is lost on the way.
func TestNext_IsBijection(t *testing.T) {
	inverse := uint64(1)
	for range 6 { // Newton's iteration doubles the bits that are right
		inverse *= 2 - multiplier*inverse
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		x := r.Uint64()
		if back := bits.RotateLeft64(Next(x)*inverse, 32); back != x {
			t.Fatalf("Next(%#x) leads back to %#x", x, back)
		}
	}
}

// TestTable_HasEach holds batches of every length against one cell at a time.
func TestTable_HasEach(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, width := range []uint{1, 4, 16} {
		table := randomTable(r, 1000, width)
		table.Hashes = 3
		for n := range 3*Batch + 2 {
			hs, dst := make([]uint64, n), make([]bool, n)
			for i := range hs {
				hs[i] = r.Uint64()
			}
			table.HasEach(hs, dst)
			for i, h := range hs {
				want := true
				for x, k := h, 0; k < 3; k++ {
					want = want && table.cell(Reduce(x, 1000)) != 0
					x = Next(x)
				}
				if dst[i] != want {
					t.Fatalf("width %d: digest %d of %d is %t", width, i, n, dst[i])
				}
			}
		}
	}
}

// TestTable_Match changes one property at a time.
func TestTable_Match(t *testing.T) {
	base := Counting.New(Table{Slots: 100, Hashes: 3, CellBits: 4})
	if same := Counting.New(Table{Slots: 100, Hashes: 3, CellBits: 4, Hash: hashing.NewDigester(hashing.XXH3(0)), MaxBytes: 9}); base.Match("pkg", &same) != nil || !base.Equal(&same) {
		t.Error("the default hash by name is another one")
	}
	for _, other := range []Table{
		Counting.New(Table{Slots: 101, Hashes: 3, CellBits: 4}),
		Counting.New(Table{Slots: 100, Hashes: 2, CellBits: 4}),
		Counting.New(Table{Slots: 100, Hashes: 3, CellBits: 2}),
		Counting.New(Table{Slots: 100, Hashes: 3, CellBits: 4, Hash: hashing.NewDigester(hashing.XXH64(1))}),
	} {
		if err := base.Match("pkg", &other); !errors.Is(err, errs.Mismatch) || base.Equal(&other) {
			t.Errorf("%+v matches: %v", other, err)
		}
	}
	c := base.Clone()
	c.Words[0] = 5
	c.Keys = 1
	if base.Words[0] != 0 || base.Equal(&c) || c.SizeBytes() != 56 {
		t.Errorf("clone %+v of %+v", c, base)
	}
	if c.Reset(); !base.Equal(&c) || c.Keys != 0 {
		t.Errorf("after Reset: %+v", c)
	}
}
