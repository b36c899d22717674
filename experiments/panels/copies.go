package panels

import (
	"context"
	"errors"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/widths"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// Copies measures what the paper's text says of storing one item several times.
type Copies struct{}

// About states the claim.
func (Copies) About() lab.About {
	return lab.About{
		Name:  "copies",
		Title: "Copies of one key",
		Claim: "The same key can be stored 2b times, where it has two buckets of b slots. The next insert must fail.",
		Method: fmt.Sprintf("A key is inserted until it is refused, into a table that is empty and into one half full of other keys (%d-bit fingerprints, b = 1, 2, 4, 8, every "+
			"built-in kick policy and placement). Then every other key is looked up, the copies are counted, deleted one by one, and looked up once more. This is "+
			"repeated with further keys. A key whose two buckets are one, which happens in small tables, has room for b copies: the addresses say which keys these are.", catalogue.PanelWidth),
		NotShown: []string{
			"A filter that counts copies instead of storing them takes more: package counting has such filters.",
			"In a table that holds other keys, fewer copies than 2b may fit: one of another key with the same fingerprint and buckets takes the place of a copy, and a " +
				"policy may find no place for what is in the way.",
		},
		Params: []string{"b", "buckets", "free_percent"},
		Counts: []string{"others", "keys", "copies", "coinciding", "coinciding_copies", "most", "least", "most_coinciding", "beyond", "lost", "left"},
		Derived: []lab.Derived{
			{Name: "copies_per_key", Of: func(r lab.Row) float64 { return lab.Quotient(r.Count("copies"), r.Count("keys")-r.Count("coinciding")) }},
			{Name: "copies_per_coinciding_key", Of: func(r lab.Row) float64 { return r.Ratio("coinciding_copies", "coinciding") }},
		},
	}
}

// copiesSize is what a profile measures: seeds, and keys of each. Placement Region takes no table of less than 2^18 buckets, in which
// looking for the other keys takes long.
type copiesSize struct {
	buckets, trials, keys, regionKeys int
	placements                        []cuckoo.Placement
}

var allPlacements = []cuckoo.Placement{cuckoo.XOR, cuckoo.Additive, cuckoo.PlainXOR, cuckoo.Region}

var copiesSizes = map[lab.Profile]copiesSize{
	lab.Tiny: {64, 1, 16, 0, allPlacements[:3]}, lab.Quick: {64, 10, 64, 2, allPlacements}, lab.Paper: {64, 100, 64, 8, allPlacements},
}

// copiesRegion is the number of buckets under placement Region.
const copiesRegion = 1 << 18

// copiesPercents is how much of the slots other keys are offered for. The parameter says what they leave free: in a table of
// results a 0 would be taken for nothing.
var copiesPercents = []int{0, 50}

// copiesRules are the internal names of the placements, of which the pairs of buckets are computed.
var copiesRules = map[cuckoo.Placement]kick.Rule{
	cuckoo.XOR: kick.XOR, cuckoo.Additive: kick.Additive, cuckoo.PlainXOR: kick.PlainXOR, cuckoo.Region: kick.Region,
}

// Plan returns a job for every policy, placement, bucket size and share of other keys.
func (Copies) Plan(s lab.Setup) ([]lab.Job, error) {
	size := copiesSizes[s.Profile]
	var lines []lab.Policy
	for _, p := range size.placements {
		for _, k := range builtinPolicies {
			lines = append(lines, lab.Policy{Name: policySeries(k, p), Kick: k, Placement: p})
		}
	}
	var jobs []lab.Job
	for _, l := range append(lines, s.Own.Policies...) {
		for _, b := range bucketSizes {
			for _, percent := range copiesPercents {
				jobs = append(jobs, size.job(l, b, percent))
			}
		}
	}
	return jobs, nil
}

func (z copiesSize) job(l lab.Policy, b, percent int) lab.Job {
	c := cuckoo.Config{Buckets: z.buckets, BucketSize: b, Placement: l.Placement, Kick: l.Kick}
	keys, trials := z.keys, z.trials
	if l.Placement == cuckoo.Region {
		c.Buckets, keys, trials = copiesRegion, max(z.regionKeys, 1), 1
	}
	slots := c.Buckets * b
	return lab.Job{
		Series: l.Name,
		Params: lab.Ints(b, c.Buckets, 100-percent),
		Trials: trials,
		Cost:   float64(slots*percent/100)*(measure.FillCost(slots)+float64(keys+1)*measure.ProbeCost(slots)) + float64(keys*b)*1e-6,
		Run: func(ctx context.Context, seed uint64) ([]int, error) {
			filter, err := measure.NewCuckoo(catalogue.PanelWidth, c, seed)
			if err != nil {
				return nil, err
			}
			t := copiesTrial{filter: filter, pairs: kick.NewScheme(copiesRules[l.Placement], uint64(c.Buckets)), first: measure.Stream{Next: seed}, least: 2 * b}
			return t.run(ctx, slots*percent/100, keys)
		},
	}
}

// A copiesTrial inserts copies into one filter.
type copiesTrial struct {
	filter widths.Filter
	pairs  kick.Scheme
	first  measure.Stream // of the other keys
	others int            // how many of them are in

	copies, coinciding, coincidingCopies int
	most, least, mostCoinciding          int // copies of one key; least is what nothing has gone below yet
	beyond                               int // inserts that should have been refused
	lost, left                           int // keys and copies
}

// run fills the filter with other keys, and tests so many.
func (t *copiesTrial) run(ctx context.Context, others, keys int) ([]int, error) {
	next := t.first
	stored, err := measure.Insert(ctx, &next, t.filter, others)
	if err != nil {
		return nil, err
	}
	t.others = stored
	hs := make([]uint64, keys)
	next.Fill(hs)
	for _, h := range hs {
		if err := t.key(ctx, h); err != nil {
			return nil, err
		}
	}
	return []int{t.others, keys, t.copies, t.coinciding, t.coincidingCopies, t.most, t.least, t.mostCoinciding, t.beyond, t.lost, t.left}, nil
}

// key inserts copies of one key until one is refused, and deletes them.
func (t *copiesTrial) key(ctx context.Context, h uint64) error {
	i, j := t.pairs.Pair(h, fingerprint.Of(h, catalogue.PanelWidth))
	b := t.filter.Slots() / int(t.pairs.Buckets)
	room := 2 * b
	if i == j {
		room = b
	}
	// Another key of the class is as good as a copy: what counts is how many fingerprints there are.
	before, copies := t.filter.CountHash(h), 0
	for ; copies <= room; copies++ {
		err := t.filter.InsertHash(h)
		if errors.Is(err, cuckoo.ErrFull) {
			break
		}
		if err != nil {
			return err
		}
	}
	t.note(i == j, copies)
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

// note takes the number of copies of a key.
func (t *copiesTrial) note(coincide bool, copies int) {
	if coincide {
		t.coinciding++
		t.coincidingCopies += copies
		t.mostCoinciding = max(t.mostCoinciding, copies)
		return
	}
	t.copies += copies
	t.most, t.least = max(t.most, copies), min(t.least, copies)
}

// copiesOf are the counts of all policies and placements at a bucket size and share of other keys.
type copiesOf struct {
	tested, copies, coinciding, coincidingCopies, most, least, mostCoinciding, beyond, lost, left, others int
}

// sumCopies adds up the groups of a bucket size (0: all) and a share of other keys (-1: all).
func sumCopies(d *lab.Data, b, percent int) copiesOf {
	out := copiesOf{least: -1}
	for _, g := range d.Groups {
		if b != 0 && g.Param("b") != b || percent >= 0 && g.Param("free_percent") != 100-percent {
			continue
		}
		out.others += g.Sum("others")
		out.tested += g.Sum("keys")
		out.copies += g.Sum("copies")
		out.coinciding += g.Sum("coinciding")
		out.coincidingCopies += g.Sum("coinciding_copies")
		out.beyond += g.Sum("beyond")
		out.lost += g.Sum("lost")
		out.left += g.Sum("left")
		for _, r := range g.Rows {
			out.most, out.mostCoinciding = max(out.most, r.Count("most")), max(out.mostCoinciding, r.Count("most_coinciding"))
			if out.least < 0 || r.Count("least") < out.least {
				out.least = r.Count("least")
			}
		}
	}
	return out
}

// distinct is the number of keys with two buckets.
func (c copiesOf) distinct() int { return c.tested - c.coinciding }

// Shown is a row for each bucket size and share of other keys, all policies and placements together.
func (Copies) Shown(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{"b", "percent_of_slots_offered_others", "keys", "least_copies", "most_copies", "mean_copies", "paper_copies",
		"keys_of_one_bucket", "most_copies_there", "beyond", "lost"}}
	for _, b := range bucketSizes {
		for _, percent := range copiesPercents {
			c := sumCopies(d, b, percent)
			t.Add(b, percent, c.distinct(), c.least, c.most, lab.Quotient(c.copies, c.distinct()), 2*b, c.coinciding, c.mostCoinciding, c.beyond, c.lost)
		}
	}
	return t
}

// Draw draws the copies that fit by bucket size.
func (Copies) Draw(d *lab.Data) []*chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "slots per bucket, b", Min: 0, Max: 9, Ticks: []chart.Tick{{At: 1, Label: "1"}, {At: 2, Label: "2"}, {At: 4, Label: "4"}, {At: 8, Label: "8"}}},
		Y: chart.Axis{Label: "copies of one key, mean and range", Min: 0, Max: 18},
	}
	empty := chart.Series{Label: "empty table", Style: chart.Numbered(0), Kind: chart.Marks}
	loaded := chart.Series{Label: "half full of other keys", Style: chart.Numbered(1), Kind: chart.Marks}
	one := chart.Series{Label: "empty table, both buckets one", Style: chart.Numbered(2), Kind: chart.Marks}
	for _, b := range bucketSizes {
		x := float64(b)
		e, l := sumCopies(d, b, 0), sumCopies(d, b, 50)
		empty.Points = append(empty.Points, chart.Point{X: x, Y: lab.Quotient(e.copies, e.distinct()), Lo: float64(e.least), Hi: float64(e.most)})
		loaded.Points = append(loaded.Points, chart.Point{X: x + 0.2, Y: lab.Quotient(l.copies, l.distinct()), Lo: float64(l.least), Hi: float64(l.most)})
		if e.coinciding > 0 {
			one.Points = append(one.Points, chart.Point{X: x, Y: lab.Quotient(e.coincidingCopies, e.coinciding)})
		}
	}
	p.Series = append(p.Series, empty, loaded)
	if len(one.Points) > 0 {
		p.Series = append(p.Series, one)
	}
	p.Series = append(p.Series,
		chart.Series{Label: "paper, 2b", Style: chart.StyleFor("bound"), Kind: chart.Thin, Points: []chart.Point{{X: 0, Y: 0}, {X: 9, Y: 18}}})
	return []*chart.Figure{{
		Name:    "copies",
		Title:   "Copies of one key until one is refused, all kick policies and placements",
		Caption: "The number of copies of one key that a filter takes against slots per bucket: 2b, as the paper says, in a table that is otherwise empty, and b for keys whose two buckets are one.",
		Panels:  []chart.Panel{p},
	}}
}

// Judge holds the copies against 2b, and the filter to its promises at a refusal. Every profile is large enough for it.
func (Copies) Judge(d *lab.Data) []claims.Verdict {
	var out []claims.Verdict
	for _, b := range bucketSizes {
		c := sumCopies(d, b, 0)
		out = append(out, claims.Judge(c.distinct() > 0 && c.least == 2*b && c.most == 2*b && c.mostCoinciding <= b && c.coincidingCopies == b*c.coinciding, claims.Draft{
			Claim:     fmt.Sprintf("b = %d: an otherwise empty filter takes the same key 2b times, and refuses it then", b),
			Paper:     fmt.Sprint(2 * b),
			Ours:      fmt.Sprintf("%d to %d copies of %d keys, %d of the %d whose buckets are one", c.least, c.most, c.distinct(), c.mostCoinciding, c.coinciding),
			Tolerance: "none; a key whose two buckets are one has b slots",
		}))
	}
	all, loaded := sumCopies(d, 0, -1), sumCopies(d, 0, 50)
	refusals := fmt.Sprintf("%d refusals, with %d other keys", all.tested, all.others)
	return append(out,
		claims.Judge(all.beyond == 0 && loaded.distinct() > 0, claims.Draft{
			Claim:     "In a filter that holds other keys too, the same key is never stored more than 2b times",
			Paper:     "at most 2b, the next insert must fail",
			Ours:      fmt.Sprintf("%d copies too many of %d keys, with %d other keys", all.beyond, loaded.tested, loaded.others),
			Tolerance: "none; another key of the same fingerprint and buckets counts as a copy",
		}),
		claims.Judge(all.lost == 0 && all.tested > 0, claims.Draft{
			Claim:     "The refused copy loses nothing: every other key and every copy is still there",
			Paper:     "0",
			Ours:      fmt.Sprintf("%d lost at %s", all.lost, refusals),
			Tolerance: "none",
		}),
		claims.Judge(all.left == 0 && all.tested > 0, claims.Draft{
			Claim:     "Deleting as many copies as were stored leaves the key absent",
			Paper:     "0",
			Ours:      fmt.Sprintf("%d found still after %s", all.left, refusals),
			Tolerance: "none; where another key has the same fingerprint and buckets, as many fingerprints as before",
		}))
}
