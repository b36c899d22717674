package experiments

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/report"
)

// Golden files: the same bytes on every machine, for good. A change of them is a change of published numbers and goes
// into the changelog.
func TestGolden_TinyCSV(t *testing.T) {
	for _, f := range tiny(t) {
		table := seeded(f.Data.Table())
		got := must.Get(table.CSV())(t)
		name := filepath.Join("testdata", "tiny-seed1-"+f.Data.Experiment.Name+".csv")
		if *update {
			must.Do(t, os.WriteFile(name, got, 0o644))
		}
		want := must.Get(os.ReadFile(name))(t)
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from what was published: first line that does: %s", name, firstDifference(got, want))
		}
	}
}

// seeded returns a table without the columns that the machine decides.
func seeded(t report.Table) report.Table {
	keep := func(cells []string) (out []string) {
		for i, c := range cells {
			if !slices.Contains(t.Timed, t.Columns[i]) {
				out = append(out, c)
			}
		}
		return out
	}
	out := report.Table{Columns: keep(t.Columns)}
	for _, row := range t.Rows {
		out.Rows = append(out.Rows, keep(row))
	}
	return out
}

func firstDifference(got, want []byte) string {
	g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range min(len(g), len(w)) {
		if !bytes.Equal(g[i], w[i]) {
			return string(g[i]) + ", want " + string(w[i])
		}
	}
	return "one is longer"
}

// The seed of a trial decides every published number, so it has golden values of its own.
func TestTrialSeed_Golden(t *testing.T) {
	seedOf := func(seed uint64, trial int, b, f string) uint64 {
		e := fake("fig2", cell("m = 2^15", 2, one))
		e.Params = "b f"
		e.Grid[0].Axes = []lab.Axis{lab.Over("b", lab.Words(b)), lab.Over("f", lab.Words(f))}
		findings := must.Get(lab.Registry{Experiments: []*lab.Experiment{e}}.Run(t.Context(), lab.Options{Seed: seed}))(t)
		return findings[0].Data.Groups[0].Rows[trial].Seed
	}
	seen := map[uint64]bool{}
	for _, c := range []struct {
		seed  uint64
		trial int
		want  uint64
	}{{1, 0, goldenSeeds[0]}, {1, 1, goldenSeeds[1]}, {2, 0, goldenSeeds[2]}} {
		got := seedOf(c.seed, c.trial, "4", "12")
		if got != c.want || seen[got] {
			t.Errorf("seed %d, trial %d: %#x, want %#x", c.seed, c.trial, got, c.want)
		}
		seen[got] = true
	}
	if seedOf(1, 0, "41", "2") == goldenSeeds[0] {
		t.Error("parameters run into each other")
	}
}

var goldenSeeds = [...]uint64{0x5fb9b63f03f72e69, 0xf20ff7e1d6685d17, 0xcc80f3be6b388303}
