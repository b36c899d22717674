package advice

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nestfilter/nest"
)

// cost is a cost of a kind whose lookups all take so long.
func cost(kind string, lookup, rate float64) Cost {
	return Cost{
		Family: kind, Rung: 10, Rate: rate,
		Plan:   Plan{Kind: kind, Bytes: 1000, BitsPerItem: 10, Spec: nest.Spec{FingerprintBits: 8}},
		Absent: lookup, Present: lookup, AbsentBatch: lookup / 2, PresentBatch: lookup / 2, Insert: 10 * lookup,
	}
}

func TestPrice_IsTheFormula(t *testing.T) {
	c := Cost{Absent: 4, Present: 8, AbsentBatch: 2, PresentBatch: 3, Rate: 0.25}
	w := Workload{MissCost: 100, Negative: 0.75}
	if got, want := w.Lookup(c), 0.75*4+0.25*8; got != want {
		t.Errorf("lookup %v, want %v", got, want)
	}
	if got, want := w.Price(c), 5+0.75*0.25*100; got != want {
		t.Errorf("price %v, want %v", got, want)
	}
	w.Batch = true
	if got, want := w.Lookup(c), 0.75*2+0.25*3; got != want {
		t.Errorf("lookup in batches %v, want %v", got, want)
	}
}

func table(random *rand.Rand) (costs []Cost) {
	for _, kind := range []string{"bloom", "blocked bloom", "cuckoo"} {
		for range 8 {
			costs = append(costs, cost(kind, 1+20*random.Float64(), math.Exp(-12*random.Float64())))
		}
	}
	return costs
}

// The stretches follow each other from 0 to infinity, and in each the named kind has the lowest price of all.
func TestWinners_AreTheLowest(t *testing.T) {
	const seed = 8
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		costs := table(random)
		w := Workload{Negative: 0.01 + random.Float64()}
		won := w.Winners(costs)
		for i, s := range won {
			if w.MissCost = 2*s.From + 1; i+1 < len(won) {
				w.MissCost = (s.From + won[i+1].From) / 2
			}
			if i == 0 && s.From != 0 || i > 0 && (s.From <= won[i-1].From || s.Kind == won[i-1].Kind) {
				t.Fatalf("stretch %d of %v", i, won)
			}
			lowest, kind := w.Negative*w.MissCost, NoFilter
			for _, c := range costs {
				if p := w.Price(c); p < lowest {
					lowest, kind = p, c.Plan.Kind
				}
			}
			if kind != s.Kind {
				t.Errorf("at %v %s has the lowest price, in %v", w.MissCost, kind, won)
			}
		}
	}
}

// Lang et al.'s finding on a table made for it: no filter, then the fast one, then the exact one.
func TestWinners_KnownTable(t *testing.T) {
	costs := []Cost{cost("blocked bloom", 4, 0.0625), cost("cuckoo", 10, 0.03125), cost("bloom", 12, 0.05)}
	got := Workload{Negative: 1}.Winners(costs)
	want := []Stretch{{NoFilter, 0}, {"blocked bloom", 4 / (1 - 0.0625)}, {"cuckoo", 192}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := (Workload{}).Winners(costs); len(got) != 1 || got[0].Kind != NoFilter {
		t.Errorf("where every key is present no filter is of use, but %v", got)
	}
}
