package panels

import (
	"context"
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/fingerprint"
)

// logReads measures how many records a store reads whose index is a maplet, and how full tables get under the choices of an old one.
func logReads() lab.Simple {
	return lab.Simple{
		Declare: lab.About{
			Name:  "log-reads",
			Title: "Reads of the log per lookup, by fingerprint width",
			Claim: "The paper has no values beside fingerprints. Ours: a store whose index is a maplet reads 2b*alpha/(2^f-1) records on average for a key that it does not have, and one " +
				"and at most as many more for a key that it has. An index that kicks slot 0 at most 512 times refuses while a fifth of its slots and more are free; a search fills 95% and more.",
			Method: fmt.Sprintf("A maplet (b = 4, values of %d bits) is filled to a load of .95. Every key is looked up and the candidates are counted up to its own; absent keys are looked up and all are "+
				"counted. Beside it, cuckoo filters of %d bits are filled until a key is refused, under a policy that kicks slot 0 of each bucket that it reaches, at most 512 times, and under the default.",
				logValueBits, logPolicyWidth),
			NotShown: []string{
				"Time: docs/PERFORMANCE.md has lookups side by side.",
				"An index that doubles when it refuses has half of that load then.",
			},
			Params: []string{"f", "slots"},
			Counts: []string{"stored", "present_reads", "probes", "absent_reads", "lost"},
			Derived: []lab.Derived{
				{Name: "load_factor", Of: func(r lab.Row) float64 { return lab.Quotient(r.Count("stored"), r.Param("slots")) }},
				{Name: "reads_present", Of: func(r lab.Row) float64 { return r.Ratio("present_reads", "stored") }},
				{Name: "reads_absent", Of: func(r lab.Row) float64 { return r.Ratio("absent_reads", "probes") }},
			},
		},
		Trials:  logTrials,
		Figures: logFigures,
		Claims:  func(d *lab.Data) []claims.Verdict { return d.Judged(logClaims(d)) },
	}
}

const (
	// logValueBits is the width of the values: that of places in experiments/logstore, or less beside wide fingerprints.
	logValueBits   = 36
	logPolicyWidth = 14

	logSeries  = "maplet"
	logSlot0   = "slot 0, 512 kicks"
	logDefault = "breadth-first"
)

// logSize is what a profile measures.
type logSize struct {
	slots, probes, trials int
	widths                []int
}

var logSizes = map[lab.Profile]logSize{
	lab.Tiny:  {1 << 10, 1 << 12, 1, []int{8, 10, 12}},
	lab.Quick: {1 << 18, 1 << 20, 2, []int{6, 8, 10, 12, 14, 16}},
	lab.Paper: {1 << 20, 1 << 23, 5, []int{6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
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

// logTrials are a job for every width, and one for each policy.
func logTrials(s lab.Setup) ([]lab.Job, error) {
	size := logSizes[s.Profile]
	var jobs []lab.Job
	for _, f := range size.widths {
		jobs = append(jobs, lab.Job{
			Series: logSeries, Params: lab.IntValues(f, size.slots), Trials: size.trials, Bytes: int64(size.slots) * 16,
			Cost: float64(size.slots)*2*measure.FillCost(size.slots) + float64(size.probes)*2*measure.ProbeCost(size.slots),
			Run:  func(ctx context.Context, seed uint64) ([]int, error) { return size.run(ctx, f, seed) },
		})
	}
	for _, l := range []lab.Policy{{Name: logSlot0, Kick: slot0{}}, {Name: logDefault, Kick: cuckoo.BreadthFirst}} {
		jobs = append(jobs, lab.Job{
			Series: l.Name, Params: lab.IntValues(logPolicyWidth, size.slots), Trials: size.trials,
			Cost: float64(size.slots) * measure.FillCost(size.slots),
			Run: func(ctx context.Context, seed uint64) ([]int, error) {
				c := cuckoo.Config{Buckets: size.slots / 4, Placement: cuckoo.XOR, Kick: l.Kick}
				if l.Kick == (slot0{}) {
					c.MaxKicks = 512
				}
				f, err := measure.NewCuckoo(logPolicyWidth, c, seed)
				if err != nil {
					return nil, err
				}
				stored, err := measure.Insert(ctx, &measure.Stream{Next: seed}, f, size.slots+1)
				return []int{stored, 0, 0, 0, 0}, err
			},
		})
	}
	return jobs, nil
}

// run is a trial of one width: values are the numbers of the keys.
func (z logSize) run(ctx context.Context, f int, seed uint64) ([]int, error) {
	m, err := maplet.New[fingerprint.Any](maplet.Config{Buckets: z.slots / 4, FingerprintBits: f, ValueBits: logValueBits})
	if err != nil {
		return nil, err
	}
	keys := measure.Stream{Next: seed}
	hs := make([]uint64, z.slots/100*95)
	keys.Fill(hs)
	stored, present, lost := 0, 0, 0
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
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	absent := 0
	for left := z.probes; left > 0; left -= len(hs) {
		hs = hs[:min(len(hs), left)]
		keys.Fill(hs)
		for range m.LookupHashes(hs) {
			absent++
		}
	}
	return []int{stored, present, z.probes, absent, lost}, ctx.Err()
}

// logLaw is how many candidates an absent key has on average.
func logLaw(f float64, load float64) float64 { return -math.Log1p(-law.ExactRate(f, 4, load)) }

// extra is how many records the lookup of a key reads beyond its own.
func extra(g lab.Group) float64 {
	return lab.Quotient(g.Sum("present_reads"), g.Sum("stored")) - 1
}

// logFigures draw the records of other keys that a lookup reads against the width.
func logFigures(d *lab.Data) []*chart.Figure {
	absent := chart.Series{Label: "absent keys", Kind: chart.Line, Style: chart.Numbered(0)}
	present := chart.Series{Label: "present keys", Kind: chart.Line, Style: chart.Numbered(1)}
	bound := chart.Series{Label: "2b alpha/(2^f-1)", Kind: chart.Thin, Style: chart.StyleFor("bound")}
	widths := logSizes[d.Setup.Profile].widths
	for _, g := range d.Select(logSeries) {
		f := float64(g.Param("f"))
		absent.Points = append(absent.Points, chart.Point{X: f, Y: lab.Quotient(g.Sum("absent_reads"), g.Sum("probes"))})
		if y := extra(g); y > 0 {
			present.Points = append(present.Points, chart.Point{X: f, Y: y})
		}
		bound.Points = append(bound.Points, chart.Point{X: f, Y: logLaw(f, 0.95)})
	}
	return []*chart.Figure{{
		Name:  "log-reads",
		Title: "Records of other keys that a lookup reads, by fingerprint width",
		Caption: "Reads of the log on a log axis, beyond the key's own record, against the width of the fingerprints: absent keys lie on the law, present keys at about a third of it: a " +
			"lookup ends at its own record, and most are in the bucket that is looked at first.",
		Panels: []chart.Panel{{
			X:      chart.Axis{Label: "fingerprint width f (bits)", Min: float64(widths[0]), Max: float64(widths[len(widths)-1])},
			Y:      chart.Axis{Label: "reads of others' records", Log: true, Min: 1e-5, Max: 1},
			Series: []chart.Series{absent, present, bound},
		}},
	}}
}

// logClaims compare reads with the law, and loads with each other.
func logClaims(d *lab.Data) []claims.Verdict {
	worst, beyond, lost, keys := 0.0, 0.0, 0, 0
	for _, g := range d.Select(logSeries) {
		want := logLaw(float64(g.Param("f")), lab.Quotient(g.Sum("stored"), g.Param("slots")*len(g.Rows))) * float64(g.Sum("probes"))
		// The chance of the probes and that of how many fingerprints of a class the table has.
		spread := math.Sqrt(want * (1 + float64(g.Sum("probes"))/float64(g.Sum("stored"))))
		worst = max(worst, math.Abs(float64(g.Sum("absent_reads"))-want)/spread)
		beyond = max(beyond, extra(g)*float64(g.Sum("probes"))/want)
		lost += g.Sum("lost")
		keys += g.Sum("stored")
	}
	z := claims.Exactly(worst)
	z.Format, z.Note = "%.1f", "standard errors from the law, the most of all widths"
	share := claims.Exactly(beyond)
	share.Note = "of the law, the most of all widths"
	gone := claims.Exactly(float64(lost))
	gone.Format, gone.Note = "%.0f", fmt.Sprintf("of %d keys", keys)
	return []claims.Verdict{
		claims.Claim{ID: "present", Says: "The value of every key is among its candidates", Paper: "-"}.Equal(gone, 0, 0, "none"),
		claims.Claim{ID: "absent", Says: "An absent key has 2b*alpha/(2^f-1) candidates on average, at every width", Paper: "-"}.
			Below(z, stat.Deviations, "of numbers that follow the law one in 30 000 exceeds that"),
		claims.Claim{ID: "extra", Says: "The lookup of a present key reads, beyond its own record, at most what that of an absent one does", Paper: "-"}.
			Below(share, 1, "the claim's own number"),
		claims.Claim{ID: "slot 0", Says: "Kicking slot 0 at most 512 times fills less than .85 of the slots", Paper: "-"}.
			Below(logLoad(d, logSlot0), 0.85, "the claim's own number"),
		claims.Claim{ID: "search", Says: "A breadth-first search fills more than .95", Paper: "-"}.
			Within(logLoad(d, logDefault), 0.95, 1, "the claim's own number"),
	}
}

// logLoad is the mean load at the first refusal.
func logLoad(d *lab.Data, series string) claims.Estimate {
	var loads []float64
	for _, g := range d.Select(series) {
		for _, r := range g.Rows {
			loads = append(loads, lab.Quotient(r.Count("stored"), r.Param("slots")))
		}
	}
	s := stat.SampleOf(loads)
	e := claims.Exactly(s.Mean)
	e.Note = fmt.Sprintf("the mean of %d runs", len(loads))
	return e
}
