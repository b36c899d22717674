package lab

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/nestfilter/nest/experiments/report"
)

func head() report.Manifest {
	return report.Manifest{
		Kind: reportKind, Module: report.Module{Version: "v1"}, Profile: "quick", Seeds: []uint64{1 << 63},
		Machine: report.Machine{CPU: "this", MemoryBytes: 1 << 30},
	}
}

// steps are the rows of trial i, which has two steps.
func steps(i int) [][]string {
	return [][]string{{"a, \"b\"", strconv.Itoa(i), "s", "0"}, {"a, \"b\"", strconv.Itoa(i), "s", "-1"}}
}

// someOf is an experiment with a count.
func someOf(name, count string) *Experiment {
	return &Experiment{Name: name, Trial: Trial{Counts: count}}
}

var some = []*Experiment{someOf("x", "n")}

// open opens a journal and closes it when the test ends.
func open(t *testing.T, path string, m report.Manifest) *Journal {
	t.Helper()
	j, err := openJournal(path, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// kept begins a run of the experiments and returns how many rows of each there are.
func kept(t *testing.T, j *Journal, all []*Experiment) map[string]int {
	t.Helper()
	tables, err := j.begin(all)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for name, table := range tables {
		rows[name] = len(table.Rows)
	}
	return rows
}

// journalOf makes a journal of n trials and returns its path and what it holds.
func journalOf(t *testing.T, n int) (path string, whole []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "deep", "j")
	j := open(t, path, head())
	if rows := kept(t, j, some); len(rows) != 0 {
		t.Fatalf("a new run has %v", rows)
	}
	for i := range n {
		if err := j.append("x", steps(i), 5); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil && n > 0 {
		t.Fatal(err)
	}
	return path, whole
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A program may die at any byte: what was whole is there, and the next trial stands behind it.
func TestJournal_CutAnywhere(t *testing.T) {
	path, whole := journalOf(t, 3)
	for cut := range len(whole) + 1 {
		write(t, path, whole[:cut])
		if cut > 0 && !begins.Match(whole[:cut]) {
			if _, err := openJournal(path, head()); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			continue
		}
		want := max(bytes.Count(whole[:cut], []byte("\n"))-2, 0)
		for _, more := range []int{0, 1} {
			j := open(t, path, head())
			if rows := kept(t, j, some); rows["x"] != 2*(want+more) || j.Len() != want+more {
				t.Fatalf("cut at %d: %d trials, %v, want %d and %d more", cut, j.Len(), rows, want, more)
			}
			for i := range want {
				if got := j.tables["x"].Rows[2*i+1]; !slices.Equal(got, append(slices.Clone(steps(i)[1]), "5")) {
					t.Fatalf("cut at %d: %q", cut, got)
				}
			}
			if err := errors.Join(j.append("x", steps(99), 1), j.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Every byte is under a checksum.
func TestJournal_DamageIsFound(t *testing.T) {
	path, whole := journalOf(t, 3)
	for at := range whole {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		if damaged[at] == '\n' || whole[at] == '\n' {
			continue // two lines of one, or one of two: a cut tail if it is the last
		}
		write(t, path, damaged)
		line := strconv.Itoa(1 + bytes.Count(whole[:at], []byte("\n")))
		if _, err := openJournal(path, head()); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path+":"+line+":") {
			t.Fatalf("byte %d of line %s: %v", at, line, err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, damaged) {
			t.Fatal("a refused journal was altered")
		}
	}
	for range 2 { // and of nothing
		if err := DiscardJournal(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the journal is there: %v", err)
	}
}

func TestJournal_OtherRunsAreRefused(t *testing.T) {
	path, _ := journalOf(t, 2)
	timed, revised := someOf("x", "n"), someOf("x", "n")
	timed.Timed, revised.Revision = "n", 3
	other := func(change func(*report.Manifest)) report.Manifest {
		m := head()
		change(&m)
		return m
	}
	paper := other(func(m *report.Manifest) { m.Profile = "paper" })
	seven := other(func(m *report.Manifest) { m.Seeds = []uint64{7} })
	elsewhere := other(func(m *report.Manifest) { m.Machine.CPU = "that" })
	memory := other(func(m *report.Manifest) { m.Machine.MemoryBytes = 1 << 20 })
	for _, c := range []struct {
		m    report.Manifest
		of   []*Experiment
		want string
	}{
		{paper, some, "of profile quick, this run of paper"},
		{seven, some, "of seed 9223372036854775808, this run of 7"},
		{elsewhere, []*Experiment{timed}, `machine "this, 0 cores`},
		{head(), []*Experiment{someOf("x", "m")}, "its columns of x are series,trial,seed,n, of revision 0, this run's series,trial,seed,m,"},
		{head(), []*Experiment{revised}, ", of revision 0, this run's series,trial,seed,n, of 3"},
		{head(), []*Experiment{someOf("y", "n")}, "it has x, which this run leaves out"},
		{elsewhere, some, ""},
		{memory, []*Experiment{timed}, ""},
		{head(), []*Experiment{someOf("y", "k"), some[0]}, ""},
	} {
		var tables map[string]report.Table
		j, err := openJournal(path, c.m)
		if err == nil {
			tables, err = j.begin(c.of)
			j.Close()
		}
		if c.want == "" && (err != nil || len(tables["x"].Rows) != 4) {
			t.Errorf("%v: %v, %v", c.m, tables, err)
		}
		if c.want != "" && (!errors.Is(err, ErrOther) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestJournal_EmptyOneIsRemoved(t *testing.T) {
	path, whole := journalOf(t, 0)
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) || whole != nil {
		t.Errorf("the journal is there: %v", err)
	}
}

func TestJournal_OneProcessAtATime(t *testing.T) {
	path, _ := journalOf(t, 1)
	j := open(t, path, head())
	if _, err := openJournal(path, head()); !errors.Is(err, ErrBusy) && locks {
		t.Errorf("a second time: %v, want %v", err, ErrBusy)
	}
	if err := DiscardJournal(path); !errors.Is(err, ErrBusy) && locks {
		t.Errorf("Discard: %v, want %v", err, ErrBusy)
	}
	if raw, err := ReadRaw(path); err != nil || !raw.Unfinished || len(raw.Tables["x"].Rows) != 2 || raw.Options.Seed != 1<<63 {
		t.Errorf("while it is written: %+v, %v", raw, err)
	}
	if err := errors.Join(j.Remove(), j.Remove(), j.Close()); err != nil {
		t.Error(err)
	}
	if _, err := ReadRaw(path); !errors.Is(err, report.ErrNoReport) {
		t.Error(err)
	}
}

// A file of somebody else's is neither read nor written nor removed.
func TestJournal_LeavesForeignFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, text := range []string{"a,b\n1,2\n", "a,b", `01234567 {"manifesto"`} {
		write(t, path, []byte(text))
		_, err := openJournal(path, head())
		_, read := ReadRaw(path)
		if !errors.Is(err, ErrCorrupt) || !errors.Is(read, ErrRaw) || DiscardJournal(path) == nil {
			t.Errorf("%q: %v, %v", text, err, read)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestJournal_ManyWriters(t *testing.T) {
	path, _ := journalOf(t, 1)
	j := open(t, path, head())
	kept(t, j, some)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 100 {
				if err := j.append("x", steps(i), 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if j = open(t, path, head()); j.Len() != 801 {
		t.Errorf("%d of 801 trials", j.Len())
	}
}
