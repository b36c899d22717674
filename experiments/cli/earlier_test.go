package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReproduce_FromAReport takes all trials of a report, and runs what it lacks: nothing, so that the tables are its bytes.
func TestReproduce_FromAReport(t *testing.T) {
	first, second := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	args := []string{"reproduce", "--profile", "tiny", "--only", "fig3", "--formats", "svg", "--out"}
	if status, _, stderr := runNest(append(args, first)...); status != exitOK {
		t.Fatal(stderr)
	}
	status, stdout, stderr := runNest(append(args, second, "--earlier", first)...)
	if status != exitOK || !strings.Contains(stdout, "72 of them of earlier sittings") {
		t.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	a, err1 := os.ReadFile(filepath.Join(first, "fig3.csv"))
	b, err2 := os.ReadFile(filepath.Join(second, "fig3.csv"))
	if err1 != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("%v, %v: other bytes", err1, err2)
	}
	for name, extra := range map[string][]string{"seed": {"--seed", "2"}, "no report": {"--earlier", t.TempDir()}} {
		status, _, stderr := runNest(append(append(args, filepath.Join(t.TempDir(), "c"), "--earlier", first), extra...)...)
		if status != exitUsage || !strings.Contains(stderr, "--earlier: ") {
			t.Errorf("%s: status %d: %s", name, status, stderr)
		}
	}
}
