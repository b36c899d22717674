package panels

import (
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/labtest"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/widths"
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
	at := func(b, column, add int) func(lab.Row, []int) {
		return func(r lab.Row, counts []int) {
			if r.Param("b") == b && r.Param("free_percent") == 100 && r.Series == "random-walk, xor" {
				counts[column] += add
			}
		}
	}
	labtest.ExpectFailures(t, Copies{}, lab.Quick, copiesCounts, map[string]struct {
		Damage func(r lab.Row, counts []int)
		Fails  []int
	}{
		"b = 1, one copy too few":    {at(1, 6, -1), []int{0}},
		"b = 2, one copy too many":   {at(2, 5, 1), []int{1}},
		"b = 4, one bucket holds 2b": {at(4, 7, 4), []int{2}},
		"b = 8, one bucket is short": {at(8, 4, -1), []int{3}},
		"an insert should fail":      {at(4, 8, 1), []int{4}},
		"a key is lost":              {at(4, 9, 1), []int{5}},
		"a copy is left":             {at(4, 10, 1), []int{6}},
	})
}

// leaky is a filter with a defect of copies: it drops the last insert of another key when it refuses, or takes copies without
// end, or does not delete.
type leaky struct {
	widths.Filter
	forget, endless, undying bool
	other                    uint64
}

func (f *leaky) InsertHash(h uint64) error {
	err := f.Filter.InsertHash(h)
	if err != nil && f.forget {
		f.Filter.DeleteHash(f.other)
	}
	if err != nil && f.endless {
		return nil
	}
	return err
}

func (f *leaky) DeleteHash(h uint64) bool { return f.undying || f.Filter.DeleteHash(h) }

// TestCopies_SeesDefects runs the trial on filters that break each promise.
func TestCopies_SeesDefects(t *testing.T) {
	const seed = 5
	c := cuckoo.Config{Buckets: 64, BucketSize: 4, Placement: cuckoo.XOR}
	run := func(f *leaky) []int {
		filter, err := measure.NewCuckoo(catalogue.PanelWidth, c, seed)
		if err != nil {
			t.Fatal(err)
		}
		f.Filter, f.other = filter, hashing.Mix64(seed)
		trial := copiesTrial{filter: f, pairs: kick.NewScheme(kick.XOR, 64), first: measure.Stream{Next: seed}, least: 8}
		counts, err := trial.run(t.Context(), 100, 8)
		if err != nil {
			t.Fatal(err)
		}
		return counts[8:]
	}
	for name, tc := range map[string]struct {
		f                  *leaky
		beyond, lost, left bool
	}{
		"sound":   {&leaky{}, false, false, false},
		"forgets": {&leaky{forget: true}, false, true, false},
		"endless": {&leaky{endless: true}, true, true, false},
		"undying": {&leaky{undying: true}, true, true, true},
	} {
		got := run(tc.f)
		if got[0] > 0 != tc.beyond && name != "undying" || got[1] > 0 != tc.lost && name != "undying" || got[2] > 0 != tc.left {
			t.Errorf("%s, seed %d: beyond, lost, left = %v", name, seed, got)
		}
	}
}
