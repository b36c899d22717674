package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
)

const plotted = "filter,n,ns\nbloom,1000,20\nbloom,2000,25\ncuckoo,1000,8\ncuckoo,2000,9\n"

// plotFile is a file of that text.
func plotFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestChart_EveryFormat(t *testing.T) {
	file := plotFile(t, "times.csv", plotted)
	for ending, start := range map[string]string{"png": "\x89PNG", "svg": "<?xml", "pdf": "%PDF"} {
		out := filepath.Join(t.TempDir(), "picture."+ending)
		status, stdout, stderr := runNest("chart", file, "--out", out, "--size", "16x9", "--title",
			"Times", "--x", "n", "--y", "ns")
		if status != exitOK || stdout != out+"\n" || !strings.Contains(stderr, "a series for each filter") {
			t.Errorf("%s: status %d, %s, %s", ending, status, stdout, stderr)
		}
		if data, err := os.ReadFile(out); err != nil || !strings.HasPrefix(string(data), start) {
			t.Errorf("%s: %.20q, %v", ending, data, err)
		}
	}
}

func TestChart_AllNamedNothingSaidOfIt(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.svg")
	_, _, stderr := runNest("chart", plotFile(t, "times.csv", plotted), "--out", out, "--x", "n", "--y", "ns",
		"--series", "filter", "--where", "n=1000", "--logx", "--logy=false")
	if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "A point is one row") {
		t.Errorf("stderr %s", stderr)
	}
}

func TestChart_StandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	root := newRootCommand(experiments.Default())
	root.SetIn(strings.NewReader("BenchmarkA/n=1-8 10 5 ns/op\nBenchmarkA/n=2-8 10 7 ns/op\n"))
	var stdout, stderr bytes.Buffer
	if status := runCommand(t.Context(), root, []string{"chart", "-"}, &stdout, &stderr); status != exitOK ||
		stdout.String() != "stdin-chart.png\n" {
		t.Errorf("status %d, %s, %s", status, stdout.String(), stderr.String())
	}
}

func TestChart_BadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	good := plotFile(t, "times.csv", plotted)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "0 files are named"},
		{[]string{good, good}, "2 files are named"},
		{[]string{"none.csv"}, "none.csv"},
		{[]string{good, "--x", "m"}, `no column "m": it has filter, n, ns`},
		{[]string{good, "--where", "filter=go map"}, "there are bloom, cuckoo"},
		{[]string{plotFile(t, "names.csv", "a\nx\ny\n")}, "--y: name the column to draw of"},
		{[]string{good, "--size", "16"}, "--size"},
		{[]string{good, "--x", "n", "--y", "ns", "--size", "1x1"}, "width of 1 cm"},
		{[]string{good, "--out", "x.gif"}, ".png, .svg, .pdf"},
		{[]string{good, "--x", "n", "--y", "ns", "--out", "no/such/folder/x.png"}, "--out: "},
		{[]string{plotFile(t, "bad.csv", "a,b\n1,2\n3\n")}, "bad.csv:3: 1 values for 2 columns"},
		{[]string{plotFile(t, "bad.txt", "BenchmarkA 1 2 ns/op\nBenchmarkA 1 x ns/op\n")}, "bad.txt:2: "},
		{[]string{plotFile(t, "empty.csv", "")}, "empty.csv:1: empty"},
	} {
		status, stdout, stderr := runNest(append([]string{"chart"}, c.args...)...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: status %d, %s, %s", c.args, status, stdout, stderr)
		}
		if left := content(t, "."); left != "" {
			t.Errorf("%q left %s", c.args, left)
		}
	}
}
