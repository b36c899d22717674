package folklore

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/hashing"
)

// TestVerdicts_CanFail makes up counts for each part: right ones, of which none fails, and one part that is wrong,
// which fails alone.
func TestVerdicts_CanFail(t *testing.T) {
	e := folklore(sentences())
	name := func(c lab.Cell) string { return sentenceOf(c).id + ", " + partOf(c).id }
	for _, g := range judged(lab.MadeUp(t, e, lab.Setup{Profile: lab.Quick}, func(lab.Row) []int { return []int{1, 1} })) {
		wrong := name(g.Cell)
		if partOf(g.Cell).must.kind == again {
			continue
		}
		d := lab.MadeUp(t, e, lab.Setup{Profile: lab.Quick}, func(r lab.Row) []int {
			return madeUp(r.Cell, name(r.Cell) == wrong)
		})
		for _, v := range e.Judge(d) {
			if v.Failed() != (v.ID == wrong) || v.Status == claims.Undecided {
				t.Errorf("%s is wrong: %+v", wrong, v)
			}
		}
	}
}

// madeUp are counts in the middle of what a part must be, or far from it.
func madeUp(c lab.Cell, wrong bool) []int {
	const of = 1 << 22 // times the largest number it is an int of 32 bits
	p := partOf(c)
	x, high := (p.must.low+p.must.high)/2, p.must.high
	if wrong {
		x = high*1.5 + .001
		if p.unit == share || p.unit == load {
			x = min(x, 1)
		}
		if x == high || p.unit == share && x == 1 {
			x = p.must.low / 2
		}
	}
	return []int{int(math.Round(x * of)), of}
}

// TestAll_RunsInTiny runs every trial and draws every picture, and looks for parts that measured nothing.
func TestAll_RunsInTiny(t *testing.T) {
	findings, err := lab.Registry{Experiments: All()}.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range findings[0].Data.Groups {
		if k := partOf(g.Cell).must.kind; k == again && verdict(g).Failed() { // no claim of the report: see verdicts
			t.Errorf("not as in earlier runs: %+v", verdict(g))
		}
		for _, r := range g.Rows {
			if r.Count("of") <= 0 || r.Count("count") < 0 {
				t.Errorf("%s, %v: counts %v", g.Series, r.Params, r.Counts)
			}
		}
	}
	for _, f := range findings {
		for _, figure := range f.Figures {
			if err := figure.Check(); err != nil {
				t.Error(err)
			}
		}
		if len(f.Verdicts) == 0 || len(f.Figures) == 0 {
			t.Errorf("%s: %d verdicts, %d pictures", f.Data.Experiment.Name, len(f.Verdicts), len(f.Figures))
		}
	}
}

// TestTrial_EndsWithItsError cancels a trial, and makes one panic.
func TestTrial_EndsWithItsError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	counts, err := loadOf(8, 4, fixed(10), cuckoo.XOR).run(ctx, 1, sizes[lab.Tiny])
	if !errors.Is(err, context.Canceled) || counts != nil {
		t.Errorf("cancelled: %v, %v", counts, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a panic that is no failure of a trial is hidden")
		}
	}()
	trial(func(run) (int, int) { panic("defect") }).run(t.Context(), 1, size{})
}

// TestTimes_CanFail judges made-up times: as they are, and flat ones.
func TestTimes_CanFail(t *testing.T) {
	for flat, want := range map[bool]claims.Status{false: claims.Holds, true: claims.Unexplained} {
		d := lab.MadeUp(t, insertTime(), lab.Setup{Profile: lab.Quick}, func(r lab.Row) []int {
			switch percent := r.Param("to_percent"); {
			case flat:
				return []int{1000, 10_000}
			case percent > 100:
				return []int{200, 2_000_000}
			case percent > 90:
				return []int{1000, 300_000}
			}
			return []int{1000, 8000}
		})
		for _, v := range insertTime().Judge(d) {
			if v.Status != want || v.Failed() {
				t.Errorf("flat %t: %s is %v, failed %t: %s", flat, v.ID, v.Status, v.Failed(), v.Ours)
			}
		}
	}
}

// TestOutcome_FollowsFromTheParts goes through the outcomes.
func TestOutcome_FollowsFromTheParts(t *testing.T) {
	a, b := part{id: "a", said: none, must: exact(0, "")}, part{id: "b", said: none, must: exact(0, "")}
	for want, parts := range map[outcome][]part{isFalse: {a}, isTrue: {b}, conditional: {a, b}, unknown: {{id: "a"}}} {
		s := sentence{id: "s", part: parts}
		d := lab.MadeUp(t, folklore([]sentence{s}), lab.Setup{Profile: lab.Tiny}, func(r lab.Row) []int {
			return []int{map[string]int{"a": 1}[partOf(r.Cell).id], 1}
		})
		if got := s.outcome(d); got != want {
			t.Errorf("%v: %s, want %s", parts, got, want)
		}
	}
}

// TestJavaHash_IsPublished compares with values that Java's documentation fixes by its formula.
func TestJavaHash_IsPublished(t *testing.T) {
	for s, want := range map[string]uint32{"": 0, "Aa": 2112, "BB": 2112, "hello": 99162322, "hello world": 1794106052} {
		if got := javaHash(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

// TestMurmurKey_UndoesTheHash holds that chosen keys have the digests that they are chosen for.
func TestMurmurKey_UndoesTheHash(t *testing.T) {
	h := hashing.Murmur64A(0)
	for i := range uint64(1000) {
		if want := hashing.Mix64(i); h.Sum64Uint64(murmurKey(want)) != want {
			t.Fatalf("the key for %#x has digest %#x", want, h.Sum64Uint64(murmurKey(want)))
		}
	}
}

// TestTable_LosesNothingBelowARefusal holds that the model is a cuckoo filter: under an involution, each key that was
// taken is there.
func TestTable_LosesNothingBelowARefusal(t *testing.T) {
	const m = 1 << 8
	full := func(n int) (*table, int) {
		tab := newTable(m, 7, xorHashed, split(apart).keys(7, m))
		return tab, fill(n, tab.insert)
	}
	tab, n := full(4 * m)
	// The key behind the last one was refused, and what was dropped may be any.
	if found := count(tab.has, 0, n); n < 4*m*9/10 || found < n-1 {
		t.Errorf("%d of %d keys", found, n)
	}
	if again, n := full(n); count(again.has, 0, n) != n {
		t.Errorf("lost before a refusal")
	}
}
