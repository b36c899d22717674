package cuckoo

import (
	"github.com/nestfilter/nest/internal/hugepage"
	"github.com/nestfilter/nest/internal/packed"
)

// A configuration chooses the layout of the table here. What the verbs do in each is in lookup_quad.go, lookup_word.go and
// lookup_sorted.go.

// size returns the bytes of a table of that many buckets, and false where they are no int.
func (c Config) size(width uint, buckets uint64) (size int, ok bool) {
	if c.SemiSort {
		return packed.SizeSorted(width, buckets)
	}
	return packed.Size(width, uint(c.BucketSize), buckets)
}

// newTable returns an empty table of a resolved configuration.
func (c *Config) newTable(width uint) packed.Table {
	if c.SemiSort {
		return packed.NewSorted(width, uint64(c.Buckets), hugepage.Mode(c.HugePages))
	}
	return packed.NewPaged(width, uint(c.BucketSize), uint64(c.Buckets), hugepage.Mode(c.HugePages))
}

// tableOver returns the table of a resolved configuration over its bytes.
func (c Config) tableOver(width uint, data []byte) packed.Table {
	if c.SemiSort {
		return packed.OverSorted(width, uint64(c.Buckets), data, hugepage.Mode(c.HugePages))
	}
	return packed.Over(width, uint(c.BucketSize), uint64(c.Buckets), data, hugepage.Mode(c.HugePages))
}
