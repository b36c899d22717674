package size

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
)

// The kinds of filters, by the names that charts and tables give them.
const (
	Bloom      = "bloom"
	Blocked    = "blocked bloom"
	SplitBlock = "split-block bloom"
	Counting   = "counting bloom"
	DLeft      = "d-left counting bloom"
	Cuckoo     = "cuckoo"
	// SemiSorted are cuckoo filters of the layout [cuckoo.SemiSorted]: no kind of package nest, but one of their own to a reader.
	SemiSorted = "semi-sorted cuckoo"
	// PairedSlots are those of the layout [cuckoo.PairedSlots].
	PairedSlots = "paired cuckoo"
)

// A row is what this package knows of a kind of filter: its name, how Go source makes it, and what reasons say of it.
type row struct {
	name   string
	kind   nest.Kind
	layout cuckoo.Layout
	// The package, its type and its configuration; the field of that which holds Slots, or what it takes for the layout.
	pkg, typ, config, slots, goLayout string
	lookup                            string // what a lookup touches; empty where that depends on the plan
	when                              string // when to take it in place of the recommended one
	slower                            string // what a layout costs, which is recommended only where that is asked for
	flag                              string // of nest size, which asks for it
	bucketSizes                       []int  // that a layout is tried with; nil for the default alone
}

// rows are the kinds of package nest, in the order of the tables, and behind them the layouts of cuckoo filters, of which
// another one is another row here. A kind that is missing is a mistake that a test finds.
var rows = []row{
	{name: Bloom, kind: nest.Bloom, pkg: "bloom", typ: "Filter", config: "Config", slots: "Bits"},
	{name: Blocked, kind: nest.BlockedBloom, pkg: "bloom", typ: "Blocked", config: "Config", slots: "Bits",
		lookup: "A lookup touches one cache line.", when: ": take it if one cache line per lookup is worth that"},
	{name: SplitBlock, kind: nest.SplitBlock, pkg: "bloom", typ: "SplitBlock", config: "Config", slots: "Bits",
		lookup: "A lookup touches one cache line.", when: ": take it to share bytes with Parquet"},
	{name: Counting, kind: nest.Counting, pkg: "counting", typ: "Filter", config: "Config", slots: "Counters",
		when: ": it deletes, and pays 4 bits for a counter where a Bloom filter has one bit"},
	{name: DLeft, kind: nest.DLeft, pkg: "counting", typ: "DLeft", config: "DLeftConfig",
		lookup: "A lookup touches four buckets, in four cache lines, whatever the answer.", when: ": take it if keys are counted"},
	{name: Cuckoo, kind: nest.Cuckoo, pkg: "cuckoo", typ: "Filter", config: "Config", lookup: twoBuckets, when: ": take it if keys must be deleted"},
	{name: SemiSorted, kind: nest.Cuckoo, layout: cuckoo.SemiSorted, pkg: "cuckoo", typ: "Filter", config: "Config", goLayout: "SemiSorted", lookup: twoBuckets,
		flag: "semi-sort", slower: "sorts the fingerprints of each bucket, with which lookups take 1.5 to 1.9 times as long, in batches 3 times, and inserts and deletes up to 4 times"},
	{name: PairedSlots, kind: nest.Cuckoo, layout: cuckoo.PairedSlots, pkg: "cuckoo", typ: "Filter", config: "Config", goLayout: "PairedSlots", lookup: twoBuckets,
		flag: "paired-slots", bucketSizes: []int{4, 8},
		slower: "lets a fingerprint be in two slots of each of its buckets, with which lookups and deletes take up to 1.3 times as long, in batches up to 1.6 times, and filling it 1.4 to 3 times"},
}

const twoBuckets = "A lookup touches two buckets, in two cache lines, whatever the answer."

// rowOf returns the row of a filter of package nest; of a kind that has none, one with the name that package nest gives it.
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

// Forms returns every kind of package nest that is made for a number of keys, which leaves out Best and Scalable, and not for goroutines, in the order of
// the tables: each once, but the cuckoo filter in the given forms.
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
		if r.slower == "" {
			continue
		}
		f := Form{r.name, nest.Spec{Kind: r.kind, Layout: r.layout}, r.flag}
		if r.bucketSizes == nil {
			all = append(all, f)
		}
		for _, b := range r.bucketSizes {
			f.Name, f.Spec.BucketSize = fmt.Sprintf("%s b=%d", r.name, b), b
			all = append(all, f)
		}
	}
	return all
}

// Deletes tells whether keys can be deleted from filters of the kind.
func Deletes(kind nest.Kind) bool {
	_, err := nest.Plans(nest.Spec{Kind: kind, Capacity: 1000, FalsePositiveRate: 0.01, MustDelete: true})
	return err == nil
}
