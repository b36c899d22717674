package rivals

import (
	"fmt"
	"strings"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// A duel is one of our filters against rivals that do the same.
type duel struct {
	ours, against string
	rivals        []string
	said          bool // in the summary
}

var (
	nativeCuckoos = []string{"native cuckoo12", "native cuckoo12-mix64", "native cuckoo16"}
	theirFuse     = []string{"xorfilter binary-fuse-8"}
)

const fastestNative = "the fastest cuckoo filter in C++"

// duels are all of them.
var duels = []duel{
	{"nest cuckoo-xor", fastestNative, nativeCuckoos, true},
	{"nest cuckoo-additive", fastestNative, nativeCuckoos, true},
	{"nest cuckoo-16", fastestNative, nativeCuckoos, false},
	{"nest split-block-bloom", "split-block in C++", []string{nativeBlock}, false},
	{"nest fuse-8 of 3 segments", "xorfilter", theirFuse, true},
	{"nest fuse-8", "xorfilter", theirFuse, false},
	{"nest fuse-16 of 3 segments", "xorfilter", []string{"xorfilter binary-fuse-16"}, false},
	{"nest cuckoo-8 by bytes", "seiflotfy", []string{"seiflotfy cuckoo"}, true},
	{"nest bloom by bytes", "bits-and-blooms", []string{"bits-and-blooms bloom 0.2%"}, true},
	{"nest split-block-bloom by bytes", "parquet-go", []string{"parquet-go split-block"}, false},
	{"nest window-10 by bytes", "dcrd", []string{"dcrd age-partitioned bloom 1%"}, true},
}

// bouts are what is compared.
var bouts = []struct {
	name string
	of   func(*Row) measure.Rounds
}{
	{"lookups", (*Row).Mean},
	{"batches", (*Row).Batched},
	{"absent", func(r *Row) measure.Rounds { return r.Times[find] }},
	{"present", func(r *Row) measure.Rounds { return r.Times[batch-1] }},
	{"add", func(r *Row) measure.Rounds { return r.Times[add] }},
	{"last 5%", func(r *Row) measure.Rounds { return r.Times[last] }},
	{"remove", func(r *Row) measure.Rounds { return r.Times[remove] }},
}

// over is the time of ours as a multiple of that of the hardest rival, the one with the least median, of NaN where one
// of both was not timed.
func (r *Result) over(d duel, slots int, of func(*Row) measure.Rounds) measure.Interval {
	var base measure.Rounds
	for _, name := range d.rivals {
		if rival := r.named(name, slots); rival != nil {
			if one := of(rival); len(base) == 0 || one.Interval().Median < base.Interval().Median {
				base = one
			}
		}
	}
	ours := r.named(d.ours, slots)
	if ours == nil {
		return measure.Rounds{}.Interval()
	}
	return of(ours).Over(base)
}

// duelTable has a row for each duel of which something was timed.
func (r *Result) duelTable() report.Table {
	t := report.Table{Left: 2, Columns: []string{"filter", "over"}, Minor: []string{"last 5%", "present", "absent"}}
	for _, b := range bouts {
		t.Columns = append(t.Columns, b.name)
	}
	for _, d := range duels {
		cells, any := []any{d.ours, d.against}, false
		for _, b := range bouts {
			cell := perSize(r.Sizes(), func(slots int) string { return digits(r.over(d, slots, b.of).Median, 2) })
			cells, any = append(cells, cell), any || cell != ""
		}
		if any {
			t.Add(cells...)
		}
	}
	return t
}

// certainRounds are the fewest of which an interval of the median covers 95%.
const certainRounds = 6

// sentences say of lookups and of batches how long ours take beside the rival's, and at which sizes the interval of the
// ratio leaves no doubt who is ahead.
func (r *Result) sentences(d duel) (all []string) {
	for i, what := range []string{"A lookup", "A batch"} {
		var ahead, behind []string
		ratios := perSize(r.Sizes(), func(slots int) string {
			ratio, size := r.over(d, slots, bouts[i].of), fmt.Sprintf("%d keys", KeysOf(slots))
			switch {
			case r.named(d.ours, slots) == nil || len(r.named(d.ours, slots).Times[add]) < certainRounds:
			case ratio.Hi < 1:
				ahead = append(ahead, size)
			case ratio.Lo > 1:
				behind = append(behind, size)
			}
			return digits(ratio.Median, 2)
		})
		if ratios == "" {
			continue
		}
		text := fmt.Sprintf("%s by %s takes %s times as long as by %s", what, strings.TrimSuffix(d.ours, " by bytes"), ratios,
			d.against)
		switch sizes := len(r.Sizes()); {
		case len(ahead) == sizes:
			text += ": ahead at every size"
		case len(behind) == sizes:
			text += ": behind at every size"
		case len(ahead)+len(behind) == 0:
			text += ": no difference is certain"
		default:
			text += ": " + strings.Trim(listed("ahead at ", ahead)+", "+listed("behind at ", behind), ", ")
		}
		all = append(all, text+".")
	}
	return all
}

// listed is a word and the sizes that it is true of, "" without any.
func listed(word string, sizes []string) string {
	if len(sizes) == 0 {
		return ""
	}
	return word + strings.Join(sizes, " and ")
}
