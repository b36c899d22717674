package panels

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// copies measures how often one item can be stored. Placement Region takes no table of less than 2^18 buckets, in which
// looking for the other keys takes long.
func copies() *lab.Experiment {
	unless := func(other int, usual func(lab.Cell) int) func(lab.Cell) int {
		return func(c lab.Cell) int {
			if measure.Config(c).Placement == cuckoo.Region {
				return other
			}
			return usual(c)
		}
	}
	buckets := unless(1<<18, func(lab.Cell) int { return 64 })
	most := measure.Placements(cuckoo.XOR, cuckoo.Additive, cuckoo.PlainXOR)
	all := lab.Join(most, measure.Placements(cuckoo.Region))
	return &lab.Experiment{
		Name:  "copies",
		Title: "Copies of one key",
		Claim: "The paper: the same key can be stored 2b times (b slots a bucket), and the next insert must fail.",
		Method: fmt.Sprintf("A key is inserted until it is refused, into a table that is empty and into one half full of "+
			"other keys (%d-bit fingerprints, b = 1, 2, 4, 8, every built-in kick policy and placement). Then every other key "+
			"is looked up, the copies are counted, deleted one by one, and looked up once more. This is repeated with further "+
			"keys. A key whose two buckets are one has room for b copies.", catalogue.PanelWidth),
		Limits: []string{"In a table that holds other keys, another key of the class takes the place of a copy."},
		Params: "b buckets free_percent",
		Grid: policyGrid("{kick}, {placement}", unless(1, lab.Times(1, 10, 100)),
			[]lab.Axis{lab.Over("placement", lab.By(most, all, all)), lab.Over("kick", measure.Kicks(builtinPolicies...))},
			lab.Over("b", lab.Ints(bucketSlots...)), lab.Over("buckets",
				lab.From(func(c lab.Cell) lab.Value { return lab.Int(buckets(c)) })),
			// What other keys leave free: in a table of results a 0 would be taken for nothing.
			lab.Over("free_percent", lab.Ints(100, 50))),
		Trial: lab.Trial{
			Counts: "others keys copies coinciding coinciding_copies most least most_coinciding beyond lost left",
			Needs: func(c lab.Cell) (float64, int64) {
				others, keys := copiesOthers(c), copiesKeys(c)
				return float64(others*(keys+2) + keys*c.Int("b")*16), 0
			},
			Run: func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
				filter, err := measure.NewCuckoo(catalogue.PanelWidth, measure.Config(c), seed)
				if err != nil {
					return nil, err
				}
				pairs := kick.NewScheme(copiesRules[measure.Config(c).Placement], uint64(c.Int("buckets")))
				t := copiesTrial{filter: filter, pairs: pairs, first: measure.Stream{Next: seed}, least: 2 * c.Int("b")}
				return t.run(ctx, copiesOthers(c), copiesKeys(c))
			},
		},
		Columns: []lab.Column{
			{Name: "copies_per_key", Of: func(r lab.Row) float64 {
				return lab.Quotient(r.Count("copies"),
					r.Count("keys")-r.Count("coinciding"))
			}},
			{Name: "copies_per_coinciding_key", Of: lab.Div("coinciding_copies", "coinciding")},
		},
		Claims: []lab.Rule{copiesClaims}, Table: copiesTable,
	}
}

// copiesOthers is how many other keys are offered first, and copiesKeys how many keys are copied.
func copiesOthers(c lab.Cell) int { return measure.Slots(c) * (100 - c.Int("free_percent")) / 100 }

func copiesKeys(c lab.Cell) int {
	if measure.Config(c).Placement == cuckoo.Region {
		return c.In(lab.Size{1, 2, 8})
	}
	return c.In(lab.Size{16, 64, 64})
}

// copiesRules are the internal names of the placements, of which the pairs of buckets are computed.
var copiesRules = map[cuckoo.Placement]kick.Rule{
	cuckoo.XOR: kick.XOR, cuckoo.Additive: kick.Additive, cuckoo.PlainXOR: kick.PlainXOR, cuckoo.Region: kick.Region,
}

// A copied filter is a cuckoo filter, or one with a defect in a test.
type copied interface {
	lab.Instance
	InsertHash(h uint64) error
	ContainsHash(h uint64) bool
	DeleteHash(h uint64) bool
	CountHash(h uint64) int
	Len() int
	Slots() int
}

// A copiesTrial inserts copies into one filter.
type copiesTrial struct {
	filter copied
	pairs  kick.Scheme
	first  measure.Stream // of the other keys
	others int            // how many of them are in

	copies, coinciding, coincidingCopies int
	most, least, mostCoinciding          int // copies of one key; least is what nothing has gone below yet
	beyond                               int // inserts that should have been refused
	lost, left                           int // keys and copies
}

// run fills the filter with other keys, and tests so many.
func (t *copiesTrial) run(ctx context.Context, others, keys int) (counts []int, err error) {
	next := t.first
	if t.others, err = measure.Insert(ctx, &next, t.filter, others); err != nil {
		return nil, err
	}
	hs := make([]uint64, keys)
	next.Fill(hs)
	for _, h := range hs {
		if err := t.key(ctx, h); err != nil {
			return nil, err
		}
	}
	return []int{t.others, keys, t.copies, t.coinciding, t.coincidingCopies, t.most, t.least, t.mostCoinciding, t.beyond,
		t.lost, t.left}, nil
}

// key inserts copies of one key until one is refused, and deletes them.
func (t *copiesTrial) key(ctx context.Context, h uint64) error {
	i, j := t.pairs.Pair(h, fingerprint.Of(h, catalogue.PanelWidth))
	room := 2 * t.filter.Slots() / int(t.pairs.Buckets)
	if i == j {
		room /= 2
	}
	// Another key of the class is as good as a copy: what counts is how many fingerprints there are.
	before, copies := t.filter.CountHash(h), 0
	for ; copies <= room; copies++ {
		if err := t.filter.InsertHash(h); errors.Is(err, cuckoo.ErrFull) {
			break
		} else if err != nil {
			return err
		}
	}
	if i == j {
		t.coinciding, t.coincidingCopies, t.mostCoinciding = t.coinciding+1, t.coincidingCopies+copies,
			max(t.mostCoinciding, copies)
	} else {
		t.copies, t.most, t.least = t.copies+copies, max(t.most, copies), min(t.least, copies)
	}
	t.beyond += max(before+copies-room, 0)
	t.lost += max(before+copies-t.filter.CountHash(h), 0) + max(t.others+copies-t.filter.Len(), 0)
	from := t.first
	found, err := measure.Probe(ctx, &from, t.filter, t.others)
	if err != nil {
		return err
	}
	t.lost += t.others - found
	for range copies {
		if !t.filter.DeleteHash(h) {
			t.lost++
		}
	}
	t.left += max(t.filter.CountHash(h)-before, 0)
	if before == 0 && t.filter.ContainsHash(h) {
		t.left++
	}
	return nil
}

// copiesAt are the rows of all policies and placements at a bucket size and a share of other keys, as one group.
func copiesAt(d *lab.Data, b, percent int) (all lab.Group) {
	for _, g := range d.Where("b", fmt.Sprint(b), "free_percent", fmt.Sprint(100-percent)) {
		all.Rows = append(all.Rows, g.Rows...)
	}
	return all
}

// twoBuckets is how many keys of a group have two buckets.
func twoBuckets(g lab.Group) int { return g.Sum("keys") - g.Sum("coinciding") }

// counted are the values of a count.
func counted(g lab.Group, name string) (out []int) {
	for _, r := range g.Rows {
		out = append(out, r.Count(name))
	}
	return out
}

// copiesTable has a row for each bucket size and share of other keys, all policies and placements together.
func copiesTable(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{"b", "percent_of_slots_offered_others", "keys", "least_copies", "most_copies",
		"mean_copies",
		"paper_copies", "keys_of_one_bucket", "most_copies_there", "beyond", "lost"}}
	for _, b := range bucketSlots {
		for _, percent := range []int{0, 50} {
			g := copiesAt(d, b, percent)
			t.Add(b, percent, twoBuckets(g), slices.Min(counted(g, "least")), slices.Max(counted(g, "most")),
				lab.Quotient(g.Sum("copies"), twoBuckets(g)), 2*b,
				g.Sum("coinciding"), slices.Max(counted(g, "most_coinciding")), g.Sum("beyond"), g.Sum("lost"))
		}
	}
	return t
}

// copiesClaims compare the copies with 2b. Every profile is large enough for it. That nothing is lost at a refusal is
// held by tests.
func copiesClaims(d *lab.Data) []claims.Verdict {
	keys, worst := 0, 0
	for _, b := range bucketSlots {
		empty := copiesAt(d, b, 0)
		keys += twoBuckets(empty)
		worst = max(worst, slices.Max(counted(empty, "most"))-2*b, 2*b-slices.Min(counted(empty, "least")),
			copiesAt(d, b, 50).Sum("beyond"))
	}
	return []claims.Verdict{claims.Claim{
		ID: "2b copies", Paper: "2b", Source: "the text, on inserting the same item repeatedly",
		Says: "An otherwise empty filter takes the same key 2b times and refuses it then. One that holds other keys takes " +
			"no more",
	}.Equal(claims.Exactly(float64(worst)).As("%.0f",
		"the largest difference from 2b, of %d keys with two buckets, for b = 1, 2, 4 and 8", keys),
		0, 0, "none: it is a count")}
}
