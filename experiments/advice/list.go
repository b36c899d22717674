package advice

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
)

// The kinds of filters, by the names that charts and tables give them. A layout of cuckoo filters is no kind of package
// nest, but one of its own to a reader.
const (
	Bloom       = "bloom"
	Blocked     = "blocked bloom"
	SplitBlock  = "split-block bloom"
	Counting    = "counting bloom"
	DLeft       = "d-left counting bloom"
	Cuckoo      = "cuckoo"
	SemiSorted  = "semi-sorted cuckoo"
	PairedSlots = "paired cuckoo"
)

// A row is what this package knows of a kind of filter: its name, how Go source makes it, and what reasons say of it.
type row struct {
	name, typ   string // typ is its type in Go source
	kind        nest.Kind
	layout      cuckoo.Layout
	field       string // of its Config that holds Slots, or that a layout needs
	lookup      string // what a lookup touches; empty where that depends on the plan
	when        string // when to take it in place of the recommended one
	slower      string // what a layout costs, which is recommended only where that is asked for
	flag        string // of nest size, which asks for it
	config      string // the type of its configuration; empty is Config
	counts      string // what it does besides deleting
	bucketSizes []int  // that a layout is tried with; 0 for the default
}

const (
	oneLine    = "A lookup touches one cache line."
	twoBuckets = "A lookup touches two buckets, in two cache lines, whatever the answer."
)

// rows are the kinds of package nest, in the order of the tables, and behind them the layouts of cuckoo filters, of
// which another one is another row here. A kind that is missing is a mistake that a test finds.
var rows = []row{
	{name: Bloom, kind: nest.Bloom, typ: "bloom.Filter", field: "Bits"},
	{name: Blocked, kind: nest.BlockedBloom, typ: "bloom.Blocked", field: "Bits",
		lookup: oneLine, when: ": take it if one cache line per lookup is worth that"},
	{name: SplitBlock, kind: nest.SplitBlock, typ: "bloom.SplitBlock", field: "Bits",
		lookup: oneLine, when: ": take it to share bytes with Parquet"},
	{name: Counting, kind: nest.Counting, typ: "counting.Filter", field: "Counters",
		when: ": it deletes, and pays 4 bits for a counter where a Bloom filter has one bit"},
	{name: DLeft, kind: nest.DLeft, typ: "counting.DLeft", config: "DLeftConfig", when: ": take it if keys are counted",
		counts: "It deletes and counts, each key to 4. A full table returns ErrFull, as a cuckoo filter's does.",
		lookup: "A lookup touches four buckets, in four cache lines, whatever the answer."},
	{name: Cuckoo, kind: nest.Cuckoo, typ: "cuckoo.Filter", lookup: twoBuckets, when: ": take it if keys must be deleted"},
	{name: SemiSorted, kind: nest.Cuckoo, layout: cuckoo.SemiSorted, typ: "cuckoo.Filter",
		field: "Layout: cuckoo.SemiSorted", lookup: twoBuckets, flag: "semi-sort", bucketSizes: []int{0},
		slower: "sorts the fingerprints of each bucket, with which lookups take 1.5 to 1.9 times as long, " +
			"in batches 3 times, and inserts and deletes up to 4 times"},
	{name: PairedSlots, kind: nest.Cuckoo, layout: cuckoo.PairedSlots, typ: "cuckoo.Filter",
		field: "Layout: cuckoo.PairedSlots", lookup: twoBuckets, flag: "paired-slots", bucketSizes: []int{4, 8},
		slower: "lets a fingerprint be in two slots of each of its buckets, with which lookups and deletes take " +
			"up to 1.3 times as long, in batches up to 1.6 times, and filling it 1.4 to 3 times"},
}

// rowOf returns the row of a filter of package nest; of a kind that has none, one with the name that package nest gives
// it.
func rowOf(s nest.Spec) row {
	at := slices.IndexFunc(rows, func(r row) bool { return r.kind == s.Kind && r.layout == s.Layout })
	if at < 0 {
		return row{name: string(s.Kind), kind: s.Kind}
	}
	return rows[at]
}

// Name returns the name of a filter of package nest in charts and tables.
func Name(s nest.Spec) string { return rowOf(s).name }

// A Form is a kind of filter with what sets it apart from others of its kind; capacity and rate are to be added.
type Form struct {
	Name string
	Spec nest.Spec
	Flag string // of nest size, which asks for a layout that is not recommended without
}

// Forms returns every kind of package nest that is made for a number of keys and not for goroutines, which leaves out
// Best and Scalable, in the order of the tables: each once, but the cuckoo filter in the given forms.
func Forms(cuckoos ...Form) (all []Form) {
	for _, r := range rows {
		switch {
		case r.kind != nest.Cuckoo:
			all = append(all, Form{Name: r.name, Spec: nest.Spec{Kind: r.kind}})
		case r.layout == cuckoo.Packed:
			all = append(all, cuckoos...)
		}
	}
	return all
}

// Layouts returns the cuckoo filters of every layout but the packed one, in all bucket sizes that it is tried with.
func Layouts() (all []Form) {
	for _, r := range rows {
		for _, b := range r.bucketSizes {
			name := r.name
			if b != 0 {
				name = fmt.Sprintf("%s b=%d", name, b)
			}
			all = append(all, Form{name, nest.Spec{Kind: r.kind, Layout: r.layout, BucketSize: b}, r.flag})
		}
	}
	return all
}

// Deletes tells whether keys can be deleted from filters of the kind.
func Deletes(kind nest.Kind) bool {
	_, err := nest.Plans(nest.Spec{Kind: kind, Capacity: 1000, FalsePositiveRate: 0.01, MustDelete: true})
	return err == nil
}
