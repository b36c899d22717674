package experiments

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/hashing"
)

// policyCounts makes up loads of the panel of policies as they should be.
func policyCounts(r Row) []int {
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
	expectFailures(t, LoadByPolicy{}, Quick, policyCounts, map[string]struct {
		damage func(r Row, counts []int)
		fails  []int
	}{
		"plain xor fills as far": {func(r Row, counts []int) {
			if strings.HasSuffix(r.Series, "plainxor") {
				counts[1] = counts[0] / 1000 * 962
			}
		}, []int{0}},
		"the search is no better": {func(r Row, counts []int) {
			if r.Series == "breadth-first, additive" {
				counts[1] = counts[0]/1000*960 + r.Trial
			}
		}, []int{1, 3, 4}},
		"regions cost nothing": {func(r Row, counts []int) {
			if r.Series == "breadth-first, region" {
				counts[1] = counts[0]/1000*975 + r.Trial
			}
		}, []int{3}},
	})
}

func TestInsertCost_Verdicts(t *testing.T) {
	good := func(r Row) []int {
		kicks := map[string]int{"random-walk": 2000, "round-robin": 2100, "look-ahead": 500, "breadth-first": 140}[r.Series]
		if r.Param("to_permille") <= 500 {
			kicks = 1
		}
		return []int{100, 100, kicks, 2000, 1000}
	}
	expectFailures(t, InsertCost{}, Quick, good, map[string]struct {
		damage func(r Row, counts []int)
		fails  []int
	}{
		"kicks from the start":       {func(_ Row, counts []int) { counts[2] = max(counts[2], 50) }, []int{0}},
		"the search moves like that": {func(_ Row, counts []int) { counts[2] = min(counts[2], 140) }, []int{1}},
		"the search reads more": {func(r Row, counts []int) {
			if r.Series == "breadth-first" {
				counts[3] *= 2
			}
		}, []int{2}},
		"keys are refused": {func(_ Row, counts []int) { counts[1]-- }, []int{0, 1, 2}},
	})
}

func TestSpaceByKeys_Verdicts(t *testing.T) {
	good := func(r Row) []int {
		n := r.Param("n")
		size := n * 13 / 8
		switch r.Series {
		case additiveSeries:
			size = n * 125 / 80
		case xorSeries:
			size = 1 << int(math.Ceil(math.Log2(float64(n)/0.9585))) * 12 / 8
		}
		return []int{n, size, 0, 1000, 2}
	}
	expectFailures(t, SpaceByKeys{}, Quick, good, map[string]struct {
		damage func(r Row, counts []int)
		fails  []int
	}{
		"no saw": {func(r Row, counts []int) {
			if r.Series == xorSeries {
				counts[1] = counts[0] * 125 / 80
			}
		}, []int{0}},
		"additive is a saw too": {func(r Row, counts []int) {
			if r.Series == additiveSeries && r.Param("n")%3 == 0 {
				counts[1] *= 2
			}
		}, []int{1, 2}},
		"keys are lost":    {func(_ Row, counts []int) { counts[2] = 1 }, []int{3}},
		"keys are refused": {func(_ Row, counts []int) { counts[0]-- }, []int{3}},
	})
}

func TestOverload_Verdicts(t *testing.T) {
	good := func(r Row) []int {
		offered := r.Param("capacity") / 100 * r.Param("percent")
		stored, size, falsePositives := offered, 163_000, 0
		if r.Series != bloomSeries && r.Series != "blocked bloom" {
			stored = min(offered, r.Param("capacity")*102/100)
			falsePositives = 1800
		} else {
			g := Group{Rows: []Row{{Params: r.Params, Counts: []int{offered, stored, size, 0, 0, 0}, about: r.about}}}
			falsePositives = int(1e6 * predictedBloom(g))
		}
		return []int{offered, stored, size, 0, 1_000_000, falsePositives}
	}
	expectFailures(t, Overload{}, Quick, good, map[string]struct {
		damage func(r Row, counts []int)
		fails  []int
	}{
		"the cuckoo filter degrades": {func(r Row, counts []int) {
			if r.Series == additiveSeries {
				counts[5] = 2500
			}
		}, []int{0}},
		"it takes all":    {func(_ Row, counts []int) { counts[1] = counts[0] }, []int{1}},
		"it refuses soon": {func(r Row, counts []int) { counts[1] = min(counts[0], r.Param("capacity")*9/10) }, []int{1, 2}},
		"the Bloom filter is worse than predicted": {func(r Row, counts []int) {
			if r.Series == bloomSeries {
				counts[5] = counts[5] * 103 / 100
			}
		}, []int{2}},
	})
}

func TestHashCost_Verdicts(t *testing.T) {
	good := func(r Row) []int {
		slots := hashSizes[Quick].slots
		rate := ExactRate(panelWidth, 4, 0.95)
		if r.Series == "multiply-shift" {
			rate /= 2
		}
		return []int{1000, 5000, slots, slots / 100 * 95, 98304, 0, 1_000_000, int(1e6 * rate)}
	}
	// The families in the order of the verdicts: those of any length by name, then those for integers.
	expectFailures(t, HashCost{}, Quick, good, map[string]struct {
		damage func(r Row, counts []int)
		fails  []int
	}{
		"fnv1a collides": {func(r Row, counts []int) {
			if r.Series == "fnv1a" && r.Param("key_bytes") == 16 {
				counts[7] = counts[7] * 6 / 5
			}
		}, []int{0}},
		"metro64 is refused": {func(r Row, counts []int) {
			if r.Series == "metro64" {
				counts[3] /= 2
			}
		}, []int{1}},
	})
	vs := HashCost{}.Judge(planned(t, HashCost{}, Quick, good))
	weak := slices.IndexFunc(vs, func(v Verdict) bool { return strings.HasPrefix(v.Claim, "multiply-shift") })
	if weak < 0 || !vs[weak].Known || vs[weak].Status != report.Differs {
		t.Errorf("multiply-shift is not known to differ: %+v", vs)
	}
}

// TestHashCost_TimesASecretSeedOnly looks for anything that another process would count otherwise.
func TestHashCost_TimesASecretSeedOnly(t *testing.T) {
	f := tinyOf(t, "hash-cost")
	name := hashing.MapHash().Name()
	groups := f.Data.Select(name)
	if len(groups) != len(keyLengths) {
		t.Fatalf("%d lengths of keys, want %d", len(groups), len(keyLengths))
	}
	for _, g := range groups {
		for _, r := range g.Rows {
			if r.Count("hashed") == 0 || r.Count("ns") == 0 || slices.ContainsFunc(r.Counts[2:], func(n int) bool { return n != 0 }) {
				t.Errorf("%s, %d bytes: counts %v, want two and then zeros", name, g.Param("key_bytes"), r.Counts)
			}
		}
	}
	for _, s := range f.Figures[0].Panels[1].Series {
		if s.Label == name {
			t.Errorf("%s has a rate in the picture", name)
		}
	}
}

// TestCountingPolicy_MakesTheBuiltInKicks holds the policies that count what they read to those of package cuckoo,
// in a table that is filled until it refuses.
func TestCountingPolicy_MakesTheBuiltInKicks(t *testing.T) {
	for _, k := range builtinPolicies {
		for _, placement := range []cuckoo.Placement{cuckoo.XOR, cuckoo.PlainXOR, cuckoo.Additive} {
			for _, f := range []int{3, 12} {
				c := cuckoo.Config{Buckets: 256, BucketSize: 4, Placement: placement, Kick: k}
				plain, err := newCuckoo(f, c, 7)
				if err != nil {
					t.Fatal(err)
				}
				counting := newCountingPolicy(k)
				c.Kick, c.MaxKicks = counting, counting.limit
				counted, err := newCuckoo(f, c, 7)
				if err != nil {
					t.Fatal(err)
				}
				for i := range uint64(1100) {
					h := hashing.Mix64(i)
					if e, g := plain.InsertHash(h), counted.InsertHash(h); (e == nil) != (g == nil) || plain.Stats() != counted.Stats() {
						t.Fatalf("%v, %v, f=%d, seed 7, key %d: %v and %+v, want %v and %+v", k, placement, f, i, g, counted.Stats(), e, plain.Stats())
					}
				}
				if kicks := counted.Stats().Kicks; counting.examined < int(kicks) {
					t.Errorf("%v: %d buckets examined for %d kicks", k, counting.examined, kicks)
				}
			}
		}
	}
	if newCountingPolicy(nil) != nil {
		t.Error("a user's policy is counted")
	}
}

// TestPanels_DrawEverySeries looks for each measured series in the pictures of the tiny profile.
func TestPanels_DrawEverySeries(t *testing.T) {
	for _, f := range tiny(t) {
		if !slices.ContainsFunc(Panels(), func(e Experiment) bool { return e.About().Name == f.Data.About.Name }) ||
			f.Data.About.Name == "policies" || f.Data.About.Name == "copies" {
			continue // these draw a part of their combinations, and all of them together
		}
		var labels []string
		for _, p := range f.Figures[0].Panels {
			for _, s := range p.Series {
				labels = append(labels, s.Label)
			}
		}
		for _, series := range f.Data.Series() {
			if !slices.Contains(labels, series) {
				t.Errorf("%s: %q is not in the picture", f.Data.About.Name, series)
			}
		}
	}
}

func TestRegister_TakesEveryPart(t *testing.T) {
	var g Registry
	own := Policy{Name: "p", Kick: cuckoo.RandomWalk}
	if err := g.Register(own, hashing.XXH64(3), fake{name: "x"}, Filter{Name: "f", Settings: []Setting{{OneIn: 1, New: func(int, uint64) (Instance, error) { return nil, nil }}}}); err != nil {
		t.Fatal(err)
	}
	if len(g.Policies) != 1 || len(g.Families) != 1 || len(g.Experiments) != 1 || len(g.Filters) != 1 {
		t.Errorf("registered: %+v", g)
	}
	for want, part := range map[string]any{"part 0 is a int": 1, "there twice": own, "Kick is nil": Policy{Name: "q"}} {
		if err := g.Register(part); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", part, err, want)
		}
		if len(g.Policies) != 1 {
			t.Errorf("a refused part stayed: %+v", g.Policies)
		}
	}
}

// TestPanels_TakeOwnParts runs the panels with a filter, a family and a policy of one's own.
func TestPanels_TakeOwnParts(t *testing.T) {
	g := Registry{Experiments: Panels()}
	held := func(int, uint64) (Instance, error) {
		set := map[uint64]bool{}
		return Adapt(func(h uint64) error { set[h] = true; return nil }, func(h uint64) bool { return set[h] }, 1<<16), nil
	}
	err := g.Register(hashing.Metro64(5), Policy{Name: "mine", Kick: cuckoo.RoundRobin, Placement: cuckoo.XOR},
		Filter{Name: "set", Settings: []Setting{{Bits: 64, OneIn: 1, New: held}}})
	if err != nil {
		t.Fatal(err)
	}
	findings, err := g.Run(t.Context(), Options{Profile: Tiny, Seed: 1, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		name := f.Data.About.Name
		own := map[string]string{"space-by-n": "set", "overload": "set", "hash-cost": hashing.Metro64(5).Recipe()}[name]
		switch name {
		case "bucket-size", "copies", "policies", "insert-cost":
			own = "mine"
		case "growth":
			continue // takes no parts
		}
		if len(f.Data.Select(own)) == 0 {
			t.Errorf("%s: no results of %q", name, own)
		}
		drawn := slices.ContainsFunc(f.Figures[0].Panels[0].Series, func(s chart.Series) bool { return s.Label == own && len(s.Points) > 0 })
		if !drawn && name != "copies" {
			t.Errorf("%s: %q is not in the picture", name, own)
		}
	}
}
