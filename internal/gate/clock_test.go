package gate

import (
	"regexp"
	"strings"
	"testing"
)

// clocks are the places below experiments that read the clock, and what for. What times a filter is the engine alone:
// others call measure.Turn, or measure.Timed.
var clocks = map[string]string{
	"experiments/measure/turn.go":   "the engine: every lap of every filter",
	"experiments/speed/together.go": "what goroutines do together in a while",
	"experiments/lab/":              "how long trials take, for estimates; when a run began, and when its journal was synced",
	"experiments/store/":            "when the journal was synced",
	"experiments/report/":           "when a report began and ended",
	"experiments/cli/":              "progress, and signals",
	"experiments/versus/":           "when a run of the league began",
}

var clockPattern = regexp.MustCompile(`\btime\.(Now|Since)\(`)

// readsClock returns the files below experiments that read the clock and are at none of those places.
func readsClock(t *tree) (bad []string) {
	for _, f := range t.files {
		if !strings.HasPrefix(f.path, "experiments/") || !strings.HasSuffix(f.path, ".go") || strings.HasSuffix(f.path, "_test.go") ||
			f.fixture || !clockPattern.Match(f.data) {
			continue
		}
		known := false
		for place := range clocks {
			known = known || strings.HasPrefix(f.path, place)
		}
		if !known {
			bad = append(bad, f.path+" reads the clock: time with measure.Timed or a measure.Turn, or say in clocks what for")
		}
	}
	return bad
}

func TestClock_IsReadByFewFiles(t *testing.T) { report(t, readsClock(realTree(t))) }

func TestClock_OthersAreRefused(t *testing.T) {
	code := []byte("package x\n\nvar t = time.Now()\n")
	bad := readsClock(&tree{files: []*file{{path: "experiments/x/x.go", data: code}, {path: "experiments/lab/x.go", data: code}, {path: "experiments/x/x_test.go", data: code}}})
	if len(bad) != 1 || !strings.HasPrefix(bad[0], "experiments/x/x.go reads") {
		t.Errorf("%q", bad)
	}
}
