package kick

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/packed"
)

// semi, added to a width, asks for semi-sorted buckets.
const semi = 100

// tableOf returns an empty table.
func tableOf(width, lanes uint, m uint64) packed.Table {
	if width > semi {
		return packed.SemiSorted.New(width-semi, 4, m)
	}
	return packed.Plain.New(width, lanes, m)
}

// newEngine returns an engine over a small table.
func newEngine(policy Policy, rule Rule, width, lanes uint, m uint64, limit int) *Engine {
	e := new(Engine)
	e.Init(tableOf(width, lanes, m), NewScheme(rule, m), policy, limit, 1)
	e.User = func(w *Walk) { w.Run(RandomWalk) }
	return e
}

// class is what a table can tell apart.
type class struct{ i, j, fp uint64 }

// classOf returns the class of fingerprint fp in bucket i.
func classOf(e *Engine, i, fp uint64) class {
	j := e.Scheme.Alternate(i, fp)
	return class{min(i, j), max(i, j), fp}
}

// content counts the classes in a table.
func content(e *Engine) map[class]int {
	c := map[class]int{}
	for i := range e.Table.Buckets() {
		for lane := range e.Table.Lanes() {
			if fp := e.Table.Read(i, lane); fp != 0 {
				c[classOf(e, i, fp)]++
			}
		}
	}
	return c
}

// fill inserts random fingerprints until n in a row were refused and holds the table to contain
// exactly what was stored, after each refusal byte for byte what it contained before.
func fill(t *testing.T, e *Engine, seed uint64, refusals int) (stored int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	want := map[class]int{}
	before := make([]byte, 0, len(e.Table.Data()))
	for refused := 0; refused < refusals; {
		h := r.Uint64()
		fp := fingerprint.Of(h, e.Table.Width())
		i := fingerprint.Bucket(h, e.Table.Buckets())
		before = append(before[:0], e.Table.Data()...)
		if e.Insert(i, e.Scheme.Alternate(i, fp), 0, fp) == Stored {
			want[classOf(e, i, fp)]++
			stored++
			refused = 0
			continue
		}
		refused++
		if !bytes.Equal(before, e.Table.Data()) {
			t.Fatalf("seed %d: a refused insert changed the table after %d keys", seed, stored)
		}
	}
	got := content(e)
	if len(got) != len(want) {
		t.Fatalf("seed %d: %d classes in the table, %d were stored", seed, len(got), len(want))
	}
	for c, n := range want {
		if got[c] != n {
			t.Fatalf("seed %d: class %v stands %d times in the table, want %d", seed, c, got[c], n)
		}
	}
	return stored
}

// TestInsert_FullLosesNothing fills tables of every policy, rule and shape far beyond the first
// refusal. Bucket sizes that only foreign schemes use are among them.
func TestInsert_FullLosesNothing(t *testing.T) {
	widths := []uint{2, 5, 12, 31}
	if testing.Short() {
		widths = []uint{2, 12}
	}
	for _, policy := range []Policy{BreadthFirst, RandomWalk, RoundRobin, LookAhead, User} {
		for _, rule := range native {
			for _, lanes := range []uint{1, 2, 3, 4, 8, 13} {
				for _, m := range []uint64{1, 2, 3, 7, 16, 24, 32} {
					if !fits(rule, m) {
						continue
					}
					for _, width := range widths {
						fill(t, newEngine(policy, rule, width, lanes, m, 40), m*31+uint64(width), 30)
					}
					if lanes == 4 {
						fill(t, newEngine(policy, rule, semi+13, lanes, m, 40), m, 30)
						fill(t, newEngine(policy, rule, semi+31, lanes, m, 40), m, 30)
					}
				}
			}
		}
	}
}

// TestForeignScheme_OneKickLoop runs another filter's rules on the engine: fingerprint h%255+1,
// buckets by the low bits, an odd bucket size.
func TestForeignScheme_OneKickLoop(t *testing.T) {
	const m = 64
	e := new(Engine)
	alternate := func(bucket, fp uint64) uint64 { return (bucket ^ fp*0x5bd1e995) % m }
	e.Init(packed.Plain.New(8, 5, m), NewForeign(m, alternate), RoundRobin, 100, 0)
	if stored := fill(t, e, 9, 20); stored < m*5*8/10 {
		t.Errorf("refused at %d of %d slots", stored, m*5)
	}
}

// TestLimits_AreKept holds kicks of one insert within the limit of a walk, and paths within what a
// search of few buckets can see.
func TestLimits_AreKept(t *testing.T) {
	for _, limit := range []int{1, 2, 5, 50} {
		for _, policy := range []Policy{BreadthFirst, RandomWalk, RoundRobin, LookAhead, User} {
			e := newEngine(policy, Additive, 12, 2, 50, limit)
			fill(t, e, uint64(limit), 10)
			if e.Stats.LongestPath > uint64(limit) {
				t.Errorf("policy %d, limit %d: a path of %d kicks", policy, limit, e.Stats.LongestPath)
			}
			if e.Stats.Refusals < 10 {
				t.Errorf("policy %d, limit %d: %d refusals counted, at least 10 happened", policy, limit, e.Stats.Refusals)
			}
		}
	}
}

// TestReset_StartsTheSameSequence holds a reset engine, generator included, to be as new.
func TestReset_StartsTheSameSequence(t *testing.T) {
	e := newEngine(RandomWalk, XOR, 12, 2, 32, 50)
	fill(t, e, 3, 5)
	first := bytes.Clone(e.Table.Data())
	stats := e.Stats
	e.Reset()
	if e.Stats != (Stats{}) || !bytes.Equal(e.Table.Data(), make([]byte, len(first))) {
		t.Fatal("Reset left something behind")
	}
	fill(t, e, 3, 5)
	if !bytes.Equal(first, e.Table.Data()) || e.Stats != stats {
		t.Error("the same inserts after Reset made another table")
	}
}
