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

// InsertCost is a panel that the paper lacks: what one insert costs by kick policy as the table fills, in
// kicks, in buckets examined and in time.
type InsertCost struct{}

// About states the claim.
func (InsertCost) About() lab.About {
	return lab.About{
		Name:  "insert-cost",
		Title: "Cost of an insert by kick policy",
		Claim: "Up to a load of one half an insert makes hardly any kick. Near the end a search makes far fewer kicks than a random walk, for " +
			"about as many buckets read: it moves along a shortest cuckoo path only, and the walk moves wherever it looks.",
		Method: "A table (b = 4, XOR placement) is filled from one load to the next, and the inserts of each such window are " +
			"counted and timed. Kicks come from Filter.Stats. Buckets examined are those looked into besides the two of the key: a second table makes the " +
			"same kicks under a policy that counts what it reads, and a trial whose two tables differ in kicks is an error. Times are " +
			"medians over the runs, taken alone on the machine.",
		NotShown: []string{
			"The paper's own figure of insert throughput is figure 7.",
			"Times depend on the size of the table against the caches; this one fits into the second level.",
		},
		Params: []string{"b", "f", "slots", "to_permille"},
		Counts: []string{"asked", "inserts", "kicks", "examined", "ns"},
		Derived: []lab.Derived{
			{Name: "kicks_per_insert", Of: func(r lab.Row) float64 { return r.Ratio("kicks", "inserts") }},
			{Name: "examined_per_insert", Of: examinedPerInsert},
			{Name: "ns_per_insert", Of: nsPerInsert},
		},
		Timed: []string{"ns", "ns_per_insert"},
	}
}

func nsPerInsert(r lab.Row) float64 { return r.Ratio("ns", "inserts") }

// examinedPerInsert has nothing of a policy that is not built in: what it reads cannot be seen.
func examinedPerInsert(r lab.Row) float64 {
	if !slices.ContainsFunc(builtinPolicies, func(k cuckoo.KickPolicy) bool { return k.Recipe() == r.Series }) {
		return math.NaN()
	}
	return r.Ratio("examined", "inserts")
}

// insertWindows are the upper ends of the windows of loads, in thousandths; the first begins at 0.
var insertWindows = []int{100, 200, 300, 400, 500, 600, 700, 800, 850, 900, 920, 940, 950, 955, 960, 965, 970}

// insertSize is what a profile measures.
type insertSize struct{ slots, trials int }

var insertSizes = map[lab.Profile]insertSize{lab.Tiny: {1 << 10, 2}, lab.Quick: {1 << 18, 11}, lab.Paper: {1 << 20, 20}}

// insertWidth is the width of the fingerprints.
const insertWidth = 12

// Plan returns a job for each policy, with a step for each window.
func (InsertCost) Plan(s lab.Setup) ([]lab.Job, error) {
	size := insertSizes[s.Profile]
	lines := make([]lab.Policy, 0, len(builtinPolicies)+len(s.Own.Policies))
	for _, k := range builtinPolicies {
		lines = append(lines, lab.Policy{Name: k.Recipe(), Kick: k, Placement: cuckoo.XOR})
	}
	lines = append(lines, s.Own.Policies...)
	var jobs []lab.Job
	params := make([][]lab.Value, len(insertWindows))
	for i, to := range insertWindows {
		params[i] = lab.Ints(4, insertWidth, size.slots, to)
	}
	for _, l := range lines {
		c := cuckoo.Config{Buckets: size.slots / 4, BucketSize: 4, Placement: l.Placement, Kick: l.Kick}
		jobs = append(jobs, lab.Job{
			Series: l.Name,
			Params: params[0],
			Steps:  params[1:],
			Trials: size.trials,
			Cost:   float64(size.slots) * 250e-9, // most of it for the counting
			Run: func(ctx context.Context, seed uint64) ([]int, error) {
				return insertCost(ctx, c, size.slots, seed)
			},
		})
	}
	return jobs, nil
}

// A window is what the inserts from one load to the next took.
type window struct {
	asked, inserts, kicks, examined int
	spent                           time.Duration
}

// insertCost counts and times the inserts of all windows, and counts again what they examine.
func insertCost(ctx context.Context, c cuckoo.Config, slots int, seed uint64) ([]int, error) {
	windows, err := runWindows(ctx, c, slots, seed, func() int { return 0 })
	if err != nil {
		return nil, err
	}
	if counting := newCountingPolicy(c.Kick); counting != nil {
		c.Kick, c.MaxKicks = counting, counting.limit
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
		kicks, read, start := f.Stats().Kicks, examined(), time.Now()
		w.inserts, err = f.InsertHashes(hs)
		w.spent = time.Since(start)
		w.kicks, w.examined = int(f.Stats().Kicks-kicks), examined()-read
		full = errors.Is(err, cuckoo.ErrFull)
		if err != nil && !full {
			return nil, err
		}
	}
	return windows, nil
}

// whole returns the windows of a series in which no run was refused a key, with at least one insert.
func whole(d *lab.Data, series string) []lab.Group {
	var out []lab.Group
	for _, g := range d.Select(series) {
		if n := g.Sum("asked"); n > 0 && g.Sum("inserts") == n {
			out = append(out, g)
		}
	}
	return out
}

// Draw draws kicks and buckets examined, and the time in a second picture.
func (InsertCost) Draw(d *lab.Data) []*chart.Figure {
	panel := func(title, label string, y func(g lab.Group) chart.Point) chart.Panel {
		p := chart.Panel{
			Title: title,
			X:     chart.Axis{Label: "load factor, upper end of the window", Min: 0.4, Max: 1},
			Y:     chart.Axis{Label: label, Log: true},
		}
		for i, series := range d.Series() {
			s := chart.Series{Label: series, Style: chart.Numbered(i), Kind: chart.LineMarks}
			for _, g := range whole(d, series) {
				if pt := y(g); pt.Y > 0 {
					pt.X = lab.Quotient(g.Param("to_permille"), 1000)
					s.Points = append(s.Points, pt)
				}
			}
			if len(s.Points) > 0 {
				p.Series = append(p.Series, s)
			}
		}
		return p
	}
	mean := func(count string) func(g lab.Group) chart.Point {
		return func(g lab.Group) chart.Point { return chart.Point{Y: g.Mean(count, "inserts")} }
	}
	kicks, examined := panel("(a) kicks", "kicks per insert", mean("kicks")), panel("(b) buckets examined besides the key's two", "buckets per insert", mean("examined"))
	kicks.Y.Min, kicks.Y.Max, examined.Y.Min, examined.Y.Max = 0.01, 200, 0.01, 200
	ns := panel("", "ns per insert, median and interval", func(g lab.Group) chart.Point {
		times := g.Ratios("ns", "inserts")
		lo, hi := stat.MedianInterval(times)
		return chart.Point{Y: stat.Median(times), Lo: lo, Hi: hi}
	})
	ns.X.Min, ns.Y.Min, ns.Y.Max = 0, 1, 2000
	size := insertSizes[d.Setup.Profile]
	where := measure.Raised(fmt.Sprintf("f = %d, b = 4, 2^%d slots", insertWidth, measure.Power2(size.slots)))
	return []*chart.Figure{{
		Name:    "insert-cost",
		Title:   "Cost of an insert by kick policy, counted: " + where,
		Caption: "Kicks and buckets examined per insert on log axes against the load factor, for four kick policies. A line ends where a key was refused. The policies look into equally many buckets at a load that all of them reach.",
		Panels:  []chart.Panel{kicks, examined},
	}, {
		Name:    "insert-cost-time",
		Title:   "Time of an insert by kick policy on this machine: " + where,
		Caption: "Nanoseconds per insert on a log axis against the load factor, for four kick policies.",
		Panels:  []chart.Panel{ns},
	}}
}

// windowMean returns the mean of a count per insert in the window up to a load, NaN where a key was refused.
func windowMean(d *lab.Data, k cuckoo.KickPolicy, to int, count string) float64 {
	for _, g := range whole(d, k.Recipe()) {
		if g.Param("to_permille") == to {
			return g.Mean(count, "inserts")
		}
	}
	return math.NaN()
}

// Judge compares kicks at half load and near the end.
func (InsertCost) Judge(d *lab.Data) []claims.Verdict {
	walk, search := windowMean(d, cuckoo.RandomWalk, 950, "kicks"), windowMean(d, cuckoo.BreadthFirst, 950, "kicks")
	half := windowMean(d, cuckoo.RandomWalk, 500, "kicks")
	read, walked := windowMean(d, cuckoo.BreadthFirst, 950, "examined"), windowMean(d, cuckoo.RandomWalk, 950, "examined")
	return d.Judged([]claims.Verdict{
		claims.Judge(half < 0.05, claims.Draft{
			Claim:     "Random walk: an insert makes hardly any kick up to a load of one half",
			Paper:     "-",
			Ours:      fmt.Sprintf("%.4f kicks per insert from load .4 to .5", half),
			Tolerance: "below 0.05",
		}),
		claims.Judge(walk > 4*search && search > 0, claims.Draft{
			Claim:     "Load .94 to .95: the random walk makes several times the kicks of the search",
			Paper:     "-",
			Ours:      fmt.Sprintf("%.2f against %.2f kicks per insert", walk, search),
			Tolerance: "at least 4 times",
		}),
		claims.Judge(read > 0 && read < 1.25*walked, claims.Draft{
			Claim:     "Load .94 to .95: the search looks into about as many buckets as the random walk",
			Paper:     "-",
			Ours:      fmt.Sprintf("%.1f against %.1f buckets per insert", read, walked),
			Tolerance: "at most 1.25 times as many",
		}),
	})
}
