package panels

import (
	"context"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/window"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

const (
	twoSeries     = "two cuckoo filters in turn"
	exactSeries   = "map and queue"
	windowOf14    = "window, g = 14"
	forgotten     = 1.1 // windows after which a filter of 14 generations has forgotten
	agesAsked     = 25  // tenths of a window
	keysAsked     = 256 // of each age, in each phase
	phasesOfAging = 8   // of a window, at which filters are asked
)

// A forgetter is told each key of a stream of n keys a window, and what is to be forgotten by their number.
type forgetter struct {
	touch    func(h uint64) error
	contains func(h uint64) bool
	before   func(key int) // a key comes
	bytes    int
}

// forgetters are the filters of the panel, of a rate of 1% or less.
func forgetters(lab.Cell) (all []lab.Value) {
	for _, g := range []int{2, 6, 14} {
		make := func(n int) (*forgetter, error) {
			f, err := window.New[fingerprint.Bits10](window.Config{PerWindow: n, Generations: g})
			if err != nil {
				return nil, err
			}
			before := func(key int) {
				if key%(n/g) == 0 {
					f.Advance()
				}
			}
			return &forgetter{f.InsertHash, f.ContainsHash, before, f.SizeBytes()}, nil
		}
		all = append(all, lab.Named(fmt.Sprintf("window, g = %d", g), make))
	}
	return append(all, lab.Named(twoSeries, inTurn), lab.Named(exactSeries, exactly))
}

// exactly returns a map of digests, and a queue that says which one leaves. Its bytes are the least that they can be:
// 8 for the queue, and a map of Go at its fullest, with 9 bytes for a slot and seven of eight slots in use.
func exactly(n int) (*forgetter, error) {
	seen, queue, at := make(map[uint64]struct{}, n), make([]uint64, n), 0
	return &forgetter{
		touch: func(h uint64) error {
			seen[h], queue[at] = struct{}{}, h
			return nil
		},
		contains: func(h uint64) bool { _, is := seen[h]; return is },
		before: func(key int) {
			at = key % n
			delete(seen, queue[at])
		},
		bytes: 8*n + 9*n*8/7,
	}, nil
}

// inTurn returns two filters. One takes the keys of a window, then the other is emptied and takes those of the next.
func inTurn(n int) (*forgetter, error) {
	var both [2]*cuckoo.Filter[fingerprint.Bits11] // a bit more, as both are asked
	for k := range both {
		f, err := cuckoo.New[fingerprint.Bits11](cuckoo.Config{Capacity: n})
		if err != nil {
			return nil, err
		}
		both[k] = f
	}
	return &forgetter{
		touch:    func(h uint64) error { return both[0].InsertHash(h) },
		contains: func(h uint64) bool { return both[0].ContainsHash(h) || both[1].ContainsHash(h) },
		before: func(key int) {
			if key%n == 0 {
				both[0], both[1] = both[1], both[0]
				both[0].Reset()
			}
		},
		bytes: 2 * both[0].SizeBytes(),
	}, nil
}

func forgetting() *lab.Experiment {
	return &lab.Experiment{
		Name:  "forgetting",
		Title: "Filters that forget: one table with ages against two filters in turn",
		Claim: "The paper has no filter that forgets. Ours: a table whose slots have ages forgets a key a generation after " +
			"its window and takes 15.6 bits for each key of a window; two filters in turn take 22.9 and forget after one to " +
			"two windows. A map and a queue of digests forget exactly and take 146 bits at least.",
		Method: fmt.Sprintf("A stream of new keys, n in each window, runs for five windows. At %d phases of the last one, "+
			"keys of each age and keys that never came are asked for. All have a rate of 1%% or less.", phasesOfAging),
		Limits: []string{"Time: go test ./cuckoo/window -run Measure -measure 15. An age-partitioned Bloom filter takes " +
			"22.2 bits at .86% (module dcrd), which is not measured here."},
		Params: "n age",
		Grid: lab.Grid{{Series: "{filter}", Trials: lab.Times(1, 2, 5), Axes: []lab.Axis{
			lab.Over("filter", forgetters),
			lab.Over("n", lab.By(lab.Ints(42<<6), lab.Ints(42<<11), lab.Ints(42<<14))),
		}}},
		Trial: lab.Trial{
			Counts: "asked found probes false_positives size_bytes refused",
			Steps:  []lab.Axis{lab.Over("age", lab.Range(0, agesAsked))},
			Needs: func(c lab.Cell) (float64, int64) {
				return float64(5*c.Int("n") + 2*phasesOfAging*keysAsked*agesAsked), int64(4 * c.Int("n"))
			},
			Run: ageKeys,
		},
		Columns: []lab.Column{
			{Name: "remembered", Of: lab.Div("found", "asked")},
			{Name: "false_positive_rate", Of: lab.Div("false_positives", "probes")},
		},
		Plots: []lab.Plot{{
			Title:   "How a key is forgotten",
			Caption: "Share of keys that are still found, by the time since they came, in a stream of as many keys each window.",
			Panels: []lab.Panel{{
				X:  chart.Axis{Label: "age (windows)", Min: 0, Max: float64(agesAsked) / 10},
				Y:  chart.Axis{Label: "share of keys found", Min: 0, Max: 1},
				At: func(g lab.Group) float64 { return float64(g.Param("age")) / 10 }, Of: lab.Pooled("found", "asked"),
				Kind: chart.Line, Style: lab.Numbered,
			}},
		}},
		Claims: []lab.Rule{lab.Judged(forgettingClaims)},
	}
}

// ageKeys runs the stream and asks for keys of each age.
func ageKeys(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
	n, refused := c.Int("n"), 0
	f, err := c.Of("filter").(func(int) (*forgetter, error))(n)
	if err != nil {
		return nil, err
	}
	digest := func(key int) uint64 { return hashing.Mix64(seed + uint64(key)) }
	counts, absent := make([]int, 6*(agesAsked+1)), -1
	for key := range 5 * n {
		if key%(1<<12) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f.before(key)
		if f.touch(digest(key)) != nil {
			refused++
		}
		if key < 4*n || (key+1)%(n/phasesOfAging) != 0 {
			continue
		}
		for age := range agesAsked + 1 {
			row := counts[6*age:]
			for k := range keysAsked {
				row[0], row[2] = row[0]+1, row[2]+1
				if f.contains(digest(key - age*n/10 - k)) {
					row[1]++
				}
				if f.contains(digest(absent)) {
					row[3]++
				}
				absent--
			}
		}
	}
	for age := range agesAsked + 1 {
		counts[6*age+4], counts[6*age+5] = f.bytes, refused
	}
	return counts, nil
}

func forgettingClaims(d *lab.Data) []claims.Verdict {
	denied, kept, asked := 0, 0, 0
	for _, g := range d.Groups {
		age := float64(g.Param("age")) / 10
		if age < 1 {
			denied += g.Sum("asked") - g.Sum("found")
		}
		if age > forgotten && g.Series == windowOf14 {
			kept, asked = kept+g.Sum("found"), asked+g.Sum("asked")
		}
	}
	bits := func(series string) float64 {
		g := d.Select(series)[0]
		return 8 * float64(g.Rows[0].Count("size_bytes")) / float64(g.Param("n"))
	}
	one, two := bits(windowOf14), bits(twoSeries)
	return []claims.Verdict{
		claims.Ours("window", "No key is denied or refused within its window").
			Equal(claims.Exactly(float64(denied+d.Sum("refused"))), 0, 0, "none"),
		claims.Ours("forgotten", "14 generations: after 1.1 windows a key is found as rarely as one that never came").
			Below(claims.Exactly(float64(kept)/float64(max(1, asked))), 0.01, "the rate that was asked for"),
		claims.Ours("bits", "One table with ages takes less than .75 of the bits of two filters in turn").
			Below(claims.Exactly(one/two).As("", "%.2f and %.2f bits for each key of a window", one, two), 0.75, itsOwn),
	}
}
