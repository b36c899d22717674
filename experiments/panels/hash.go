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
		Grid: lab.Grid{{Series: "{family}", Trials: lab.Times(2, 6, 20), Axes: []lab.Axis{
			lab.Over("family", families), lab.Over("key_bytes", lab.Ints(keyLengths...)),
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
			Title:   "Hash families: cost by key length, and the false-positive rate of a filter of their digests",
			Caption: "For each hash family: nanoseconds per key on a log axis, and the false-positive rate of the filter.",
			Edit:    hashPanels,
		}},
		Claims: []lab.Rule{lab.Judged(hashClaims)},
	}
}

var keyLengths = []int{8, 16, 64}

// What a profile measures. Keys to be timed are few, so that they stay in the cache.
var (
	hashSlots  = lab.Size{1 << 10, 1 << 16, 1 << 20}
	hashProbes = lab.Size{1 << 12, 1 << 16, 1 << 20}
	hashKeys   = lab.Size{64, 1 << 10, 1 << 10}
	hashLaps   = lab.Size{4, 64, 1024}
)

const mixSeries = "mix64"

type family struct {
	hash     hashing.Hasher // nil: Mix64
	integers bool           // takes keys of 8 bytes only
	secret   bool           // draws its own seed: its cost is measured and nothing that its digests decide
}

// families are the built-in ones with seed 0, MapHash, SipHash under a fixed key, Mix64, and the user's.
func families(c lab.Cell) (out []lab.Value) {
	var key [16]byte
	binary.LittleEndian.PutUint64(key[:], measure.SplitMixStep)
	sip := hashing.SipHash(key)
	add := func(v lab.Value, h hashing.Hasher) {
		v.Of = family{hash: h, integers: integerhash.Is(h), secret: h.Name() == hashing.MapHash().Name()}
		out = append(out, v)
	}
	for _, name := range hashing.Names() {
		if name == sip.Name() {
			continue // under a key that is drawn no measurement could be repeated
		}
		h, err := hashing.New(name, 0)
		if err != nil {
			panic(err)
		}
		add(lab.Word(h.Name()), h)
	}
	for _, h := range append(integerhash.Families(0), sip) {
		add(lab.Word(h.Name()), h)
	}
	out = append(out, lab.Named(mixSeries, family{integers: true}))
	for _, v := range lab.OwnFamilies(c) {
		add(v, v.Of.(hashing.Hasher))
	}
	return out
}

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
		for at := length - 1; at >= 0; at, n = at-1, n/10 {
			key[at] = byte('0' + n%10)
		}
	}
}

// timeFamily times a family and, unless its seed is secret, asks a filter of its digests, which may refuse keys.
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
	for i, length := range keyLengths {
		label := fmt.Sprintf("keys of %d bytes", length)
		cost.Series = append(cost.Series, chart.Series{Label: label, Style: chart.Numbered(i), Kind: chart.Marks})
	}
	reached := chart.Series{Label: "rate, 95% interval", Style: chart.Style{Marker: chart.Diamond}, Kind: chart.Marks}
	add := func(s *chart.Series, e claims.Estimate, at float64) {
		s.Points = append(s.Points, chart.Point{X: e.Value, Y: -at, Lo: e.Low, Hi: e.High})
	}
	for at, groups := range parts {
		for i, g := range groups { // one of integers has the first length only
			add(&cost.Series[i], lab.Median("ns_per_key")(g), float64(at)+chart.Dodge(i, len(groups)))
		}
		if r := lab.PooledRate("false_positives", "probes", groups...); r.N > 0 { // a family of a secret seed has no rate
			add(&reached, claims.Of(r, 1), float64(at))
			catalogue.Widen(&rate.X, r.Value())
		}
	}
	law := hashLaw(d.Select(mixSeries)[0])
	predicted := bound("predicted", law, law, rate.Y.Min)
	predicted.Points[1].Y = rate.Y.Max
	rate.Series = []chart.Series{reached, predicted}
	f.Panels = []chart.Panel{cost, rate}
}

func hashLaw(g lab.Group) float64 {
	return claims.ExactRate(catalogue.PanelWidth, 4, g.Mean("stored", "slots"))
}

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
// Between builds the rate of a table scatters far less than one binomial error of its probes here.
func hashVerdict(family string, groups []lab.Group) claims.Verdict {
	scatter := func(g lab.Group) float64 {
		law := hashLaw(g)
		return math.Sqrt(law * (1 - law) / float64(g.Sum("probes")))
	}
	errors := func(g lab.Group) float64 { return math.Abs(measure.Pooled(g).Value()-hashLaw(g)) / scatter(g) }
	far := slices.MaxFunc(groups, func(a, b lab.Group) int { return cmp.Compare(errors(a), errors(b)) })
	return claims.Ours(family, family+": the rate of a filter of consecutive integers as keys is the predicted one").Equal(
		claims.Of(measure.Pooled(far), 100).As("%.4f%%",
			"%.4f%% predicted; keys of %d bytes, of %d lengths the farthest from it", 100*hashLaw(far), far.Param("key_bytes"),
			len(groups)),
		100*hashLaw(far), 100*claims.Deviations*scatter(far), fmt.Sprintf("%d binomial standard errors", claims.Deviations))
}
