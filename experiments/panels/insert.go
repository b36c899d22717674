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
func insertCost() lab.Simple {
	return lab.Simple{
		Declare: lab.About{
			Name:  "insert-cost",
			Title: "Cost of an insert by kick policy",
			Claim: "The paper does not compare ways of inserting. Ours: up to a load of one half an insert makes hardly any kick. Near the end a search makes far " +
				"fewer kicks than a random walk and reads about as many buckets. It moves along a shortest cuckoo path only, and the walk moves wherever it looks.",
			Method: "A table (b = 4, XOR placement) is filled from one load to the next, and the inserts of each such window are " +
				"counted and timed. Kicks come from Filter.Stats. Buckets examined are those looked into besides the two of the key: a second table makes the " +
				"same kicks under a policy that counts what it reads, and a trial whose two tables differ in kicks is an error. The trials run alone on the machine.",
			NotShown: []string{
				"The time of an insert: figure 7 has the paper's. Times of this table, which fits into the second-level cache, are in the CSV.",
			},
			Params: []string{"b", "f", "slots", "to_permille"},
			Counts: []string{"asked", "inserts", "kicks", "examined", "ns"},
			Derived: []lab.Derived{
				{Name: "kicks_per_insert", Of: func(r lab.Row) float64 { return r.Ratio("kicks", "inserts") }},
				{Name: "examined_per_insert", Of: examinedPerInsert},
				{Name: "ns_per_insert", Of: func(r lab.Row) float64 { return r.Ratio("ns", "inserts") }},
			},
			Timed: []string{"ns", "ns_per_insert"},
		},
		Trials:  insertTrials,
		Figures: insertFigures,
		Claims:  func(d *lab.Data) []claims.Verdict { return d.Judged(insertClaims(d)) },
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

// insertSize is what a profile measures.
type insertSize struct{ slots, trials int }

var insertSizes = map[lab.Profile]insertSize{lab.Tiny: {1 << 10, 2}, lab.Quick: {1 << 18, 11}, lab.Paper: {1 << 20, 20}}

// insertWidth is the width of the fingerprints.
const insertWidth = 12

// insertTrials are a job for each policy, with a step for each window.
func insertTrials(s lab.Setup) ([]lab.Job, error) {
	size := insertSizes[s.Profile]
	lines := make([]lab.Policy, 0, len(builtinPolicies)+len(s.Own.Policies))
	for _, k := range builtinPolicies {
		lines = append(lines, lab.Policy{Name: k.Recipe(), Kick: k, Placement: cuckoo.XOR})
	}
	lines = append(lines, s.Own.Policies...)
	var jobs []lab.Job
	params := make([][]lab.Value, len(insertWindows))
	for i, to := range insertWindows {
		params[i] = lab.IntValues(4, insertWidth, size.slots, to)
	}
	for _, l := range lines {
		c := cuckoo.Config{Buckets: size.slots / 4, BucketSize: 4, Placement: l.Placement, Kick: l.Kick}
		jobs = append(jobs, lab.Job{
			Series: l.Name,
			Params: params[0],
			Steps:  params[1:],
			Trials: size.trials,
			Cost:   float64(size.slots) * insertTakes(l.Kick),
			Run: func(ctx context.Context, seed uint64) ([]int, error) {
				return countInserts(ctx, c, size.slots, seed)
			},
		})
	}
	return jobs, nil
}

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

// whole tells whether no run was refused a key in a window, with at least one insert.
func whole(g lab.Group) bool { n := g.Sum("asked"); return n > 0 && g.Sum("inserts") == n }

// insertFigures draw kicks and buckets examined.
func insertFigures(d *lab.Data) []*chart.Figure {
	panel := func(title, label, count string) chart.Panel {
		return chart.Panel{
			Title: title,
			X:     chart.Axis{Label: "load factor, upper end of the window", Min: 0.4, Max: 1},
			Y:     chart.Axis{Label: label, Log: true, Min: 0.01, Max: 200},
			Series: numbered(d.Lines(chart.LineMarks, func(g lab.Group) chart.Point {
				y := g.Mean(count, "inserts")
				if !whole(g) || y == 0 {
					return nowhere
				}
				return chart.Point{X: lab.Quotient(g.Param("to_permille"), 1000), Y: y}
			})),
		}
	}
	slots := insertSizes[d.Setup.Profile].slots
	return []*chart.Figure{{
		Name:    "insert-cost",
		Title:   measure.Raised(fmt.Sprintf("Cost of an insert by kick policy, counted: f = %d, b = 4, 2^%d slots", insertWidth, measure.Power2(slots))),
		Caption: "Kicks and buckets examined per insert on log axes against the load factor, for four kick policies. A line ends where a key was refused. The policies look into equally many buckets at a load that all of them reach.",
		Panels:  []chart.Panel{panel("(a) kicks", "kicks per insert", "kicks"), panel("(b) buckets examined besides the key's two", "buckets per insert", "examined")},
	}}
}

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

// A countingPolicy makes the kicks of a built-in policy and counts the buckets that it looks into for a free
// slot. Those of one search that are looked into twice, from two buckets, count twice, as they are read twice.
type countingPolicy struct {
	base     cuckoo.KickPolicy
	limit    int // the built-in policy's default
	examined int // all inserts together
}

// newCountingPolicy returns nil for a policy that is not built in: what a user's policy reads cannot be seen.
func newCountingPolicy(k cuckoo.KickPolicy) *countingPolicy {
	switch k {
	case cuckoo.BreadthFirst:
		return &countingPolicy{base: k, limit: 700}
	case cuckoo.RandomWalk, cuckoo.RoundRobin, cuckoo.LookAhead:
		return &countingPolicy{base: k, limit: 500}
	}
	return nil
}

// Recipe says whose kicks they are.
func (p *countingPolicy) Recipe() string { return "counting-" + p.base.Recipe() }

// Kick makes the kicks of the built-in policy, one Swap at a time.
func (p *countingPolicy) Kick(w *cuckoo.Walk) {
	i, j := w.Homes()
	switch p.base {
	case cuckoo.RandomWalk:
		p.walk(w, [2]uint64{i, j}[w.IntN(2)], func(int) int { return w.IntN(w.BucketSize()) })
	case cuckoo.RoundRobin:
		p.walk(w, i, func(kicks int) int { return kicks % w.BucketSize() })
	case cuckoo.LookAhead:
		p.lookAhead(w, i, j)
	default:
		p.search(w, i, j)
	}
}

// free looks into a bucket.
func (p *countingPolicy) free(w *cuckoo.Walk, bucket uint64) (int, bool) {
	p.examined++
	return w.Free(bucket)
}

// walk kicks one fingerprint after the other until one finds a free slot.
func (p *countingPolicy) walk(w *cuckoo.Walk, bucket uint64, slot func(kicks int) int) {
	for kicks := 0; w.Left() > 0; kicks++ {
		w.Swap(bucket, slot(kicks))
		_, bucket = w.Homes()
		if free, ok := p.free(w, bucket); ok {
			w.Swap(bucket, free)
			return
		}
	}
}

// lookAhead walks, and looks into the alternates of all residents first. The bucket that a walk reaches has been
// looked into for that, and is not counted again.
func (p *countingPolicy) lookAhead(w *cuckoo.Walk, i, j uint64) {
	if p.resettle(w, i) || p.resettle(w, j) {
		return
	}
	bucket := [2]uint64{i, j}[w.IntN(2)]
	for w.Left() > 1 {
		w.Swap(bucket, w.IntN(w.BucketSize()))
		_, bucket = w.Homes()
		if p.resettle(w, bucket) {
			return
		}
	}
}

// resettle kicks the first resident of a bucket whose alternate has a free slot, if there is one.
func (p *countingPolicy) resettle(w *cuckoo.Walk, bucket uint64) bool {
	for slot := range w.BucketSize() {
		to := w.Alternate(bucket, w.Slot(bucket, slot))
		if free, ok := p.free(w, to); ok {
			w.Swap(bucket, slot)
			w.Swap(to, free)
			return true
		}
	}
	return false
}

// search follows the built-in search, which then moves the fingerprints, up to the bucket that has a free slot.
func (p *countingPolicy) search(w *cuckoo.Walk, i, j uint64) {
	queue, queued := []uint64{i}, map[uint64]bool{i: true, j: true}
	if j != i {
		queue = append(queue, j)
	}
	for head := 0; head < len(queue) && !p.exit(w, queue[head]); head++ {
		for slot := range w.BucketSize() {
			to := w.Alternate(queue[head], w.Slot(queue[head], slot))
			if !queued[to] && len(queue) < w.Left() {
				queue, queued[to] = append(queue, to), true
			}
		}
	}
	cuckoo.BreadthFirst.Kick(w)
}

// exit looks into the alternate of every fingerprint of a bucket until one has a free slot.
func (p *countingPolicy) exit(w *cuckoo.Walk, bucket uint64) bool {
	for slot := range w.BucketSize() {
		if _, ok := p.free(w, w.Alternate(bucket, w.Slot(bucket, slot))); ok {
			return true
		}
	}
	return false
}
