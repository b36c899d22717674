package folklore

import (
	"context"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// timeLoads are the loads in percent before which a hundredth of a table is timed. What follows, as 101, is refused.
var timeLoads = []int{10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 92, 94, 95}

// insertTime measures what inserts take as a table fills, and what a refused one takes.
func insertTime() *lab.Experiment {
	ns := lab.Panel{
		X: chart.Axis{Label: "load factor", Format: chart.Percent, Max: 1}, Y: chart.Axis{Label: "ns per insert", Log: true},
		At: func(g lab.Group) float64 { return g.Cell.Float("to_percent") / 100 }, Of: lab.Median("ns_per_insert"),
		Style: lab.Numbered, Kind: chart.LineMarks,
		Only: func(g lab.Group) bool { return g.Cell.Int("to_percent") <= 100 },
		More: []lab.More{refusedMarks},
	}
	percents := lab.Ints(append(timeLoads, 101)...)
	return &lab.Experiment{
		Name:  "insert-time",
		Title: "What is said about cuckoo filters: how long an insert takes",
		Claim: "It is said that inserts take constant time, and that they slow down with the load.",
		Method: "A table (12 bits, b = 4, XOR placement) is filled. The last hundredth of its slots before each load is " +
			"timed, and then, at the first refused key, further keys that are refused: each costs the random walk its 500 " +
			"kicks and the way back.",
		Limits: []string{"Tables beyond the caches: each kick is then a cache miss."},
		Params: "slots to_percent",
		Grid: lab.Grid{{Series: "{kick}", Trials: lab.Times(7, 7, 16), Axes: []lab.Axis{
			lab.Over("kick", measure.Kicks(cuckoo.RandomWalk, cuckoo.BreadthFirst)),
			lab.Over("slots", lab.From(func(c lab.Cell) lab.Value { return lab.Int(sizes[c.Setup.Profile].large) })),
		}}},
		Trial: lab.Trial{
			Counts: "inserts ns", Timed: "ns", Steps: []lab.Axis{lab.Over("to_percent", percents)}, Run: timeInserts,
			Needs: func(c lab.Cell) (float64, int64) { return c.Float("slots"), int64(c.Int("slots")) * 2 },
		},
		Columns: []lab.Column{{Name: "ns_per_insert", Of: lab.Div("ns", "inserts")}}, Timed: "ns_per_insert",
		Plots: []lab.Plot{{
			Title: "Time of an insert by load, 12 bits, b = 4",
			Caption: "Nanoseconds of an insert on a log axis against the load factor. The time is nearly flat up to 40% and " +
				"rises steeply near the end; a refused insert, the marks at the right, takes some hundred times as long.",
			Panels: []lab.Panel{ns},
		}},
		Claims: []lab.Rule{
			slower("slower", "Inserts slow down with the load: at .95 the random walk takes at least twice as long as at .5",
				95, 2, 1000),
			slower("500 kicks", "A refused insert, of 500 kicks and the way back, takes at least 50 times as long as an insert "+
				"at .5", 101, 50, 1e5),
		},
	}
}

// timeInserts times one table.
func timeInserts(ctx context.Context, c lab.Cell, seed uint64) (counts []int, err error) {
	kick := c.Of("kick").(cuckoo.KickPolicy)
	f, err := measure.NewCuckoo(12, cuckoo.Config{Buckets: c.Int("slots") / 4, Placement: cuckoo.XOR, Kick: kick}, seed)
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
	refused, spent := 0, 0
	for h := window[:1]; refused < 200; {
		s.Fill(h)
		if lap := measure.Timed(1, func() { err = f.InsertHash(h[0]) }); err != nil {
			refused, spent = refused+1, spent+int(lap.Time)
		}
	}
	return append(counts, refused, spent), nil
}

// timeOf is the time of an insert in each run.
func timeOf(d *lab.Data, k cuckoo.KickPolicy, percent int) measure.Rounds {
	for _, g := range d.Where("kick", k.Recipe(), "to_percent", fmt.Sprint(percent)) {
		return g.Values("ns_per_insert")
	}
	return nil
}

// refusedMarks are the times of refused inserts.
func refusedMarks(d *lab.Data, _ []lab.Group) (marks []chart.Series) {
	for i, g := range d.Where("to_percent", "101") {
		e := lab.Median("ns_per_insert")(g)
		marks = append(marks, chart.Series{
			Label: g.Series + ", refused", Style: chart.Numbered(2 + i), Kind: chart.Marks,
			Points: []chart.Point{{X: .98, Y: e.Value, Lo: e.Low, Hi: e.High}},
		})
	}
	return marks
}

// slower compares the time of a random walk at a load with that at one half.
func slower(id, says string, percent int, low, high float64) lab.Rule {
	c := claims.Ours(id, says)
	c.Machine = true
	return lab.Once(c, lab.Quick, func(d *lab.Data, c claims.Claim) claims.Verdict {
		end, half := timeOf(d, cuckoo.RandomWalk, percent), timeOf(d, cuckoo.RandomWalk, 50)
		i := end.Over(half)
		e := claims.Estimate{Value: i.Median, Low: i.Lo, High: i.Hi}
		e = e.As("%.0f", "%.0f ns, and %.0f ns at .5", claims.Median(end), claims.Median(half))
		return c.Within(e, low, high, "the claim's own number; ratios run by run")
	})
}
