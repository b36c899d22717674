package panels

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// A refutation is made-up data, and the verdicts that must differ for it. All others hold.
type refutation struct {
	damage  func(r lab.Row, counts []int)
	differs []int
}

// expectRefuted judges good data, of which every claim must hold, and each damage to it.
func expectRefuted(t *testing.T, e *lab.Experiment, good func(r lab.Row) []int, damages map[string]refutation) {
	t.Helper()
	damages["good data"] = refutation{func(lab.Row, []int) {}, nil}
	for name, c := range damages {
		vs := e.Judge(lab.MadeUp(t, e, lab.Setup{Profile: lab.Quick}, func(r lab.Row) []int {
			counts := good(r)
			c.damage(r, counts)
			return counts
		}))
		for i, v := range vs {
			want := claims.Holds
			if slices.Contains(c.differs, i) {
				want = claims.Unexplained
			}
			if v.Status != want || v.Status != claims.Holds && v.Why == "" {
				t.Errorf("%s: verdict %d (%s): %v, want %v: ours %s, %s", name, i, v.Says, v.Status, want, v.Ours, v.Interval)
			}
		}
	}
}

// of damages the rows of a series.
func of(series string, damage func(r lab.Row, counts []int)) func(lab.Row, []int) {
	return func(r lab.Row, counts []int) {
		if r.Series == series {
			damage(r, counts)
		}
	}
}

// policyCounts makes up loads of the panel of policies as they should be.
func policyCounts(r lab.Row) []int {
	slots := 4 * r.Param("buckets")
	load := 0.974
	if strings.HasPrefix(r.Series, "random-walk") || strings.HasPrefix(r.Series, "round-robin") {
		load = 0.960
	}
	switch {
	case strings.HasSuffix(r.Series, "plainxor") && r.Param("f") < 10:
		load = 0.85
	case strings.HasSuffix(r.Series, "region"):
		load -= 0.005
	}
	return []int{slots, int(load*float64(slots)) + r.Trial}
}

func TestLoadByPolicy_Verdicts(t *testing.T) {
	expectRefuted(t, loadByPolicy(), policyCounts, map[string]refutation{
		"plain xor fills as far": {func(r lab.Row, counts []int) {
			if strings.HasSuffix(r.Series, "plainxor") {
				counts[1] = counts[0]/1000*962 + r.Trial
			}
		}, []int{0}},
		"looking ahead is no better": {of("look-ahead, additive", func(r lab.Row,
			counts []int) {
			counts[1] = counts[0] / 1000 * 955
		}), []int{2}},
		"the search is no better": {of("breadth-first, additive", func(r lab.Row,
			counts []int) {
			counts[1] = counts[0]/1000*959 + r.Trial
		}), []int{1, 3, 4}},
		"regions cost nothing": {of("breadth-first, region", func(r lab.Row,
			counts []int) {
			counts[1] = counts[0]/1000*975 + r.Trial
		}), []int{3}},
	})
}

func TestInsertCost_Verdicts(t *testing.T) {
	good := func(r lab.Row) []int {
		kicks := map[string]int{"random-walk": 2000, "round-robin": 2100, "look-ahead": 500, "breadth-first": 140}[r.Series]
		if r.Param("to_permille") <= 500 {
			kicks = r.Trial % 2
		}
		return []int{100, 100, kicks, 2000, 1000}
	}
	expectRefuted(t, insertCost(), good, map[string]refutation{
		"kicks from the start":       {func(_ lab.Row, counts []int) { counts[2] = max(counts[2], 10) }, []int{0}},
		"the search moves like that": {func(_ lab.Row, counts []int) { counts[2] = min(counts[2], 140) }, []int{1}},
		"the search reads more":      {of("breadth-first", func(r lab.Row, counts []int) { counts[3] *= 2 }), []int{2}},
	})
	for _, v := range insertClaims(lab.MadeUp(t, insertCost(), lab.Setup{Profile: lab.Quick}, func(r lab.Row) []int {
		counts := good(r)
		counts[1]--
		return counts
	})) {
		if v.Status == claims.Holds {
			t.Errorf("keys are refused: %q holds", v.Says)
		}
	}
}

func TestSpaceByKeys_Verdicts(t *testing.T) {
	good := func(r lab.Row) []int {
		n := r.Param("n")
		size := n * 13 / 8
		if r.Series == additiveSeries {
			size = n * 125 / 80
		}
		if r.Series == pairedSeries {
			size = n * 115 / 80
		}
		return []int{n, size, 0, 1000, 2}
	}
	expectRefuted(t, spaceByKeys(), good, map[string]refutation{
		"additive is a saw": {func(r lab.Row, counts []int) {
			if r.Series == additiveSeries && r.Param("n")%3 == 0 {
				counts[1] *= 2
			}
		}, []int{0, 1}},
		"paired slots save little": {of(pairedSeries, func(r lab.Row, counts []int) { counts[1] = r.Param("n") * 119 / 80 }),
			[]int{2}},
		"keys are lost":    {func(_ lab.Row, counts []int) { counts[2] = 1 }, []int{3}},
		"keys are refused": {func(_ lab.Row, counts []int) { counts[0]-- }, []int{3}},
	})
}

// TestPanelFilters_PowerOfTwoDoubles: the XOR table doubles between the two numbers of keys, and the additive one does
// not.
func TestPanelFilters_PowerOfTwoDoubles(t *testing.T) {
	last, err := catalogue.MostKeys(1 << 14)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{xorSeries, additiveSeries} {
		var sizes []float64
		for _, n := range []int{last, last + 1} {
			filter, err := panelMakers[name](n, 1)
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, float64(filter.SizeBytes()))
		}
		want := map[string]float64{xorSeries: 2, additiveSeries: 1}[name]
		if got := sizes[1] / sizes[0]; math.Abs(got-want) > 0.01 {
			t.Errorf("%s: %d keys take %.3f times the space of %d, want %v", name, last+1, got, last, want)
		}
	}
}

func TestOverload_Verdicts(t *testing.T) {
	good := func(r lab.Row) []int {
		offered := r.Param("capacity") / 100 * r.Param("percent")
		stored, size, falsePositives := offered, 163_000, 0
		if r.Series != bloomSeries && r.Series != "blocked bloom" {
			stored = min(offered, r.Param("capacity")*102/100)
			falsePositives = 1800
		} else {
			g := lab.Group{Rows: []lab.Row{{Params: r.Params, Counts: []int{offered, stored, size, 0, 0, 0}, Cell: r.Cell,
				Experiment: r.Experiment}}}
			falsePositives = int(1e6 * predictedBloom(g))
		}
		return []int{offered, stored, size, 0, 1_000_000, falsePositives}
	}
	expectRefuted(t, overload(), good, map[string]refutation{
		"it takes all": {func(_ lab.Row, counts []int) { counts[1] = counts[0] }, []int{0}},
		"it refuses soon": {func(r lab.Row, counts []int) { counts[1] = min(counts[0], r.Param("capacity")*9/10) },
			[]int{0, 1}},
		"the Bloom filter is worse than predicted": {of(bloomSeries, func(r lab.Row,
			counts []int) {
			counts[5] = counts[5] * 102 / 100
		}), []int{1}},
	})
}

// TestOverload_RateStaysBelowTheBound asks a cuckoo filter that has refused a key: its rate is not above 2b/2^f, by 4
// standard errors.
func TestOverload_RateStaysBelowTheBound(t *testing.T) {
	const capacity, probes = 100_000, 1 << 18
	f, err := panelMakers[additiveSeries](capacity, 1)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := measure.CountRate(t.Context(), measure.Stream{Next: 1}, f, 3*capacity, probes)
	if err != nil {
		t.Fatal(err)
	}
	bound := claims.RateBound(catalogue.PanelWidth, 4)
	if rate := float64(counts[4]) / probes; counts[0] >= 3*capacity || rate > bound+4*math.Sqrt(bound/probes) ||
		rate < bound/2 {
		t.Errorf("%d keys stored, rate %g, bound %g, seed 1", counts[0], rate, bound)
	}
}

// TestBloomScatter_IsThatOfBuilds compares the standard deviation that is computed with that of small filters' true
// rates.
func TestBloomScatter_IsThatOfBuilds(t *testing.T) {
	const n, builds, probes = 200, 200, 1 << 15
	g := lab.Group{}
	var rates []float64
	e := overload()
	for seed := range uint64(builds) {
		f, err := panelMakers[bloomSeries](n, seed)
		if err != nil {
			t.Fatal(err)
		}
		counts, err := measure.CountRate(t.Context(), measure.Stream{Next: hashing.Mix64(seed)}, f, 3*n, probes)
		if err != nil {
			t.Fatal(err)
		}
		g.Rows = append(g.Rows, lab.Row{Params: lab.IntValues(n, 300), Counts: append([]int{3 * n}, counts...),
			Experiment: e})
		rates = append(rates, float64(counts[4])/probes)
	}
	s, p := claims.SampleOf(rates), predictedBloom(g)
	got := math.Sqrt(s.Err*s.Err*builds - p*(1-p)/probes) // without what the probes scatter
	if want := bloomScatter(g); math.Abs(got/want-1) > 0.2 {
		t.Errorf("standard deviation of the rates of %d builds: %.4g, computed %.4g", builds, got, want)
	}
}

func TestHashCost_Verdicts(t *testing.T) {
	good := func(r lab.Row) []int {
		slots := hashSlots[1]
		rate := claims.ExactRate(catalogue.PanelWidth, 4, 0.95)
		if r.Series == "multiply-shift" {
			rate /= 2
		}
		return []int{1000, 5000, slots, slots / 100 * 95, 98304, 0, 1_000_000, int(1e6 * rate)}
	}
	// The families in the order of the verdicts: those of any length by name, then those for integers, and last the keys.
	expectRefuted(t, hashCost(), good, map[string]refutation{
		"fnv1a collides": {func(r lab.Row, counts []int) {
			if r.Series == "fnv1a" && r.Param("key_bytes") == 16 {
				counts[7] = counts[7] * 6 / 5
			}
		}, []int{0}},
		"metro64 is refused": {of("metro64", func(r lab.Row, counts []int) { counts[3] /= 2 }), []int{1, 8}},
		"a key is lost":      {of("siphash", func(r lab.Row, counts []int) { counts[5] = 1 }), []int{8}},
	})
}

func TestHashSeeds_Verdicts(t *testing.T) {
	good := func(r lab.Row) []int {
		rate := 1e6 * claims.ExactRate(catalogue.PanelWidth, 4, 0.95)
		if r.Series == "multiply-shift" {
			rate /= 2
		}
		n := r.Param("slots") / 100 * 95
		return []int{n, 98304, 0, 1_000_000, int(rate)}
	}
	expectRefuted(t, hashSeeds(), good, map[string]refutation{
		"multiply-shift is like the law": {func(_ lab.Row, counts []int) {
			counts[4] = int(1e6 * claims.ExactRate(catalogue.PanelWidth, 4, 0.95))
		}, []int{0}},
		"tabulation refuses": {func(r lab.Row, counts []int) {
			if r.Trial%2 == 0 {
				counts[0]--
			}
		}, []int{1}},
	})
}

// TestCountingPolicy_MakesTheBuiltInKicks holds the policies that count what they read to those of package cuckoo,
// in a table that is filled until it refuses.
func TestCountingPolicy_MakesTheBuiltInKicks(t *testing.T) {
	for _, k := range builtinPolicies {
		for _, placement := range []cuckoo.Placement{cuckoo.XOR, cuckoo.PlainXOR, cuckoo.Additive} {
			for _, f := range []int{3, 12} {
				c := cuckoo.Config{Buckets: 256, BucketSize: 4, Placement: placement, Kick: k}
				plain, err := measure.NewCuckoo(f, c, 7)
				if err != nil {
					t.Fatal(err)
				}
				c, counting := observed(c)
				counted, err := measure.NewCuckoo(f, c, 7)
				if err != nil {
					t.Fatal(err)
				}
				for i := range uint64(1100) {
					h := hashing.Mix64(i)
					if e, g := plain.InsertHash(h), counted.InsertHash(h); (e == nil) != (g == nil) ||
						plain.Stats() != counted.Stats() {
						t.Fatalf("%v, %v, f=%d, seed 7, key %d: %v and %+v, want %v and %+v", k, placement, f, i, g, counted.Stats(), e,
							plain.Stats())
					}
				}
				if kicks := counted.Stats().Kicks; counting.examined < int(kicks) {
					t.Errorf("%v: %d buckets examined for %d kicks", k, counting.examined, kicks)
				}
			}
		}
	}
}

func TestLogReads_Verdicts(t *testing.T) {
	good := func(r lab.Row) []int {
		switch r.Series {
		case logSlot0:
			return []int{r.Param("slots") / 100 * 75, 0, 0, 0, 0}
		case logDefault:
			return []int{r.Param("slots") / 100 * 97, 0, 0, 0, 0}
		}
		n, probes := r.Param("slots")/100*95, 1<<20
		law := logLaw(float64(r.Param("f")), lab.Quotient(n, r.Param("slots")))
		return []int{n, n + int(law/2*float64(n)), probes, int(math.Round(law * float64(probes))), 0}
	}
	expectRefuted(t, logReads(), good, map[string]refutation{
		"a value is lost":        {of(logSeries, func(_ lab.Row, counts []int) { counts[4] = 1 }), []int{0}},
		"more than the law":      {of(logSeries, func(_ lab.Row, counts []int) { counts[3] += counts[3] / 10 }), []int{1}},
		"present keys read more": {of(logSeries, func(_ lab.Row, counts []int) { counts[1] += counts[0] / 5 }), []int{2}},
		"slot 0 is enough": {of(logSlot0, func(r lab.Row, counts []int) { counts[0] = r.Param("slots") / 100 * 90 }),
			[]int{3}},
		"the search refuses early": {of(logDefault, func(r lab.Row,
			counts []int) {
			counts[0] = r.Param("slots") / 100 * 90
		}), []int{4}},
	})
}
