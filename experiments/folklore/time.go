package folklore

import (
	"context"
	"fmt"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// timeLoads are the loads in percent before which a hundredth of a table is timed. What follows the last one is refused.
var timeLoads = []int{10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 92, 94, 95}

// refusals are how many refused inserts are timed.
const refusals = 200

// timedPolicies are the ways to insert whose time is taken.
var timedPolicies = []cuckoo.KickPolicy{cuckoo.RandomWalk, cuckoo.BreadthFirst}

// insertTime measures what inserts take as a table fills, and what a refused one takes.
func insertTime() lab.Simple {
	return lab.Simple{
		Declare: lab.About{
			Name:  "insert-time",
			Title: "What is said about cuckoo filters: how long an insert takes",
			Claim: "It is said that inserts take constant time, and that they slow down with the load.",
			Method: "A table (12 bits, b = 4, XOR placement) is filled. The last hundredth of its slots before each load is timed, and then, at the first refused key, " +
				"further keys that are refused: each costs the random walk its 500 kicks and the way back.",
			NotShown: []string{"Tables beyond the caches: each kick is then a cache miss."},
			Params:   []string{"slots", "to_percent"},
			Counts:   []string{"inserts", "ns"},
			Derived:  []lab.Derived{{Name: "ns_per_insert", Of: func(r lab.Row) float64 { return r.Ratio("ns", "inserts") }}},
			Timed:    []string{"ns", "ns_per_insert"},
		},
		Trials:  timeTrials,
		Figures: timeFigures,
		Claims:  func(d *lab.Data) []claims.Verdict { return d.Judged(timeVerdicts(d)) },
	}
}

// timeTrials are a job for each policy. The step of 101 percent has the refused inserts.
func timeTrials(s lab.Setup) ([]lab.Job, error) {
	slots := sizes[s.Profile].large
	var steps [][]lab.Value
	for _, percent := range append(timeLoads, 101)[1:] {
		steps = append(steps, lab.IntValues(slots, percent))
	}
	var jobs []lab.Job
	for _, k := range timedPolicies {
		jobs = append(jobs, lab.Job{
			Series: k.Recipe(), Params: lab.IntValues(slots, timeLoads[0]), Steps: steps, Trials: max(sizes[s.Profile].runs, 7), Bytes: int64(slots) * 2,
			Cost: float64(slots) * 60e-9,
			Run: func(ctx context.Context, seed uint64) ([]int, error) {
				return timeInserts(ctx, cuckoo.Config{Buckets: slots / 4, Placement: cuckoo.XOR, Kick: k}, seed)
			},
		})
	}
	return jobs, nil
}

// timeInserts times one table.
func timeInserts(ctx context.Context, c cuckoo.Config, seed uint64) (counts []int, err error) {
	f, err := measure.NewCuckoo(12, c, seed)
	if err != nil {
		return nil, err
	}
	f.Reset() // touches every page
	s := measure.Stream{Next: seed}
	window := make([]uint64, f.Slots()/100)
	for _, percent := range timeLoads {
		if _, err := measure.Insert(ctx, &s, f, f.Slots()*percent/100-len(window)-f.Len()); err != nil {
			return nil, err
		}
		s.Fill(window)
		n := 0
		lap := measure.Timed(len(window), func() { n, err = f.InsertHashes(window) })
		if err != nil {
			return nil, fmt.Errorf("at %d%%: %w", percent, err)
		}
		counts = append(counts, n, int(lap.Time))
	}
	if _, err := measure.Insert(ctx, &s, f, f.Slots()); err != nil {
		return nil, err
	}
	refused, spent := 0, time.Duration(0)
	var h [1]uint64
	for refused < refusals {
		s.Fill(h[:])
		if lap := measure.Timed(1, func() { err = f.InsertHash(h[0]) }); err != nil {
			refused, spent = refused+1, spent+lap.Time
		}
	}
	return append(counts, refused, int(spent)), nil
}

// timeOf is the time of an insert in each run.
func timeOf(d *lab.Data, k cuckoo.KickPolicy, percent int) measure.Rounds {
	for _, g := range d.Select(k.Recipe()) {
		if g.Param("to_percent") == percent {
			return g.Ratios("ns", "inserts")
		}
	}
	return nil
}

func timeFigures(d *lab.Data) []*chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "load factor", Format: chart.Percent, Min: 0, Max: 1},
		Y: chart.Axis{Label: "ns per insert", Log: true},
	}
	for i, k := range timedPolicies {
		line := chart.Series{Label: k.Recipe(), Style: chart.Numbered(i), Kind: chart.LineMarks}
		for _, g := range d.Select(k.Recipe()) {
			if ns := g.Ratios("ns", "inserts"); g.Param("to_percent") <= 100 {
				lo, hi := stat.MedianInterval(ns)
				line.Points = append(line.Points, chart.Point{X: float64(g.Param("to_percent")) / 100, Y: stat.Median(ns), Lo: lo, Hi: hi})
			} else {
				lo, hi := stat.MedianInterval(ns)
				refused := chart.Point{X: .98, Y: stat.Median(ns), Lo: lo, Hi: hi}
				p.Series = append(p.Series, chart.Series{Label: k.Recipe() + ", refused", Style: chart.Numbered(2 + i), Kind: chart.Marks, Points: []chart.Point{refused}})
			}
		}
		p.Series = append(p.Series, line)
	}
	return []*chart.Figure{{
		Name:    "insert-time",
		Title:   "Time of an insert by load, 12 bits, b = 4",
		Caption: "Nanoseconds of an insert on a log axis against the load factor. The time is nearly flat up to 40% and rises steeply near the end; a refused insert, the marks at the right, takes some hundred times as long.",
		Panels:  []chart.Panel{p},
	}}
}

// timeVerdicts compare the end with the middle.
func timeVerdicts(d *lab.Data) []claims.Verdict {
	half, end, refused := timeOf(d, cuckoo.RandomWalk, 50), timeOf(d, cuckoo.RandomWalk, 95), timeOf(d, cuckoo.RandomWalk, 101)
	over := func(r measure.Rounds) claims.Estimate {
		i := r.Over(half)
		return claims.Estimate{Value: i.Median, Low: i.Lo, High: i.Hi, Format: "%.0f"}
	}
	slower, lost := over(end), over(refused)
	slower.Note = fmt.Sprintf("%.0f ns at .95, %.0f ns at .5", stat.Median(end), stat.Median(half))
	lost.Note = fmt.Sprintf("%.1f us of a refused insert", stat.Median(refused)/1000)
	return []claims.Verdict{
		claims.Claim{ID: "slower", Says: "Inserts slow down with the load: at .95 the random walk takes at least twice as long as at .5", Paper: "-", Machine: true}.
			Within(slower, 2, 1000, "the claim's own number; ratios run by run"),
		claims.Claim{ID: "500 kicks", Says: "A refused insert, of 500 kicks and the way back, takes at least 50 times as long as an insert at .5", Paper: "-", Machine: true}.
			Within(lost, 50, 100_000, "the claim's own number; ratios run by run"),
	}
}
