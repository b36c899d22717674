package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/report"
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

func TestCompare_WritesTheFolder(t *testing.T) {
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
	for _, name := range []string{"compare.csv", "compare.svg", "speed.csv", "bench.txt", "report.md", "report.html"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(out, "compare.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(rows) != 1+2*12 {
		t.Errorf("compare.csv: %d rows, %v", len(rows), err)
	}
	var manifest report.Manifest
	data, err = os.ReadFile(filepath.Join(out, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(data, &manifest)
	}
	if err != nil || len(manifest.Files) < 7 {
		t.Errorf("manifest.json: %d files, %v", len(manifest.Files), err)
	}
	if _, err := executeOne(t, newBenchCommand(), "", args...); err == nil || !strings.Contains(err.Error(), "--out") {
		t.Errorf("a second time: %v, want an error that names --out", err)
	}
	if _, err := executeOne(t, newBenchCommand(), "", append(args, "--force")...); err != nil {
		t.Errorf("a second time with --force: %v", err)
	}
}

func TestCompare_StandardInput(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	stdout, err := executeOne(t, newBenchCommand(), "a\nb\n", "--keys", "-", "--out", out, "--rounds", "1", "--formats", "svg", "--fpr", "0.1")
	if err != nil || !strings.Contains(stdout, "standard input: 2 distinct keys") {
		t.Errorf("%v\n%s", err, stdout)
	}
}

// A read that never returns, as of a terminal or of a pipe that nobody writes to, gives way to an interrupt.
func TestCompare_InterruptEndsBlockedRead(t *testing.T) {
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

// Every bad input is one line that names the flag or the file, and leaves nothing behind.
func TestCompare_BadInput(t *testing.T) {
	dir := t.TempDir()
	good := writeKeys(t, dir, "good.txt", "a\nb\n")
	empty := writeKeys(t, dir, "empty.txt", "")
	blank := writeKeys(t, dir, "blank.txt", "\n\r\n")
	missing := filepath.Join(dir, "missing.txt")
	out := filepath.Join(dir, "out")
	for _, c := range []struct {
		args []string
		want string
	}{
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
		stdout, err := executeOne(t, newBenchCommand(), "", c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || stdout != "" {
			t.Errorf("%q: %v, want one line with %q; printed %q", c.args, err, c.want, stdout)
		}
		if files, _ := os.ReadDir(dir); len(files) != 3 {
			t.Fatalf("%q left something behind: %v", c.args, files)
		}
	}
}

// TestBench_KeysAsObjects prints no folder and no text, but the rows for a program.
func TestBench_KeysAsObjects(t *testing.T) {
	stdout, err := executeOne(t, newBenchCommand(), "a\nb\n", "--keys", "-", "--rounds", "1", "--fpr", "0.1", "--json")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(stdout) {
		var row struct {
			Filter string  `json:"filter"`
			Bits   float64 `json:"bits_per_item"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Filter == "" || row.Bits < 1 {
			t.Errorf("%s: %+v, %v", line, row, err)
		}
	}
}
