package panels

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// insertCost measures what one insert costs by kick policy as the table fills, in kicks, in buckets examined and in
// time.
func insertCost() *lab.Experiment {
	panel := func(title, label, count string) lab.Panel {
		return lab.Panel{
			Title: title, X: chart.Axis{Label: "load factor, upper end of the window", Min: 0.4, Max: 1},
			Y:  chart.Axis{Label: label, Log: true, Min: 0.01, Max: 200},
			At: func(g lab.Group) float64 { return g.Cell.Float("to_permille") / 1000 }, Of: lab.Ratio(1, count, "inserts"),
			Style: lab.Numbered,
			Only:  func(g lab.Group) bool { return whole(g) && g.Sum(count) > 0 },
		}
	}
	return &lab.Experiment{
		Name:  "insert-cost",
		Title: "Cost of an insert by kick policy",
		Claim: "The paper does not compare ways of inserting. Ours: up to a load of one half an insert makes hardly any " +
			"kick. Near the end a search makes far fewer kicks than a random walk and reads about as many buckets.",
		Method: "A table (b = 4, XOR placement) is filled from load to load, and the inserts of each window are counted " +
			"and timed. Buckets examined are those besides the key's two: a second table counts them.",
		Limits: []string{"The time of an insert: figure 7 has the paper's."},
		Params: "b f slots to_permille",
		Grid: policyGrid("{kick}", lab.Times(2, 11, 20), []lab.Axis{
			lab.Over("kick", measure.Kicks(builtinPolicies...)), lab.Over("placement", measure.Placements(cuckoo.XOR)),
		}, lab.Over("b", lab.Ints(4)), lab.Over("f", lab.Ints(insertWidth)), lab.Over("e", lab.By(lab.Ints(10), lab.Ints(18),
			lab.Ints(20))),
			measure.Exponent("slots", "e")),
		Trial: lab.Trial{
			Counts: "asked inserts kicks examined ns", Timed: "ns",
			Steps: []lab.Axis{lab.Over("to_permille", lab.Ints(insertWindows...))},
			Needs: func(c lab.Cell) (float64, int64) {
				return c.Float("slots"), 0
			},
			Run: countInserts,
		},
		Columns: []lab.Column{
			{Name: "kicks_per_insert", Of: lab.Div("kicks", "inserts")},
			{Name: "examined_per_insert", Of: func(r lab.Row) float64 {
				if r.Cell.Has("policy") {
					return math.NaN() // what a policy that is not built in reads cannot be seen
				}
				return r.Ratio("examined", "inserts")
			}},
			{Name: "ns_per_insert", Of: lab.Div("ns", "inserts")},
		},
		Timed: "ns_per_insert",
		Plots: []lab.Plot{{
			Title: "Cost of an insert by kick policy, counted: f = 12, b = 4, 2^{{e}} slots",
			Caption: "Kicks and buckets examined per insert on log axes against the load factor, for four kick policies. A " +
				"line ends where a key was refused. The policies look into equally many buckets at a load that all of them reach.",
			Panels: []lab.Panel{
				panel("(a) kicks", "kicks per insert", "kicks"), panel("(b) buckets examined besides the key's two",
					"buckets per insert", "examined"),
			},
		}},
		Claims: []lab.Rule{lab.Judged(insertClaims)},
	}
}

// insertWindows are the upper ends of the windows of loads, in thousandths; the first begins at 0.
var insertWindows = []int{100, 200, 300, 400, 500, 600, 700, 800, 850, 900, 920, 940, 950, 955, 960, 965, 970}

// insertWidth is the width of the fingerprints.
const insertWidth = 12

// countInserts counts and times the inserts of all windows, and counts again what they examine.
func countInserts(ctx context.Context, cell lab.Cell, seed uint64) ([]int, error) {
	c, slots := measure.Config(cell), cell.Int("slots")
	counts, err := runWindows(ctx, c, slots, seed, nil)
	if err != nil || cell.Has("policy") {
		return counts, err
	}
	c, counting := observed(c)
	again, err := runWindows(ctx, c, slots, seed, counting)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(counts); i += 5 {
		if a, b := counts[i:i+5], again[i:i+5]; a[1] != b[1] || a[2] != b[2] {
			return nil, fmt.Errorf("policy %s made %d kicks for %d keys, and %d for %d while it was counted", c.Kick.Recipe(),
				a[2], a[1], b[2], b[1])
		}
		counts[i+3] = again[i+3]
	}
	return counts, nil
}

// runWindows fills a table window by window and returns the counts of the trial. The window in which a key is refused
// ends there, and those after it have no inserts.
func runWindows(ctx context.Context, c cuckoo.Config, slots int, seed uint64, counting *countingPolicy) ([]int, error) {
	f, err := measure.NewCuckoo(insertWidth, c, seed)
	if err != nil {
		return nil, err
	}
	f.Reset() // writes to every page of the table, which the first inserts would else pay for
	if counting == nil {
		counting = new(countingPolicy)
	}
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
// reads twice.
type countingPolicy struct {
	cuckoo.KickPolicy
	examined int // all inserts together
}

// Kick makes the kicks of the policy.
func (p *countingPolicy) Kick(w *cuckoo.Walk) {
	p.KickPolicy.Kick(w)
	p.examined += w.Examined()
}

// observed is a configuration of a built-in policy whose reads are counted, with the limit of kicks that the policy
// has.
func observed(c cuckoo.Config) (cuckoo.Config, *countingPolicy) {
	counting := &countingPolicy{KickPolicy: c.Kick}
	if c.MaxKicks = 500; c.Kick == cuckoo.BreadthFirst {
		c.MaxKicks = 700
	}
	c.Kick = counting
	return c, counting
}

// whole tells whether no run was refused a key in a window, with at least one insert.
func whole(g lab.Group) bool { n := g.Sum("asked"); return n > 0 && g.Sum("inserts") == n }

// insertClaims compare kicks at half load and near the end. The bounds are those that the claims state.
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
			Flat(over("examined", "%.1f against %.1f buckets per insert"), 1.15, itsOwn+"; "+claims.SampledBy),
	}
}
