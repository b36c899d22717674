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
	// Packed (the default) stores the fingerprints of a bucket one behind the other, each in f bits.
	Packed Layout = iota
	// SemiSorted keeps the fingerprints of a bucket in order, which saves one bit of each: the table
	// takes (f-1)/0.95 bits per item at 95% load and has the rate of f bits. Lookups, inserts and
	// deletes are slower; the package documentation says by how much. It needs b = 4 and fingerprints
	// of at least 5 bits. The slots of a bucket are then numbered by rising fingerprints, empty ones
	// first, and a kick can move other fingerprints of its bucket.
	SemiSorted
	// PairedSlots stores as Packed does, but lets a fingerprint be in two slots of each of its buckets only, not in
	// all b: the fingerprint says which slots pair up. A lookup still reads two buckets, but four of their slots count where 2b
	// did, so the rate at a given load is 4/2b of that of Packed: half at b = 4, a quarter at b = 8. So 11 bits
	// have the rate of 12 packed at b = 4.
	// Slots are harder to fill: BreadthFirst looks at more of them (MaxKicks), inserts take longer near the capacity, and a table is promised
	// fewer keys. A copy of a key fits four times instead of 2b times, and twice if its slots in both buckets coincide.
	//
	// It is fastest at up to 16 bits with b = 4, and up to 12 bits with b = 8.
	// It needs b = 4 or 8, because two slots are all of a bucket of 2, and at most 2^32 slots. A [Scalable] does not have it.
	PairedSlots
	// Words stores a bucket in a 64-bit word of its own, with as many fingerprints as fit, so that goroutines can share a table:
	// it is the layout of a [Concurrent], and a Filter has it to be read from one. Fingerprints have at least 8 bits, and b is 64/f
	// rounded down: 8 for 8 bits, 7 for 9, 6 for 10, 5 for 11 and 12, 4 for 13 to 16, 3 for 17 to 21, and 2 beyond. At 8, 16 and
	// 32 bits no bit of a word is unused, at 12 bits 4, and at 22 bits 20. A [Scalable] does not have it.
	Words

	layouts = iota
)

// layoutTable holds what configurations and files know of a layout. What the verbs do in each is in lookup_quad.go,
// lookup_word.go and lookup_sorted.go.
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
		bucketSizes: []int{2, 3, 4, 5, 6, 7, 8}, minWidth: packed.MinWordWidth, search: kick.SearchLimit, kind: packed.Words,
	},
}

// pairedLimit is how many slots BreadthFirst examines where they are paired.
const pairedLimit = 20_000

// layoutEnum has the names of the layouts.
var layoutEnum = config.Enum{Package: pkg, Name: "Layout", Names: []string{Packed: "packed", SemiSorted: "semisorted", PairedSlots: "paired", Words: "words"}}

// String returns the name: packed, semisorted, paired or words.
func (l Layout) String() string { return layoutEnum.String(uint8(l)) }

// MarshalText returns the name. An unknown layout is [ErrConfig].
func (l Layout) MarshalText() ([]byte, error) { return layoutEnum.Marshal(uint8(l)) }

// UnmarshalText reads a name. An unknown one is [ErrConfig] and leaves l as it was.
func (l *Layout) UnmarshalText(text []byte) error {
	read, err := layoutEnum.Unmarshal(text)
	if err == nil {
		*l = Layout(read)
	}
	return err
}

// minWidth returns the fewest bits that fingerprints can have.
func (l Layout) minWidth() uint { return layoutTable[l].minWidth }

// fits returns what is wrong with a bucket size that some layout admits, for a message after "BucketSize is b, ", or "".
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
