package bloom

import (
	"fmt"

	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

// A kind is what sets one filter type of this package apart from the others.
type kind struct {
	name string // of the type
	rate bloomcore.Model
	// file is the type of file. Its Granule is the size of a block, or 1 where there are none.
	file bloomcore.FileKind
	// measure reads a table.
	measure func(t *bloomcore.Table) content
	// estimate returns the number of distinct keys to expect in a table of so many set bits.
	estimate func(t *bloomcore.Table, used uint64) float64
}

// A content is what one pass over a table tells.
type content struct {
	used uint64  // bits that are set
	rate float64 // to expect
}

// The kinds as types, so that a zero filter knows its kind too.
type (
	classic    struct{}
	blocked    struct{}
	splitBlock struct{}
)

func (classic) kind() *kind    { return &classicKind }
func (blocked) kind() *kind    { return &blockedKind }
func (splitBlock) kind() *kind { return &splitBlockKind }

// cellBits are the widths of a cell that the filters of this package have: a cell is a bit.
var cellBits = []uint{1}

var (
	classicKind = kind{
		name: "Filter", rate: bloomcore.Rate, measure: measureClassic, estimate: estimate,
		file: bloomcore.FileKind{Type: container.Bloom, Granule: 1, Cells: cellBits},
	}
	blockedKind = kind{
		name: "Blocked", rate: bloomcore.BlockedRate, measure: measureBlocked, estimate: estimate,
		file: bloomcore.FileKind{
			Type: container.BlockedBloom, Granule: bloomcore.BlockBits, Most: bloomcore.MaxBlocks * bloomcore.BlockBits, Cells: cellBits,
		},
	}
	splitBlockKind = kind{
		name: "SplitBlock", rate: bloomcore.SplitRate, measure: measureSplit, estimate: estimateSplit,
		file: bloomcore.FileKind{
			Type: container.SplitBlock, Granule: bloomcore.SplitBits, Most: bloomcore.MaxBlocks * bloomcore.SplitBits,
			Hashes: bloomcore.SplitLanes, Cells: cellBits,
		},
	}
)

// shape returns the shape of the table that c describes.
func (k *kind) shape(c Config) (bloomcore.Shape, error) {
	sizing := c.sizing()
	sizing.MaxCells = k.file.Most
	return sizing.Resolve(k.rate, 1, k.file.Granule)
}

// estimate is kind.estimate where a key may set a bit twice.
func estimate(t *bloomcore.Table, used uint64) float64 {
	return bloomcore.EstimateKeys(used, t.Slots, t.Hashes, t.Blocks)
}

// A base is what the filters of this package have in common: the table, and all that does not depend on
// where a key's bits lie. The verbs that do are in a file of each type. A method here may be slow by the
// lookup of its kind, so none is on the path of a key.
type base[K interface{ kind() *kind }] struct {
	t bloomcore.Table
}

// kind returns the kind of the filter.
func (*base[K]) kind() *kind {
	var k K
	return k.kind()
}

// init makes f the empty filter that c describes.
func (f *base[K]) init(c Config) error {
	k := f.kind()
	shape, err := k.shape(c)
	if err != nil {
		return err
	}
	if k.file.Hashes != 0 {
		shape.Hashes = k.file.Hashes
	}
	f.adopt(bloomcore.NewTable(shape, 1, c.Hash, c.MaxBytes))
	return nil
}

// adopt makes t the table of f.
func (f *base[K]) adopt(t bloomcore.Table) {
	t.Divide(f.kind().file.Granule)
	f.t = t
}

// Len returns the number of inserts: calls of the Insert verbs, digests of InsertHashes, and calls
// of the InsertUnique verbs that returned true. A key inserted twice by Insert counts twice;
// Stats.EstimatedCount counts it once. Len ends at math.MaxInt.
func (f *base[K]) Len() int { return f.t.Len() }

// Slots returns the number of bits of the table, m.
func (f *base[K]) Slots() int { return int(f.t.Slots) }

// SizeBytes returns the size of the table in bytes.
func (f *base[K]) SizeBytes() int { return f.t.SizeBytes() }

// Stats returns counts and rates of the filter as it is now. It reads the whole table once: no verb keeps
// a count of the set bits, which would slow inserts down.
func (f *base[K]) Stats() Stats {
	if f.t.Slots == 0 {
		return Stats{} // of the zero filter
	}
	found := f.kind().measure(&f.t)
	return Stats{
		Inserted:          f.t.Len(),
		Slots:             f.Slots(),
		Used:              int(found.used),
		LoadFactor:        f.t.Share(found.used),
		EstimatedCount:    f.kind().estimate(&f.t, found.used),
		FalsePositiveRate: found.rate,
	}
}

// Config returns the resolved configuration: Bits and Hashes instead of Capacity and
// FalsePositiveRate, and the Hash in use. The constructor makes an empty filter of it that f can be
// merged with.
func (f *base[K]) Config() Config { return configOf(&f.t) }

// Reset removes every key. The memory is kept.
func (f *base[K]) Reset() { f.t.Reset() }

// clone returns a copy with a table of its own.
func (f *base[K]) clone() base[K] { return base[K]{f.t.Clone()} }

// merge makes f the union of f and g.
func (f *base[K]) merge(g *base[K]) error {
	if err := f.t.Match(pkg, &g.t); err != nil {
		return err
	}
	for i, w := range g.t.Words {
		f.t.Words[i] |= w
	}
	f.t.Merge(&g.t)
	return nil
}

// String returns a short description: kind, shape and number of inserts.
func (f *base[K]) String() string {
	return describe(f.kind().name, f.Config(), f.t.Len(), f.SizeBytes())
}

// describe is String of a type of that name.
func describe(name string, c Config, stored, size int) string {
	return fmt.Sprintf("bloom.%s{%s, len %d, %d bytes}", name, c, stored, size)
}

// GoString is String: %#v of a filter does not print its table.
func (f *base[K]) GoString() string { return f.String() }
