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
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// hashCost measures what each hash family costs by the length of the keys, and the rate that a filter reaches with it.
func hashCost() *lab.Experiment {
	return &lab.Experiment{
		Name:  "hash-cost",
		Title: "Cost and rate by hash family",
		Claim: "The paper uses one hash family. Ours: a filter's rate is the predicted one under every family that mixes " +
			"well, so the family is a matter of cost alone.",
		Method: "Keys are consecutive integers: as 8 bytes, or as decimal text of 16 and 64. Their digests are made " +
			"through hashing.Digester; the keys stay in the cache. Then a cuckoo filter (12 bits, b = 4) is filled with them " +
			"to a load of .95, and asked for the keys after them.",
		Limits: []string{
			"What an adversary who chooses the keys can do: only siphash is made against that.",
			"The rate with maphash: it draws its own seed in each process, so its columns of the filter are 0.",
		},
		Params: "key_bytes",
		Grid: lab.Grid{{Series: "{family}", Trials: lab.Times(2, 10, 20), Axes: []lab.Axis{
			lab.Over("family", lab.Join(builtinFamilies, ownFamilies)), lab.Over("key_bytes", lab.Ints(keyLengths...)),
		}, Only: func(c lab.Cell) bool { return c.Int("key_bytes") == 8 || !c.Of("family").(family).integers }}},
		Trial: lab.Trial{
			Counts: "hashed ns slots stored size_bytes lost probes false_positives", Timed: "ns", Run: timeFamily,
			Needs: func(c lab.Cell) (float64, int64) {
				timed, slots := c.In(hashKeys)*c.In(hashLaps), c.In(hashSlots)
				if c.Of("family").(family).secret {
					return float64(timed), 0
				}
				return float64(timed + 3*slots + c.In(hashProbes)), 0
			},
		},
		Columns: []lab.Column{{Name: "ns_per_key", Of: lab.Div("ns", "hashed")}, measure.RateColumns[1]},
		Timed:   "ns_per_key",
		Plots: []lab.Plot{{
			Title: "Hash families: cost by key length, and the false-positive rate of a filter of their digests",
			Caption: "For each hash family: nanoseconds per key on a log axis, for keys of 8, 16 and 64 bytes, and the " +
				"false-positive rate that a cuckoo filter of 12-bit fingerprints at load .95 has with it, consecutive integers " +
				"as keys.",
			Edit: hashPanels,
		}},
		Claims: []lab.Rule{lab.Judged(hashClaims)},
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

// familyOf is the family of a hasher, as a value of the axis family.
func familyOf(v lab.Value) lab.Value {
	h := v.Of.(hashing.Hasher)
	v.Of = family{hash: h, integers: integerhash.Is(h), secret: h.Name() == hashing.MapHash().Name()}
	return v
}

// builtinFamilies are those of package hashing that have a seed and those of package integerhash, with seed 0, MapHash,
// SipHash under a fixed key, and Mix64.
func builtinFamilies(lab.Cell) (out []lab.Value) {
	var key [16]byte
	binary.LittleEndian.PutUint64(key[:], measure.SplitMixStep)
	sip, all := hashing.SipHash(key), []hashing.Hasher{}
	for _, name := range hashing.Names() {
		if name == sip.Name() {
			continue // under a key that is drawn no measurement could be repeated
		}
		h, err := hashing.New(name, 0)
		if err != nil {
			panic(err)
		}
		all = append(all, h)
	}
	for _, h := range append(append(all, integerhash.Families(0)...), sip) {
		out = append(out, familyOf(lab.Named(h.Name(), h)))
	}
	return append(out, lab.Named(mixSeries, family{integers: true}))
}

// ownFamilies are the user's.
func ownFamilies(c lab.Cell) []lab.Value {
	out := lab.OwnFamilies(c)
	for i, v := range out {
		out[i] = familyOf(v)
	}
	return out
}

// digests is a function that digests keys of one length, laid end to end.
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

// timeFamily times a family and, unless its seed is secret, asks a filter of its digests. Where a family is so weak
// that the filter refuses a key, the counts say so.
func timeFamily(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
	f, length, slots := c.Of("family").(family), c.Int("key_bytes"), c.In(hashSlots)
	first, sum := seed>>16, f.digests() // decimal text of 16 bytes holds it
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
	counts, err := measure.CountRate(ctx, measure.Stream{Next: first, Of: func(first uint64, buf []uint64) {
		part := keys[:len(buf)*length]
		layKeys(part, length, first)
		sum(part, length, buf)
	}}, filter, keysOf(slots), c.In(hashProbes))
	return append(append(timed, slots), counts...), err
}

// keysOf are the keys of so many slots at a load of .95.
func keysOf(slots int) int { return slots / 100 * 95 }

// hashPanels draw cost and rate of each family, for each length of keys.
func hashPanels(d *lab.Data, f *chart.Figure) {
	names, parts := lab.Split("series", d.Groups)
	cost := chart.Panel{
		Title: "(a) cost on this machine", Sideways: true,
		X: chart.Axis{Label: "ns per key, median and interval", Log: true, Min: 1, Max: 300},
		Y: chart.Axis{Min: 0.5 - float64(len(names)), Max: 0.5, Ticks: chart.Down(names...)},
	}
	rate := cost
	rate.Title = "(b) rate reached, keys of all lengths"
	rate.X = chart.Axis{Label: "measured false-positive rate", Format: chart.Percent, Min: 0.0008, Max: 0.0024}
	point := func(e claims.Estimate, at float64) chart.Point {
		return chart.Point{X: e.Value, Y: -at, Lo: e.Low, Hi: e.High}
	}
	for i, length := range keyLengths {
		s := chart.Series{Label: fmt.Sprintf("keys of %d bytes", length), Style: chart.Numbered(i), Kind: chart.Marks}
		for at, groups := range parts {
			if i < len(groups) { // one of integers has the first length only
				s.Points = append(s.Points, point(lab.Median("ns_per_key")(groups[i]), float64(at)+chart.Dodge(i, len(groups))))
			}
		}
		cost.Series = append(cost.Series, s)
	}
	reached := chart.Series{Label: "rate, 95% interval", Style: chart.Style{Marker: chart.Diamond}, Kind: chart.Marks}
	for at, groups := range parts {
		if r := lab.PooledRate("false_positives", "probes", groups...); r.N > 0 { // a family of a secret seed has no rate
			reached.Points = append(reached.Points, point(claims.Of(r, 1), float64(at)))
			catalogue.Widen(&rate.X, r.Value())
		}
	}
	law := hashLaw(d.Select(mixSeries)[0])
	predicted := bound("predicted", law, law, rate.Y.Min)
	predicted.Points[1].Y = rate.Y.Max
	rate.Series = []chart.Series{reached, predicted}
	f.Panels = []chart.Panel{cost, rate}
}

// hashLaw is the predicted rate of the filters of a group.
func hashLaw(g lab.Group) float64 {
	return claims.ExactRate(catalogue.PanelWidth, 4, lab.Quotient(g.Sum("stored"), g.Sum("slots")))
}

// hashClaims compare the rate of every family that mixes well with the predicted one.
func hashClaims(d *lab.Data) (out []claims.Verdict) {
	var filled []lab.Group
	names, parts := lab.Split("family", d.Groups)
	for i, groups := range parts {
		if !groups[0].Cell.Of("family").(family).secret && names[i] != integerhash.TwoIndependentMultiplyShift(0).Name() {
			filled, out = append(filled, groups...), append(out, hashVerdict(names[i], groups))
		}
	}
	return append(out, takesKeys(filled, func(g lab.Group) int { return keysOf(g.Rows[0].Count("slots")) * len(g.Rows) }))
}

// hashVerdict compares the rates of a family with the law: that of the length of keys where it is farthest from it.
func hashVerdict(family string, groups []lab.Group) claims.Verdict {
	// Between builds the rate of a table scatters far less than one binomial error of its probes here.
	scatter := func(g lab.Group) float64 {
		law := hashLaw(g)
		return math.Sqrt(law * (1 - law) / float64(g.Sum("probes")))
	}
	errors := func(g lab.Group) float64 { return math.Abs(measure.Pooled(g).Value()-hashLaw(g)) / scatter(g) }
	far := slices.MaxFunc(groups, func(a, b lab.Group) int { return cmp.Compare(errors(a), errors(b)) })
	return claims.Ours(family, family+": the rate of a filter of consecutive integers as keys is the predicted one").Equal(
		claims.Of(measure.Pooled(far), 100).As("%.4f%%",
			"%.4f%% predicted; keys of %d bytes, of %d lengths the farthest from it",
			100*hashLaw(far), far.Param("key_bytes"), len(groups)),
		100*hashLaw(far), 100*claims.Deviations*scatter(far), fmt.Sprintf("%d binomial standard errors", claims.Deviations))
}
