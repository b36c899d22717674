package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/speed"
)

func TestBench_WritesTheFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new", "out")
	args := []string{"--out", out, "--slots", "1024,2^12", "--rounds", "2", "--formats", "svg,png", "--filter", "cuckoo-xor,bloom", "--base", "bloom"}
	stdout, err := executeOne(t, newBenchCommand(), "", args...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4096  cuckoo-xor", "1024  bloom", "1024  gather", "The base is bloom", "report.html"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	for _, name := range []string{"bench.csv", "bench.svg", "load.svg", "load.png", "fill.svg",
		"bench.txt", "report.md", "report.html"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	manifest, err := report.ReadManifest(out)
	if err != nil || manifest.Kind != "bench" {
		t.Fatalf("manifest: %v, %v", manifest, err)
	}
	if size, ok := manifest.File("bench.csv"); !ok || len(size.Timed) == 0 {
		t.Errorf("bench.csv: timed columns %q", size.Timed)
	}
	data, err := os.ReadFile(filepath.Join(out, "bench.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := report.ReadBench("bench.txt", bytes.NewReader(data))
	if err != nil || len(lines) < 100 {
		t.Errorf("bench.txt: %d lines, %v", len(lines), err)
	}
	if _, err := executeOne(t, newBenchCommand(), "", args...); !errors.Is(err, report.ErrExists) {
		t.Errorf("a second time: %v, want %v", err, report.ErrExists)
	}
}

// TestBench_Studies measures each study at the smallest size.
func TestBench_Studies(t *testing.T) {
	small := strconv.Itoa(speed.MinKeys())
	for name, files := range map[string][]string{
		"paired": {"paired.csv"}, "growth": {"growth.csv"}, "shared": {"shared.csv"},
		"together": {"together.csv", "together.svg", "writes.svg"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		stdout, err := executeOne(t, newBenchCommand(), "", "--out", out, "--study", name, "--n", small, "--rounds", "1", "--formats", "svg")
		if err != nil || !strings.Contains(stdout, "Medians of 1 rounds") {
			t.Fatalf("%v: %s", err, stdout)
		}
		for _, file := range append(files, "report.html") {
			if info, err := os.Stat(filepath.Join(out, file)); err != nil || info.Size() == 0 {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// TestBench_StudyBadInput: what a study cannot do is refused by name before anything is written.
func TestBench_StudyBadInput(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--study", "sieve"}, `--study: "sieve" is unknown: want one of paired, growth, shared`},
		{[]string{"--study", ""}, `--study: "" is unknown`},
		{[]string{"--study", "shared", "--filter", "bloom"}, "--filter: leave it out with --study"},
		{[]string{"--study", "shared", "--base", "bloom"}, "--base: leave it out with --study"},
		{[]string{"--study", "shared", "--slots", "64"}, "--slots: leave it out with --study"},
		{[]string{"--study", "paired", "--n", "5"}, "n = 5 keys: paired wants"},
		{[]string{"--study", "shared", "--n", "2^26"}, "n = 67108864 keys"},
		{[]string{"--study", "growth", "--n", "a lot"}, `--n: `},
		{[]string{"--study", "growth", "--rounds", "0"}, "--rounds: 0"},
		{[]string{"--study", "growth", "--formats", "bmp"}, "--formats: "},
	} {
		_, err := executeOne(t, newBenchCommand(), "", append(c.args, "--out", filepath.Join(dir, "out"))...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
		if files, _ := os.ReadDir(dir); len(files) > 0 {
			t.Fatalf("%q left something behind: %v", c.args, files)
		}
	}
}

func TestBench_BadInput(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	file := writeKeys(t, dir, "file", "x")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--n", "64"}, "--n: goes with --study"},
		{[]string{"--out", out, "--filter", "bloom,sieve"}, `--filter: "sieve" is unknown: want some of cuckoo-additive, cuckoo-xor`},
		{[]string{"--out", out, "--filter", ""}, "--filter: no value is given"},
		{[]string{"--out", out, "--base", "sieve"}, `base: "sieve" is none of the filters: cuckoo-additive`},
		{[]string{"--out", out, "--slots", "a lot"}, `"a lot": want a number`},
		{[]string{"--out", out, "--slots", "2^99"}, `"2^99": want a number`},
		{[]string{"--out", out, "--slots", "1000"}, "1000 slots: want a power of two"},
		{[]string{"--out", out, "--slots", "99999999999"}, "99999999999"},
		{[]string{"--out", out, "--slots", "0"}, "0 slots"},
		{[]string{"--out", out, "--rounds", "0"}, "--rounds: 0"},
		{[]string{"--out", out, "--formats", "bmp"}, "--formats: "},
		{[]string{"--out", file, "--slots", "64"}, "--out: "},
		{[]string{"--out", dir, "--slots", "64"}, "--out: "},
		{[]string{"--out", out, "more"}, `"more"`},
	} {
		stdout, err := executeOne(t, newBenchCommand(), "", c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || stdout != "" {
			t.Errorf("%q: %v, want one line with %q; printed %q", c.args, err, c.want, stdout)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Fatalf("%q left something behind: %v", c.args, files)
		}
	}
}

// An interrupt leaves nothing behind.
func TestBench_Interrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	status := runCommand(ctx, newRootCommand(experiments.Default()), []string{"bench", "--out", filepath.Join(dir, "out"), "--slots", "64"}, &stdout, &stderr)
	if status != exitInterrupted || content(t, dir) != "" || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("status %d, %q, left %q", status, stderr.String(), content(t, dir))
	}
}
