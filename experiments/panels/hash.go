package panels

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

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

// hashCost measures what each hash family costs by the length of the keys, and the false-positive rate that a filter reaches with it.
func hashCost() *lab.Experiment {
	return &lab.Experiment{
		Name:  "hash-cost",
		Title: "Cost and rate by hash family",
		Claim: "The paper uses one hash family. Ours: a filter's rate is the predicted one under every family that mixes well, so the family is a matter of cost " +
			"alone. Multiply-shift, which the paper's authors have in their code, is not of these: the next section has its seeds.",
		Method: "The keys are consecutive integers from a random one on: as 8 bytes, or as decimal text of 16 and 64 bytes. Their digests are made through " +
			"hashing.Digester, as filters make them, alone on the machine; the keys stay in the second-level cache. Then, but for maphash, a cuckoo filter " +
			"(12-bit fingerprints, b = 4, breadth-first) is filled to a load of .95 with digests of such keys, and asked for the keys after them.",
		Limits: []string{
			"What an adversary who chooses the keys can do: only siphash is made against that.",
			"Seeds: families with a seed have seed 0 here.",
			"The rate with maphash: it draws its own seed in each process, so what a filter of its digests counts cannot be measured again. Its cost is " +
				"timed as the others' is; its columns of the filter are 0.",
		},
		Params: "key_bytes",
		Grid: lab.Grid{{Series: "{family}", Trials: lab.Times(2, 10, 20), Axes: []lab.Axis{
			lab.Over("family", lab.Join(builtinFamilies, ownFamilies)), lab.Over("key_bytes", lab.Ints(keyLengths...)),
		}, Only: func(c lab.Cell) bool { return c.Int("key_bytes") == 8 || !c.Of("family").(family).integers }}},
		Trial: lab.Trial{
			Counts: "hashed ns slots stored size_bytes lost probes false_positives", Timed: "ns",
			Needs: hashNeeds, Run: timeFamily,
		},
		Columns: []lab.Column{{Name: "ns_per_key", Of: lab.Div("ns", "hashed")}, measure.RateColumns[1]},
		Timed:   "ns_per_key",
		Plots:   []lab.Plot{lab.Drawn(hashFigure)},
		Claims:  []lab.Rule{lab.Judged(hashClaims)},
	}
}

// keyLengths are the lengths of the keys in bytes.
var keyLengths = []int{8, 16, 64}

// What a profile measures. Keys to be timed are few, so that they stay in the cache.
var (
	hashSlots  = lab.Size{1 << 10, 1 << 16, 1 << 20}
	hashProbes = lab.Size{1 << 12, 1 << 16, 1 << 20}
	hashKeys   = lab.Size{64, 1 << 10, 1 << 10}
	hashLaps   = lab.Size{4, 64, 1024}
)

// mixSeries is the series of integers as digests.
const mixSeries = "mix64"

// A family is a hash family of the panel.
type family struct {
	hash     hashing.Hasher // nil: Mix64
	integers bool           // takes keys of 8 bytes only
	secret   bool           // draws its own seed: its cost is measured and nothing that its digests decide
}

// builtinFamilies are those of package hashing that have a seed and those of package integerhash, with seed 0, MapHash, SipHash under a
// fixed key, and Mix64.
func builtinFamilies(lab.Cell) (out []lab.Value) {
	var key [16]byte
	binary.LittleEndian.PutUint64(key[:], measure.SplitMixStep)
	sip := hashing.SipHash(key)
	for _, name := range hashing.Names() {
		if name == sip.Name() {
			continue // under a key that is drawn no measurement could be repeated
		}
		h, err := hashing.New(name, 0)
		if err != nil {
			panic(err)
		}
		out = append(out, lab.Named(name, familyOf(h)))
	}
	for _, h := range integerhash.Families(0) {
		out = append(out, lab.Named(h.Name(), familyOf(h)))
	}
	return append(out, lab.Named(sip.Name(), familyOf(sip)), lab.Named(mixSeries, family{integers: true}))
}

// ownFamilies are the user's.
func ownFamilies(c lab.Cell) []lab.Value {
	out := lab.OwnFamilies(c)
	for i := range out {
		out[i].Of = familyOf(out[i].Of.(hashing.Hasher))
	}
	return out
}

// familyOf is the family of a hasher.
func familyOf(h hashing.Hasher) family {
	return family{hash: h, integers: integerhash.Is(h), secret: h.Name() == hashing.MapHash().Name()}
}

// hashNeeds is the cost of a trial.
func hashNeeds(c lab.Cell) (float64, int64) {
	const key = 25e-9 // roughly, to digest one or look it up
	timed, slots := float64(c.In(hashKeys)*c.In(hashLaps))*key, c.In(hashSlots)
	if c.Of("family").(family).secret {
		return timed, 0
	}
	return timed + float64(slots)*measure.FillCost(slots) + float64(2*slots+c.In(hashProbes))*key, 0
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

// timeFamily times a family and, unless its seed is secret, asks a filter of its digests. Where a family is so weak that the
// filter refuses a key, the counts say so.
func timeFamily(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
	f, length, slots := c.Of("family").(family), c.Int("key_bytes"), c.In(hashSlots)
	first := seed >> 16 // decimal text of 16 bytes holds it
	sum := f.digests()
	keys, out := make([]byte, max(c.In(hashKeys), measure.Batch)*length), make([]uint64, c.In(hashKeys))
	layKeys(keys, length, first)
	sum(keys, length, out)
	lap := measure.Timed(len(out)*c.In(hashLaps), func() {
		for range c.In(hashLaps) {
			sum(keys, length, out)
		}
	})
	timed := []int{lap.Keys, int(lap.Time)}
	if f.secret {
		return append(timed, make([]int, 6)...), nil
	}
	filter, err := measure.NewCuckoo(catalogue.PanelWidth, cuckoo.Config{Buckets: slots / 4}, seed)
	if err != nil {
		return nil, err
	}
	source := measure.Stream{Next: first, Of: func(first uint64, buf []uint64) {
		part := keys[:len(buf)*length]
		layKeys(part, length, first)
		sum(part, length, buf)
	}}
	counts, err := measure.CountRate(ctx, source, filter, slots/100*95, c.In(hashProbes))
	return append(append(timed, slots), counts...), err
}

// hashFigure draws cost and rate of each family, for each length of keys.
func hashFigure(d *lab.Data) *chart.Figure {
	names := d.Series()
	cost := chart.Panel{
		Title: "(a) cost on this machine", Sideways: true,
		X: chart.Axis{Label: "ns per key, median and interval", Log: true, Min: 1, Max: 300},
		Y: chart.Axis{Min: 0.5 - float64(len(names)), Max: 0.5, Ticks: chart.Down(names...)},
	}
	rate := cost
	rate.Title, rate.X = "(b) rate reached, keys of all lengths", chart.Axis{Label: "measured false-positive rate", Format: chart.Percent, Min: 0.0008, Max: 0.0024}
	reached := chart.Series{Label: "rate, 95% interval", Style: chart.Style{Marker: chart.Diamond}, Kind: chart.Marks}
	for i, length := range keyLengths {
		s := chart.Series{Label: fmt.Sprintf("keys of %d bytes", length), Style: chart.Numbered(i), Kind: chart.Marks}
		for at, name := range names {
			groups := d.Select(name)
			if i < len(groups) { // one of integers has the first length only
				times := groups[i].Ratios("ns", "hashed")
				lo, hi := stat.MedianInterval(times)
				s.Points = append(s.Points, chart.Point{X: stat.Median(times), Y: -float64(at) - chart.Dodge(i, len(groups)), Lo: lo, Hi: hi})
			}
		}
		cost.Series = append(cost.Series, s)
	}
	for at, name := range names {
		var r stat.Rate
		for _, g := range d.Select(name) {
			r.Events, r.N = r.Events+g.Sum("false_positives"), r.N+g.Sum("probes")
		}
		if r.N > 0 { // a family of a secret seed has no rate
			lo, hi := r.Interval()
			reached.Points = append(reached.Points, chart.Point{X: r.Value(), Y: -float64(at), Lo: lo, Hi: hi})
			catalogue.Widen(&rate.X, r.Value())
		}
	}
	law := hashLaw(d.Select(mixSeries)[0])
	rate.Series = []chart.Series{reached, {
		Label: "predicted", Kind: chart.Thin, Style: chart.StyleFor("bound"),
		Points: []chart.Point{{X: law, Y: rate.Y.Min}, {X: law, Y: rate.Y.Max}},
	}}
	return &chart.Figure{
		Name:    "hash-cost",
		Title:   "Hash families: cost by key length, and the false-positive rate of a filter of their digests",
		Caption: "For each hash family: nanoseconds per key on a log axis, for keys of 8, 16 and 64 bytes, and the false-positive rate that a cuckoo filter of 12-bit fingerprints at load .95 has with it, consecutive integers as keys.",
		Panels:  []chart.Panel{cost, rate},
	}
}

// hashLaw is the predicted rate of the filters of a group.
func hashLaw(g lab.Group) float64 {
	return law.ExactRate(catalogue.PanelWidth, 4, lab.Quotient(g.Sum("stored"), g.Sum("slots")))
}

// hashClaims compare the rate of every family that mixes well with the predicted one.
func hashClaims(d *lab.Data) []claims.Verdict {
	var out []claims.Verdict
	var filled []lab.Group
	names, parts := lab.Split("family", d.Groups)
	for i, groups := range parts {
		if !groups[0].Cell.Of("family").(family).secret && names[i] != integerhash.TwoIndependentMultiplyShift(0).Name() {
			filled = append(filled, groups...)
			out = append(out, hashVerdict(names[i], groups))
		}
	}
	keys := func(g lab.Group) int { return g.Sum("slots") / len(g.Rows) / 100 * 95 * len(g.Rows) }
	return append(out, takesKeys(filled, keys))
}

// hashVerdict compares the rates of a family with the law: that of the length of keys where it is farthest from it.
func hashVerdict(family string, groups []lab.Group) claims.Verdict {
	errors := func(g lab.Group) float64 {
		r, law := measure.Pooled(g), hashLaw(g)
		// Between builds the rate of a table scatters far less than one binomial error of its probes here.
		return math.Abs(r.Value()-law) / math.Sqrt(law*(1-law)/float64(r.N))
	}
	far := slices.MaxFunc(groups, func(a, b lab.Group) int { return cmp.Compare(errors(a), errors(b)) })
	r, law := measure.Pooled(far), hashLaw(far)
	e := claims.Estimate{Value: 100 * r.Value(), Format: "%.4f%%", Note: fmt.Sprintf("%.4f%% predicted; keys of %d bytes, of %d lengths the farthest from it", 100*law, far.Param("key_bytes"), len(groups))}
	lo, hi := r.Interval()
	e.Low, e.High = 100*lo, 100*hi
	return claims.Claim{
		ID: family, Says: family + ": the rate of a filter of consecutive integers as keys is the predicted one", Paper: "-",
	}.Equal(e, 100*law, 100*stat.Deviations*math.Sqrt(law*(1-law)/float64(r.N)), fmt.Sprintf("%d binomial standard errors", stat.Deviations))
}
