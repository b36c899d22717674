package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/speed"
)

// executeOne runs one subcommand on its own and returns what it printed.
func executeOne(t *testing.T, cmd *cobra.Command, stdin string, args ...string) (stdout string, err error) {
	t.Helper()
	var out bytes.Buffer
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetOut(&out)
	cmd.SetErr(&bytes.Buffer{})
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// writeKeys makes a file of the text and returns its name.
func writeKeys(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// wholeTable checks that a folder has the files, and none of them empty, and returns the table in one of them.
func wholeTable(t *testing.T, dir, table string, files ...string) report.Table {
	t.Helper()
	for _, name := range append(files, "report.html", "report.md", "bench.txt", "manifest.json") {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, table))
	if err != nil {
		t.Fatal(err)
	}
	read, err := report.ReadTable(table, bytes.NewReader(data))
	manifest, unread := report.ReadManifest(dir)
	if err := errors.Join(err, unread); err != nil {
		t.Fatal(err)
	}
	if of, ok := manifest.File(table); !ok || len(of.Timed) == 0 {
		t.Errorf("%s: timed columns %q", table, of.Timed)
	}
	return read
}

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
	wholeTable(t, out, "bench.csv", "bench.svg", "load.svg", "load.png", "fill.svg")
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
		"paired": nil, "growth": nil, "shared": nil, "together": {"together.svg", "writes.svg"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		stdout, err := executeOne(t, newBenchCommand(), "", "--out", out, "--study", name, "--n", small, "--rounds", "1", "--formats", "svg")
		if err != nil || !strings.Contains(stdout, "Medians of 1 rounds") {
			t.Fatalf("%v: %s", err, stdout)
		}
		wholeTable(t, out, name+".csv", files...)
	}
}

func TestBench_KeysOfAFile(t *testing.T) {
	dir := t.TempDir()
	var keys, queries strings.Builder
	for i := range 3000 {
		keys.WriteString("key-" + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + "\r\n")
		queries.WriteString("query-" + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + "\n")
	}
	keyFile := writeKeys(t, dir, "keys.txt", keys.String()+"key-a\r\n")
	queryFile := writeKeys(t, dir, "queries.txt", queries.String()+"key-a")
	out := filepath.Join(dir, "new", "out")
	args := []string{"--keys", keyFile, "--queries", queryFile, "--fpr", "0.05,0.01,0.05", "--out", out, "--rounds", "2", "--formats", "svg"}
	stdout, err := executeOne(t, newBenchCommand(), "", args...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3000 distinct keys in 3001 lines (1 duplicate, 3001 ending in CRLF)",
		"1 are keys (true positives), 3000 are absent", "cuckoo b=4 xor", "go map", "report.html"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	if table := wholeTable(t, out, "compare.csv", "compare.svg"); len(table.Rows) != 1+2*12 {
		t.Errorf("compare.csv: %d rows", len(table.Rows))
	}
	if _, err := executeOne(t, newBenchCommand(), "", args...); err == nil || !strings.Contains(err.Error(), "--out") {
		t.Errorf("a second time: %v, want an error that names --out", err)
	}
	if _, err := executeOne(t, newBenchCommand(), "", append(args, "--force")...); err != nil {
		t.Errorf("a second time with --force: %v", err)
	}
}

// TestBench_KeysAsObjects prints no folder and no text, but the rows for a program.
func TestBench_KeysAsObjects(t *testing.T) {
	stdout, err := executeOne(t, newBenchCommand(), "a\nb\n", "--keys", "-", "--rounds", "1", "--fpr", "0.1", "--json")
	if err != nil || strings.Count(stdout, "\n") != 13 {
		t.Fatalf("%v: %s", err, stdout)
	}
	for line := range strings.Lines(stdout) {
		var row struct {
			Filter string  `json:"filter"`
			Bits   float64 `json:"bits_per_item"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Filter == "" || row.Bits < 1 && row.Filter != "go map" {
			t.Errorf("%s: %+v, %v", line, row, err)
		}
	}
}

// A read that never returns, as of a terminal or of a pipe that nobody writes to, gives way to an interrupt.
func TestBench_InterruptEndsBlockedRead(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	stdin, silent := io.Pipe()
	defer silent.Close()
	root := newRootCommand(experiments.Default())
	root.SetIn(interruptingReader{stdin, cancel})
	var stdout, stderr bytes.Buffer
	args := []string{"bench", "--keys", "-", "--out", filepath.Join(dir, "out")}
	status := runCommand(ctx, root, args, &stdout, &stderr)
	if status != exitInterrupted || content(t, dir) != "" || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("status %d, %q, left %q", status, stderr.String(), content(t, dir))
	}
}

// An interruptingReader interrupts the command as soon as it is read from.
type interruptingReader struct {
	io.Reader
	interrupt func()
}

func (r interruptingReader) Read(p []byte) (int, error) {
	r.interrupt()
	return r.Reader.Read(p)
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

// Every bad input is one line that names the flag or the file, and leaves nothing behind.
func TestBench_BadInput(t *testing.T) {
	dir := t.TempDir()
	good := writeKeys(t, dir, "good.txt", "a\nb\n")
	empty := writeKeys(t, dir, "empty.txt", "")
	blank := writeKeys(t, dir, "blank.txt", "\n\r\n")
	missing, out := filepath.Join(dir, "missing.txt"), filepath.Join(dir, "out")
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
		{[]string{"--out", good, "--slots", "64"}, "--out: "},
		{[]string{"--out", dir, "--slots", "64"}, "--out: "},
		{[]string{"--study", "sieve"}, `--study: "sieve" is unknown: want one of paired, growth, shared`},
		{[]string{"--study", ""}, `--study: "" is unknown`},
		{[]string{"--study", "shared", "--filter", "bloom"}, "--filter: leave it out with --study"},
		{[]string{"--study", "shared", "--base", "bloom"}, "--base: leave it out with --study"},
		{[]string{"--study", "shared", "--slots", "64"}, "--slots: leave it out with --study"},
		{[]string{"--study", "paired", "--n", "5"}, "n = 5 keys: paired wants"},
		{[]string{"--study", "shared", "--n", "2^26"}, "n = 67108864 keys"},
		{[]string{"--study", "growth", "--n", "a lot"}, `--n: `},
		{[]string{"--keys", "", "--out", out}, "--keys: name the file"},
		{[]string{"--keys", good, "--filter", "bloom"}, "--filter: leave it out with --keys"},
		{[]string{"--keys", good, "--study", "paired"}, "--study and --keys"},
		{[]string{"--fpr", "0.1"}, "--fpr: goes with --keys"},
		{[]string{"--keys", missing, "--out", out}, missing + ": no such file"},
		{[]string{"--keys", dir, "--out", out}, dir + ": is a directory"},
		{[]string{"--keys", empty, "--out", out}, empty + ": no keys: it is empty"},
		{[]string{"--keys", blank, "--out", out}, blank + ": no keys: all of its lines are blank"},
		{[]string{"--keys", good, "--queries", missing, "--out", out}, "--queries: bench: " + missing},
		{[]string{"--keys", good, "--queries", good, "--out", out}, good + ": every query is a key"},
		{[]string{"--keys", "-", "--queries", "-", "--out", out}, "one standard input"},
		{[]string{"--keys", good, "--out", out, "--fpr", "0"}, `--fpr: "0": want`},
		{[]string{"--keys", good, "--out", out, "--fpr", "0.1,1"}, `--fpr: "1": want`},
		{[]string{"--keys", good, "--out", out, "--fpr", "NaN"}, `--fpr: "NaN": want`},
		{[]string{"--keys", good, "--out", out, "--fpr", "1%"}, `--fpr: "1%": want`},
		{[]string{"--keys", good, "--out", out, "--fpr", ""}, "--fpr: no rate"},
		{[]string{"--keys", good, "--out", out, "--fpr", "1e-30"}, "lowest reachable rate"},
		{[]string{"--keys", good, "--out", out, "--hash", "md5"}, `--hash: hashing: unknown hash family "md5"`},
		{[]string{"--keys", good, "--out", out, "--rounds", "0"}, "--rounds: 0"},
		{[]string{"--keys", good, "--out", out, "--formats", "bmp"}, "--formats: "},
		{[]string{"--keys", good, "--out", good}, "--out: "},
		{[]string{"--keys", good, "--out", dir}, "--out: "},
		{[]string{"--keys", good, "--out", out, "more"}, `"more"`},
	} {
		if !slices.Contains(c.args, "--out") {
			c.args = append(c.args, "--out", out)
		}
		stdout, err := executeOne(t, newBenchCommand(), "", c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || stdout != "" {
			t.Errorf("%q: %v, want one line with %q; printed %q", c.args, err, c.want, stdout)
		}
		if files, _ := os.ReadDir(dir); len(files) != 3 {
			t.Fatalf("%q left something behind: %v", c.args, files)
		}
	}
}
