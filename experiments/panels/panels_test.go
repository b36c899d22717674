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
	"github.com/nestfilter/nest/experiments/labtest"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

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
	labtest.ExpectFailures(t, LoadByPolicy{}, lab.Quick, policyCounts, map[string]struct {
		Damage func(r lab.Row, counts []int)
		Fails  []int
	}{
		"plain xor fills as far": {func(r lab.Row, counts []int) {
			if strings.HasSuffix(r.Series, "plainxor") {
				counts[1] = counts[0] / 1000 * 962
			}
		}, []int{0}},
		"the search is no better": {func(r lab.Row, counts []int) {
			if r.Series == "breadth-first, additive" {
				counts[1] = counts[0]/1000*960 + r.Trial
			}
		}, []int{1, 3, 4}},
		"regions cost nothing": {func(r lab.Row, counts []int) {
			if r.Series == "breadth-first, region" {
				counts[1] = counts[0]/1000*975 + r.Trial
			}
		}, []int{3}},
	})
}

func TestInsertCost_Verdicts(t *testing.T) {
	good := func(r lab.Row) []int {
		kicks := map[string]int{"random-walk": 2000, "round-robin": 2100, "look-ahead": 500, "breadth-first": 140}[r.Series]
		if r.Param("to_permille") <= 500 {
			kicks = 1
		}
		return []int{100, 100, kicks, 2000, 1000}
	}
	labtest.ExpectFailures(t, InsertCost{}, lab.Quick, good, map[string]struct {
		Damage func(r lab.Row, counts []int)
		Fails  []int
	}{
		"kicks from the start":       {func(_ lab.Row, counts []int) { counts[2] = max(counts[2], 50) }, []int{0}},
		"the search moves like that": {func(_ lab.Row, counts []int) { counts[2] = min(counts[2], 140) }, []int{1}},
		"the search reads more": {func(r lab.Row, counts []int) {
			if r.Series == "breadth-first" {
				counts[3] *= 2
			}
		}, []int{2}},
		"keys are refused": {func(_ lab.Row, counts []int) { counts[1]-- }, []int{0, 1, 2}},
	})
}

func TestSpaceByKeys_Verdicts(t *testing.T) {
	good := func(r lab.Row) []int {
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
	labtest.ExpectFailures(t, SpaceByKeys{}, lab.Quick, good, map[string]struct {
		Damage func(r lab.Row, counts []int)
		Fails  []int
	}{
		"no saw": {func(r lab.Row, counts []int) {
			if r.Series == xorSeries {
				counts[1] = counts[0] * 125 / 80
			}
		}, []int{0}},
		"additive is a saw too": {func(r lab.Row, counts []int) {
			if r.Series == additiveSeries && r.Param("n")%3 == 0 {
				counts[1] *= 2
			}
		}, []int{1, 2}},
		"keys are lost":    {func(_ lab.Row, counts []int) { counts[2] = 1 }, []int{3}},
		"keys are refused": {func(_ lab.Row, counts []int) { counts[0]-- }, []int{3}},
	})
}

func TestOverload_Verdicts(t *testing.T) {
	good := func(r lab.Row) []int {
		offered := r.Param("capacity") / 100 * r.Param("percent")
		stored, size, falsePositives := offered, 163_000, 0
		if r.Series != bloomSeries && r.Series != "blocked bloom" {
			stored = min(offered, r.Param("capacity")*102/100)
			falsePositives = 1800
		} else {
			g := lab.Group{Rows: []lab.Row{{Params: r.Params, Counts: []int{offered, stored, size, 0, 0, 0}, About: r.About}}}
			falsePositives = int(1e6 * predictedBloom(g))
		}
		return []int{offered, stored, size, 0, 1_000_000, falsePositives}
	}
	labtest.ExpectFailures(t, Overload{}, lab.Quick, good, map[string]struct {
		Damage func(r lab.Row, counts []int)
		Fails  []int
	}{
		"the cuckoo filter degrades": {func(r lab.Row, counts []int) {
			if r.Series == additiveSeries {
				counts[5] = 2500
			}
		}, []int{0}},
		"it takes all":    {func(_ lab.Row, counts []int) { counts[1] = counts[0] }, []int{1}},
		"it refuses soon": {func(r lab.Row, counts []int) { counts[1] = min(counts[0], r.Param("capacity")*9/10) }, []int{1, 2}},
		"the Bloom filter is worse than predicted": {func(r lab.Row, counts []int) {
			if r.Series == bloomSeries {
				counts[5] = counts[5] * 103 / 100
			}
		}, []int{2}},
	})
}

func TestHashCost_Verdicts(t *testing.T) {
	good := func(r lab.Row) []int {
		slots := hashSizes[lab.Quick].slots
		rate := law.ExactRate(catalogue.PanelWidth, 4, 0.95)
		if r.Series == "multiply-shift" {
			rate /= 2
		}
		return []int{1000, 5000, slots, slots / 100 * 95, 98304, 0, 1_000_000, int(1e6 * rate)}
	}
	// The families in the order of the verdicts: those of any length by name, then those for integers.
	labtest.ExpectFailures(t, HashCost{}, lab.Quick, good, map[string]struct {
		Damage func(r lab.Row, counts []int)
		Fails  []int
	}{
		"fnv1a collides": {func(r lab.Row, counts []int) {
			if r.Series == "fnv1a" && r.Param("key_bytes") == 16 {
				counts[7] = counts[7] * 6 / 5
			}
		}, []int{0}},
		"metro64 is refused": {func(r lab.Row, counts []int) {
			if r.Series == "metro64" {
				counts[3] /= 2
			}
		}, []int{1}},
	})
	vs := HashCost{}.Judge(labtest.Planned(t, HashCost{}, lab.Quick, good))
	weak := slices.IndexFunc(vs, func(v claims.Verdict) bool { return strings.HasPrefix(v.Says, "multiply-shift") })
	if weak < 0 || vs[weak].Status != claims.Differs {
		t.Errorf("multiply-shift is not known to differ: %+v", vs)
	}
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
				counting := newCountingPolicy(k)
				c.Kick, c.MaxKicks = counting, counting.limit
				counted, err := measure.NewCuckoo(f, c, 7)
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
