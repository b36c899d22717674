package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/report"
)

func TestSweep_WritesATable(t *testing.T) {
	out := filepath.Join(t.TempDir(), "grid.csv")
	args := []string{"sweep", "--f", "8..12:4", "--placement", "xor,additive", "--n", "1e3", "--load", "0.5,1", "--seeds", "2", "--probes", "4096", "--out", out}
	status, _, stderr := runNest(args...)
	if status != exitOK || !strings.Contains(stderr, "cells=16") || !strings.Contains(stderr, "expected=") || !strings.Contains(stderr, "rows=16") {
		t.Fatalf("status %d: %s", status, stderr)
	}
	file, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	table, err := report.ReadTable(out, file)
	if err != nil || len(table.Rows) != 16 {
		t.Fatalf("%d rows, %v", len(table.Rows), err)
	}
	if status, _, stderr := runNest(args...); status != exitUsage || !strings.Contains(stderr, "--force") {
		t.Errorf("the file is there: status %d: %s", status, stderr)
	}
	picture := filepath.Join(filepath.Dir(out), "grid.svg")
	if status, _, stderr := runNest("chart", out, "--x", "f", "--y", "measured_rate", "--series", "placement", "--filter", "load=0.5", "--out", picture); status != exitOK {
		t.Errorf("chart: status %d: %s", status, stderr)
	}
}

func TestSweep_RefusesBadInput(t *testing.T) {
	for want, args := range map[string][]string{
		`"8..x"`:               {"--f", "8..x"},
		"want some of":         {"--policy", "bfs"},
		"want some of mix64":   {"--hash", "md5"},
		"seeds: no value":      {"--seeds", "0"},
		"--workers: 0":         {"--workers", "0"},
		"want at least 262144": {"--placement", "region"},
	} {
		status, stdout, stderr := runNest(append([]string{"sweep", "--dry-run"}, args...)...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%v: status %d, %q on stdout: %s", args, status, stdout, stderr)
		}
	}
}

func TestSweep_RefusesTooMuchMemory(t *testing.T) {
	flags := sweepFlags{workers: 2, memory: func() uint64 { return 1 << 20 }}
	flags.grid.Widths, flags.grid.BucketSizes, flags.grid.Slots, flags.grid.Loads = "8", "4", "2^20", "0.5"
	flags.grid.Placements, flags.grid.Policies, flags.grid.Hashes, flags.grid.Filters = []string{"xor"}, []string{"breadth-first"}, []string{"mix64"}, []string{"cuckoo"}
	flags.grid.Trials, flags.grid.Probes = 2, 1
	if _, _, err := flags.plan(experiments.Registry{}); err == nil || !strings.Contains(err.Error(), "2 MiB at a time, 1 MiB are available") {
		t.Errorf("two tables of a MiB: %v", err)
	}
	flags.grid.Timed = true // one at a time; its padding is beyond the MiB
	flags.memory = func() uint64 { return 1<<20 + 64 }
	if _, cost, err := flags.plan(experiments.Registry{}); err != nil {
		t.Errorf("one table of a MiB: %+v, %v", cost, err)
	}
}

// TestSweep_InterruptLeavesATable cancels while rows are written.
func TestSweep_InterruptLeavesATable(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &cancelling{lines: 4, cancel: cancel}
	var stderr bytes.Buffer
	status := runCommand(ctx, newRootCommand(experiments.Default()), []string{"sweep", "--n", "1e3", "--seeds", "500", "--probes", "256"}, out, &stderr)
	if status != exitInterrupted || !strings.Contains(stderr.String(), "lines were written") {
		t.Errorf("status %d: %s", status, stderr.String())
	}
	table, err := report.ReadTable("stdout", &out.text)
	if err != nil || len(table.Rows) < 3 || len(table.Rows) > 400 {
		t.Errorf("%d rows, %v", len(table.Rows), err)
	}
}

// cancelling calls cancel when so many lines were written.
type cancelling struct {
	text   bytes.Buffer
	lines  int
	cancel func()
}

func (c *cancelling) Write(p []byte) (int, error) {
	if c.lines -= bytes.Count(p, []byte("\n")); c.lines <= 0 {
		c.cancel()
	}
	return c.text.Write(p)
}
