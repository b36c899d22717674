package panels

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

func copies() *lab.Experiment {
	return &lab.Experiment{
		Name:  "copies",
		Title: "Copies of one key",
		Claim: "The paper: the same key can be stored 2b times (b slots a bucket), and the next insert must fail.",
		Method: fmt.Sprintf("A key is inserted until it is refused, into a table that is empty and into one half full of "+
			"others (%d-bit fingerprints, every kick policy and placement). Then every other key is looked up, the copies are "+
			"counted, deleted one by one, and looked up once more. A key whose two buckets are one has room for b copies.",
			catalogue.PanelWidth),
		Limits: []string{"In a table that holds other keys, another key of the class takes the place of a copy."},
		Params: "b buckets free_percent",
		Grid: policyGrid("{kick}, {placement}", lab.Times(1, 10, 100), []lab.Axis{
			lab.Over("placement", measure.Placements(cuckoo.XOR, cuckoo.Additive, cuckoo.PlainXOR)),
			lab.Over("kick", measure.Kicks(builtinPolicies...))},
			lab.Over("b", lab.Ints(bucketSlots...)),
			lab.Over("buckets", lab.Ints(64)),
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
				return lab.Quotient(r.Count("copies"), r.Count("keys")-r.Count("coinciding"))
			}},
			{Name: "copies_per_coinciding_key", Of: lab.Div("coinciding_copies", "coinciding")},
		},
		Claims: []lab.Rule{copiesClaims}, Table: copiesTable,
	}
}

// copiesOthers is how many other keys are offered first, and copiesKeys how many keys are copied.
func copiesOthers(c lab.Cell) int { return measure.Slots(c) * (100 - c.Int("free_percent")) / 100 }

func copiesKeys(c lab.Cell) int { return c.In(lab.Size{16, 64, 64}) }

// copiesRules are the internal names of the placements, of which the pairs of buckets are computed.
var copiesRules = map[cuckoo.Placement]kick.Rule{
	cuckoo.XOR: kick.XOR, cuckoo.Additive: kick.Additive, cuckoo.PlainXOR: kick.PlainXOR,
}

// A copied filter is a cuckoo filter, or one with a defect in a test.
type copied interface {
	lab.Instance
	lab.Single
	lab.Deleter
	CountHash(h uint64) int
	Len() int
	Slots() int
}

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
		t.coinciding, t.coincidingCopies = t.coinciding+1, t.coincidingCopies+copies
		t.mostCoinciding = max(t.mostCoinciding, copies)
	} else {
		t.copies, t.most, t.least = t.copies+copies, max(t.most, copies), min(t.least, copies)
	}
	t.beyond += max(before+copies-room, 0)
	t.lost += max(before+copies-t.filter.CountHash(h), 0) + max(t.others+copies-t.filter.Len(), 0)
	from := t.first
	found, err := measure.Probe(ctx, &from, t.filter, t.others)
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
	return err
}

// copiesAt is a bucket size and a share of other keys, with the keys of two buckets, and their least and most copies.
func copiesAt(d *lab.Data, b, percent int) (all lab.Group, twoBuckets, least, most int) {
	for _, g := range d.Where("b", fmt.Sprint(b), "free_percent", fmt.Sprint(100-percent)) {
		all.Rows = append(all.Rows, g.Rows...)
	}
	least, most = int(slices.Min(all.Values("least"))), int(slices.Max(all.Values("most")))
	return all, all.Sum("keys") - all.Sum("coinciding"), least, most
}

func copiesTable(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{"b", "percent_of_slots_offered_others", "keys", "least_copies", "most_copies",
		"mean_copies", "paper_copies", "keys_of_one_bucket", "most_copies_there", "beyond", "lost"}}
	for _, b := range bucketSlots {
		for _, percent := range []int{0, 50} {
			g, keys, least, most := copiesAt(d, b, percent)
			t.Add(b, percent, keys, least, most, lab.Quotient(g.Sum("copies"), keys), 2*b, g.Sum("coinciding"),
				int(slices.Max(g.Values("most_coinciding"))), g.Sum("beyond"), g.Sum("lost"))
		}
	}
	return t
}

// copiesClaims compare the copies with 2b. That nothing is lost at a refusal is held by tests.
func copiesClaims(d *lab.Data) []claims.Verdict {
	all, worst := 0, 0
	for _, b := range bucketSlots {
		_, keys, least, most := copiesAt(d, b, 0)
		half, _, _, _ := copiesAt(d, b, 50)
		all, worst = all+keys, max(worst, most-2*b, 2*b-least, half.Sum("beyond"))
	}
	return []claims.Verdict{claims.Sentence("copies", claims.Claim{ID: "2b copies", Paper: "2b",
		Says: "An otherwise empty filter takes the same key 2b times and refuses it then. One that holds other keys takes " +
			"no more",
	}).Equal(claims.Exactly(float64(worst)).As("%.0f",
		"the largest difference from 2b, of %d keys with two buckets, for b = 1, 2, 4 and 8", all),
		0, 0, "none: it is a count")}
}

func insertCost() *lab.Experiment {
	panel := func(title, label, count string) lab.Panel {
		return lab.Panel{
			Title: title, X: chart.Axis{Label: "load factor, upper end of the window", Min: 0.4, Max: 1},
			Y:  chart.Axis{Label: label, Log: true, Min: 0.01, Max: 200},
			At: func(g lab.Group) float64 { return g.Cell.Float("to_permille") / 1000 }, Of: lab.Ratio(1, count, "inserts"),
			Style: lab.Numbered, Only: func(g lab.Group) bool { return whole(g) && g.Sum(count) > 0 },
		}
	}
	return &lab.Experiment{
		Name:  "insert-cost",
		Title: "Cost of an insert by kick policy",
		Claim: "The paper does not compare ways of inserting. Ours: up to a load of one half an insert makes hardly any " +
			"kick. Near the end a search makes far fewer kicks than a random walk and reads about as many buckets.",
		Method: "A table (b = 4, XOR placement) is filled from load to load, and the inserts of each window are counted " +
			"and timed. Buckets examined are those besides the key's two: a second table counts them. " +
			"Of a policy of one's own they are those that it asks Walk.Free about.",
		Limits: []string{"The time of an insert: figure 7 has the paper's."},
		Params: "b f slots to_permille",
		Grid: policyGrid("{kick}", lab.Times(2, 11, 20), []lab.Axis{
			lab.Over("kick", measure.Kicks(builtinPolicies...)), lab.Over("placement", measure.Placements(cuckoo.XOR)),
		}, lab.Over("b", lab.Ints(4)), lab.Over("f", lab.Ints(insertWidth)),
			lab.Over("e", lab.By(lab.Ints(10), lab.Ints(18), lab.Ints(20))), measure.Exponent("slots", "e")),
		Trial: lab.Trial{
			Counts: "asked inserts kicks examined ns", Timed: "ns", Run: countInserts,
			Steps: []lab.Axis{lab.Over("to_permille", lab.Ints(insertWindows...))},
			Needs: func(c lab.Cell) (float64, int64) { return c.Float("slots"), 0 },
		},
		Columns: []lab.Column{
			{Name: "kicks_per_insert", Of: lab.Div("kicks", "inserts")},
			{Name: "examined_per_insert", Of: lab.Div("examined", "inserts")},
			{Name: "ns_per_insert", Of: lab.Div("ns", "inserts")},
		},
		Timed: "ns_per_insert",
		Plots: []lab.Plot{{
			Title:   "Cost of an insert by kick policy, counted: f = 12, b = 4, 2^{{e}} slots",
			Caption: "A line ends where a key was refused. Policies look into equally many buckets at a load that all reach.",
			Panels: []lab.Panel{panel("(a) kicks", "kicks per insert", "kicks"),
				panel("(b) buckets examined besides the key's two", "buckets per insert", "examined")},
		}},
		Claims: []lab.Rule{lab.Judged(insertClaims)},
	}
}

// insertWindows are the upper ends of the windows of loads, in thousandths; the first begins at 0.
var insertWindows = []int{100, 200, 300, 400, 500, 600, 700, 800, 850, 900, 920, 940, 950, 955, 960, 965, 970}

const insertWidth = 12

// countInserts counts and times the inserts of all windows, and counts again what they examine.
func countInserts(ctx context.Context, cell lab.Cell, seed uint64) ([]int, error) {
	c, slots := measure.Config(cell), cell.Int("slots")
	counts, err := runWindows(ctx, c, slots, seed, new(countingPolicy))
	if err != nil {
		return counts, err
	}
	c, counting := observed(c)
	again, err := runWindows(ctx, c, slots, seed, counting)
	for i := 3; err == nil && i < len(counts); i += 5 {
		counts[i] = again[i]
	}
	return counts, err
}

// runWindows fills a table window by window. That in which a key is refused ends there, later ones have no inserts.
func runWindows(ctx context.Context, c cuckoo.Config, slots int, seed uint64, counting *countingPolicy) ([]int, error) {
	f, err := measure.NewCuckoo(insertWidth, c, seed)
	if err != nil {
		return nil, err
	}
	f.Reset() // writes to every page of the table, which the first inserts would else pay for
	keys, counts, from, full := measure.Stream{Next: seed}, []int(nil), 0, false
	for _, to := range insertWindows {
		hs := make([]uint64, slots*to/1000-from)
		from += len(hs)
		if full {
			counts = append(counts, len(hs), 0, 0, 0, 0)
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		keys.Fill(hs)
		n, kicks, read := 0, f.Stats().Kicks, counting.examined
		lap := measure.Timed(len(hs), func() { n, err = f.InsertHashes(hs) })
		if full = errors.Is(err, cuckoo.ErrFull); err != nil && !full {
			return nil, err
		}
		counts = append(counts, len(hs), n, int(f.Stats().Kicks-kicks), counting.examined-read, int(lap.Time))
	}
	return counts, nil
}

// A countingPolicy lets a policy kick and counts the buckets that it looks into for a free slot, twice those that it
// reads twice, of all inserts together.
type countingPolicy struct {
	cuckoo.KickPolicy
	examined int
}

func (p *countingPolicy) Kick(w *cuckoo.Walk) {
	p.KickPolicy.Kick(w)
	p.examined += w.Examined()
}

// observed is a configuration of a policy whose reads are counted, with the limit of kicks that it has by default.
func observed(c cuckoo.Config) (cuckoo.Config, *countingPolicy) {
	counting := &countingPolicy{KickPolicy: c.Kick}
	if c.MaxKicks = 500; c.Kick == cuckoo.BreadthFirst {
		c.MaxKicks = 700
	}
	c.Kick = counting
	return c, counting
}

func whole(g lab.Group) bool { n := g.Sum("asked"); return n > 0 && g.Sum("inserts") == n }

func insertClaims(d *lab.Data) []claims.Verdict {
	sample := func(k cuckoo.KickPolicy, to int, count string) claims.Sample {
		for _, g := range d.Where("kick", k.Recipe(), "to_permille", fmt.Sprint(to)) {
			if whole(g) { // empty where a key was refused
				return claims.SampleOf(g.Ratios(count, "inserts"))
			}
		}
		return claims.SampleOf(nil)
	}
	over := func(count, note string) claims.Estimate {
		search, walk := sample(cuckoo.BreadthFirst, 950, count), sample(cuckoo.RandomWalk, 950, count)
		return claims.Quotient(search, walk).As("", note, search.Mean, walk.Mean)
	}
	half := claims.Mean(sample(cuckoo.RandomWalk, 500, "kicks")).As("%.4f", "kicks per insert from load .4 to .5")
	return []claims.Verdict{
		claims.Ours("half", "Random walk: up to a load of one half fewer than one insert in 20 makes a kick").
			Below(half, 1.0/20, itsOwn+", which bounds the kicks per insert; "+claims.SampledBy),
		claims.Ours("kicks", "Load .94 to .95: the search makes less than a tenth of the kicks of the random walk").
			Below(over("kicks", "%.2f against %.2f kicks per insert"), 1.0/10, itsOwn+"; "+claims.SampledBy),
		claims.Ours("examined", "Load .94 to .95: the search looks into as many buckets as the random walk, within 15%").
			Ratio(over("examined", "%.1f against %.1f buckets per insert"), 1, 1.15, itsOwn+"; "+claims.SampledBy),
	}
}
