package catalogue_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/advice"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/paper"
	"github.com/nestfilter/nest/experiments/speed"
	"github.com/nestfilter/nest/hashing"
)

// One entry is all that a filter needs to be in the figures, nest bench, nest bench --keys, the map of winners and nest
// size.
func TestList_OneEntryIsEverywhere(t *testing.T) {
	catalogue.Register(t, "CF", "mine", "my filter", catalogue.Kind{
		Name: "my kind", Spec: nest.Spec{Kind: nest.Cuckoo}, Buckets: []int{1},
	})
	labelled := func(s chart.Series) bool { return s.Label == "my filter" }
	all := []*lab.Experiment{paper.SpaceAndSpeed(), paper.LookupByShare(), paper.LookupByOccupancy(),
		paper.InsertByOccupancy(), paper.DeleteByOccupancy()}
	findings := catalogue.Must(lab.Registry{Experiments: all}.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 1}))(t)
	for _, f := range findings {
		if !slices.ContainsFunc(f.Figures[0].Panels, func(p chart.Panel) bool {
			return p.Title == "my filter" || slices.ContainsFunc(p.Series, labelled)
		}) {
			t.Errorf("%s: it is in no panel", f.Figures[0].Name)
		}
	}

	timing := catalogue.Must(speed.New("", speed.Options{Sizes: []int{1 << 6}, Rounds: 1}))(t)
	timed := catalogue.Must(timing.Run(t.Context(), lab.Options{Workers: 1}))(t)
	if text := timed.Text(0); !strings.Contains(text, "64  mine") ||
		!slices.ContainsFunc(timed.Draw(timed.Data)[0].Panels[0].Series, labelled) {
		t.Errorf("it is not in nest bench:\n%s", text)
	}

	keys := catalogue.Must(files.ParseKeys(strings.NewReader("a\nb\nc\n"), "keys", files.MaxLine))(t)
	o := advice.CompareOptions{Keys: keys, FPRs: []float64{0.1}, Hash: hashing.XXH64(0), Rounds: 1}
	compared := catalogue.Must(advice.Compare(t.Context(), o))(t)
	if text := compared.Text(0); !strings.Contains(text, "my kind") {
		t.Errorf("it is not in nest bench --keys:\n%s", text)
	}

	sized := catalogue.Must(advice.For(advice.Spec{Keys: 1000, FPR: 0.01}))(t)
	var text strings.Builder
	if err := sized.Write(&text, 0); err != nil || !strings.Contains(text.String(), "my kind") {
		t.Errorf("it is not in nest size:\n%s, %v", &text, err)
	}
}
