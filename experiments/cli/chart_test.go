package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

const plotted = "filter,n,ns\nbloom,1000,20\nbloom,2000,25\ncuckoo,1000,8\ncuckoo,2000,9\n"

func TestChart_EveryFormat(t *testing.T) {
	dir := t.TempDir()
	file := writeKeys(t, dir, "times.csv", plotted)
	for ending, start := range map[string]string{"png": "\x89PNG", "svg": "<?xml", "pdf": "%PDF"} {
		out := filepath.Join(dir, "picture."+ending)
		says(t, exitOK, out+"\n", "a series for each filter", "chart", file, "--out", out, "--size",
			"16x9", "--title", "Times", "--x", "n", "--y", "ns")
		if text := readAll(t, out); !strings.HasPrefix(text, start) {
			t.Errorf("%s: %.20q", ending, text)
		}
	}
	_, stderr := says(t, exitOK, "", "A point is one row", "chart", file, "--out", filepath.Join(dir, "x.svg"), "--x", "n",
		"--y", "ns", "--series", "filter", "--where", "n=1000", "--logx", "--logy=false")
	if strings.Count(stderr, "\n") != 1 {
		t.Errorf("all is named, and yet it says %s", stderr)
	}
}

func TestChart_StandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	status, stdout, stderr := execute(t, "BenchmarkA/n=1-8 10 5 ns/op\nBenchmarkA/n=2-8 10 7 ns/op\n", "chart", "-")
	if status != exitOK || stdout != "stdin-chart.png\n" {
		t.Errorf("status %d, %s, %s", status, stdout, stderr)
	}
}
