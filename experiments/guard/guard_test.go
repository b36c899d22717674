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
)

// tiny are the counts of one trial, a row of each guard at each step, by their names.
func tiny(t *testing.T) (rows []map[string]int) {
	t.Helper()
	counts, err := measureGuards(t.Context(), run{rows: 1000, queries: 200, absent: 90, seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(guarded().Trial.Counts)
	for part := range slices.Chunk(counts, len(names)) {
		row := map[string]int{}
		for i, name := range names {
			row[name] = part[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// TestGuards_BloomFiltersHaveTheBytesOfTheCuckooFilter looks at those that are not built for fewer rows.
func TestGuards_BloomFiltersHaveTheBytesOfTheCuckooFilter(t *testing.T) {
	bytes := map[string]int{}
	for _, k := range kinds {
		g := guard{kind: k}
		if err := g.empty(1000); err != nil {
			t.Fatal(err)
		}
		bytes[k.name] = g.bytes()
	}
	for _, name := range []string{"stale Bloom", "Bloom and a Set", "Bloom and digests", "Bloom, rebuilt"} {
		if more := bytes[name] - bytes["cuckoo"]; more < 0 || more > 8 {
			t.Errorf("%s has %d bytes, the cuckoo filter %d", name, bytes[name], bytes["cuckoo"])
		}
	}
}

// TestGuards_DenyNothing looks at every guard and step, whose counts the seed decides, and at what the guards let
// through in the end.
func TestGuards_DenyNothing(t *testing.T) {
	rows, again := tiny(t), tiny(t)
	timed := guarded().Trial.Timed
	for i, r := range rows {
		if r["denied"] != 0 {
			t.Errorf("row %d, %s: %d denied", i, kinds[i%len(kinds)].name, r["denied"])
		}
		for name, count := range r {
			if count != again[i][name] && !slices.Contains(strings.Fields(timed), name) {
				t.Errorf("row %d: %s is %d and %d", i, name, count, again[i][name])
			}
		}
	}
	for i, r := range rows[len(rows)-len(kinds):] {
		least, most := 0, 8
		switch kinds[i].name {
		case "nothing":
			least, most = r["absent"], r["absent"]
		case "stale Bloom":
			least, most = 40, r["absent"]
		}
		if r["wasted"] < least || r["wasted"] > most {
			t.Errorf("%s lets %d of %d through", kinds[i].name, r["wasted"], r["absent"])
		}
		if set := r["set_bytes"]; kinds[i].keep != nothing && set < 500*8 || kinds[i].keep == nothing && set != 0 {
			t.Errorf("%s has a set of %d bytes", kinds[i].name, set)
		}
	}
}

// TestStore_IsRemoved looks behind a trial that ends well and one that is cancelled.
func TestStore_IsRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if os.TempDir() != dir {
		t.Skip("the system takes its temporary folder from elsewhere")
	}
	tiny(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measureGuards(ctx, run{rows: 1000, queries: 10, absent: 90}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// good are counts of which every claim holds, in the order of About.Counts.
func good(guard string) []int {
	wasted := map[string]int{"nothing": 900, "stale Bloom": 303 + 3, "cuckoo": 3}[guard]
	gone := map[string]int{"cuckoo": 1}[guard]
	bytes := map[string]int{"counting Bloom": 48_000}[guard]
	set := map[string]int{"Bloom and a Set": 300_000, "Bloom and digests": 60_000}[guard]
	ns := map[string]int{"nothing": 100_000_000, "stale Bloom": 3_000_000}[guard] + 1_000_000
	rebuild := map[string]int{"Bloom, rebuilt": 1_000_000}[guard]
	return []int{10_000, 1000, 900, 300, gone, 100 + wasted, wasted, 0, max(bytes, 13_000), set, ns, 100, 1000, 1000,
		rebuild, rebuild / 10, 1 << 20, 1000}
}

// TestClaims_CanFail damages made-up data, for one claim after the other.
func TestClaims_CanFail(t *testing.T) {
	e := guarded()
	for _, c := range []struct {
		guard, count string
		value        int
		fails        string
	}{
		{"nothing", "queries", 1000, ""},
		{"cuckoo", "denied", 1, "none lost"},
		{"stale Bloom", "ns", 1_500_000, "stale"},
		{"cuckoo", "gone_read", 90, "cuckoo"},
		{"counting Bloom", "table_bytes", 20_000, "counting"},
		{"Bloom and a Set", "set_bytes", 0, "set"},
		{"Bloom and digests", "set_bytes", 0, "digests"},
		{"Bloom, rebuilt", "rebuild_ns", 0, "pauses"},
		{"Bloom, rebuilt", "riding_ns", 0, "riding"},
		{"nothing", "ns", 1_000_000, "time"},
	} {
		d := lab.MadeUp(t, e, lab.Setup{Profile: lab.Quick}, func(r lab.Row) []int {
			counts := good(r.Value("guard").String())
			if r.Value("guard").String() == c.guard {
				counts[slices.Index(strings.Fields(e.Trial.Counts), c.count)] = c.value
			}
			return counts
		})
		for _, v := range e.Judge(d) {
			if (v.Status != claims.Holds) != (v.ID == c.fails) {
				t.Errorf("%+v: %s is %v: ours %s, tolerance %s", c, v.ID, v.Status, v.Ours, v.Tolerance)
			}
		}
	}
}
