package nest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestReadme_BitsAreThoseOfPlans holds the column of bits in the README's table of filters, for a million keys.
func TestReadme_BitsAreThoseOfPlans(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[Kind]string{
		Cuckoo: "| [cuckoo](cuckoo) | `Filter[F]`", ConcurrentCuckoo: "| | `Concurrent[F]`", Window: "| [cuckoo/window]",
		Bloom: "| [bloom](bloom) | `Filter`", BlockedBloom: "| | `Blocked`", SplitBlock: "| | `SplitBlock`",
		Fuse: "| [bloom/fuse]", Counting: "| [counting](counting) | `Filter`", DLeft: "| | `DLeft`",
	}
	for kind, begin := range rows {
		plans, err := Plans(Spec{Kind: kind, Capacity: 1_000_000, FalsePositiveRate: 0.0019})
		if err != nil {
			t.Fatal(err)
		}
		_, row, found := strings.Cut(string(page), begin)
		row, _, _ = strings.Cut(row, "\n")
		bits := fmt.Sprintf("%.3g", float64(plans[0].SizeBytes)*8/1e6)
		if !found || !strings.Contains(row, "| "+bits) {
			t.Errorf("README has %q for %v, want %s bits", begin+row, kind, bits)
		}
	}
}
