package panels

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
)

const (
	logValueBits = 36 // of a value: those of places in experiments/logstore, or less beside wide fingerprints

	logSeries  = "maplet"
	logSlot0   = "slot 0, 512 kicks"
	logDefault = "breadth-first"
)

var logProbes = lab.Size{1 << 12, 1 << 20, 1 << 23}

func logReads() *lab.Experiment {
	slots := lab.Over("slots", lab.By(lab.Ints(1<<10), lab.Ints(1<<18), lab.Ints(1<<20)))
	fill := measure.Fill
	fill.Run = func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
		counts, err := measure.Fill.Run(ctx, c, seed)
		if err != nil {
			return nil, err
		}
		return []int{counts[1], 0, 0, 0, 0}, nil
	}
	filled := func(series string, policy cuckoo.KickPolicy, kicks int) lab.Block {
		return lab.Block{Series: series, Trials: lab.Times(1, 2, 5), Trial: &fill, Axes: []lab.Axis{
			lab.Over("f", lab.Ints(14)), lab.Over("b", lab.Ints(4)), slots, lab.Over("kicks", lab.Ints(kicks)),
			lab.Over("kick", lab.List(lab.Named(series, policy))), lab.Over("placement", measure.Placements(cuckoo.XOR)),
		}}
	}
	return &lab.Experiment{
		Name:  "log-reads",
		Title: "Reads of the log per lookup, by fingerprint width",
		Claim: "The paper has no values beside fingerprints. Ours: a store whose index is a maplet reads 2b*alpha/(2^f-1) " +
			"records for a key that it does not have, and one and at most as many more for one that it has. Kicking slot 0 at " +
			"most 512 times fills less than a search.",
		Method: fmt.Sprintf("A maplet (b = 4, values of %d bits) is filled to a load of .95. Every key is looked up and "+
			"the candidates are counted up to its own; absent keys are looked up and all are counted. Beside it, cuckoo "+
			"filters of 14 bits are filled until a key is refused, under a policy that kicks slot 0 of each bucket that it "+
			"reaches, at most 512 times, and under the default.", logValueBits),
		Limits: []string{"An index that doubles when it refuses has half of that load then."},
		Params: "f slots",
		Grid: lab.Grid{{
			Series: logSeries, Trials: lab.Times(1, 2, 5), Axes: []lab.Axis{
				lab.Over("f", lab.By(lab.Ints(8, 10, 12), lab.Ints(6, 8, 10, 12, 14, 16), lab.Range(6, 16))), slots,
			},
		}, filled(logSlot0, slot0{}, 512), filled(logDefault, cuckoo.BreadthFirst, 0)},
		Trial: lab.Trial{
			Counts: "stored present_reads probes absent_reads lost", Run: readLog,
			Needs: func(c lab.Cell) (float64, int64) {
				n := c.Int("slots")
				return float64(2 * (n + c.In(logProbes))), int64(n) * 16
			},
		},
		Columns: []lab.Column{
			{Name: "load_factor", Of: lab.Div("stored", "slots")},
			{Name: "reads_present", Of: lab.Div("present_reads", "stored")},
			{Name: "reads_absent", Of: lab.Div("absent_reads", "probes")},
		},
		Plots: []lab.Plot{{
			Title: "Records of other keys that a lookup reads, by fingerprint width",
			Caption: "Absent keys lie on the law, present keys at about a third of it: a lookup ends at its own record, and " +
				"most are in the bucket that is looked at first.",
			Panels: []lab.Panel{{
				X:    chart.Axis{Label: "fingerprint width f (bits)"},
				Y:    chart.Axis{Label: "reads of others' records", Log: true, Min: 1e-5, Max: 1},
				Only: lab.Is("series", ""), More: []lab.More{logLines},
			}},
			Edit: func(d *lab.Data, f *chart.Figure) {
				f.Panels[0].X.Min, f.Panels[0].X.Max = ends(d.Select(logSeries), lab.At("f"))
			},
		}},
		Claims: []lab.Rule{lab.Judged(logClaims)},
	}
}

// slot0 kicks slot 0 of each bucket that it reaches.
type slot0 struct{}

func (slot0) Recipe() string { return "slot-0" }

func (slot0) Kick(w *cuckoo.Walk) {
	for bucket, _ := w.Homes(); w.Swap(bucket, 0); {
		_, bucket = w.Homes()
		if slot, free := w.Free(bucket); free {
			w.Swap(bucket, slot)
			return
		}
	}
}

// readLog is a trial of one width: values are the numbers of the keys.
func readLog(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
	slots, probes := c.Int("slots"), c.In(logProbes)
	config := maplet.Config{Buckets: slots / 4, FingerprintBits: c.Int("f"), ValueBits: logValueBits}
	m, err := maplet.New[fingerprint.Any](config)
	if err != nil {
		return nil, err
	}
	keys, hs := measure.Stream{Next: seed}, make([]uint64, keysOf(slots))
	keys.Fill(hs)
	stored, present, lost, absent := 0, 0, 0, 0
	for k, h := range hs {
		if m.InsertHash(h, uint64(k)) == nil {
			stored++
		}
	}
	for k, h := range hs {
		found := false
		for v := range m.LookupHash(h) {
			present++
			if found = v == uint64(k); found {
				break
			}
		}
		if !found {
			lost++
		}
	}
	for left := probes; left > 0 && ctx.Err() == nil; left -= len(hs) {
		hs = hs[:min(len(hs), left)]
		keys.Fill(hs)
		for range m.LookupHashes(hs) {
			absent++
		}
	}
	return []int{stored, present, probes, absent, lost}, ctx.Err()
}

// logLaw is how many candidates an absent key has on average.
func logLaw(f float64, load float64) float64 { return -math.Log1p(-claims.ExactRate(f, 4, load)) }

func extra(g lab.Group) float64 { return g.Mean("present_reads", "stored") - 1 }

func logLines(d *lab.Data, _ []lab.Group) []chart.Series {
	line := func(label string, i int, y func(lab.Group) float64) chart.Series {
		s := theory(label, d.Select(logSeries), lab.At("f"), y)
		s.Kind, s.Style = chart.Line, chart.Numbered(i)
		return s
	}
	present := line("present keys", 1, extra)
	present.Points = slices.DeleteFunc(present.Points, func(p chart.Point) bool { return p.Y <= 0 })
	return []chart.Series{
		line("absent keys", 0, func(g lab.Group) float64 { return g.Mean("absent_reads", "probes") }), present,
		theory("2b alpha/(2^f-1)", d.Select(logSeries), lab.At("f"),
			func(g lab.Group) float64 { return logLaw(g.Cell.Float("f"), 0.95) }),
	}
}

func logClaims(d *lab.Data) []claims.Verdict {
	worst, beyond, lost, keys := 0.0, 0.0, 0, 0
	for _, g := range d.Select(logSeries) {
		probes, stored := float64(g.Sum("probes")), float64(g.Sum("stored"))
		want := logLaw(g.Cell.Float("f"), measure.MeanLoad("stored", "slots", g)) * probes
		// The chance of the probes and that of how many fingerprints of a class the table has.
		worst = max(worst, math.Abs(float64(g.Sum("absent_reads"))-want)/math.Sqrt(want*(1+probes/stored)))
		beyond = max(beyond, extra(g)*probes/want)
		lost, keys = lost+g.Sum("lost"), keys+g.Sum("stored")
	}
	load := func(series string) claims.Estimate {
		s := lab.Sample("load_factor", d.Select(series)...)
		return claims.Exactly(s.Mean).As("", "the mean of %d runs", s.N)
	}
	return []claims.Verdict{
		claims.Ours("present", "The value of every key is among its candidates").
			Equal(claims.Exactly(float64(lost)).As("%.0f", "of %d keys", keys), 0, 0, "none"),
		claims.Ours("absent", "An absent key has 2b*alpha/(2^f-1) candidates on average, at every width").Below(
			claims.Exactly(worst).As("%.1f", "standard errors from the law, the most of all widths"), claims.Deviations,
			"of numbers that follow the law one in 30 000 exceeds that"),
		claims.Ours("extra", "The lookup of a present key reads, beyond its own record, at most what that of an absent one "+
			"does").
			Below(claims.Exactly(beyond).As("", "of the law, the most of all widths"), 1, itsOwn),
		claims.Ours("slot 0", "Kicking slot 0 at most 512 times fills less than .85 of the slots").
			Below(load(logSlot0), 0.85, itsOwn),
		claims.Ours("search", "A breadth-first search fills more than .95").Within(load(logDefault), 0.95, 1, itsOwn),
	}
}
