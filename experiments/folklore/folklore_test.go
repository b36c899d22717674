package folklore

import (
	"bufio"
	"cmp"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/labtest"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// TestVerdicts_CanFail makes up counts for each part: right ones, of which none fails, and one part that is wrong, which fails alone.
func TestVerdicts_CanFail(t *testing.T) {
	e := folklore()
	parts := map[string]part{}
	name := func(series, id string, x lab.Value) string { return series + ", " + id + x.String() }
	for _, s := range sentences() {
		for _, p := range s.part {
			parts[name(s.id, p.id, p.x)] = p
		}
	}
	for wrong, bad := range parts {
		if bad.must.kind == unruled {
			continue
		}
		d := labtest.Planned(t, e, lab.Quick, func(r lab.Row) []int {
			key := name(r.Series, r.Value("part").String(), r.Value("x"))
			return madeUp(r.Series, parts[key], key == wrong)
		})
		for _, v := range e.Judge(d) {
			if want := v.ID == wrong; v.Failed() != want || v.Status == claims.Undecided {
				t.Errorf("%s is wrong; verdict on %s: %v, ours %s, %s, tolerance %s", wrong, v.ID, v.Status, v.Ours, v.Interval, v.Tolerance)
			}
		}
	}
}

// TestAll_RunsInTiny runs every trial and draws every picture, and looks for parts that measured nothing.
func TestAll_RunsInTiny(t *testing.T) {
	findings, err := lab.Registry{Experiments: All()}.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range findings[0].Data.Groups {
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
			t.Errorf("%s: %d verdicts, %d pictures", f.Data.About.Name, len(f.Verdicts), len(f.Figures))
		}
	}
}

// TestTimes_CanFail judges made-up times: as they are, and flat ones.
func TestTimes_CanFail(t *testing.T) {
	times := func(flat bool) []claims.Verdict {
		return insertTime().Judge(labtest.Planned(t, insertTime(), lab.Quick, func(r lab.Row) []int {
			switch percent := r.Param("to_percent"); {
			case flat:
				return []int{1000, 10_000}
			case percent > 100:
				return []int{200, 2_000_000}
			case percent > 90:
				return []int{1000, 300_000}
			}
			return []int{1000, 8000}
		}))
	}
	for _, v := range times(false) {
		if v.Status != claims.Holds {
			t.Errorf("good times: %s is %v: %s", v.ID, v.Status, v.Ours)
		}
	}
	for _, v := range times(true) {
		if v.Status != claims.Unexplained || v.Failed() {
			t.Errorf("flat times: %s is %v, failed %t", v.ID, v.Status, v.Failed())
		}
	}
}

// madeUp are counts in the middle of what a part must be, or far from it.
func madeUp(sentence string, p part, wrong bool) []int {
	const of = 1 << 22 // times the largest number it is an int of 32 bits
	low, high := p.must.low, p.must.high
	if p.must.kind == again {
		r := references[referenced{sentence, p.id, lab.Quick}]
		x := r.number
		if off := 1.1 * r.allowed(p.unit, sizes[lab.Quick].runs); wrong && x+off < 1 {
			x += off
		} else if wrong {
			x -= off
		}
		return []int{int(math.Round(x * of)), of}
	}
	x := (low + high) / 2
	if wrong {
		x = high*1.5 + .001
		if p.unit == share || p.unit == load {
			x = min(x, 1)
		}
		if x == high || p.unit == share && x == 1 {
			x = low / 2
		}
	}
	return []int{int(math.Round(x * of)), of}
}

// TestOutcome_FollowsFromTheParts goes through the outcomes.
func TestOutcome_FollowsFromTheParts(t *testing.T) {
	about := lab.About{Params: []string{"part", "x"}, Counts: []string{"count", "of"}}
	d := &lab.Data{About: about}
	for id, count := range map[string]int{"a": 1, "b": 0} {
		d.Groups = append(d.Groups, lab.Group{Series: "s", Rows: []lab.Row{{Series: "s", Params: []lab.Value{lab.Word(id), lab.None}, Counts: []int{count, 1}, About: &about}}})
	}
	a, b := part{id: "a", said: none, must: exact(0, "")}, part{id: "b", said: none, must: exact(0, "")}
	for want, parts := range map[outcome][]part{isFalse: {a}, isTrue: {b}, conditional: {a, b}, unknown: {{id: "a"}}} {
		if got := (sentence{id: "s", part: parts}).outcome(d); got != want {
			t.Errorf("%v: %s, want %s", parts, outcomeNames[got].en, outcomeNames[want].en)
		}
	}
}

// TestJavaHash_IsPublished compares with values that Java's documentation fixes by its formula.
func TestJavaHash_IsPublished(t *testing.T) {
	for s, want := range map[string]uint32{"": 0, "a": 97, "Aa": 2112, "BB": 2112, "hello": 99162322, "hello world": 1794106052} {
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

// TestTable_LosesNothingBelowARefusal holds that the model is a cuckoo filter: under an involution, each key that was taken is there.
func TestTable_LosesNothingBelowARefusal(t *testing.T) {
	const m = 1 << 8
	of := digests(7, func(h uint64) place { return apart(h, m) })
	tab := newTable(m, 7, xorHashed(m))
	n := tab.fill(of, 4*m)
	// The key behind the last one was refused, and what was dropped may be any.
	if found := tab.count(of, 0, n); n < 4*m*9/10 || found < n-1 {
		t.Errorf("%d of %d keys", found, n)
	}
	again := newTable(m, 7, xorHashed(m))
	if again.fill(of, n); again.count(of, 0, n) != n {
		t.Errorf("lost before a refusal")
	}
}

// TestJavaPlaces_OfRealNames compares made-up names with those of the file that NEST_DOMAINS names, a domain a line.
func TestJavaPlaces_OfRealNames(t *testing.T) {
	file := os.Getenv("NEST_DOMAINS")
	if file == "" {
		t.Skip("NEST_DOMAINS names no file")
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var real []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		real = append(real, strings.TrimSpace(lines.Text()))
	}
	slices.SortFunc(real, func(a, b string) int {
		return cmp.Compare(hashing.XXH64(0).Sum64String(a), hashing.XXH64(0).Sum64String(b))
	})
	z := size{slots: 1 << 14, probes: len(real) - 1<<14}
	names := func(i uint64) string { return real[i%uint64(len(real))] }
	for what, name := range map[string]func(uint64) string{"real": names, "made up": measure.Domain} {
		yes, probes, err := javaRate(name, stirred)(t.Context(), 0, z)
		taken, slots, _ := javaLoad(name)(t.Context(), 0, z)
		t.Logf("%s: rate %.4f at half load, %d of %d slots at the first refusal, %v", what, float64(yes)/float64(probes), taken, slots, err)
	}
}
