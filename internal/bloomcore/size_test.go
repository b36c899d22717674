package bloomcore

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
)

// TestCellsFor_IsSmallest checks that the size keeps the rate, that one block less does not, and
// that one position less does not.
func TestCellsFor_IsSmallest(t *testing.T) {
	for _, kind := range []*Kind{&Classic, &Blocked} {
		for _, n := range []int{1, 2, 10, 1000, 12345, 1 << 30} {
			for _, eps := range []float64{.9, .1, .01, 1e-4, 1e-6} {
				m, k, ok := kind.cellsFor(n, eps, 1<<60)
				if !ok || m == 0 || m%kind.Block != 0 {
					t.Fatalf("%s n=%d eps=%v: %d cells, %t", kind.Name, n, eps, m, ok)
				}
				if rate := kind.Rate(m, k, n); rate > eps {
					t.Errorf("%s n=%d eps=%v: %d cells, k=%d have rate %v", kind.Name, n, eps, m, k, rate)
				}
				for other := max(1, k-3); other <= min(k+6, MaxHashes); other++ {
					if m > kind.Block && kind.Rate(m-kind.Block, other, n) <= eps {
						t.Errorf("%s n=%d eps=%v: %d cells, but a block less fits with k=%d", kind.Name, n, eps, m, other)
					}
					if other < k && kind.Rate(m, other, n) <= eps {
						t.Errorf("%s n=%d eps=%v: k=%d, but %d is enough", kind.Name, n, eps, k, other)
					}
				}
			}
		}
	}
}

// TestCellsFor_Golden pins sizes, which files and merges rely on, on every architecture.
func TestCellsFor_Golden(t *testing.T) {
	for _, c := range []struct {
		n               int
		eps             float64
		classic         uint64
		classicK        int
		blocks          uint64
		blockedK        int
		textbookBitsKey float64
	}{
		{1000, .01, 9595, 7, 20, 5, 9.585},
		{1_000_000, .01, 9592957, 7, 19372, 6, 9.585},
		{1_000_000, .001, 14377642, 10, 30363, 9, 14.378},
	} {
		m, k, _ := Classic.cellsFor(c.n, c.eps, 1<<60)
		b, bk, _ := Blocked.cellsFor(c.n, c.eps, 1<<60)
		if m != c.classic || k != c.classicK || b/BlockBits != c.blocks || bk != c.blockedK {
			t.Errorf("n=%d eps=%v: %d cells k=%d, %d blocks k=%d", c.n, c.eps, m, k, b/BlockBits, bk)
		}
		if perKey := float64(m) / float64(c.n); math.Abs(perKey-c.textbookBitsKey) > .02 {
			t.Errorf("n=%d eps=%v: %.3f bits a key, textbook %.3f", c.n, c.eps, perKey, c.textbookBitsKey)
		}
	}
}

func TestSizing_Problems(t *testing.T) {
	for _, c := range []struct {
		s    Sizing
		want []string // one part of each problem
	}{
		{Sizing{}, []string{"Capacity is 0, FalsePositiveRate 0, Slots 0, Hashes 0"}},
		{Sizing{Capacity: 10}, []string{"set Capacity and FalsePositiveRate"}},
		{Sizing{Cells: 10}, []string{"or Slots and Hashes"}},
		{Sizing{Capacity: 10, Rate: .1, Cells: 10}, []string{"and no more"}},
		{Sizing{Capacity: 10, Rate: .1, Hashes: 3}, []string{"and no more"}},
		{Sizing{Capacity: -1, Rate: .1}, []string{"Capacity is -1"}},
		{Sizing{Cells: -8, Hashes: -2, MaxBytes: -3}, []string{"Slots is -8", "Hashes is -2", "MaxBytes is -3"}},
		{Sizing{Cells: 8, Hashes: 65}, []string{"Hashes is 65"}},
		{Sizing{Capacity: 1, Rate: 1}, []string{"FalsePositiveRate is 1,"}},
		{Sizing{Capacity: 1, Rate: -.5}, []string{"FalsePositiveRate is -0.5,"}},
		{Sizing{Capacity: 1, Rate: math.NaN()}, []string{"FalsePositiveRate is NaN,"}},
		{Sizing{Capacity: 1, Rate: math.Inf(1)}, []string{"FalsePositiveRate is +Inf,"}},
		{Sizing{Capacity: 1 << 30, Rate: 1e-12}, []string{"1073741824 digests of 64 bits collide"}},
		{Sizing{Capacity: 1, Rate: 2, MaxBytes: -1}, []string{"FalsePositiveRate is 2,", "MaxBytes is -1"}},
	} {
		c.s.Package = "pkg"
		c.s.Fields = []config.Field{
			config.Int("Capacity", "capacity", &c.s.Capacity, 1, math.MaxInt), config.Rate("FalsePositiveRate", "fpr", &c.s.Rate),
			config.Int("Slots", "slots", &c.s.Cells, 1, math.MaxInt), config.Int("Hashes", "hashes", &c.s.Hashes, 1, MaxHashes),
			config.Limit(&c.s.MaxBytes),
		}
		check := config.Problems{Package: c.s.Package}
		c.s.Check(&check)
		problems := check.Err().(interface{ Unwrap() []error }).Unwrap()
		if len(problems) != len(c.want) {
			t.Errorf("%+v: %d problems, want %d: %v", c.s, len(problems), len(c.want), problems)
			continue
		}
		for i, p := range problems {
			if !errors.Is(p, errs.Config) || !strings.HasPrefix(p.Error(), "pkg: ") || !strings.Contains(p.Error(), c.want[i]) {
				t.Errorf("%+v: problem %q, want part %q", c.s, p, c.want[i])
			}
		}
		if _, _, err := Classic.Resolve(c.s); !errors.Is(err, errs.Config) {
			t.Errorf("%+v: Resolve: %v", c.s, err)
		}
	}
}

// TestSizing_TooLarge asks for tables beyond every limit; nothing is allocated, so it ends at once.
func TestSizing_TooLarge(t *testing.T) {
	for _, s := range []Sizing{
		{Capacity: math.MaxInt, Rate: .01},
		{Capacity: 1, Rate: 1e-19, MaxBytes: 8},
		{Capacity: 1000, Rate: .01, MaxBytes: 1000},
		{Cells: math.MaxInt, Hashes: 1, MaxBytes: 1 << 20},
		{Cells: 8001, Hashes: 1, MaxBytes: 1000},
		{Cells: 100, Hashes: 1, MaxBytes: 1},
	} {
		for _, kind := range []*Kind{&Classic, &Blocked} {
			s.CellBits = 1
			if _, _, err := kind.Resolve(s); !errors.Is(err, errs.TooLarge) {
				t.Errorf("%+v: %v, want %v", s, err, errs.TooLarge)
			}
		}
	}
	few := Kind{Rate: BlockedRate, Block: BlockBits, MostBlocks: 1}
	for _, s := range []Sizing{{Cells: 513, Hashes: 1}, {Capacity: 1000, Rate: .01}} {
		s.CellBits = 1
		if _, _, err := few.Resolve(s); !errors.Is(err, errs.TooLarge) {
			t.Errorf("%+v in one block: %v", s, err)
		}
	}
	fits := Sizing{Cells: 8000, Hashes: 1, CellBits: 1, MaxBytes: 1000}
	if table, bytes, err := Classic.Resolve(fits); err != nil || table.Slots != 8000 || table.Hashes != 1 || bytes != 1000 {
		t.Errorf("%+v: %+v of %d bytes, %v", fits, table, bytes, err)
	}
	fits.CellBits = 4
	if _, _, err := Classic.Resolve(fits); !errors.Is(err, errs.TooLarge) {
		t.Errorf("%+v with cells of 4 bits: %v", fits, err)
	}
}
