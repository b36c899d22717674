package experiments

import (
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/paper"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// exact is an Instance of batches alone: a set, which takes so many digests.
type exact struct {
	set  map[uint64]bool
	most int
}

func (e *exact) InsertHashes(hs []uint64) (int, error) {
	for i, h := range hs {
		if len(e.set) == e.most {
			return i, cuckoo.ErrFull
		}
		e.set[h] = true
	}
	return len(hs), nil
}

func (e *exact) ContainsHashes(hs []uint64, dst []bool) {
	for i, h := range hs {
		dst[i] = e.set[h]
	}
}

func (e *exact) SizeBytes() int { return 12 * len(e.set) }

// ownFilter is a filter of one's own with one setting.
func ownFilter(name string, empty func(n int, seed uint64) (lab.Instance, error)) lab.Filter {
	return lab.Filter{Name: name, Settings: []lab.Setting{{Bits: 12, OneIn: 512, New: empty}}}
}

// ownCuckoo is a cuckoo filter as one's own, which has all verbs.
func ownCuckoo(name string) lab.Filter {
	return ownFilter(name, func(n int, seed uint64) (lab.Instance, error) {
		return cuckoo.New[fingerprint.Bits12](cuckoo.Config{Capacity: n, Placement: cuckoo.XOR, Seed: seed})
	})
}

// ownExact is a set as one's own, which is full at a share of the keys.
func ownExact(name string, permille int) lab.Filter {
	return ownFilter(name, func(n int, _ uint64) (lab.Instance, error) {
		return &exact{map[uint64]bool{}, n * permille / 1000}, nil
	})
}

// ownFindings runs Table 3 and figures 5 to 8 with filters of one's own.
func ownFindings(t *testing.T, filters ...lab.Filter) map[string]lab.Finding {
	t.Helper()
	g := must.Get(Default().Only("table3", "fig5", "fig6", "fig7", "fig8"))(t)
	for _, f := range filters {
		must.Do(t, g.Register(f))
	}
	findings := must.Get(g.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 1}))(t)
	out := map[string]lab.Finding{}
	for _, f := range findings {
		out[f.Data.Experiment.Name] = f
	}
	return out
}

// A filter of one's own is a further line, or panel, wherever the paper's filters are, and in figure 8 if it deletes.
func TestOwn_IsMeasuredBesideTheOthers(t *testing.T) {
	all, keys := ownFindings(t, ownCuckoo("mine"), ownExact("exact", 1000)), keysOfTiny(t)
	for name, f := range all {
		for _, own := range []string{"mine", "exact"} {
			groups := f.Data.Select(own)
			if deletes := own == "mine"; name == "fig8" && !deletes {
				if len(groups) > 0 || !strings.Contains(f.Figures[0].Caption, own+" has no verb that deletes") {
					t.Errorf("%s has %s, which cannot delete: %s", name, own, f.Figures[0].Caption)
				}
				continue
			}
			if len(groups) == 0 || !drawnIn(f.Figures[0], own) || !strings.Contains(f.Figures[0].Caption, own+" is a filter of one's own, made for") {
				t.Errorf("%s: %d groups of %s, drawn %t, caption %q", name, len(groups), own, drawnIn(f.Figures[0], own), f.Figures[0].Caption)
			}
		}
		for _, v := range f.Verdicts {
			if v.Failed() || strings.HasPrefix(v.Says, "mine") {
				t.Errorf("%s: verdict %+v", name, v)
			}
		}
	}
	for _, g := range all["table3"].Data.Groups {
		own := g.Series == "mine" || g.Series == "exact"
		if own && (g.Rows[0].Count("items") != keys || g.Sum("lost") > 0 || g.Rows[0].Count("size_bytes") == 0) {
			t.Errorf("%s: %+v, made for %d keys", g.Series, g.Rows[0], keys)
		}
		derived := all["table3"].Data.Experiment.Columns
		predicted := derived[slices.IndexFunc(derived, func(d lab.Column) bool { return d.Name == "predicted_rate" })].Of(g.Rows[0])
		if math.IsNaN(predicted) != own {
			t.Errorf("%s: predicted rate %v", g.Series, predicted)
		}
	}
	if n := all["table3"].Data.Select("exact")[0].Sum("false_positives"); n != 0 {
		t.Errorf("the exact set has %d false positives", n)
	}
	if c := all["fig5"].Figures[0].Caption; strings.Count(c, "slices of one") != 1 {
		t.Errorf("of exact alone it is to be said that it gets slices of one: %s", c)
	}
	emptied := all["fig8"].Data.Select("mine")
	if n := slices.IndexFunc(emptied, func(g lab.Group) bool { return g.Rows[0].Count("before") != g.Rows[0].Count("deletes") }); len(emptied) != 20 || n < 0 {
		t.Errorf("figure 8: %d steps of mine", len(emptied))
	}
}

// keysOfTiny is how many keys a filter of one's own is made for in profile tiny.
func keysOfTiny(t *testing.T) int {
	t.Helper()
	n, err := catalogue.MostKeys(1 << catalogue.LifeSizes[lab.Tiny].Q)
	if err != nil || n < 1<<10 {
		t.Fatal(n, err)
	}
	return n
}

// drawnIn tells whether a series of that name has a point in each panel.
func drawnIn(f *chart.Figure, series string) bool {
	small := f.Columns > 0 // a panel for each filter
	for _, p := range f.Panels {
		i := slices.IndexFunc(p.Series, func(s chart.Series) bool { return s.Label == series || small && p.Title == series })
		if drawn := i >= 0 && len(p.Series[i].Points) > 0; drawn == small {
			return drawn
		}
	}
	return !small
}

// One that refuses keys long before has its measurements up to there.
func TestOwn_RefusesEarly(t *testing.T) {
	all, keys := ownFindings(t, ownExact("half", 510)), keysOfTiny(t)
	full := keys * 510 / 1000
	if g := all["table3"].Data.Select("half")[0]; g.Rows[1].Count("items") != full {
		t.Errorf("Table 3: %+v, want %d items", g.Rows, full)
	}
	for name, count := range map[string]string{"fig5": "lookups", "fig6": "lookups", "fig7": "inserts"} {
		groups := measure.Done(all[name].Data.Select("half"), count)
		want := map[string]int{"fig5": 2 * 5, "fig6": 2 * 10, "fig7": 11}[name] // stops at 2.5% to 47.5%, windows to 55%
		if len(groups) != want {
			t.Errorf("%s: %d groups, want %d", name, len(groups), want)
		}
	}
}

// A run with filters of one's own does not measure the others otherwise, nor plan otherwise.
func TestOwn_LeavesThePlanOfTheOthers(t *testing.T) {
	own := lab.Parts{Filters: []lab.Filter{ownCuckoo("mine")}}
	for _, e := range []*lab.Experiment{paper.SpaceAndSpeed(), paper.LookupByShare(), paper.LookupByOccupancy(), paper.InsertByOccupancy(), paper.DeleteByOccupancy()} {
		for _, p := range lab.Profiles() {
			alone := lab.MadeUp(t, e, lab.Setup{Profile: p}, ones)
			with := lab.MadeUp(t, e, lab.Setup{Profile: p, Own: own}, ones)
			mine := len(with.Select("mine"))
			if mine == 0 || len(with.Groups) != len(alone.Groups)+mine {
				t.Fatalf("%s, %s: %d groups, %d with a filter of one's own, %d of it", e.Name, p, len(alone.Groups), len(with.Groups), mine)
			}
			for i, g := range alone.Groups {
				if h := with.Groups[i]; g.Series != h.Series || !reflect.DeepEqual(seedsOf(g), seedsOf(h)) {
					t.Errorf("%s, %s: group %d is %+v, alone %+v", e.Name, p, i, h, g)
				}
			}
		}
	}
}

// seedsOf are the parameters and seeds of a group.
func seedsOf(g lab.Group) (out []any) {
	for _, r := range g.Rows {
		out = append(out, r.Params, r.Seed)
	}
	return out
}

// What goes wrong in a part of one's own is an error that names it, and the store has what was measured by then.
func TestOwn_ErrorsNameTheFilter(t *testing.T) {
	nothing := func(int, uint64) (lab.Instance, error) { return nil, nil }
	boom := errors.New("boom")
	failing := func(int, uint64) (lab.Instance, error) { return nil, boom }
	bad := func(insert func(uint64) error, contains func(uint64) bool) func(int, uint64) (lab.Instance, error) {
		return func(int, uint64) (lab.Instance, error) { return lab.Adapt(insert, contains, 1), nil }
	}
	yes, fine := func(uint64) bool { return true }, func(uint64) error { return nil }
	for _, c := range []struct {
		figure, want string
		empty        func(int, uint64) (lab.Instance, error)
		is           error
	}{
		{"fig3", `filter "own", setting 0, 2048 keys: its New returned neither`, nothing, nil},
		{"fig5", `filter "own", setting 0, 1024 keys: its New returned neither`, nothing, nil},
		{"fig4", `filter "own", setting 0, 2048 keys: boom`, failing, boom},
		{"fig3", "fig3, own, trial ", func(int, uint64) (lab.Instance, error) { panic("at the disco") }, lab.ErrPanic},
		{"table3", "panic: at the disco", func(int, uint64) (lab.Instance, error) { panic("at the disco") }, lab.ErrPanic},
		{"fig3", "fig3, own, trial ", bad(func(uint64) error { panic("full") }, yes), lab.ErrPanic},
		{"fig6", "fig6, own, trial ", bad(fine, func(uint64) bool { panic("lost") }), lab.ErrPanic},
		{"table3", "table3, own, trial ", bad(fine, func(uint64) bool { panic("lost") }), lab.ErrPanic},
		{"fig7", "boom", bad(func(uint64) error { return boom }, yes), boom},
		{"fig5", catalogue.ErrEmpty.Error(), bad(func(uint64) error { return cuckoo.ErrFull }, yes), catalogue.ErrEmpty},
		{"fig3", "took 3 of 1024", func(int, uint64) (lab.Instance, error) { return lazy{}, nil }, nil},
	} {
		g := must.Get(Default().Only(c.figure))(t)
		must.Do(t, g.Register(ownFilter("own", c.empty)))
		_, err := g.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v, want %q", c.figure, err, c.want)
		}
		if errors.Is(c.is, lab.ErrPanic) && !strings.Contains(err.Error(), "own_test.go") {
			t.Errorf("%s: no place in the code in %v", c.figure, err)
		}
	}
}

// lazy takes three digests of a batch and says nothing.
type lazy struct{ *exact }

func (lazy) InsertHashes([]uint64) (int, error) { return 3, nil }

// A run that a part of one's own has ended goes on from the trials that ended before.
func TestOwn_PanicKeepsTrials(t *testing.T) {
	g := must.Get(Default().Only("fig3"))(t)
	armed := true
	if err := g.Register(ownFilter("own", func(n int, seed uint64) (lab.Instance, error) {
		if armed {
			panic("at the end")
		}
		return ownExact("own", 1000).Settings[0].New(n, seed)
	})); err != nil {
		t.Fatal(err)
	}
	o := lab.Options{Profile: lab.Tiny, Seed: 1, Workers: 1}
	dir := filepath.Join(t.TempDir(), "j")
	o.Store = openKept(t, dir, o)
	_, err := g.Run(t.Context(), o)
	kept := o.Store.Len()
	if err := o.Store.Close(); err != nil || kept == 0 {
		t.Fatal(kept, err)
	}
	if !errors.Is(err, lab.ErrPanic) {
		t.Fatal(err)
	}
	armed = false
	o.Store = openKept(t, dir, o)
	e, err := g.Estimate(o)
	if err != nil || e.Kept != kept {
		t.Errorf("%+v, %v, want %d kept", e, err, kept)
	}
	_, err = g.Run(t.Context(), o)
	if err := errors.Join(err, o.Store.Close()); err != nil {
		t.Error(err)
	}
}

// A family over a filter: what went in is found, one by one and in batches, under other digests than those given.
func TestUnderHash_HasTheVerbsOfItsFilter(t *testing.T) {
	f := must.Get(cuckoo.New[fingerprint.Bits12](cuckoo.Config{Capacity: 1000}))(t)
	type full interface {
		lab.Instance
		lab.Single
		lab.Deleter
	}
	own, ok := lab.UnderHash(hashing.Metro64(3), f).(full)
	if !ok {
		t.Fatal("the filter lost a verb")
	}
	hs := make([]uint64, 300)
	(&measure.Stream{Next: 1}).Fill(hs)
	if n, err := own.InsertHashes(hs[:200]); n != 200 || err != nil {
		t.Fatal(n, err)
	}
	dst := make([]bool, len(hs))
	own.ContainsHashes(hs, dst)
	direct := 0
	for i, h := range hs {
		if i >= 200 {
			must.Do(t, own.InsertHash(h))
		} else if !dst[i] {
			t.Errorf("digest %d is lost in a batch", i)
		}
		if f.ContainsHash(h) {
			direct++
		}
	}
	if direct > 20 || f.Len() != 300 || own.SizeBytes() != f.SizeBytes() {
		t.Errorf("%d of the digests are in the filter themselves, which has %d", direct, f.Len())
	}
	for i, h := range hs {
		if !own.ContainsHash(h) || !own.DeleteHash(h) {
			t.Errorf("digest %d is lost", i)
		}
	}
	if f.Len() != 0 {
		t.Errorf("%d digests are left", f.Len())
	}
	if _, ok := lab.UnderHash(hashing.Metro64(3), lab.Adapt(nil, nil, 0)).(lab.Deleter); ok {
		t.Error("an adapted filter got a verb")
	}
}

// What would break a run, or its report, later is refused at once, with the names of both sides.
func TestRegistry_CheckFindsCollisions(t *testing.T) {
	filter := func(name string) lab.Filter { return ownCuckoo(name) }
	policy := func(name string) lab.Policy {
		return lab.Policy{Name: name, Kick: cuckoo.RandomWalk}
	}
	column := func(edit func(*lab.Experiment)) *lab.Experiment {
		e := fake("own")
		edit(e)
		return e
	}
	for _, c := range []struct {
		own  any
		want string // "" is none
	}{
		{filter("mine"), ""},
		{filter("b = 4"), `filter "b = 4": fig3 has a series "b = 4" already`},
		{filter("Bloom"), `filter "Bloom": charts have that name`},
		{filter("blocked Bloom"), "charts have that name"},
		{filter("CF"), "charts have that name"},
		{filter("CF breadth-first"), "charts have that name"},
		{filter("cuckoo"), "charts have that name"},
		{filter("bloom"), `space-by-n has a series "bloom" already`},
		{filter("cuckoo, xor"), `filter "cuckoo, xor": space-by-n has a series`},
		{filter("paper, CF"), "the paper's points"},
		{policy("mine"), ""},
		{policy("breadth-first"), `policy "breadth-first", recipe random-walk: fig2 has a series "breadth-first" already`},
		{policy("m = 2^15"), `policy "m = 2^15": charts have that name`},
		{policy("random-walk"), `has a series "random-walk, xor" already`},
		{policy("round-robin"), `insert-cost has a series "round-robin" already`},
		{hashing.Metro64(7), ""},
		{named("xxh64"), `hash family "xxh64": hash-cost has a series "xxh64" already`},
		{named("mix64"), `hash-cost has a series "mix64" already`},
		{fake("own"), ""},
		{fake("verdicts"), "the files of the report's verdicts have that name"},
		{fake("Fig2"), `experiments "fig2" and "Fig2": files of one may have the names`},
		{fake("fig2-plateau"), `experiments "fig2" and "fig2-plateau"`},
		{fake("space"), `experiments "space-by-n" and "space"`},
		{fake("a/b"), `experiment "a/b": its name is that of its files`},
		{column(func(e *lab.Experiment) { e.Timed = "ns" }), `timed column "ns" is none of its counts and derived columns: n`},
		{column(func(e *lab.Experiment) { e.Timed = "p" }), `timed column "p"`},
		{column(func(e *lab.Experiment) { e.Timed = "n" }), ""},
		{column(func(e *lab.Experiment) { e.Trial.Counts = "n seed" }), `count "seed"`},
		{column(func(e *lab.Experiment) { e.Columns = []lab.Column{{Name: "n"}} }), `derived column "n": Of is nil`},
	} {
		g := Default()
		err := g.Register(c.own)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, lab.ErrRegistry) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%T: %v, want %q", c.own, err, c.want)
		}
	}
	g := Default()
	err := g.Register(named("multiply"), filter("b = 4, multiply"))
	if want := `hash family "multiply" and filter "b = 4, multiply": both would be the series "b = 4, multiply" of fig3`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// named is a hash family of one's own of any name.
type named string

func (n named) Name() string { return string(n) }

func (n named) Recipe() string { return string(n) }

func (named) Sum64(key []byte) uint64 { return hashing.XXH64(1).Sum64(key) }

func (named) Sum64String(key string) uint64 { return hashing.XXH64(1).Sum64String(key) }

func (named) Sum64Uint64(key uint64) uint64 { return hashing.XXH64(1).Sum64Uint64(key) }

// Registry.Check relies on it: the files of an experiment begin with its name.
func TestRegistry_PicturesHaveTheNameOfTheirExperiment(t *testing.T) {
	for _, f := range tiny(t) {
		name := f.Data.Experiment.Name
		for _, picture := range f.Figures {
			if picture.Name != name && !strings.HasPrefix(picture.Name, name+"-") {
				t.Errorf("%s has a picture %s", name, picture.Name)
			}
		}
	}
}
