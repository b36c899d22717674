package cli

import (
	"errors"
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

// TestReproduce_FromARunUnderWay takes the trials of a run that was broken off, which cannot be drawn yet.
func TestReproduce_FromARunUnderWay(t *testing.T) {
	dir := t.TempDir()
	broken := stopping{stop: func() error { return errors.New("boom") }}
	if status, _, stderr := sit(t.Context(), broken, "--out", filepath.Join(dir, "a")); status != exitUsage {
		t.Fatal(stderr)
	}
	partial := filepath.Join(dir, "a.partial")
	status, stdout, stderr := sit(t.Context(), stopping{}, "--out", filepath.Join(dir, "b"), "--earlier", partial)
	if status != exitOK || !strings.Contains(stdout, "10 trials, 3 of them of earlier sittings,") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
	if status, _, stderr := runNest("report", "redraw", partial); status != exitUsage || !strings.Contains(stderr, "nest reproduce goes on with it") {
		t.Errorf("redraw: status %d: %s", status, stderr)
	}
	picture := filepath.Join(dir, "s.svg")
	if status, _, stderr := runNest("chart", filepath.Join(partial, "stopping.csv"), "--x", "trial", "--y", "n", "--series", "series", "-o", picture); status != exitOK {
		t.Errorf("chart: status %d: %s", status, stderr)
	}
}
