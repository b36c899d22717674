package panels

import (
	"context"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
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

const (
	// windowQueue is how many slots a search may queue, the default of paired slots.
	windowQueue = 20000
	// windowBits are the bits of a slot in all four, and windowWidth those of them that are the fingerprint's in windows.
	windowBits, windowWidth = 11, 10
)

// overlappingWindows compares the space of three ways to save a bit of each fingerprint.
func overlappingWindows() *lab.Experiment {
	simulated := lab.Trial{
		Counts: measure.Fill.Counts,
		Needs: func(c lab.Cell) (float64, int64) {
			slots := c.Int("buckets")
			return float64(slots) * 10, int64(slots) * 16
		},
		Run: func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
			stored, err := fillWindows(ctx, c.Int("buckets"), seed)
			return []int{c.Int("buckets"), stored}, err
		},
	}
	line := func(e int, name string, b, f int, trial *lab.Trial, layout cuckoo.Layout, kicks int) lab.Block {
		slots := 1 << e
		if trial == nil {
			slots /= b
		}
		return lab.Block{Series: name, Trials: lab.Times(2, 3, 5), Trial: trial, Axes: []lab.Axis{
			lab.Over("e", lab.Ints(e)), lab.Over("b", lab.Ints(b)), lab.Over("f", lab.Ints(f)),
			lab.Over("buckets", lab.Ints(slots)),
			lab.Over("layout", lab.List(lab.Named(layout.String(), layout))), lab.Over("kicks", lab.Ints(kicks)),
		}, Only: func(c lab.Cell) bool { return c.In(lab.Size{9, 13, 14}) <= e && e <= c.In(lab.Size{10, 17, 21}) }}
	}
	var grid lab.Grid
	for e := 9; e <= 21; e++ {
		grid = append(grid,
			line(e, windowSeries, 2, windowWidth, &simulated, cuckoo.Packed, 0),
			line(e, pairedFourSeries, 4, windowBits, nil, cuckoo.PairedSlots, windowQueue),
			line(e, pairedEightSeries, 8, windowBits, nil, cuckoo.PairedSlots, windowQueue),
			line(e, semiSortedSeries, 4, windowBits+1, nil, cuckoo.SemiSorted, 0))
	}
	return &lab.Experiment{
		Name:  "windows",
		Title: "One bit less per key: overlapping windows, paired slots, semi-sorted buckets",
		Claim: "Schmitz, Zentgraf and Rahmann (arXiv 2505.05847; only its abstract was read): windows of two slots that " +
			"overlap take 1.06 (k+2) bits per key at a rate of 2^-k. Ours: paired slots take as many at b = 4 and fewer at b " +
			"= 8, and semi-sorted buckets fewer still.",
		Method: fmt.Sprintf("Random keys are inserted until the first is refused, by breadth-first search of up to %d "+
			"slots, and in semi-sorted buckets by the default search. All have a rate of .19%% (k = 9) in 11 bits a slot. "+
			"Windows are simulated: a key may be in two neighbouring slots from a random one on, or in two from that one xor "+
			"a hash of its fingerprint on. One of the 11 bits says which slot of its window a fingerprint is in. The bands "+
			"reach from the lowest to the highest run.", windowQueue),
		Limits: []string{"The rule for the second window, which the abstract does not say, is ours."},
		Params: "b f buckets", Grid: grid, Trial: measure.Fill, Columns: measure.FillColumns,
		Plots: []lab.Plot{{
			Title: "Space of filters with 11 bits a slot and a rate of .19%",
			Caption: "Bits per key at the first refused key against the number of slots on a log axis. Windows are simulated. " +
				"The straight line is what the abstract of the paper on windows says.",
			Panels: []lab.Panel{{
				X:  chart.Axis{Label: "slots", Log: true, Base: 2},
				Y:  chart.Axis{Label: "space at the first refusal (bits per key)", Min: windowBits, Max: 11.8},
				At: slotsOf, Style: lab.Numbered,
				Of: func(g lab.Group) claims.Estimate {
					load := measure.Load(g)
					return claims.Estimate{Value: windowSpace(g).Mean, Low: windowBits / load.High, High: windowBits / load.Low}
				},
				More: []lab.More{func(_ *lab.Data, groups []lab.Group) []chart.Series {
					from, to := ends(groups, slotsOf)
					line := bound("1.06 (k + 2), arXiv 2505.05847", from, to, 1.06*windowBits)
					line.Style, line.Kind = chart.Numbered(4), chart.Line
					return []chart.Series{line}
				}},
			}},
			Edit: endsAt(slotsOf, 0),
		}},
		Claims: []lab.Rule{lab.Judged(windowClaims)},
	}
}

// slotsOf is the number of slots of a group's tables.
func slotsOf(g lab.Group) float64 { return float64(int(1) << g.Cell.Int("e")) }

// A windowTable has keys in slots of one of their two windows. It knows the keys, which a filter would not: for the
// load that does not matter, as both windows follow from either of them and the fingerprint.
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
		at = t.reach(t.keys[t.slots[t.queue[head].slot]], int32(head), key)
	}
	if at < 0 {
		t.keys = t.keys[:key]
		return false
	}
	for t.queue[at].parent >= 0 {
		n := t.queue[at]
		t.slots[n.slot], at = t.slots[t.queue[n.parent].slot], n.parent
	}
	t.slots[t.queue[at].slot] = key
	return true
}

// reach queues the slots of two windows that the search for a key has not queued yet. It returns the place in the queue
// of one that is free, or -1.
func (t *windowTable) reach(windows [2]int32, parent, key int32) (free int32) {
	for _, start := range windows {
		for slot := start; slot < start+2; slot++ {
			if t.seen[slot] == key || len(t.queue) == windowQueue {
				continue
			}
			t.seen[slot] = key
			t.queue = append(t.queue, windowNode{slot, parent})
			if t.slots[slot] == 0 {
				return int32(len(t.queue) - 1)
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
func windowSpace(g lab.Group) claims.Sample {
	loads := g.Values("load_factor")
	for i, load := range loads {
		loads[i] = windowBits / load
	}
	return claims.SampleOf(loads)
}

// windowClaims compare the largest tables.
func windowClaims(d *lab.Data) []claims.Verdict {
	largest := func(series string) claims.Sample {
		groups := d.Select(series)
		return windowSpace(groups[len(groups)-1])
	}
	windows, four, eight, sorted := largest(windowSeries), largest(pairedFourSeries), largest(pairedEightSeries),
		largest(semiSortedSeries)
	factor := claims.Around(windows.Mean/windowBits, claims.Deviations*windows.Err/windowBits).As("",
		"slots per key at the first refusal")
	return []claims.Verdict{
		claims.Ours("windows", "Overlapping windows of two slots take at most 1.06 slots per key (arXiv 2505.05847; only "+
			"its abstract was read)").
			Below(factor, 1.06, "the factor of the abstract"),
		claims.Ours("paired slots", "Paired slots, 4 a bucket, take the bits per key of windows, within 1%").
			Within(claims.Quotient(four, windows).As("", "%.2f and %.2f bits", four.Mean, windows.Mean), 0.99, 1.01, itsOwn),
		claims.Ours("order", "Paired slots, 8 a bucket, take fewer bits per key than windows, and semi-sorted buckets "+
			"fewer than those").
			Order([]claims.Step{
				{Name: "windows less paired slots, bits", Of: claims.Difference(windows, eight)},
				{Name: "paired slots less semi-sorted, bits", Of: claims.Difference(eight, sorted)},
			}, "at equal rates, each filled to its first refusal"),
	}
}
