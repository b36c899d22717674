package cuckoo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/internal/hugepage"
	"github.com/nestfilter/nest/internal/packed"
)

// Layout is the way in which the table stores the fingerprints of a bucket. It changes the size of the table
// and the speed of the verbs, but not which keys a filter tells apart. As text it is packed or semisorted.
type Layout uint8 // the numbers are those of files

const (
	// Packed (the default) stores the fingerprints of a bucket one behind the other, each in f bits.
	Packed Layout = iota
	// SemiSorted keeps the fingerprints of a bucket in order, which saves one bit of each: the table
	// takes (f-1)/0.95 bits per item at 95% load and has the rate of f bits. Lookups, inserts and
	// deletes are slower; the package documentation says by how much. It needs b = 4 and fingerprints
	// of at least 5 bits. The slots of a bucket are then numbered by rising fingerprints, empty ones
	// first, and a kick can move other fingerprints of its bucket.
	SemiSorted

	layouts = iota
)

// layoutTable holds what configurations and files know of a layout. What the verbs do in each is in lookup_quad.go,
// lookup_word.go and lookup_sorted.go.
var layoutTable = [layouts]struct {
	name        string
	bucketSizes []int // that it admits, 4, the default, among them; nil for all
	minWidth    uint  // of the fingerprints
	// size returns the bytes of a table, and false where they are no int; make returns an empty table, and over one over its
	// bytes.
	size func(width, b uint, buckets uint64) (size int, ok bool)
	make func(width, b uint, buckets uint64, pages hugepage.Mode) packed.Table
	over func(width, b uint, buckets uint64, data []byte, pages hugepage.Mode) packed.Table
}{
	Packed: {name: "packed", minWidth: 1, size: packed.Size, make: packed.NewPaged, over: packed.Over},
	SemiSorted: {
		name: "semisorted", bucketSizes: []int{4}, minWidth: packed.MinSortedWidth,
		size: func(width, _ uint, buckets uint64) (int, bool) { return packed.SizeSorted(width, buckets) },
		make: func(width, _ uint, buckets uint64, pages hugepage.Mode) packed.Table {
			return packed.NewSorted(width, buckets, pages)
		},
		over: func(width, _ uint, buckets uint64, data []byte, pages hugepage.Mode) packed.Table {
			return packed.OverSorted(width, buckets, data, pages)
		},
	},
}

// layoutNames is what messages say of a number that is none.
const layoutNames = "Packed or SemiSorted"

// String returns the layout's name: packed or semisorted.
func (l Layout) String() string {
	if l >= layouts {
		return fmt.Sprintf("Layout(%d)", uint8(l))
	}
	return layoutTable[l].name
}

// MarshalText returns the layout's name. An unknown layout is [ErrConfig].
func (l Layout) MarshalText() ([]byte, error) {
	if l >= layouts {
		return nil, fmt.Errorf("cuckoo: %w: unknown layout %d", ErrConfig, uint8(l))
	}
	return []byte(layoutTable[l].name), nil
}

// UnmarshalText reads a layout's name. An unknown name is [ErrConfig] and leaves l as it was.
func (l *Layout) UnmarshalText(text []byte) error {
	read, err := parseLayout(string(text))
	if err != nil {
		return fmt.Errorf("cuckoo: %w: layout %q: %w", ErrConfig, text, err)
	}
	*l = read
	return nil
}

// parseLayout returns the layout of a name.
func parseLayout(name string) (Layout, error) {
	for l := range layoutTable {
		if layoutTable[l].name == name {
			return Layout(l), nil
		}
	}
	return 0, errors.New("unknown layout, want packed or semisorted")
}

// minWidth returns the fewest bits that fingerprints can have.
func (l Layout) minWidth() uint { return layoutTable[l].minWidth }

// fits returns what is wrong with a bucket size that some layout admits, for a message after "BucketSize is b, ", or "".
func (l Layout) fits(b int) string {
	sizes := layoutTable[l].bucketSizes
	if sizes == nil || slices.Contains(sizes, b) {
		return ""
	}
	list := strings.ReplaceAll(strings.Trim(fmt.Sprint(sizes), "[]"), " ", " or ")
	return fmt.Sprintf("want %s for layout %v", list, l)
}

// size returns the bytes of a table of that many buckets, and false where they are no int.
func (c Config) size(width uint, buckets uint64) (size int, ok bool) {
	return layoutTable[c.Layout].size(width, uint(c.BucketSize), buckets)
}

// newTable returns an empty table of a resolved configuration.
func (c *Config) newTable(width uint) packed.Table {
	return layoutTable[c.Layout].make(width, uint(c.BucketSize), uint64(c.Buckets), hugepage.Mode(c.HugePages))
}

// tableOver returns the table of a resolved configuration over its bytes.
func (c Config) tableOver(width uint, data []byte) packed.Table {
	return layoutTable[c.Layout].over(width, uint(c.BucketSize), uint64(c.Buckets), data, hugepage.Mode(c.HugePages))
}
