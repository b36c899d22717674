package panels

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/hashing"
)

// HashCost is a panel that the paper lacks: what each hash family costs by the length of the keys, and the
// false-positive rate that a filter reaches with it.
type HashCost struct{}

// About states the claim.
func (HashCost) About() lab.About {
	return lab.About{
		Name:  "hash-cost",
		Title: "Cost and rate by hash family",
		Claim: "A filter's rate is the predicted one under every family that mixes well, so the family is a matter of cost alone. " +
			"The families for integers that the paper's authors use in their code promise less.",
		Method: "The keys are consecutive integers from a random one on: as 8 bytes, or as decimal text of 16 and 64 bytes. Their digests are made through " +
			"hashing.Digester, as filters make them, alone on the machine; the keys stay in the second-level cache. Then, but for maphash, a cuckoo filter " +
			"(12-bit fingerprints, b = 4, breadth-first) is filled to a load of .95 with digests of such keys, and asked for the keys after them.",
		NotShown: []string{
			"What an adversary who chooses the keys can do: only siphash is made against that.",
			"The rate with maphash: it draws its own seed in each process, so what a filter of its digests counts cannot be measured again. Its cost is " +
				"timed as the others' is; its columns of the filter are 0.",
		},
		Params: []string{"key_bytes"},
		Counts: append([]string{"hashed", "ns", "slots"}, measure.TrialCounts...),
		Derived: []lab.Derived{
			{Name: "ns_per_key", Of: func(r lab.Row) float64 { return r.Ratio("ns", "hashed") }},
			{Name: "false_positive_rate", Of: func(r lab.Row) float64 { return r.Ratio("false_positives", "probes") }},
		},
		Timed: []string{"ns", "ns_per_key"},
	}
}

// keyLengths are the lengths of the keys in bytes.
var keyLengths = []int{8, 16, 64}

// hashSize is what a profile measures. Keys to be timed are few, so that they stay in the cache.
type hashSize struct{ slots, trials, probes, keys, laps int }

var hashSizes = map[lab.Profile]hashSize{
	lab.Tiny: {1 << 10, 2, 1 << 12, 64, 4}, lab.Quick: {1 << 16, 10, 1 << 16, 1 << 10, 64}, lab.Paper: {1 << 20, 20, 1 << 20, 1 << 10, 1024},
}

// mixSeries is the series of integers as digests.
const mixSeries = "mix64"

// A family is a hash family of the panel.
type family struct {
	name     string
	hash     hashing.Hasher // nil: Mix64
	integers bool           // takes keys of 8 bytes only
	secret   bool           // draws its own seed: its cost is measured and nothing that its digests decide
}

// families returns those of package hashing that have a seed and those of package integerhash, with seed 0, MapHash,
// SipHash under a fixed key, Mix64, and the user's.
func families(own []hashing.Hasher) ([]family, error) {
	var out []family
	var key [16]byte
	binary.LittleEndian.PutUint64(key[:], measure.SplitMixStep)
	sip := hashing.SipHash(key)
	for _, name := range hashing.Names() {
		if name == sip.Name() {
			continue // under a key that is drawn no measurement could be repeated
		}
		h, err := hashing.New(name, 0)
		if err != nil {
			return nil, err
		}
		out = append(out, familyOf(name, h))
	}
	for _, h := range integerhash.Families(0) {
		out = append(out, familyOf(h.Name(), h))
	}
	out = append(out, familyOf(sip.Name(), sip), family{name: mixSeries, integers: true})
	for _, h := range own {
		out = append(out, familyOf(h.Recipe(), h))
	}
	return out, nil
}

// familyOf is the family of a hasher.
func familyOf(name string, h hashing.Hasher) family {
	return family{name: name, hash: h, integers: integerhash.Is(h), secret: h.Name() == hashing.MapHash().Name()}
}

// Plan returns a job for each family and length of keys.
func (HashCost) Plan(s lab.Setup) ([]lab.Job, error) {
	size := hashSizes[s.Profile]
	all, err := families(s.Own.Families)
	if err != nil {
		return nil, err
	}
	var jobs []lab.Job
	for _, f := range all {
		for _, length := range keyLengths {
			if f.integers && length != 8 {
				continue
			}
			jobs = append(jobs, lab.Job{
				Series: f.name,
				Params: lab.Ints(length),
				Trials: size.trials,
				Cost:   size.cost(f),
				Run: func(ctx context.Context, seed uint64) ([]int, error) {
					return size.measure(ctx, f, length, seed)
				},
			})
		}
	}
	return jobs, nil
}

// cost is that of one trial of a family, as in [Job].
func (z hashSize) cost(f family) float64 {
	const key = 25e-9 // roughly, to digest one or look it up
	timed := float64(z.keys*z.laps) * key
	if f.secret {
		return timed
	}
	return timed + float64(z.slots)*measure.FillCost(z.slots) + float64(2*z.slots+z.probes)*key
}

// digests is a function that digests count keys of one length, laid end to end.
func (f family) digests() func(keys []byte, length int, out []uint64) {
	if f.hash == nil {
		return func(keys []byte, _ int, out []uint64) {
			for i := range out {
				out[i] = hashing.Mix64(binary.LittleEndian.Uint64(keys[8*i:]))
			}
		}
	}
	d := hashing.NewDigester(f.hash)
	return func(keys []byte, length int, out []uint64) {
		for i := range out {
			out[i] = d.Sum64(keys[i*length : (i+1)*length])
		}
	}
}

// layKeys writes keys of one length, those of the integers from first on.
func layKeys(keys []byte, length int, first uint64) {
	for i := range len(keys) / length {
		key, n := keys[i*length:(i+1)*length], first+uint64(i)
		if length == 8 {
			binary.LittleEndian.PutUint64(key, n)
			continue
		}
		for at := length - 1; at >= 0; at-- {
			key[at] = byte('0' + n%10)
			n /= 10
		}
	}
}

// measure times a family and, unless its seed is secret, asks a filter of its digests. Where a family is so weak that the
// filter refuses a key, the counts say so.
func (z hashSize) measure(ctx context.Context, f family, length int, seed uint64) ([]int, error) {
	first := seed >> 16 // decimal text of 16 bytes holds it
	sum := f.digests()
	keys, out := make([]byte, max(z.keys, measure.Batch)*length), make([]uint64, z.keys)
	layKeys(keys, length, first)
	sum(keys, length, out)
	start := time.Now()
	for range z.laps {
		sum(keys, length, out)
	}
	timed := []int{z.keys * z.laps, int(time.Since(start))}
	if f.secret {
		return append(timed, make([]int, 1+len(measure.TrialCounts))...), nil
	}
	filter, err := measure.NewCuckoo(catalogue.PanelWidth, cuckoo.Config{Buckets: z.slots / 4}, seed)
	if err != nil {
		return nil, err
	}
	source := measure.Stream{Next: first, Of: func(first uint64, buf []uint64) {
		part := keys[:len(buf)*length]
		layKeys(part, length, first)
		sum(part, length, buf)
	}}
	counts, err := measure.CountRate(ctx, source, filter, z.slots/100*95, z.probes)
	return append(append(timed, z.slots), counts...), err
}

// hashStyles gives each family a style: numbered ones to those of every length, and the marks of foreign
// filters to those for integers, which have one point and no line.
func hashStyles(all []family) []chart.Style {
	var integers []string
	for _, f := range all {
		if f.integers {
			integers = append(integers, f.name)
		}
	}
	marks := chart.StylesFor(integers...)
	out := make([]chart.Style, len(all))
	lines := 0
	for i, f := range all {
		if f.integers {
			out[i], marks = marks[0], marks[1:]
			continue
		}
		out[i] = chart.Numbered(lines)
		lines++
	}
	return out
}

// Draw draws cost and rate against the length of the keys.
func (HashCost) Draw(d *lab.Data) []*chart.Figure {
	x := chart.Axis{Label: "key length (bytes)", Log: true, Base: 2, Min: 6, Max: 86, Ticks: []chart.Tick{{At: 8, Label: "8"}, {At: 16, Label: "16"}, {At: 64, Label: "64"}}}
	cost := chart.Panel{Title: "(a) cost on this machine", X: x, Y: chart.Axis{Label: "ns per key, median and interval"}}
	rate := chart.Panel{Title: "(b) rate reached", X: x, Y: chart.Axis{Label: "measured false-positive rate", Format: chart.Percent, Min: 0.0008, Max: 0.0024}}
	all, err := families(d.Setup.Own.Families)
	if err != nil {
		return nil // Plan has returned it
	}
	styles := hashStyles(all)
	for i, f := range all {
		groups := d.Select(f.name)
		kind := chart.LineMarks
		if f.integers {
			kind = chart.Marks
		}
		ns := chart.Series{Label: f.name, Style: styles[i], Kind: kind}
		reached := chart.Series{Label: f.name, Style: styles[i], Kind: chart.Marks}
		for _, g := range groups {
			times := g.Ratios("ns", "hashed")
			lo, hi := stat.MedianInterval(times)
			at := float64(g.Param("key_bytes"))
			ns.Points = append(ns.Points, chart.Point{X: at, Y: stat.Median(times), Lo: lo, Hi: hi})
			if f.secret {
				continue
			}
			pt := measure.RatePoint(g)
			// Side by side, or the intervals hide each other.
			pt.X = at * math.Exp2(0.07*(float64(len(rate.Series))-float64(len(all)-2)/2))
			reached.Points = append(reached.Points, pt)
		}
		cost.Series = append(cost.Series, ns)
		if i >= len(all)-len(d.Setup.Own.Families) {
			for _, pt := range reached.Points {
				catalogue.Widen(&rate.Y, pt.Y)
			}
		}
		if !f.secret {
			rate.Series = append(rate.Series, reached)
		}
	}
	law := hashLaw(d.Select(mixSeries)[0])
	rate.Series = append(rate.Series, chart.Series{
		Label: "predicted", Kind: chart.Thin, Style: chart.StyleFor("bound"),
		Points: []chart.Point{{X: x.Min, Y: law}, {X: x.Max, Y: law}},
	})
	return []*chart.Figure{{
		Name:    "hash-cost",
		Title:   "Hash families: cost by key length, and the false-positive rate of a filter of their digests",
		Caption: "Nanoseconds per key against the length of the keys for each hash family, and the false-positive rate that a cuckoo filter of 12-bit fingerprints at load .95 has with it, consecutive integers as keys.",
		Panels:  []chart.Panel{cost, rate},
	}}
}

// hashLaw is the predicted rate of the filters of a group.
func hashLaw(g lab.Group) float64 {
	return law.ExactRate(catalogue.PanelWidth, 4, lab.Quotient(g.Sum("stored"), g.Sum("slots")))
}

// Judge holds every family whose rate is measured to the predicted one.
func (HashCost) Judge(d *lab.Data) []claims.Verdict {
	all, err := families(d.Setup.Own.Families)
	if err != nil {
		return nil // Plan has returned it
	}
	var out []claims.Verdict
	for _, f := range all {
		if !f.secret {
			out = append(out, hashVerdict(f, d.Select(f.name)))
		}
	}
	return d.Judged(out)
}

// hashVerdict compares the pooled rates of a family with the law, one for each length of keys.
func hashVerdict(f family, groups []lab.Group) claims.Verdict {
	v := claims.Draft{
		Claim:     f.name + ": the rate of a filter of consecutive integers as keys is the predicted one",
		Paper:     "-",
		Tolerance: fmt.Sprintf("%d standard errors of false positives: binomial", stat.Deviations),
	}
	ok := true
	for i, g := range groups {
		r, law := measure.Pooled(g), hashLaw(g)
		if i > 0 {
			v.Ours, v.Interval = v.Ours+", ", v.Interval+", "
		}
		lo, hi := r.Interval()
		v.Ours += fmt.Sprintf("%s of %s at %d bytes", stat.Digits(100*r.Value(), 3)+"%", stat.Digits(100*law, 3)+"%", g.Param("key_bytes"))
		v.Interval += fmt.Sprintf("%s%% to %s%%", stat.Digits(100*lo, 3), stat.Digits(100*hi, 3))
		// Between builds the rate of a table scatters far less than one binomial error of its probes here.
		err := math.Sqrt(law * (1 - law) / float64(r.N))
		ok = ok && math.Abs(r.Value()-law) <= stat.Deviations*err && g.Sum("lost") == 0
		ok = ok && g.Sum("stored") == len(g.Rows)*(g.Sum("slots")/len(g.Rows)/100*95)
	}
	if !ok && f.hash != nil && f.name == integerhash.TwoIndependentMultiplyShift(0).Name() {
		v.Why = "Digests of consecutive integers are steps of equal length under this family: they fill the table too evenly or too unevenly, by the seed."
		return claims.Known(v)
	}
	return claims.Judge(ok, v)
}
