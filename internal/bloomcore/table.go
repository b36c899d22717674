package bloomcore

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/memory"
)

// A Table is the state that every filter of this family has. Copies share the words.
type Table struct {
	Words    []uint64 // the cells, from the lowest bit of the first word on
	Slots    uint64   // cells, m
	Hashes   int      // positions of a key, k
	CellBits uint     // bits of a cell, a power of two up to 64
	Top      uint64   // the largest value of a cell
	Layout   Layout   // where the cells of a key lie
	unmade   uint32   // keys that goroutines gave to the zero Table
	Blocks   uint64   // or 1
	// A key of Blocks has full states of BlockFields positions each, then one whose positions are those in the
	// set last, bit i standing for the i-th.
	full, last uint64
	Keys       uint64  // inserted and not deleted; wider than an int, so that an insert adds 1 without a test
	shared     *shared // of SharedBlocks, instead of Keys
	Hash       hashing.Digester
	MaxBytes   int // under which the table was made, kept for the configuration
}

// New returns the empty table that t describes by Slots, Hashes, CellBits, Hash and MaxBytes. The words of a block, up
// to 64 bytes, lie in one cache line: large allocations begin at a page, and the sizes of small ones, which are
// multiples of the block, at a multiple of it.
func (k *Kind) New(t Table) Table {
	t.Words = memory.Words(int(t.words()))
	return k.arranged(t)
}

// arranged returns a table, which has cells, with all that follows from its kind.
func (k *Kind) arranged(t Table) Table {
	t.Layout, t.Blocks, t.Top = k.Layout, 1, 1<<t.CellBits-1
	if k.Block > 1 {
		t.Blocks = t.Slots / k.Block
	}
	t.full = (uint64(t.Hashes) - 1) / BlockFields
	t.last = 1<<(uint64(t.Hashes)-t.full*BlockFields) - 1
	if k.Layout == SharedBlocks {
		t.share()
	}
	return t
}

// words returns the number of words that the cells take.
func (t *Table) words() uint64 { return (t.Slots-1)/uint64(64/t.CellBits) + 1 }

// SizeBytes returns the bytes of the words.
func (t *Table) SizeBytes() int { return 8 * len(t.Words) }

// Len returns the number of keys, and math.MaxInt of more.
func (t *Table) Len() int {
	keys := t.Keys
	switch t.Layout {
	case Unmade:
		keys = uint64(atomic.LoadUint32(&t.unmade))
	case SharedBlocks:
		keys = uint64(t.shared.kept.Sum())
	}
	return int(min(keys, math.MaxInt))
}

// Took counts n keys more.
func (t *Table) Took(n int) {
	switch t.Layout {
	case Unmade:
		t.addUnmade(n, false)
	case SharedBlocks:
		t.shared.kept.Add(0, int64(n))
	default:
		t.Keys = uint64(AddLen(t.Len(), n))
	}
}

// Reset empties the table.
func (t *Table) Reset() {
	atomic.StoreUint32(&t.unmade, 0)
	if t.Layout == SharedBlocks {
		for i := range t.Words {
			atomic.StoreUint64(&t.Words[i], 0)
		}
		t.shared.kept.Set(0)
		return
	}
	clear(t.Words)
	t.Keys = 0
}

// Clone returns a table with words of its own.
func (t *Table) Clone() Table { return t.CloneTo(t.Layout) }

// CloneTo is Clone to Blocks or to SharedBlocks of a table that is either.
func (t *Table) CloneTo(l Layout) Table {
	c := *t
	c.Words = memory.Words(len(t.Words))
	if t.Layout != SharedBlocks {
		copy(c.Words, t.Words)
	} else {
		for k := range t.Words { // which others may change
			c.Words[k] = atomic.LoadUint64(&t.Words[k])
		}
		c.Layout, c.shared, c.Keys = Blocks, nil, uint64(t.Len())
	}
	if l == SharedBlocks && c.Layout == Blocks {
		c.share()
	}
	return c
}

// still returns a table that nobody changes: a copy where goroutines may share it.
func (t *Table) still() *Table {
	if t.Layout != SharedBlocks {
		return t
	}
	c := t.CloneTo(Blocks)
	return &c
}

// Equal tells whether two tables have one shape, one hash and the same words.
func (t *Table) Equal(u *Table) bool {
	t, u = t.still(), u.still()
	return t.Match("", u) == nil && slices.Equal(t.Words, u.Words) && (t.unmade == 0) == (u.unmade == 0)
}

// Match returns nil if the same key has the same positions in both tables, and otherwise an
// errs.Mismatch, with the prefix pkg, that names the first difference.
func (t *Table) Match(pkg config.Package, u *Table) error {
	switch {
	case t.Slots != u.Slots:
		return pkg.Differ("Slots", t.Slots, u.Slots)
	case t.Hashes != u.Hashes:
		return pkg.Differ("Hashes", t.Hashes, u.Hashes)
	case t.CellBits != u.CellBits:
		return pkg.Differ("CounterBits", t.CellBits, u.CellBits)
	}
	if a, b := t.Hash.Recipe(), u.Hash.Recipe(); a != b {
		return pkg.Differ("Hash", a, b)
	}
	return nil
}

// Union sets the bits that are set in u, and counts its keys. Tables that do not match are an errs.Mismatch.
func (t *Table) Union(pkg config.Package, u *Table) error {
	u = u.still()
	if err := t.Match(pkg, u); err != nil {
		return err
	}
	if t.Layout == SharedBlocks {
		for i, w := range u.Words {
			if w != 0 {
				atomic.OrUint64(&t.Words[i], w)
			}
		}
	} else {
		for i, w := range u.Words {
			t.Words[i] |= w
		}
	}
	t.Took(u.Len())
	return nil
}

// AddLen returns the sum of two numbers of keys, which ends at math.MaxInt in every filter whose Len the table does not
// bound: files can claim that many and 32-bit programs can insert them, and a negative Len would make bad files.
func AddLen(a, b int) int {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return math.MaxInt
}

// Share returns that many cells as a share of all, 0 of a table without cells.
func (t *Table) Share(cells uint64) float64 { return float64(cells) / float64(max(t.Slots, 1)) }
