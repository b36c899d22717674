package panels

import (
	"context"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// The series of the experiment of windows.
const (
	windowSeries      = "windows of 2 (simulated)"
	pairedFourSeries  = "paired slots, b = 4"
	pairedEightSeries = "paired slots, b = 8"
	semiSortedSeries  = "semi-sorted, b = 4"
)

// overlappingWindows compares the space of three ways to save a bit of each fingerprint.
func overlappingWindows() lab.Simple {
	return lab.Simple{
		Declare: measure.FillAbout(lab.About{
			Name:  "windows",
			Title: "One bit less per key: overlapping windows, paired slots, semi-sorted buckets",
			Claim: "Schmitz, Zentgraf and Rahmann (arXiv 2505.05847, 2025; only the abstract was to be had): with windows of two slots that overlap, in place of buckets, " +
				"a rate of 2^-k takes 1.06 (k+2) bits per key. Ours: paired slots take as many at b = 4 and fewer at b = 8, and semi-sorted buckets fewer still.",
			Method: fmt.Sprintf("Random keys are inserted until the first is refused, by breadth-first search of up to %d slots, and in semi-sorted buckets by the default search. "+
				"All have a rate of .19%% (k = 9) in 11 bits a slot. Windows are simulated: a key may be in two neighbouring slots from a random one on, or in two from that one "+
				"xor a hash of its fingerprint on. One of the 11 bits says which slot of its window a fingerprint is in. The bands reach from the lowest to the highest run.", windowQueue),
			NotShown: []string{
				"The windows of the paper as its authors built them: the simulation has what the abstract says, and a rule for the second window of our own.",
				"Time. Paired slots are timed in docs/PERFORMANCE.md.",
			},
		}),
		Trials:  windowTrials,
		Figures: windowFigures,
		Claims:  func(d *lab.Data) []claims.Verdict { return d.Judged(windowClaims(d)) },
	}
}

const (
	// windowQueue is how many slots a search may queue, the default of paired slots.
	windowQueue = 20000
	// windowBits are the bits of a slot in all four, and windowWidth those of them that are the fingerprint's in windows.
	windowBits, windowWidth = 11, 10
)

// windowTables are the first and the last exponent of the number of slots, and the runs, of a profile.
var windowTables = map[lab.Profile]struct{ from, to, trials int }{lab.Tiny: {9, 10, 2}, lab.Quick: {13, 17, 3}, lab.Paper: {14, 21, 5}}

// windowTrials are a job for each way and number of slots.
func windowTrials(s lab.Setup) ([]lab.Job, error) {
	size := windowTables[s.Profile]
	var jobs []lab.Job
	for lg := size.from; lg <= size.to; lg++ {
		slots := 1 << lg
		jobs = append(jobs,
			lab.Job{
				Series: windowSeries, Params: lab.IntValues(2, windowWidth, slots), Trials: size.trials,
				Bytes: int64(slots) * 16, Cost: float64(slots) * 10 * measure.FillCost(slots),
				Run: func(ctx context.Context, seed uint64) ([]int, error) {
					stored, err := fillWindows(ctx, slots, seed)
					return []int{slots, stored}, err
				},
			},
			measure.FillJob(pairedFourSeries, windowBits, cuckoo.Config{Buckets: slots / 4, BucketSize: 4, Layout: cuckoo.PairedSlots, MaxKicks: windowQueue}, size.trials),
			measure.FillJob(pairedEightSeries, windowBits, cuckoo.Config{Buckets: slots / 8, BucketSize: 8, Layout: cuckoo.PairedSlots, MaxKicks: windowQueue}, size.trials),
			measure.FillJob(semiSortedSeries, windowBits+1, cuckoo.Config{Buckets: slots / 4, BucketSize: 4, Layout: cuckoo.SemiSorted}, size.trials),
		)
	}
	return jobs, nil
}

// A windowTable has keys in slots of one of their two windows. It knows the keys, which a filter would not: for the load that does not matter,
// as both windows follow from either of them and the fingerprint.
type windowTable struct {
	slots []int32    // the number of the key in a slot, counted from 1; 0 in a free one
	keys  [][2]int32 // the first slots of the windows of a key, from number 1 on
	seen  []int32    // of each slot the number of the last key whose search has queued it
	queue []windowNode
}

// A windowNode is a slot that a search has reached from another node, or -1.
type windowNode struct{ slot, parent int32 }

// newWindowTable returns an empty table of slots windows, which begin at any slot; one more slot ends the last.
func newWindowTable(slots int) *windowTable {
	return &windowTable{slots: make([]int32, slots+1), seen: make([]int32, slots+1), keys: make([][2]int32, 1)}
}

// windowsOf returns where the two windows of a digest begin, of a power of two of them.
func windowsOf(h uint64, windows int) [2]int32 {
	start := int32(fingerprint.Bucket(h, uint64(windows)))
	return [2]int32{start, start ^ int32(hashing.Mix64(fingerprint.Of(h, windowWidth))&uint64(windows-1))}
}

// insert stores a key with these windows along a shortest path, and tells whether there was one.
func (t *windowTable) insert(windows [2]int32) bool {
	key := int32(len(t.keys))
	t.keys, t.queue = append(t.keys, windows), t.queue[:0]
	at := t.reach(windows, -1, key)
	for head := 0; at < 0 && head < len(t.queue); head++ {
		at = t.reach(t.keys[t.slots[t.queue[head].slot]], head, key)
	}
	if at < 0 {
		t.keys = t.keys[:key]
		return false
	}
	for {
		n := t.queue[at]
		if n.parent < 0 {
			t.slots[n.slot] = key
			return true
		}
		t.slots[n.slot], at = t.slots[t.queue[n.parent].slot], int(n.parent)
	}
}

// reach queues the slots of two windows that the search for a key has not queued yet. It returns the place in the queue of one that is free,
// or -1.
func (t *windowTable) reach(windows [2]int32, parent int, key int32) (free int) {
	for _, start := range windows {
		for slot := start; slot < start+2; slot++ {
			if t.seen[slot] == key || len(t.queue) == windowQueue {
				continue
			}
			t.seen[slot] = key
			t.queue = append(t.queue, windowNode{slot, int32(parent)})
			if t.slots[slot] == 0 {
				return len(t.queue) - 1
			}
		}
	}
	return -1
}

// fillWindows returns how many random keys a table takes before the first refusal.
func fillWindows(ctx context.Context, slots int, seed uint64) (stored int, err error) {
	t, h := newWindowTable(slots), seed
	for ; t.insert(windowsOf(h, slots)); stored++ {
		if stored%(1<<14) == 0 && ctx.Err() != nil {
			return stored, ctx.Err()
		}
		h = hashing.Mix64(h + 1)
	}
	return stored, nil
}

// windowSpace is the bits per key at the first refusal, without padding, by run.
func windowSpace(g lab.Group) stat.Sample {
	loads := g.Ratios("stored", "slots")
	for i, load := range loads {
		loads[i] = windowBits / load
	}
	return stat.SampleOf(loads)
}

// windowFigures draw the bits per key against the number of slots.
func windowFigures(d *lab.Data) []*chart.Figure {
	size := windowTables[d.Setup.Profile]
	p := chart.Panel{
		X: chart.Axis{Label: "slots", Log: true, Base: 2, Min: float64(int(1) << size.from), Max: float64(int(1) << size.to)},
		Y: chart.Axis{Label: "space at the first refusal (bits per key)", Min: 11, Max: 11.8},
		Series: numbered(d.Lines(chart.LineMarks, func(g lab.Group) chart.Point {
			lo, hi := measure.LoadRange(g)
			return chart.Point{X: float64(g.Sum("slots") / len(g.Rows)), Y: windowSpace(g).Mean, Lo: windowBits / hi, Hi: windowBits / lo}
		})),
	}
	bound := chart.Series{Label: "1.06 (k + 2), arXiv 2505.05847", Style: chart.Numbered(len(p.Series)), Kind: chart.Line}
	for _, x := range []float64{p.X.Min, p.X.Max} {
		bound.Points = append(bound.Points, chart.Point{X: x, Y: 1.06 * windowBits})
	}
	p.Series = append(p.Series, bound)
	return []*chart.Figure{{
		Name:    "windows",
		Title:   "Space of filters with 11 bits a slot and a rate of .19%",
		Caption: "Bits per key at the first refused key against the number of slots on a log axis. Windows are simulated. The straight line is what the abstract of the paper on windows says.",
		Panels:  []chart.Panel{p},
	}}
}

// windowClaims compare the largest tables.
func windowClaims(d *lab.Data) []claims.Verdict {
	largest := func(series string) stat.Sample {
		groups := d.Select(series)
		return windowSpace(groups[len(groups)-1])
	}
	windows, four, eight, sorted := largest(windowSeries), largest(pairedFourSeries), largest(pairedEightSeries), largest(semiSortedSeries)
	factor := claims.Around(windows.Mean/windowBits, stat.Deviations*windows.Err/windowBits)
	factor.Note = "slots per key at the first refusal"
	equal := claims.Quotient(four, windows)
	equal.Note = fmt.Sprintf("%.2f and %.2f bits", four.Mean, windows.Mean)
	return []claims.Verdict{
		claims.Claim{ID: "windows", Says: "Overlapping windows of two slots take at most 1.06 slots per key (arXiv 2505.05847; only its abstract was read)", Paper: "-"}.
			Below(factor, 1.06, "the factor of the abstract"),
		claims.Claim{ID: "paired slots", Says: "Paired slots, 4 a bucket, take the bits per key of windows, within 1%", Paper: "-"}.
			Within(equal, 0.99, 1.01, "the claim's own number"),
		claims.Claim{ID: "order", Says: "Paired slots, 8 a bucket, take fewer bits per key than windows, and semi-sorted buckets fewer than those", Paper: "-"}.
			Order([]claims.Step{
				{Name: "windows less paired slots, bits", Of: claims.Difference(windows, eight)},
				{Name: "paired slots less semi-sorted, bits", Of: claims.Difference(eight, sorted)},
			}, "at equal rates, each filled to its first refusal"),
	}
}
