package guard

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/labtest"
)

// tiny are the counts of one trial.
func tiny(t *testing.T) [][]int {
	t.Helper()
	counts, err := measureGuards(t.Context(), 5, size{1000, 200, 1}, 90)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(slices.Chunk(counts, len(guarded().Declare.Counts)))
}

// count is a column of the last rows, one of each guard.
func count(rows [][]int, name string) map[string]int {
	out := map[string]int{}
	at := slices.Index(guarded().Declare.Counts, name)
	for i, k := range kinds {
		out[k.name] = rows[len(rows)-len(kinds)+i][at]
	}
	return out
}

// TestGuards_DenyNothing looks at every guard and step, and at what the guards let through in the end.
func TestGuards_DenyNothing(t *testing.T) {
	rows := tiny(t)
	denied := slices.Index(guarded().Declare.Counts, "denied")
	for i, r := range rows {
		if r[denied] != 0 {
			t.Errorf("row %d, %s: %d denied", i, kinds[i%len(kinds)].name, r[denied])
		}
	}
	wasted, absent := count(rows, "wasted"), count(rows, "absent")
	if wasted["nothing"] != absent["nothing"] {
		t.Errorf("without a guard %d of %d absent keys are read", wasted["nothing"], absent["nothing"])
	}
	for _, name := range []string{"Bloom and a Set", "Bloom, rebuilt", "counting Bloom", "cuckoo", "Scalable"} {
		if wasted[name] > 8 || wasted["stale Bloom"] < 40 {
			t.Errorf("%s lets %d of %d through, the stale one %d", name, wasted[name], absent[name], wasted["stale Bloom"])
		}
	}
	if set := count(rows, "set_bytes"); set["Bloom and a Set"] < 500*16 || set["cuckoo"] != 0 {
		t.Errorf("sets of %v bytes", set)
	}
}

// TestGuards_SeedDecidesTheCounts runs a trial twice.
func TestGuards_SeedDecidesTheCounts(t *testing.T) {
	first, second := tiny(t), tiny(t)
	timed := guarded().Declare.Timed
	for i := range first {
		for j, name := range guarded().Declare.Counts {
			if first[i][j] != second[i][j] && !slices.Contains(timed, name) {
				t.Errorf("row %d: %s is %d and %d", i, name, first[i][j], second[i][j])
			}
		}
	}
}

// TestStore_IsRemovedOrNamed runs a trial that ends well and one that is cancelled.
func TestStore_IsRemovedOrNamed(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if os.TempDir() != dir {
		t.Skip("the system takes its temporary folder from elsewhere")
	}
	tiny(t)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := measureGuards(ctx, 5, size{1000, 10, 1}, 90)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), dir) {
		t.Errorf("cancelled: %v, want the folder in %s", err, dir)
	}
}

// good are counts of which every claim holds.
func good(r lab.Row) []int {
	wasted := map[string]int{"nothing": 900, "stale Bloom": 303 + 3, "cuckoo": 3}[r.Value("guard").String()]
	bytes := map[string]int{"counting Bloom": 48_000, "cuckoo": 13_000, "Bloom and a Set": 12_000}[r.Value("guard").String()]
	set := map[string]int{"Bloom and a Set": 300_000}[r.Value("guard").String()]
	ns := map[string]int{"nothing": 100_000_000}[r.Value("guard").String()] + 1_000_000
	return []int{10_000, 1000, 900, 100 + wasted, wasted, 0, bytes, set, ns, 100, 1000, 1000, map[string]int{"Bloom, rebuilt": 1_000_000}[r.Value("guard").String()], 1 << 20, 1000}
}

// TestClaims_CanFail damages made-up data, for one claim after the other.
func TestClaims_CanFail(t *testing.T) {
	e := guarded()
	damage := func(guard string, column int, value int) func(lab.Row, []int) {
		return func(r lab.Row, counts []int) {
			if r.Value("guard").String() == guard {
				counts[column] = value
			}
		}
	}
	for name, c := range map[string]struct {
		damage func(lab.Row, []int)
		id     string
	}{
		"good":             {func(lab.Row, []int) {}, ""},
		"denied":           {damage("cuckoo", 5, 1), "none lost"},
		"not stale":        {damage("stale Bloom", 4, 9), "stale"},
		"cuckoo leaks":     {damage("cuckoo", 4, 90), "cuckoo"},
		"small counters":   {damage("counting Bloom", 6, 20_000), "counting"},
		"small set":        {damage("Bloom and a Set", 7, 0), "set"},
		"no pause":         {damage("Bloom, rebuilt", 12, 0), "pauses"},
		"fast store":       {damage("nothing", 8, 1_000_000), "time"},
		"nothing measured": {damage("nothing", 1, 1000), ""},
	} {
		d := labtest.Planned(t, e, lab.Quick, func(r lab.Row) []int {
			counts := good(r)
			c.damage(r, counts)
			return counts
		})
		for _, v := range e.Judge(d) {
			if want := v.ID == c.id; (v.Status != claims.Holds) != want {
				t.Errorf("%s: %s: %v: ours %s, tolerance %s", name, v.ID, v.Status, v.Ours, v.Tolerance)
			}
		}
	}
}

// TestAll_RunsInTiny runs the experiment and checks its pictures and its table.
func TestAll_RunsInTiny(t *testing.T) {
	findings, err := lab.Registry{Experiments: All()}.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, figure := range findings[0].Figures {
		if err := figure.Check(); err != nil {
			t.Error(err)
		}
	}
	if rows := findings[0].Shown.Rows; len(rows) != len(kinds) {
		t.Errorf("%d rows for %d guards", len(rows), len(kinds))
	}
}
