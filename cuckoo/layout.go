package cuckoo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// Layout is the way in which the table stores the fingerprints of a bucket. It changes the size of the table
// and the speed of the verbs. As text it is packed, semisorted, paired or words.
type Layout uint8 // the numbers are those of files

const (
	// Packed (the default) stores the fingerprints of a bucket one after the other, each in f bits.
	Packed Layout = iota
	// SemiSorted saves one bit of each fingerprint at the same rate: it keeps those of a bucket in order. Lookups take 1.5
	// to 1.8 times as long as in packed buckets, inserts and deletes 2 to 4 times, and batches 4 to 6 times. It needs
	// b = 4 and 5 bits or more. Slots are numbered by rising fingerprints, empty ones first, so a kick can move others of its
	// bucket.
	SemiSorted
	// PairedSlots has half the false-positive rate of Packed at b = 4 and a quarter at b = 8, in as many bits: a
	// fingerprint may be in two slots of each of its buckets only, and says which. So 11 bits do what 12 do packed.
	// Lookups take 1.3 times as long, and filling a table 1.4 to 2.1 times with AVX-512, else 2 to 6 times, as
	// BreadthFirst examines more slots. A table is promised fewer keys. A copy of a key fits four times, and twice if its
	// slots in both buckets coincide.
	//
	// It needs b = 4 or 8 and at most 2^32 slots, and is fastest up to 16 bits with b = 4 and up to 12 with b = 8. A
	// [Scalable] does not have it.
	PairedSlots
	// Words stores each bucket in a 64-bit word, so that goroutines can share the table: it is the layout of a
	// [Concurrent]. A Filter can have it to exchange its table with one. The width decides b, which is 64/f rounded
	// down; widths of 8, 16 and 32 waste no bit of a word, 12 wastes 4, and fewer than 8 bits are refused. A [Scalable]
	// does not have it.
	Words

	layouts = iota
)

// layoutTable holds what configurations and files know of a layout. What the verbs do in each is in layout_quad.go,
// layout_word.go and layout_sorted.go.
var layoutTable = [layouts]struct {
	bucketSizes []int  // that it admits, 4, the default, among them; nil for all
	why         string // it admits no others, for a message; may be empty
	minWidth    uint   // of the fingerprints
	paired      bool   // a fingerprint may be in one pair of the slots of each of its buckets
	search      int    // the default of MaxKicks for BreadthFirst, which are slots where they are paired
	kind        packed.Kind
}{
	Packed: {minWidth: 1, search: kick.SearchLimit, kind: packed.Plain},
	SemiSorted: {
		bucketSizes: []int{4}, minWidth: packed.MinSortedWidth, search: kick.SearchLimit, kind: packed.SemiSorted,
	},
	PairedSlots: {
		bucketSizes: []int{4, 8}, why: ": two slots are all of a smaller bucket", minWidth: 1, paired: true,
		search: pairedLimit, kind: packed.PairedLanes,
	},
	Words: {
		bucketSizes: []int{2, 3, 4, 5, 6, 7, 8}, minWidth: packed.MinWordWidth,
		search: kick.SearchLimit, kind: packed.Words,
	},
}

// pairedLimit is how many slots BreadthFirst examines where they are paired.
const pairedLimit = 20_000

// layoutEnum has the names of the layouts.
var layoutEnum = config.Enum{Package: pkg, Name: "Layout", Names: []string{
	Packed: "packed", SemiSorted: "semisorted", PairedSlots: "paired", Words: "words",
}}

// String returns the name: packed, semisorted, paired or words.
func (l Layout) String() string { return layoutEnum.String(uint8(l)) }

// MarshalText returns the name. An unknown layout is [ErrConfig].
func (l Layout) MarshalText() ([]byte, error) { return layoutEnum.Marshal(uint8(l)) }

// UnmarshalText reads a name. An unknown one is [ErrConfig] and leaves l as it was.
func (l *Layout) UnmarshalText(text []byte) error { return layoutEnum.Unmarshal(text, (*uint8)(l)) }

// minWidth returns the fewest bits that fingerprints can have.
func (l Layout) minWidth() uint { return layoutTable[l].minWidth }

// fits returns what is wrong with a bucket size that some layout admits, for a message after "BucketSize is b, ", or
// "".
func (l Layout) fits(b int) string {
	if l >= layouts {
		return "" // which is wrong in another way
	}
	sizes := layoutTable[l].bucketSizes
	if sizes == nil || slices.Contains(sizes, b) {
		return ""
	}
	list := strings.ReplaceAll(strings.Trim(fmt.Sprint(sizes), "[]"), " ", " or ")
	return fmt.Sprintf("want %s for layout %v%s", list, l, layoutTable[l].why)
}

// defaultSize returns the bucket size where a configuration sets none.
func (l Layout) defaultSize(width uint) int {
	if l == Words {
		return int(packed.WordLanes(width))
	}
	return 4
}

// size returns the bytes of a table of that many buckets, and false where they are no int.
func (c *Config) size(buckets uint64) (size int, ok bool) {
	l := &layoutTable[c.Layout]
	size, ok = l.kind.Size(c.width(), uint(c.BucketSize), buckets)
	// A digest has no bits to tell more than 2^32 paired slots apart, beside those of the fingerprint.
	return size, ok && (!l.paired || buckets <= fingerprint.MaxBuckets/uint64(c.BucketSize))
}

// newTable returns an empty table of a resolved configuration.
func (c *Config) newTable() packed.Table {
	return layoutTable[c.Layout].kind.New(c.width(), uint(c.BucketSize), uint64(c.Buckets))
}

// tableOver returns the table of a resolved configuration over its bytes.
func (c *Config) tableOver(data []byte) packed.Table {
	return layoutTable[c.Layout].kind.Over(c.width(), uint(c.BucketSize), uint64(c.Buckets), data)
}

// scheme returns the scheme of a resolved configuration: what pairs the buckets, and slots where they are paired.
func (c *Config) scheme() kick.Scheme {
	s := kick.NewScheme(kick.Rule(c.Placement), uint64(c.Buckets))
	if layoutTable[c.Layout].paired {
		s.PairSlots(uint(c.BucketSize))
	}
	return s
}
