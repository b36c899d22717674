package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/speed"
)

func TestBench_WritesTheFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new", "out")
	line := "bench --slots 1024,2^12 --rounds 2 --formats svg,png --filter cuckoo-xor,bloom --base bloom --out " + out
	stdout, _ := says(t, exitOK, "", "", strings.Fields(line)...)
	has(t, stdout, "4096  cuckoo-xor", "1024  bloom", "1024  gather", "The base is bloom", "report.html")
	has(t, content(t, out), "bench.csv", "bench.svg", "load.svg", "load.png", "fill.svg", "bench.txt", "report.md", "report.html")
	manifest, err := report.ReadManifest(out)
	if err != nil || manifest.Kind != "bench" {
		t.Fatalf("manifest: %v, %v", manifest, err)
	}
	if size, ok := manifest.File("bench.csv"); !ok || len(size.Timed) == 0 {
		t.Errorf("bench.csv: timed columns %q", size.Timed)
	}
	lines, err := report.ReadBench("bench.txt", strings.NewReader(readAll(t, filepath.Join(out, "bench.txt"))))
	if err != nil || len(lines) < 100 {
		t.Errorf("bench.txt: %d lines, %v", len(lines), err)
	}
	says(t, exitUsage, "", "not empty", strings.Fields(line)...)
}

// TestBench_Study measures one study at the smallest size.
func TestBench_Study(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	line := "bench --study together --rounds 1 --formats svg --n " + strconv.Itoa(speed.MinKeys()) + " --out " + out
	says(t, exitOK, "Medians of 1 rounds", "", strings.Fields(line)...)
	has(t, content(t, out), "together.csv", "together.svg", "writes.svg", "report.html")
}

func TestBench_KeysOfAFile(t *testing.T) {
	dir := t.TempDir()
	var keys, queries strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&keys, "key-%x\r\n", i)
		fmt.Fprintf(&queries, "query-%x\n", i)
	}
	keyFile := writeKeys(t, dir, "keys.txt", keys.String()+"key-a\r\n")
	queryFile := writeKeys(t, dir, "queries.txt", queries.String()+"key-a")
	out := filepath.Join(dir, "new", "out")
	args := strings.Fields("bench --fpr 0.05,0.01,0.05 --rounds 2 --formats svg --keys " + keyFile + " --queries " + queryFile + " --out " + out)
	stdout, _ := says(t, exitOK, "", "", args...)
	has(t, stdout, "3000 distinct keys in 3001 lines (1 duplicate, 3001 ending in CRLF)",
		"1 are keys (true positives), 3000 are absent", "cuckoo b=4 xor", "go map", "report.html")
	has(t, content(t, out), "compare.csv", "compare.svg", "report.html", "report.md", "bench.txt", "manifest.json")
	table, err := report.ReadTable("compare.csv", strings.NewReader(readAll(t, filepath.Join(out, "compare.csv"))))
	if err != nil || len(table.Rows) != 1+2*12 {
		t.Errorf("compare.csv: %d rows, %v", len(table.Rows), err)
	}
	says(t, exitUsage, "", "--out", args...)
	says(t, exitOK, "", "", append(args, "--force")...)
}

// TestBench_KeysAsObjects prints no folder and no text, but the rows for a program.
func TestBench_KeysAsObjects(t *testing.T) {
	status, stdout, stderr := execute(t, "a\nb\n", strings.Fields("bench --keys - --rounds 1 --fpr 0.1 --json")...)
	if status != exitOK || strings.Count(stdout, "\n") != 13 {
		t.Fatalf("status %d, %s: %s", status, stderr, stdout)
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

// An interrupt leaves nothing behind.
func TestBench_Interrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, _, stderr := executeIn(ctx, "", "bench", "--out", filepath.Join(dir, "out"), "--slots", "64")
	if status != exitInterrupted || content(t, dir) != "" || !strings.Contains(stderr, "interrupted") {
		t.Errorf("status %d, %q, left %q", status, stderr, content(t, dir))
	}
}
