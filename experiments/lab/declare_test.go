package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
)

// declared counts a thing of two axes, one of them of the profile; the second block skips a cell.
func declared() *Experiment {
	return &Experiment{
		Name: "d", Title: "T", Claim: "C", Method: "M", Params: "b slots",
		Grid: Grid{
			{Series: "b = {b}", Trials: Times(1, 2, 3), Axes: []Axis{Over("b", Join(Ints(2), Range(3, 4))),
				Over("e", By(Ints(4), Ints(5), Ints(6))), Over("slots", From(func(c Cell) Value { return Int(c.Int("b") << c.Int("e")) }))}},
			{Series: "{filter}", Trials: Times(1, 1, 1), Axes: []Axis{Over("filter", Join(List(Named("mine", 7)), OwnFilters)), Over("slots", Shares(.5, 1))},
				Only: func(c Cell) bool { return c.Float("slots") < 1 }},
		},
		Trial: Trial{Counts: "stored all", Run: func(_ context.Context, c Cell, seed uint64) ([]int, error) {
			return []int{c.Int("slots") / 2, c.Int("slots")}, nil
		}},
		Columns: []Column{{Name: "load", Of: Div("stored", "all")}},
		Plots: []Plot{{Title: "2^{{e}} and {series}", Panels: []Panel{{Each: "b", Title: "at {b}", At: At("slots"), Of: Mean("load"),
			Only: func(g Group) bool { return g.Cell.Has("b") }, X: chart.Axis{Label: "x"}, Y: chart.Axis{Label: "y"}}}}},
		Claims: []Rule{
			Claim{Claim: claims.Claim{ID: "half {b}", Says: "{series}", Paper: "-"}, Each: In("b"), Where: In("e", "4"),
				Of:    func(gs []Group) claims.Estimate { return claims.Exactly(Sample("load", gs...).Mean) },
				Holds: Within(.5, .5, "it is")}.Rule,
			Once(claims.Claim{ID: "large", Paper: "-"}, Quick, func(d *Data, c claims.Claim) claims.Verdict { return c.NotMeasured("never") }),
		},
	}
}

func TestExperiment_IsLaidOutDrawnAndJudged(t *testing.T) {
	findings, err := Registry{Experiments: []*Experiment{declared()}}.Run(t.Context(), Options{Profile: Tiny, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := findings[0]
	var rows []string
	for _, g := range f.Data.Groups {
		rows = append(rows, fmt.Sprint(g.Series, g.Rows[0].Params, len(g.Rows)))
	}
	if want := []string{"b = 2[2 32] 1", "b = 3[3 48] 1", "b = 4[4 64] 1", "mine[ 0.5] 1"}; !slices.Equal(rows, want) {
		t.Errorf("laid out as %v, want %v", rows, want)
	}
	if p := f.Figures[0]; p.Title != "2^{4} and b = 2" || len(p.Panels) != 3 || p.Panels[1].Title != "at 3" || p.Panels[1].Series[0].Points[0] != (chart.Point{X: 48, Y: .5}) {
		t.Errorf("drawn %+v", p)
	}
	var verdicts []string
	for _, v := range f.Verdicts {
		verdicts = append(verdicts, v.ID+" "+v.Says+" "+v.Status.String())
	}
	if want := []string{"half 2 b = 2 holds", "half 3 b = 3 holds", "half 4 b = 4 holds", "large  not measured"}; !slices.Equal(verdicts, want) {
		t.Errorf("judged %v, want %v", verdicts, want)
	}
}

func TestExperiment_RefusesPartsWithTakenNames(t *testing.T) {
	own := Filter{Name: "mine", Settings: []Setting{{Bits: 1, OneIn: 1, New: func(int, uint64) (Instance, error) { return nil, nil }}}}
	d := declared()
	d.Grid[1].Axes[1].Of = OwnSettings // other parameters, so that no two cells are the same
	d.Grid[1].Axes = append(d.Grid[1].Axes[:1], Over("slots", From(func(c Cell) Value { return Int(1 + len(c.Setup.Own.Filters)*c.Int("filter")) })))
	d.Grid[1].Only = nil
	_, _, err := Registry{Experiments: []*Experiment{d}, Parts: Parts{Filters: []Filter{own}}}.plan(Options{Profile: Tiny})
	if !errors.Is(err, ErrRegistry) {
		t.Errorf("a filter with the name of a series: %v", err)
	}
}

// Timed trials take turns, beginning with another in each round, and share a bed that is made once and ended behind the
// last one.
func TestExperiment_TimedTrialsTakeTurnsOnABed(t *testing.T) {
	var log []string
	e := &Experiment{
		Name: "t", Title: "T", Claim: "C", Method: "M", Params: "", Timed: "",
		Grid: Grid{{Series: "{who}", Trials: Times(3, 3, 3), Axes: []Axis{Over("who", Words("a", "b", "c"))}}},
		Trial: Trial{Counts: "ns", Timed: "ns",
			Steps: []Axis{},
			Key:   func(Cell) string { return "one key" },
			Bed: func(c Cell) (string, func(context.Context) (any, func(), error)) {
				return "bed", func(context.Context) (any, func(), error) {
					log = append(log, "made")
					return "sheet", func() { log = append(log, "ended") }, nil
				}
			},
			Run: func(_ context.Context, c Cell, _ uint64) ([]int, error) {
				log = append(log, c.Text("who")+" on "+c.Bed.(string))
				return []int{1}, nil
			},
		},
	}
	findings, err := Registry{Experiments: []*Experiment{e}}.Run(t.Context(), Options{Profile: Tiny, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(strings.Join(log, " "), " on sheet", ""); got != "made a b c b c a c a b ended" {
		t.Errorf("order: %s", got)
	}
	if rows := findings[0].Data.Groups; rows[0].Rows[1].Seed != rows[2].Rows[1].Seed || rows[0].Rows[0].Seed == rows[0].Rows[1].Seed {
		t.Error("trials of one key and number have no common seed")
	}
}
