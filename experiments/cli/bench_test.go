package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/report"
)

func TestBench_WritesTheFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new", "out")
	line := "bench --slots 1024,2^12 --rounds 2 --formats svg,png --filter cuckoo-xor,bloom --base bloom --out " + out
	stdout, _ := says(t, exitOK, "", "expected=", strings.Fields(line)...)
	has(t, stdout, "4096  cuckoo-xor", "1024  bloom", "1024  gather", "The base is bloom", "report.html")
	has(t, content(t, out), "bench.csv", "bench.svg", "load.svg", "load.png", "fill.svg", "bench.txt", "report.md", "report.html")
	manifest := must.Get(report.ReadManifest(out))(t)
	if size, ok := manifest.File("bench.csv"); manifest.Kind != "bench" || !ok || len(size.Timed) == 0 {
		t.Errorf("kind %q, bench.csv: timed columns %q", manifest.Kind, size.Timed)
	}
	lines, err := report.ReadBench("bench.txt", strings.NewReader(readAll(t, filepath.Join(out, "bench.txt"))))
	if err != nil || len(lines) < 100 {
		t.Errorf("bench.txt: %d lines, %v", len(lines), err)
	}
	says(t, exitUsage, "", "not empty", strings.Fields(line)...)
}

// An interrupted run keeps its trials, and the same command goes on with them.
func TestBench_GoesOnAfterInterrupt(t *testing.T) {
	dir := t.TempDir()
	line := strings.Fields("bench --slots 1024 --rounds 20 --formats svg --filter bloom --out " + filepath.Join(dir, "out"))
	ctx, cancel := context.WithCancel(t.Context())
	said := &cancelling{lines: 2, cancel: cancel}
	status := runCommand(ctx, newRootCommand(experiments.Default()), line, io.Discard, said)
	if status != exitInterrupted || content(t, dir) != "out.partial" {
		t.Fatalf("status %d, left %s: %s", status, content(t, dir), &said.text)
	}
	has(t, said.text.String(), "finished trials are kept in "+filepath.Join(dir, "out.partial"))
	if _, stderr := says(t, exitOK, "", "kept=", line...); strings.Contains(stderr, "kept=0") || content(t, dir) != "out" {
		t.Errorf("left %s: %s", content(t, dir), stderr)
	}
}

// TestBench_Study measures one study at the smallest size.
func TestBench_Study(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	says(t, exitOK, "Medians of 1 rounds", "", strings.Fields("bench --study paired --rounds 1 --formats svg --n 2^15 --out "+out)...)
	has(t, content(t, out), "paired.csv", "report.html")
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
	line := "bench --fpr 0.05,0.01,0.05 --rounds 1 --formats svg --keys " + keyFile + " --queries " + queryFile + " --out " + out
	stdout, _ := says(t, exitOK, "", "", strings.Fields(line)...)
	has(t, stdout, "3000 distinct keys in 3001 lines (1 duplicate, 3001 ending in CRLF)",
		"1 are keys (true positives), 3000 are absent", "cuckoo b=4 xor", "go map", "report.html")
	has(t, content(t, out), "compare.csv", "compare.svg", "report.html", "report.md", "bench.txt", "manifest.json")
	table := must.Get(report.ReadTable("compare.csv", strings.NewReader(readAll(t, filepath.Join(out, "compare.csv")))))(t)
	has(t, readAll(t, filepath.Join(out, "report.md")), "built once", "Of those that delete it is ")
	if n := len(table.Rows); n < 1+2*13 || n%2 == 0 {
		t.Errorf("compare.csv: %d rows", len(table.Rows))
	}
}

// TestBench_KeysAsObjects prints no folder and no text, but the rows for a program.
func TestBench_KeysAsObjects(t *testing.T) {
	status, stdout, stderr := execute(t, "a\nb\n", strings.Fields("bench --keys - --rounds 1 --fpr 0.1 --json")...)
	if status != exitOK || strings.Count(stdout, "\n") < 14 {
		t.Fatalf("status %d, %s: %s", status, stderr, stdout)
	}
	for line := range strings.Lines(stdout) {
		var row struct {
			Filter string  `json:"filter"`
			Bits   float64 `json:"bits_per_item"`
		}
		must.Do(t, json.Unmarshal([]byte(line), &row))
		if row.Filter == "" || row.Bits < 1 && row.Filter != "go map" {
			t.Errorf("%s: %+v", line, row)
		}
	}
}

func TestSweep_WritesATable(t *testing.T) {
	out := filepath.Join(t.TempDir(), "grid.csv")
	line := "sweep --f 8..12:4 --placement xor,additive --slots 1e3 --load 0.5,1 --seeds 2 --probes 4096 --out " + out
	_, stderr := says(t, exitOK, "", "cells=16", strings.Fields(line)...)
	has(t, stderr, "expected=", "rows=16")
	table := must.Get(report.ReadTable(out, strings.NewReader(readAll(t, out))))(t)
	if len(table.Rows) != 16 {
		t.Errorf("%d rows", len(table.Rows))
	}
	says(t, exitOK, "", "", strings.Fields("chart --x f --y measured_rate --series placement --where load=0.5 --out "+
		filepath.Join(filepath.Dir(out), "grid.svg")+" "+out)...)
}

// TestSweep_GoesOnAfterAFailure ends in the third of four sizes the first time: a table of the rows before it, which the
// same command completes without counting them again, and other probes do not.
func TestSweep_GoesOnAfterAFailure(t *testing.T) {
	dir, made, boom := t.TempDir(), 0, true
	exact := func(n int, _ uint64) (lab.Instance, error) {
		if made++; boom && n == 3000 {
			return nil, errors.New("boom")
		}
		held := map[uint64]bool{}
		insert := func(h uint64) error { held[h] = true; return nil }
		return lab.Adapt(insert, func(h uint64) bool { return held[h] }, 8192), nil
	}
	set := lab.Filter{Name: "set", Settings: []lab.Setting{{Bits: 64, OneIn: 1 << 30, New: exact}}}
	swept := func(status int, err, out, more string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		root := newRootCommand(lab.Registry{Parts: lab.Parts{Filters: []lab.Filter{set}}})
		line := "sweep --workers 1 --filter set --slots 1e3..4e3:1e3 --out " + filepath.Join(dir, out) + " " + more
		if got := runCommand(t.Context(), root, strings.Fields(line), &stdout, &stderr); got != status || !strings.Contains(stderr.String(), err) {
			t.Fatalf("status %d, want %d with %q: %s", got, status, err, &stderr)
		}
	}
	swept(exitUsage, "2 finished trials are kept in "+filepath.Join(dir, "a.csv.partial"), "a.csv", "")
	if lines := strings.Count(readAll(t, filepath.Join(dir, "a.csv")), "\n"); lines != 3 {
		t.Errorf("%d lines were left", lines)
	}
	boom, made = false, 0
	swept(exitUsage, "--restart", "a.csv", "--probes 99")
	swept(exitOK, "kept=2", "a.csv", "")
	if made != 2 {
		t.Errorf("%d filters were made for the two cells that were left", made)
	}
	swept(exitOK, "kept=0", "b.csv", "")
	if holds(t, dir, "a.csv b.csv"); readAll(t, filepath.Join(dir, "a.csv")) != readAll(t, filepath.Join(dir, "b.csv")) {
		t.Error("the table of two sittings is another one")
	}
	swept(exitUsage, "a.csv exists", "a.csv", "")
}

// TestWholeRows_EndBehindAWholeRow stops the disk in the middle of the header, of a row, and of another one.
func TestWholeRows_EndBehindAWholeRow(t *testing.T) {
	for _, room := range []int{3, 300, 400, 700} {
		name := filepath.Join(t.TempDir(), "grid.csv")
		file := must.Get(os.Create(name))(t)
		table := &wholeRows{Writer: &fullDisk{file, room}}
		err := table.add([]string{"filter", "stored"})
		for err == nil {
			err = table.add([]string{"cuckoo", strings.Repeat("1", 100)})
		}
		if must.Do(t, file.Close()); !errors.Is(err, errFull) {
			t.Errorf("%d bytes: %v", room, err)
		}
		data := readAll(t, name)
		if strings.Count(data, "\n") != table.lines || data != "" && !strings.HasSuffix(data, "\n") || len(data) > room {
			t.Errorf("%d bytes: %d lines written, %q", room, table.lines, data)
		}
	}
}

// errFull is that of a disk without room.
var errFull = errors.New("no space left")

// A fullDisk is a file with room for so many bytes.
type fullDisk struct {
	*os.File
	room int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	n, err := d.File.Write(p[:min(len(p), d.room)])
	if d.room -= n; err == nil && n < len(p) {
		err = errFull
	}
	return n, err
}

// TestSweep_RowsAsObjects prints no header, and numbers as numbers.
func TestSweep_RowsAsObjects(t *testing.T) {
	stdout, _ := says(t, exitOK, `"seed":"0x`, "", "sweep", "--slots", "2^10", "--probes", "100", "--json")
	var row map[string]any
	if err := json.Unmarshal([]byte(stdout), &row); err != nil || row["filter"] != "cuckoo" || row["f"] != 12. {
		t.Errorf("%v, %s", err, stdout)
	}
}

// TestSweep_InterruptLeavesATable cancels while rows are written.
func TestSweep_InterruptLeavesATable(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &cancelling{lines: 4, cancel: cancel}
	status, stderr := runOn(ctx, strings.NewReader(""), out, strings.Fields("sweep --slots 1e3 --seeds 500 --probes 256")...)
	if status != exitInterrupted || !strings.Contains(stderr, "lines were written") {
		t.Errorf("status %d: %s", status, stderr)
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
