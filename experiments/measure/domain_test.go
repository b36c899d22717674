package measure

import (
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
)

// TestDomain_DiffersAndHasTheShape looks for equal names, and at the shares that the tables give.
func TestDomain_DiffersAndHasTheShape(t *testing.T) {
	const n = 1 << 18
	seen := make(map[string]bool, 2*n)
	com, digits, length := 0, 0, 0
	for i := range uint64(2 * n) {
		number := i
		if i >= n {
			number = 1<<27 - 1 - i // the far end
		}
		name := Domain(number)
		if seen[name] {
			t.Fatalf("%s twice, last for %d", name, number)
		}
		seen[name] = true
		length += len(name)
		if strings.HasSuffix(name, ".com") {
			com++
		}
		if strings.ContainsAny(name, "0123456789") {
			digits++
		}
	}
	near := func(what string, n, of, want float64) {
		if math.Abs(n/of-want) > claims.Deviations*math.Sqrt(want/of) {
			t.Errorf("%s: %.4f of the names, want %.4f", what, n/of, want)
		}
	}
	near("com", float64(com), 2*n, .5)
	near("digits", float64(digits), 2*n, 1./12)
	if mean := float64(length) / (2 * n); mean < 12.5 || mean > 13.5 {
		t.Errorf("%.2f bytes in the mean, real ones have 13", mean)
	}
}
