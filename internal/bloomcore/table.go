package bloomcore

import (
	"math"
	"slices"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/memory"
)

// A Table is the state that every filter of this family has. Copies share the words.
type Table struct {
	// Words holds the cells from the lowest bit of the first word on.
	Words []uint64
	// Slots is the number of cells, m; Hashes the number of positions of a key, k.
	Slots  uint64
	Hashes int
	// CellBits is the number of bits of a cell: a power of two up to 64.
	CellBits uint
	// Blocks is the number of blocks, of which a key has cells in one: see [Table.Divide].
	Blocks uint64
	// A key of a BlockTable has full states of BlockFields positions each, then one whose positions are
	// those in the set last, bit i standing for the i-th.
	full, last uint64
	// Keys counts the keys inserted and not deleted; [Table.Len] tells it. It is wider than an int, so that an insert adds 1 without
	// a look at the sum.
	Keys uint64
	// Hash makes digests from keys.
	Hash hashing.Digester
	// MaxBytes is the limit that the table was made under, kept for the configuration.
	MaxBytes int
}

// NewTable returns an empty table of that shape. The words of a block, up to 64 bytes, lie in one
// cache line: large allocations begin at a page, and the sizes of small ones, which are multiples of
// the block, at a multiple of it.
func NewTable(shape Shape, cellBits uint, hash hashing.Hasher, maxBytes int) Table {
	perWord := uint64(64 / cellBits)
	return Table{
		Words:    memory.Words(int((shape.Cells + perWord - 1) / perWord)),
		Slots:    shape.Cells,
		Hashes:   shape.Hashes,
		CellBits: cellBits,
		Hash:     hashing.NewDigester(hash),
		MaxBytes: maxBytes,
	}
}

// Divide divides the table, which has cells, into blocks of so many. A block of one cell is no block: the
// table is one then.
func (t *Table) Divide(cells uint64) {
	t.Blocks = 1
	if cells > 1 {
		t.Blocks = t.Slots / cells
	}
	t.full = (uint64(t.Hashes) - 1) / BlockFields
	t.last = 1<<(uint64(t.Hashes)-t.full*BlockFields) - 1
}

// SizeBytes returns the bytes of the words.
func (t *Table) SizeBytes() int { return 8 * len(t.Words) }

// Reset empties the table.
func (t *Table) Reset() {
	clear(t.Words)
	t.Keys = 0
}

// Clone returns a table with words of its own.
func (t *Table) Clone() Table {
	c := *t
	c.Words = memory.Words(len(t.Words))
	copy(c.Words, t.Words)
	return c
}

// Equal tells whether two tables have one shape, one hash and the same words.
func (t *Table) Equal(u *Table) bool {
	return t.Match("", u) == nil && slices.Equal(t.Words, u.Words)
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

// AddLen returns the sum of two numbers of keys, of which it is the rule in every filter whose Len the table does not bound:
// it ends at math.MaxInt. Files can claim that many and 32-bit programs can insert them, and a sum that wrapped around would be
// negative, in answers and in files that nobody reads. Numbers in files that are no int are refused.
func AddLen(a, b int) int {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return math.MaxInt
}

// unmade is what inserts into the zero value of a filter panic with, and lookups in one of blocks. The check takes the place of
// the one that an index needs.
const unmade = "bloom: the zero filter has no table: make one with a constructor"

// first returns the first word. It panics if there is none.
func (t *Table) first() *uint64 {
	if len(t.Words) == 0 {
		panic(unmade)
	}
	return &t.Words[0]
}

// Made panics if the filter was never made.
func (t *Table) Made() {
	if t.Slots == 0 {
		panic(unmade)
	}
}

// Len returns the number of keys, and math.MaxInt of more.
func (t *Table) Len() int { return int(min(t.Keys, math.MaxInt)) }

// Merge counts the keys of a table that this one takes in.
func (t *Table) Merge(u *Table) { t.Keys = uint64(AddLen(t.Len(), u.Len())) }

// Share returns that many cells as a share of all, 0 of a table without cells.
func (t *Table) Share(cells uint64) float64 {
	if t.Slots == 0 {
		return 0
	}
	return float64(cells) / float64(t.Slots)
}
