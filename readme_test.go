package nest

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
)

// bitsPerItem is the size of the filter that s plans for a million keys, in three digits.
func bitsPerItem(t *testing.T, s Spec) string {
	t.Helper()
	s.Capacity = 1_000_000
	plans, err := Plans(s)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(fmt.Sprintf("%#.3g", float64(plans[0].SizeBytes)*8/1e6), ".")
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
		{readme, "at once | yes | ", " |", at(ConcurrentCuckoo, .0019)},
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
	pages := map[string]string{}
	for _, name := range []string{readme, choosing} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(data)
	}
	for _, q := range quotes {
		if want := q.begin + bitsPerItem(t, q.spec) + q.end; !strings.Contains(pages[q.page], want) {
			t.Errorf("%s lacks %q", q.page, want)
		}
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
		if !strings.Contains(pages[choosing], row+"\n") {
			t.Errorf("%s lacks %q", choosing, row)
		}
	}
}
