package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/report"
)

func TestSweep_WritesATable(t *testing.T) {
	out := filepath.Join(t.TempDir(), "grid.csv")
	line := "sweep --f 8..12:4 --placement xor,additive --slots 1e3 --load 0.5,1 --seeds 2 --probes 4096 --out " + out
	_, stderr := says(t, exitOK, "", "cells=16", strings.Fields(line)...)
	has(t, stderr, "expected=", "rows=16")
	table, err := report.ReadTable(out, strings.NewReader(readAll(t, out)))
	if err != nil || len(table.Rows) != 16 {
		t.Fatalf("%d rows, %v", len(table.Rows), err)
	}
	says(t, exitUsage, "", "--force", strings.Fields(line)...)
	says(t, exitOK, "", "", strings.Fields("chart --x f --y measured_rate --series placement --where load=0.5 --out "+
		filepath.Join(filepath.Dir(out), "grid.svg")+" "+out)...)
}

// TestWholeRows_EndBehindAWholeRow stops the disk in the middle of the header, of a row, and of another one.
func TestWholeRows_EndBehindAWholeRow(t *testing.T) {
	for _, room := range []int{3, 300, 400, 700} {
		file, err := os.Create(filepath.Join(t.TempDir(), "grid.csv"))
		if err != nil {
			t.Fatal(err)
		}
		table := &wholeRows{w: &fullDisk{file, room}, columns: []string{"filter", "stored"}}
		for err = table.begin(); err == nil; {
			err = table.add([]string{"cuckoo", strings.Repeat("1", 100)})
		}
		if err = table.close(file, err); !errors.Is(err, errFull) {
			t.Errorf("%d bytes: %v", room, err)
		}
		data, err := os.ReadFile(file.Name())
		if table.rows == 0 {
			if !errors.Is(err, os.ErrNotExist) || !table.removed {
				t.Errorf("%d bytes: %q is left, %v", room, data, err)
			}
			continue
		}
		read, err := report.ReadTable("x", bytes.NewReader(data))
		if err != nil || len(read.Rows) != table.rows || !bytes.HasSuffix(data, []byte("\n")) || len(data) > room {
			t.Errorf("%d bytes: %d rows written, %d read, %v", room, table.rows, len(read.Rows), err)
		}
	}
}

// errFull is that of a disk without room.
var errFull = errors.New("no space left")

// A fullDisk is a file with room for so many bytes.
type fullDisk struct {
	file *os.File
	room int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	n, err := d.file.Write(p[:min(len(p), d.room)])
	if d.room -= n; err == nil && n < len(p) {
		err = errFull
	}
	return n, err
}

// TestSweep_RowsAsObjects prints no header, and numbers as numbers.
func TestSweep_RowsAsObjects(t *testing.T) {
	status, stdout, stderr := runNest("sweep", "--slots", "2^10", "--probes", "100", "--json")
	if want := `{"filter":"cuckoo","f":12,"b":4,"placement":"additive",`; status != exitOK || !strings.HasPrefix(stdout, want) ||
		strings.Count(stdout, "\n") != 1 || !strings.Contains(stdout, `"seed":"0x`) {
		t.Errorf("status %d, %s, %s", status, stdout, stderr)
	}
}

// TestSweep_InterruptLeavesATable cancels while rows are written.
func TestSweep_InterruptLeavesATable(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &cancelling{lines: 4, cancel: cancel}
	var stderr bytes.Buffer
	status := runCommand(ctx, newRootCommand(experiments.Default()), []string{"sweep", "--slots", "1e3", "--seeds", "500", "--probes", "256"}, out, &stderr)
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
