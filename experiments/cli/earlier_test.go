package cli

import (
	"path/filepath"
	"testing"
)

// TestReproduce_FromAReport takes all trials of a report, and runs what it lacks: nothing, so that the tables are its
// bytes.
func TestReproduce_FromAReport(t *testing.T) {
	first, dir := reproduced(t), t.TempDir()
	second := filepath.Join(dir, "b")
	says(t, exitOK, "72 of them of earlier sittings", "", append(tinyReport, second, "--earlier", first)...)
	if readAll(t, filepath.Join(first, "fig3.csv")) != readAll(t, filepath.Join(second, "fig3.csv")) {
		t.Error("other bytes")
	}
	says(t, exitUsage, "", "--earlier: ", append(tinyReport, filepath.Join(dir, "c"), "--earlier", first, "--seed", "2")...)
	says(t, exitUsage, "", "--earlier: ", append(tinyReport, filepath.Join(dir, "c"), "--earlier", dir)...)
}

// TestReproduce_FromARunUnderWay takes the trials of a run that was broken off, which cannot be drawn yet.
func TestReproduce_FromARunUnderWay(t *testing.T) {
	dir := t.TempDir()
	sits(t, t.Context(), failingTrial(), exitUsage, "", "boom", "--out", filepath.Join(dir, "a"))
	partial := filepath.Join(dir, "a.partial")
	sits(t, t.Context(), stopping{}, exitOK, "10 trials, 3 of them of earlier sittings,", "",
		"--out", filepath.Join(dir, "b"), "--earlier", partial)
	says(t, exitUsage, "", "nest reproduce goes on with it", "report", "redraw", partial)
	says(t, exitOK, "", "", "chart", filepath.Join(partial, "stopping.csv"), "--x", "trial", "--y", "n", "--series", "series",
		"-o", filepath.Join(dir, "s.svg"))
}
