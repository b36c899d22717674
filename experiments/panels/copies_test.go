package panels

import (
	"slices"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/kick"
)

// copiesCounts makes up copies as they should be: one key in ten has one bucket.
func copiesCounts(r lab.Row) []int {
	b := r.Param("b")
	others := b * r.Param("buckets") * (100 - r.Param("free_percent")) / 100
	return []int{others, 100, 90 * 2 * b, 10, 10 * b, 2 * b, 2 * b, b, 0, 0, 0}
}

func TestCopies_Verdicts(t *testing.T) {
	// The counts: others, keys, copies, coinciding, coinciding_copies, most, least, most_coinciding, beyond, lost, left.
	at := func(b, free, column, add int) func(lab.Row, []int) {
		return func(r lab.Row, counts []int) {
			if r.Param("b") == b && r.Param("free_percent") == free && r.Series == "random-walk, xor" {
				counts[column] += add
			}
		}
	}
	expectRefuted(t, copies(), copiesCounts, map[string]refutation{
		"b = 1, one copy too few":      {at(1, 100, 6, -1), []int{0}},
		"b = 2, one copy too many":     {at(2, 100, 5, 1), []int{0}},
		"b = 4, an insert should fail": {at(4, 50, 8, 1), []int{0}},
	})
}

// TestCopies_LoseNothing runs the trials of the tiny profile: no copy or other key is lost at a refusal, no copy is
// left after as many deletes, and a key of one bucket has b copies.
func TestCopies_LoseNothing(t *testing.T) {
	findings, err := (lab.Registry{Experiments: []*lab.Experiment{copies()}}).Run(t.Context(),
		lab.Options{Profile: lab.Tiny, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	coinciding := 0
	for _, b := range bucketSlots {
		for _, percent := range []int{0, 50} {
			g, twoBuckets, _, _ := copiesAt(findings[0].Data, b, percent)
			coinciding += g.Sum("coinciding")
			if twoBuckets == 0 || g.Sum("lost")+g.Sum("left")+g.Sum("beyond") > 0 ||
				int(slices.Max(g.Values("most_coinciding"))) > b ||
				percent == 0 && g.Sum("coinciding_copies") != b*g.Sum("coinciding") {
				t.Errorf("b = %d, %d%% other keys, seed 3: %+v", b, percent, g.Rows)
			}
		}
	}
	if coinciding == 0 {
		t.Error("no key has one bucket, seed 3")
	}
}

// leaky is a filter with a defect of copies: it drops the last insert of another key when it refuses, or takes copies
// without end, or does not delete.
type leaky struct {
	*measure.Cuckoo
	forget, endless, undying bool
	other                    uint64
}

func (f *leaky) InsertHash(h uint64) error {
	err := f.Cuckoo.InsertHash(h)
	if err != nil && f.forget {
		f.Cuckoo.DeleteHash(f.other)
	}
	if err != nil && f.endless {
		return nil
	}
	return err
}

func (f *leaky) DeleteHash(h uint64) bool { return f.undying || f.Cuckoo.DeleteHash(h) }

// TestCopies_SeesDefects runs the trial on filters that break each promise.
func TestCopies_SeesDefects(t *testing.T) {
	const seed = 5
	c := cuckoo.Config{Buckets: 64, BucketSize: 4, Placement: cuckoo.XOR}
	for name, tc := range map[string]struct {
		f    leaky
		want []bool // beyond, lost, left
	}{
		"sound":   {leaky{}, []bool{false, false, false}},
		"forgets": {leaky{forget: true}, []bool{false, true, false}},
		"endless": {leaky{endless: true}, []bool{true, true, false}},
		"undying": {leaky{undying: true}, []bool{true, true, true}},
	} {
		filter, err := measure.NewCuckoo(catalogue.PanelWidth, c, seed)
		if err != nil {
			t.Fatal(err)
		}
		tc.f.Cuckoo, tc.f.other = filter, hashing.Mix64(seed)
		trial := copiesTrial{filter: &tc.f, pairs: kick.NewScheme(kick.XOR, 64), first: measure.Stream{Next: seed}, least: 8}
		counts, err := trial.run(t.Context(), 100, 8)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range counts[8:] {
			if n > 0 != tc.want[i] && (name != "undying" || i == 2) {
				t.Errorf("%s, seed %d: beyond, lost, left = %v", name, seed, counts[8:])
			}
		}
	}
}
