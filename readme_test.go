package nest

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/maplet"
)

// planned is the first plan for s.
func planned(t *testing.T, s Spec) Plan {
	t.Helper()
	plans, err := Plans(s)
	if err != nil {
		t.Fatal(err)
	}
	return plans[0]
}

// bitsPerItem is the size of the filter that s plans for a million keys, in three digits.
func bitsPerItem(t *testing.T, s Spec) string {
	t.Helper()
	s.Capacity = 1_000_000
	return strings.TrimSuffix(fmt.Sprintf("%#.3g", float64(planned(t, s).SizeBytes)*8/1e6), ".")
}

// TestPages_BitsAreThoseOfPlans holds the bits per item that README and docs/CHOOSING.md name, for a million keys.
func TestPages_BitsAreThoseOfPlans(t *testing.T) {
	const readme, choosing = "README.md", "docs/CHOOSING.md"
	paired := Spec{Kind: Cuckoo, Layout: cuckoo.PairedSlots, FalsePositiveRate: .0019}
	fuse := Spec{Kind: Fuse, FingerprintBits: 8}
	at := func(k Kind, rate float64) Spec { return Spec{Kind: k, FalsePositiveRate: rate} }
	quotes := []struct {
		page, begin, end string
		spec             Spec
	}{
		{readme, "fingerprint width | yes | ", ";", at(Cuckoo, .0019)},
		{readme, "; ", " with paired slots |", paired},
		{readme, "at once | yes | ", " (rate 0.012%) |", at(ConcurrentCuckoo, .0019)},
		{readme, "it forgets | ", " for each key of a window |", at(Window, .0019)},
		{readme, "the classic Bloom filter | no | ", " |", at(Bloom, .0019)},
		{readme, "`bloom.Concurrent` for goroutines | no | ", " |", at(BlockedBloom, .0019)},
		{readme, "byte for byte | no | ", " |", at(SplitBlock, .0019)},
		{readme, "no key later | ", " (rate 0.1%) |", at(Fuse, .0019)},
		{readme, "a counting Bloom filter | yes | ", " |", at(Counting, .0019)},
		{readme, "a d-left counting Bloom filter | yes | ", " |", at(DLeft, .0019)},
		{choosing, "the smallest, ", " bits per item at 0.39%;", fuse},
		{choosing, "`cuckoo/window`: ", " bits for each key of a window at 0.75%;", at(Window, .0075)},
		{choosing, "`counting.DLeft`: ", " bits per item at 1%;", at(DLeft, .01)},
	}
	for _, q := range quotes {
		holds(t, q.page, q.begin+bitsPerItem(t, q.spec)+q.end)
	}
	for _, percent := range []float64{3, 1, .1, .01, .0001} {
		row := fmt.Sprintf("| %g%% | %.3g |", percent, -math.Log2(percent/100))
		for _, s := range []Spec{
			{Kind: Cuckoo}, {Kind: Cuckoo, Layout: cuckoo.SemiSorted}, {Kind: Cuckoo, Layout: cuckoo.PairedSlots, BucketSize: 8},
			{Kind: Bloom}, {Kind: BlockedBloom}, {Kind: Fuse},
		} {
			s.FalsePositiveRate = percent / 100
			row += " " + bitsPerItem(t, s) + " |"
		}
		holds(t, choosing, row)
	}
}

// holds checks that a page has a text, however its lines break.
func holds(t *testing.T, page, text string) {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	one := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if !strings.Contains(one(string(data)), one(text)) {
		t.Errorf("%s lacks %q", page, text)
	}
}

// rowsOf returns the rows of a table of docs/results that begin with the cells.
func rowsOf(t *testing.T, name string, cells ...string) (rows [][]string) {
	t.Helper()
	f, err := os.Open("docs/results/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all {
		if slices.Equal(row[:len(cells)], cells) {
			rows = append(rows, row)
		}
	}
	return rows
}

// share is what happened of so many trials of a part of a sentence in docs/results/paper, over all runs.
func share(t *testing.T, sentence, part string) float64 {
	t.Helper()
	events, trials := 0.0, 0.0
	for _, row := range rowsOf(t, "paper/folklore.csv", sentence, part) {
		var count, of float64
		if _, err := fmt.Sscan(row[5]+" "+row[6], &count, &of); err != nil {
			t.Fatal(err)
		}
		events, trials = events+count, trials+of
	}
	return events / trials
}

// TestPages_NumbersAreOfResultsAndFormulas holds numbers in the prose of README and docs/CHOOSING.md.
func TestPages_NumbersAreOfResultsAndFormulas(t *testing.T) {
	const readme, choosing = "README.md", "docs/CHOOSING.md"
	holds(t, choosing, fmt.Sprintf("one such delete in %.0f loses a key", 1/share(t, "deletes-lose", "absent")))
	holds(t, readme, fmt.Sprintf("a power of two takes %.0f%% more memory on average", 100*share(t, "power-of-two", "mean price")-100))
	if share(t, "always-smaller", "10 bits") < 1 || share(t, "always-smaller", "11 bits") > 1 {
		t.Error("the cuckoo filter is not smaller than a Bloom filter from 11 bits on")
	}
	narrow := planned(t, Spec{Kind: Cuckoo, Capacity: 1_000_000, FingerprintBits: 11})
	holds(t, choosing, fmt.Sprintf("a rate of %.2g%% or less", 100*narrow.FalsePositiveRate))

	s := planned(t, Spec{Kind: Bloom, Capacity: 1_000_000, FalsePositiveRate: .01}).Spec
	holds(t, choosing, fmt.Sprintf("at twice its capacity, a filter for 1%% has %.0f%%", 100*bloom.PredictRate(s.Slots, s.Hashes, 2_000_000)))
	_, size, err := maplet.Plan(maplet.Config{Capacity: 1_000_000, FingerprintBits: 12, ValueBits: 36})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, choosing, fmt.Sprintf("%.2g bytes a key with values of 36 bits", float64(size)/1e6))

	grown := planned(t, Spec{Kind: Scalable, FalsePositiveRate: .0019}).Spec
	perItem := float64(grown.FingerprintBits) / .96
	holds(t, readme, fmt.Sprintf("which grows | yes | %.3g to %.2g |", perItem, 2*perItem))
	holds(t, choosing, fmt.Sprintf("Two plain filters in turn take %.3g bits", 2*float64(narrow.SizeBytes)*8/1e6))
	load := func(s Spec) string {
		s.Kind, s.Capacity, s.FingerprintBits = Cuckoo, 1_000_000, 12
		return strings.TrimPrefix(fmt.Sprintf("%.2f", 1e6/float64(planned(t, s).Spec.Slots)), "0")
	}
	holds(t, choosing, "which promises a load of "+load(Spec{})+"; a random walk promises "+load(Spec{Kick: "random-walk"}))
	holds(t, choosing, "probes half as many slots, at a load of "+load(Spec{BucketSize: 2}))
	holds(t, choosing, "as many bits per item as a Filter at 16 bits, and up to a tenth more at 8, 10 and 12")
	holds(t, choosing, "At 13, 17 and 22 bits it takes 1.2 to 1.6 times as many")
	for f, bounds := range map[int][2]float64{
		16: {.995, 1.005}, 8: {1, 1.105}, 10: {1, 1.105}, 12: {1, 1.105}, 13: {1.2, 1.65}, 17: {1.2, 1.65}, 22: {1.2, 1.65},
	} {
		filter := planned(t, Spec{Kind: Cuckoo, Capacity: 1_000_000, FingerprintBits: f})
		shared := planned(t, Spec{Kind: ConcurrentCuckoo, Capacity: 1_000_000, FingerprintBits: f})
		one := float64(filter.SizeBytes) * 8 / 1e6
		many := float64(shared.SizeBytes)*8/1e6 + math.Log2(shared.FalsePositiveRate/filter.FalsePositiveRate)
		if ratio := many / one; ratio < bounds[0] || ratio > bounds[1] {
			t.Errorf("a Concurrent of %d bits takes %.3f times the bits per item of a Filter of its rate", f, ratio)
		}
	}

	loses := map[string]bool{} // by module
	page, err := os.ReadFile("docs/results/CONFORMANCE.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if len(cells) > 7 && (strings.HasPrefix(cells[3], "cuckoo") || cells[3] == "packed") && !strings.Contains(line, "nestfilter/nest") {
			loses[cells[0]] = loses[cells[0]] || !strings.HasPrefix(cells[6], "0 of ")
		}
	}
	lose := 0
	for _, does := range loses {
		if does {
			lose++
		}
	}
	numerals := strings.Fields("no one two three four five six seven eight")
	holds(t, readme, fmt.Sprintf("Of %s cuckoo filters for Go that we tested, %s lose keys", numerals[len(loses)], numerals[lose]))
}
