package experiments

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/panels"
	"github.com/nestfilter/nest/hashing"
)

// drawn are the names in a picture: of lines, and of categories.
func drawn(f *chart.Figure) (names []string) {
	for _, p := range f.Panels {
		for _, s := range p.Series {
			if len(s.Points) > 0 {
				names = append(names, s.Label)
			}
		}
		for _, tick := range p.Y.Ticks {
			names = append(names, tick.Label)
		}
	}
	return names
}

// TestPanels_DrawEverySeries looks for each measured series in the pictures of the tiny profile.
func TestPanels_DrawEverySeries(t *testing.T) {
	for _, f := range tiny(t) {
		if !slices.ContainsFunc(panels.All(), func(e *lab.Experiment) bool { return e.Name == f.Data.Experiment.Name }) ||
			slices.Contains([]string{"policies", "copies", "log-reads"}, f.Data.Experiment.Name) {
			continue // they draw a part of their combinations, have a table, or draw several numbers of one series
		}
		labels := drawn(f.Figures[0])
		for _, series := range f.Data.Series() {
			if !slices.Contains(labels, series) {
				t.Errorf("%s: %q is not in the picture", f.Data.Experiment.Name, series)
			}
		}
	}
}

func TestRegister_TakesEveryPart(t *testing.T) {
	var g lab.Registry
	own := lab.Policy{Name: "p", Kick: cuckoo.RandomWalk}
	must.Do(t, g.Register(own, hashing.XXH64(3), fake("x"), lab.Filter{Name: "f", Settings: []lab.Setting{{OneIn: 1, New: func(int, uint64) (lab.Instance, error) { return nil, nil }}}}))
	if len(g.Policies) != 1 || len(g.Families) != 1 || len(g.Experiments) != 1 || len(g.Filters) != 1 {
		t.Errorf("registered: %+v", g)
	}
	for want, part := range map[string]any{"part 0 is a int": 1, "there twice": own, "Kick is nil": lab.Policy{Name: "q"}} {
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
	g := lab.Registry{Experiments: panels.All()}
	held := func(int, uint64) (lab.Instance, error) {
		set := map[uint64]bool{}
		return lab.Adapt(func(h uint64) error { set[h] = true; return nil }, func(h uint64) bool { return set[h] }, 1<<16), nil
	}
	err := g.Register(hashing.Metro64(5), lab.Policy{Name: "mine", Kick: cuckoo.RoundRobin},
		lab.Filter{Name: "set", Settings: []lab.Setting{{Bits: 64, OneIn: 1, New: held}}})
	if err != nil {
		t.Fatal(err)
	}
	findings := must.Get(g.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 1, Workers: 2}))(t)
	for _, f := range findings {
		name := f.Data.Experiment.Name
		own := map[string]string{"space-by-n": "set", "overload": "set", "hash-cost": hashing.Metro64(5).Recipe()}[name]
		switch name {
		case "insert-cost":
			if own = "mine"; f.Data.Select(own)[5].Sum("examined") == 0 {
				t.Error("no buckets that an own policy examined are counted")
			}
		case "bucket-size", "copies", "policies":
			own = "mine, additive"
		case "growth", "hash-seeds", "log-reads", "windows", "forgetting":
			continue // take no parts
		}
		if len(f.Data.Select(own)) == 0 {
			t.Errorf("%s: no results of %q", name, own)
		}
		if name != "copies" && !slices.Contains(drawn(f.Figures[0]), own) && name != "policies" ||
			name == "policies" && !slices.Contains(drawn(f.Figures[0]), "mine") {
			t.Errorf("%s: %q is not in the picture", name, own)
		}
	}
}

// TestHashCost_TimesASecretSeedOnly looks for anything that another process would count otherwise.
func TestHashCost_TimesASecretSeedOnly(t *testing.T) {
	f := tinyOf(t, "hash-cost")
	name := hashing.MapHash().Name()
	groups := f.Data.Select(name)
	if len(groups) < 2 {
		t.Fatalf("%d lengths of keys, want several", len(groups))
	}
	for _, g := range groups {
		for _, r := range g.Rows {
			if r.Count("hashed") == 0 || r.Count("ns") == 0 || slices.ContainsFunc(r.Counts[2:], func(n int) bool { return n != 0 }) {
				t.Errorf("%s, %d bytes: counts %v, want two and then zeros", name, g.Param("key_bytes"), r.Counts)
			}
		}
	}
	at := -float64(slices.Index(f.Data.Series(), name))
	for _, p := range f.Figures[0].Panels[1].Series[0].Points {
		if p.Y == at {
			t.Errorf("%s has a rate in the picture", name)
		}
	}
}
