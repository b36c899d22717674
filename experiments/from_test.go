package experiments

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/report"
)

// TestRun_TakesTrialsOfAReport runs fig3 from a report whose table lacks some rows, and one of which is of another
// seed, and once more with the store of that run: the manifest says which program, or one of which, counted how many.
func TestRun_TakesTrialsOfAReport(t *testing.T) {
	g := must.Get(Default().Only("fig3"))(t)
	o := lab.Options{Profile: lab.Tiny, Seed: 1}
	whole := tinyOf(t, "fig3").Data.Table()
	table := report.Table{Columns: whole.Columns, Rows: slices.Clone(whole.Rows)}
	table.Rows = slices.Delete(table.Rows, 3, 5)
	other := slices.Clone(table.Rows[0])
	other[slices.Index(table.Columns, "seed")] = "0x0000000000000001"
	table.Rows[0] = other
	o.From = &lab.Raw{
		Manifest: &report.Manifest{Machine: report.ThisMachine(), Module: report.Module{Version: "v1"}}, Tables: map[string]report.Table{"fig3": table},
	}
	if e, err := g.Estimate(o); err != nil || e.Kept != len(whole.Rows)-3 {
		t.Fatalf("%+v, %v: want %d kept of %d", e, err, len(whole.Rows)-3, len(whole.Rows))
	}
	store, machine := filepath.Join(t.TempDir(), "store"), report.ThisMachine().String()
	want := []report.Origin{
		{Trials: 3, Module: report.ThisModule().String(), Machine: machine},
		{Trials: len(whole.Rows) - 3, Module: o.From.Manifest.Module.String(), Machine: machine},
	}
	for sitting := range 2 {
		o.Store = must.Get(lab.OpenJournal(store, o))(t)
		findings, err := g.Run(context.Background(), o)
		if err = errors.Join(err, o.Store.Close()); err != nil || !slices.EqualFunc(findings[0].Data.Table().Rows, whole.Rows, slices.Equal) {
			t.Errorf("%v: other rows than those of a whole run", err)
		}
		if got := lab.NewReport(findings, o, nil).Origins["fig3"]; !slices.Equal(got, want) {
			t.Errorf("sitting %d: counted by %+v, want %+v", sitting, got, want)
		}
		o.From.Manifest.Origins = map[string][]report.Origin{"fig3": {want[1], {Module: "v2", Machine: machine}}}
		want[1].Module, want[1].Machine = want[1].Module+" or v2", machine+" or "+machine
	}
	o.Store = nil
	o.From.Manifest.Settings = map[string]string{"revision of fig3": "1"}
	if e, err := g.Estimate(o); err != nil || e.Kept != 0 {
		t.Errorf("of another revision: %+v, %v", e, err)
	}
	o.From.Manifest.Settings = nil
	o.From.Tables["fig3"] = report.Table{Columns: append(slices.Clone(table.Columns[:1]), table.Columns...), Rows: table.Rows}
	if e, err := g.Estimate(o); err != nil || e.Kept != 0 {
		t.Errorf("of other columns: %+v, %v", e, err)
	}
	damaged := slices.Clone(whole.Rows[1])
	damaged[slices.Index(whole.Columns, "stored")] = "many"
	o.From.Tables["fig3"] = report.Table{Columns: whole.Columns, Rows: [][]string{damaged}}
	if _, err := g.Run(context.Background(), o); err == nil {
		t.Error("a count that is no number is taken")
	}
}
