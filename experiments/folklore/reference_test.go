package folklore

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/hashing"
)

// referenceRuns is how many runs a reference has.
const referenceRuns = 64

// profiles are those that references are made for.
var profiles = []lab.Profile{lab.Tiny, lab.Quick, lab.Paper}

// TestReferences_OfEveryPart holds that every part that needs a reference has one in each profile, and that there are
// no others. With -update it measures them anew, which takes some minutes: go test ./experiments/folklore -run
// References -update.
func TestReferences_OfEveryPart(t *testing.T) {
	wanted := map[[3]string]part{}
	var order [][3]string
	for _, s := range sentences() {
		for _, p := range s.part {
			if p.must.kind == again {
				for _, profile := range profiles {
					key := [3]string{s.id, p.id, string(profile)}
					wanted[key], order = p, append(order, key)
				}
			}
		}
	}
	if *update {
		writeReferences(t, order, wanted)
		return
	}
	for key := range wanted {
		if r := references()[key]; r.runs < 2 || r.number <= 0 || r.deviation < 0 {
			t.Errorf("%v: reference %+v", key, r)
		}
	}
	for key := range references() {
		if _, ok := wanted[key]; !ok {
			t.Errorf("%v is the reference of no part", key)
		}
	}
}

// writeReferences measures all parts and writes references.csv.
func writeReferences(t *testing.T, order [][3]string, parts map[[3]string]part) {
	table := report.Table{Columns: []string{"sentence", "part", "profile", "runs", "number", "deviation"}}
	table.Rows = make([][]string, len(order))
	var work sync.WaitGroup
	for i, key := range order {
		work.Go(func() {
			r, err := measured(t, parts[key], lab.Profile(key[2]))
			if err != nil {
				t.Errorf("%v: %v", key, err)
			}
			number, deviation := fmt.Sprintf("%.6g", r.number), fmt.Sprintf("%.3g", r.deviation)
			table.Rows[i] = append(key[:], fmt.Sprint(r.runs), number, deviation)
		})
	}
	work.Wait()
	text, err := table.CSV()
	if err == nil && !t.Failed() {
		err = os.WriteFile("references.csv", text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// measured runs a part with seeds that no plan has.
func measured(t *testing.T, p part, profile lab.Profile) (reference, error) {
	g := lab.Group{}
	e := folklore(nil)
	for i := range referenceRuns {
		seed := hashing.Mix64(hashing.Mix64(0x5eed) + uint64(i))
		counts, err := p.run.run(t.Context(), seed, sizes[profile])
		if err != nil {
			return reference{}, err
		}
		g.Rows = append(g.Rows, lab.Row{Counts: counts, Experiment: e})
	}
	deviation := claims.SampleOf(g.Ratios("count", "of")).Err * 8 // the root of referenceRuns
	return reference{referenceRuns, p.unit.pooled(g).Value, deviation}, nil
}
