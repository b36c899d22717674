package panels

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// insertCost measures what one insert costs by kick policy as the table fills, in kicks, in buckets examined and in time.
func insertCost() *lab.Experiment {
	panel := func(title, label, count string) lab.Panel {
		return lab.Panel{
			Title: title,
			X:     chart.Axis{Label: "load factor, upper end of the window", Min: 0.4, Max: 1}, Y: chart.Axis{Label: label, Log: true, Min: 0.01, Max: 200},
			At: func(g lab.Group) float64 { return g.Cell.Float("to_permille") / 1000 }, Of: lab.Ratio(1, count, "inserts"), Style: lab.Numbered,
			Only: func(g lab.Group) bool { return whole(g) && g.Sum(count) > 0 },
		}
	}
	tables := []lab.Axis{lab.Over("b", lab.Ints(4)), lab.Over("f", lab.Ints(12)), lab.Over("e", lab.By(lab.Ints(10), lab.Ints(18), lab.Ints(20))), measure.Exponent("slots", "e")}
	trials := lab.Times(2, 11, 20)
	return &lab.Experiment{
		Name:  "insert-cost",
		Title: "Cost of an insert by kick policy",
		Claim: "The paper does not compare ways of inserting. Ours: up to a load of one half an insert makes hardly any kick. Near the end a search makes far " +
			"fewer kicks than a random walk and reads about as many buckets. It moves along a shortest cuckoo path only, and the walk moves wherever it looks.",
		Method: "A table (b = 4, XOR placement) is filled from one load to the next, and the inserts of each such window are " +
			"counted and timed. Kicks come from Filter.Stats. Buckets examined are those looked into besides the two of the key: a second table makes the " +
			"same kicks under a policy that counts what it reads, and a trial whose two tables differ in kicks is an error. The trials run alone on the machine.",
		Limits: []string{
			"The time of an insert: figure 7 has the paper's. Times of this table, which fits into the second-level cache, are in the CSV.",
		},
		Params: "b f slots to_permille",
		Grid: lab.Grid{
			{Series: "{kick}", Trials: trials, Axes: slices.Concat([]lab.Axis{lab.Over("kick", measure.Kicks(builtinPolicies...)), lab.Over("placement", measure.Placements(cuckoo.XOR))}, tables)},
			{Series: "{policy}", Trials: trials, Axes: slices.Concat([]lab.Axis{lab.Over("policy", lab.OwnPolicies)}, tables)},
		},
		Trial: lab.Trial{
			Counts: "asked inserts kicks examined ns", Timed: "ns",
			Steps: []lab.Axis{lab.Over("to_permille", lab.Ints(insertWindows...))},
			Needs: func(c lab.Cell) (float64, int64) {
				return float64(c.Int("slots")) * insertTakes(measure.Config(c).Kick), 0
			},
			Run: func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
				return countInserts(ctx, measure.Config(c), c.Int("slots"), seed)
			},
		},
		Columns: []lab.Column{
			{Name: "kicks_per_insert", Of: lab.Div("kicks", "inserts")},
			{Name: "examined_per_insert", Of: examinedPerInsert},
			{Name: "ns_per_insert", Of: lab.Div("ns", "inserts")},
		},
		Timed: "ns_per_insert",
		Plots: []lab.Plot{{
			Title:   "Cost of an insert by kick policy, counted: f = 12, b = 4, 2^{{e}} slots",
			Caption: "Kicks and buckets examined per insert on log axes against the load factor, for four kick policies. A line ends where a key was refused. The policies look into equally many buckets at a load that all of them reach.",
			Panels:  []lab.Panel{panel("(a) kicks", "kicks per insert", "kicks"), panel("(b) buckets examined besides the key's two", "buckets per insert", "examined")},
		}},
		Claims: []lab.Rule{lab.Judged(insertClaims)},
	}
}

// examinedPerInsert has nothing of a policy that is not built in: what it reads cannot be seen.
func examinedPerInsert(r lab.Row) float64 {
	if !slices.ContainsFunc(builtinPolicies, func(k cuckoo.KickPolicy) bool { return k.Recipe() == r.Series }) {
		return math.NaN()
	}
	return r.Ratio("examined", "inserts")
}

// insertWindows are the upper ends of the windows of loads, in thousandths; the first begins at 0.
var insertWindows = []int{100, 200, 300, 400, 500, 600, 700, 800, 850, 900, 920, 940, 950, 955, 960, 965, 970}

// insertWidth is the width of the fingerprints.
const insertWidth = 12

// insertTakes is roughly the seconds of an insert, counting included, which for a search is most of it.
func insertTakes(k cuckoo.KickPolicy) float64 {
	if k == cuckoo.BreadthFirst {
		return 350e-9
	}
	return 110e-9
}

// A window is what the inserts from one load to the next took.
type window struct {
	asked, inserts, kicks, examined int
	spent                           time.Duration
}

// countInserts counts and times the inserts of all windows, and counts again what they examine.
func countInserts(ctx context.Context, c cuckoo.Config, slots int, seed uint64) ([]int, error) {
	windows, err := runWindows(ctx, c, slots, seed, func() int { return 0 })
	if err != nil {
		return nil, err
	}
	if limit := defaultKicks(c.Kick); limit > 0 {
		counting := &countingPolicy{KickPolicy: c.Kick}
		c.Kick, c.MaxKicks = counting, limit
		again, err := runWindows(ctx, c, slots, seed, func() int { return counting.examined })
		if err != nil {
			return nil, err
		}
		for i, w := range again {
			if w.inserts != windows[i].inserts || w.kicks != windows[i].kicks {
				return nil, fmt.Errorf("policy %s made %d kicks for %d keys, and %d for %d while it was counted",
					c.Kick.Recipe(), windows[i].kicks, windows[i].inserts, w.kicks, w.inserts)
			}
			windows[i].examined = w.examined
		}
	}
	var counts []int
	for _, w := range windows {
		counts = append(counts, w.asked, w.inserts, w.kicks, w.examined, int(w.spent))
	}
	return counts, nil
}

// runWindows fills a table window by window. The window in which a key is refused ends there, and those after it
// have no inserts. Examined returns a count that rises with the inserts.
func runWindows(ctx context.Context, c cuckoo.Config, slots int, seed uint64, examined func() int) ([]window, error) {
	f, err := measure.NewCuckoo(insertWidth, c, seed)
	if err != nil {
		return nil, err
	}
	f.Reset() // writes to every page of the table, which the first inserts would else pay for
	keys, from, full := measure.Stream{Next: seed}, 0, false
	windows := make([]window, len(insertWindows))
	for i, to := range insertWindows {
		hs := make([]uint64, slots*to/1000-from)
		from += len(hs)
		w := &windows[i]
		w.asked = len(hs)
		if full {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		keys.Fill(hs)
		kicks, read := f.Stats().Kicks, examined()
		w.spent = measure.Timed(len(hs), func() { w.inserts, err = f.InsertHashes(hs) }).Time
		w.kicks, w.examined = int(f.Stats().Kicks-kicks), examined()-read
		full = errors.Is(err, cuckoo.ErrFull)
		if err != nil && !full {
			return nil, err
		}
	}
	return windows, nil
}

// whole tells whether no run was refused a key in a window, with at least one insert.
func whole(g lab.Group) bool { n := g.Sum("asked"); return n > 0 && g.Sum("inserts") == n }

// windowSample is a count per insert in the window up to a load, over the runs. Where a key was refused it is empty.
func windowSample(d *lab.Data, k cuckoo.KickPolicy, to int, count string) stat.Sample {
	for _, g := range d.Select(k.Recipe()) {
		if g.Param("to_permille") == to && whole(g) {
			return stat.SampleOf(g.Ratios(count, "inserts"))
		}
	}
	return stat.SampleOf(nil)
}

// insertClaims compare kicks at half load and near the end. The bounds are those that the claims state.
func insertClaims(d *lab.Data) []claims.Verdict {
	kicks := func(k cuckoo.KickPolicy, to int) stat.Sample { return windowSample(d, k, to, "kicks") }
	examined := func(k cuckoo.KickPolicy) stat.Sample { return windowSample(d, k, 950, "examined") }
	search, walk := kicks(cuckoo.BreadthFirst, 950), kicks(cuckoo.RandomWalk, 950)
	half := claims.Mean(kicks(cuckoo.RandomWalk, 500))
	half.Format, half.Note = "%.4f", "kicks per insert from load .4 to .5"
	moves := claims.Quotient(search, walk)
	moves.Note = fmt.Sprintf("%.2f against %.2f kicks per insert", search.Mean, walk.Mean)
	reads := claims.Quotient(examined(cuckoo.BreadthFirst), examined(cuckoo.RandomWalk))
	reads.Note = fmt.Sprintf("%.1f against %.1f buckets per insert", examined(cuckoo.BreadthFirst).Mean, examined(cuckoo.RandomWalk).Mean)
	return []claims.Verdict{
		claims.Claim{ID: "half", Says: "Random walk: up to a load of one half fewer than one insert in 20 makes a kick", Paper: "-"}.
			Below(half, 1.0/20, "the claim's own number, which bounds the kicks per insert; "+claims.SampledBy),
		claims.Claim{ID: "kicks", Says: "Load .94 to .95: the search makes less than a tenth of the kicks of the random walk", Paper: "-"}.
			Below(moves, 1.0/10, "the claim's own number; "+claims.SampledBy),
		claims.Claim{ID: "examined", Says: "Load .94 to .95: the search looks into as many buckets as the random walk, within 15%", Paper: "-"}.
			Flat(reads, 1.15, "the claim's own number; "+claims.SampledBy),
	}
}

// defaultKicks is the limit of a built-in policy. It is 0 of others: what they read without Walk.Free and Walk.Exit cannot be seen.
func defaultKicks(k cuckoo.KickPolicy) int {
	switch k {
	case cuckoo.BreadthFirst:
		return 700
	case cuckoo.RandomWalk, cuckoo.RoundRobin, cuckoo.LookAhead:
		return 500
	}
	return 0
}

// A countingPolicy lets a policy kick and counts the buckets that it looks into for a free slot. Those that are looked into twice count twice,
// as they are read twice.
type countingPolicy struct {
	cuckoo.KickPolicy
	examined int // all inserts together
}

// Kick makes the kicks of the policy.
func (p *countingPolicy) Kick(w *cuckoo.Walk) {
	p.KickPolicy.Kick(w)
	p.examined += w.Examined()
}
