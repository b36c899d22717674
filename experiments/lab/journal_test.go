package lab

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/nestfilter/nest/experiments/report"
)

func head() report.Manifest {
	return report.Manifest{
		Kind: "test", Module: report.Module{Version: "v1"}, Machine: report.Machine{CPU: "this", MemoryBytes: 1 << 30}, Profile: "quick", Seeds: []uint64{1 << 63},
	}
}

// steps are the rows of trial i, which has two steps.
func steps(i int) [][]string {
	return [][]string{{"a, \"b\"", strconv.Itoa(i), "0"}, {"a, \"b\"", strconv.Itoa(i), "-1"}}
}

var somePlans = []JournalPlan{{Experiment: "x", Columns: []string{"series", "trial", "n"}}}

// open opens a run and closes it when the test ends.
func open(t *testing.T, dir string, m report.Manifest) *Journal {
	t.Helper()
	r, err := openJournal(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// written makes a run of n trials and returns what the file of the experiment holds.
func written(t *testing.T, dir string, n int) []byte {
	t.Helper()
	r := open(t, dir, head())
	if kept, err := r.Begin(somePlans); err != nil || len(kept["x"].Rows) != 0 {
		t.Fatalf("a new run has %v, %v", kept, err)
	}
	for i := range n {
		if err := r.Append("x", steps(i), 5); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "x.csv"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A program may die at any byte: what was whole is there, and the next trial stands behind it.
func TestJournal_CutAnywhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	whole := written(t, dir, 3)
	header := bytes.IndexByte(whole, '\n')
	path := filepath.Join(dir, "x.csv")
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		want := max(bytes.Count(whole[:cut], []byte("\n"))-1, 0) / 2
		for _, more := range []int{0, 1} {
			r := open(t, dir, head())
			kept, err := r.Begin(somePlans)
			if err != nil || len(kept["x"].Rows) != 2*(want+more) || r.Len() != want+more {
				t.Fatalf("cut at %d of %d: %d trials, %v, %v, want %d and %d more", cut, header, r.Len(), kept, err, want, more)
			}
			for i := range want {
				if got := kept["x"].Rows[2*i]; !slices.Equal(got, append(slices.Clone(steps(i)[0]), "", "")) {
					t.Fatalf("cut at %d: %q", cut, got)
				}
			}
			if err := r.Append("x", steps(99), 1); err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Every byte of every trial is under its checksum.
func TestJournal_DamageIsFound(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	whole := written(t, dir, 3)
	path := filepath.Join(dir, "x.csv")
	for at := bytes.IndexByte(whole, '\n') + 1; at < len(whole); at++ {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		if damaged[at] == '\n' || whole[at] == '\n' {
			continue // two lines of one, or one of two: a cut tail if it is the last
		}
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		first := 1 + bytes.Count(whole[:at], []byte("\n"))
		_, err := openJournal(dir, head())
		named := slices.ContainsFunc([]int{first, first + 1}, func(line int) bool { // that of the checksum
			return err != nil && strings.Contains(err.Error(), path+":"+strconv.Itoa(line)+":")
		})
		if !errors.Is(err, ErrCorrupt) || !named {
			t.Fatalf("byte %d of line %d: %v", at, first, err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, damaged) {
			t.Fatal("a refused run was altered")
		}
	}
	if err := os.WriteFile(filepath.Join(dir, manifestName), []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(dir, head()); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
	for range 2 { // and of nothing
		if err := DiscardJournal(dir); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
}

func TestJournal_OtherRunsAreRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	written(t, dir, 2)
	columns := somePlans[0].Columns
	for _, c := range []struct {
		change func(m *report.Manifest, p *[]JournalPlan)
		want   string
	}{
		{func(m *report.Manifest, _ *[]JournalPlan) { m.Profile = "paper" }, "of profile quick, this run of paper"},
		{func(m *report.Manifest, _ *[]JournalPlan) { m.Seeds = []uint64{7} }, "of seed 9223372036854775808, this run of 7"},
		{func(m *report.Manifest, p *[]JournalPlan) {
			m.Machine.CPU = "that"
			*p = []JournalPlan{{"x", columns, 0, true}}
		}, `machine "this, 0 cores`},
		{func(_ *report.Manifest, p *[]JournalPlan) { *p = []JournalPlan{{"x", columns[1:], 0, false}} }, "its columns of x are series,trial,n,took_ns,crc, this run's trial,n,"},
		{func(_ *report.Manifest, p *[]JournalPlan) { *p = []JournalPlan{{"x", columns, 3, false}} }, "n,took_ns,crc.3"},
		{func(_ *report.Manifest, p *[]JournalPlan) { *p = []JournalPlan{{"y", columns, 0, false}} }, "it has x, which this run leaves out"},
		{func(m *report.Manifest, _ *[]JournalPlan) { m.Module.Version = "v2" }, ""},
		{func(m *report.Manifest, _ *[]JournalPlan) { m.Machine.CPU = "that" }, ""}, // nothing is timed
		{func(m *report.Manifest, p *[]JournalPlan) {
			m.Machine.MemoryBytes++
			*p = []JournalPlan{{"x", columns, 0, true}}
		}, ""},
		{func(_ *report.Manifest, p *[]JournalPlan) {
			*p = append([]JournalPlan{{"y", []string{"n"}, 5, false}}, somePlans...)
		}, ""},
	} {
		m, plans := head(), somePlans
		c.change(&m, &plans)
		var kept map[string]report.Table
		r, err := openJournal(dir, m)
		if err == nil {
			kept, err = r.Begin(plans)
			r.Close()
		}
		if c.want == "" && (err != nil || len(kept["x"].Rows) != 4) {
			t.Errorf("%v, %v: %v, %v", m, plans, kept, err)
		}
		if c.want != "" && (!errors.Is(err, ErrOther) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestJournal_EmptyOneIsRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	r := open(t, dir, head())
	if _, err := r.Begin(somePlans); err != nil {
		t.Fatal(err)
	}
	if err := r.Append("y", steps(1), 0); err == nil {
		t.Error("a trial of an experiment that was not planned is kept")
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	r = open(t, filepath.Join(dir, "deep", "deeper"), head())
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder, or its parent, is there: %v", err)
	}
	written(t, dir, 1)
	r = open(t, dir, head())
	if _, err := openJournal(dir, head()); !errors.Is(err, ErrBusy) && locks {
		t.Errorf("a second time: %v, want %v", err, ErrBusy)
	}
	if err := DiscardJournal(dir); !errors.Is(err, ErrBusy) && locks {
		t.Errorf("Discard: %v, want %v", err, ErrBusy)
	}
	if err := r.Remove(); err != nil {
		t.Error(err)
	}
	if err := r.Remove(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("removed twice: %v", err)
	}
}

// A table of somebody else's in the folder is neither read nor written nor removed.
func TestJournal_LeavesForeignTables(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "x.csv")
	for _, text := range []string{"a,b\n1,2\n", "a,b", "series,t"} {
		if err := os.WriteFile(mine, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := open(t, dir, head())
		_, err := r.Begin(somePlans)
		if torn := text == "series,t"; torn != (err == nil) { // as if the program had died there
			t.Errorf("%q: %v", text, err)
		} else if err == nil {
			continue
		}
		if err := r.Close(); !errors.Is(err, ErrForeign) {
			t.Errorf("%q: %v", text, err)
		}
		if err := DiscardJournal(dir); err != nil {
			t.Error(err)
		}
		if got, _ := os.ReadFile(mine); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestJournal_ManyWriters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	r := open(t, dir, head())
	if _, err := r.Begin(somePlans); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 100 {
				if err := r.Append("x", steps(i), 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if r = open(t, dir, head()); r.Len() != 800 {
		t.Errorf("%d of 800 trials", r.Len())
	}
}

// The folder of a run under way is read as a report is, while it is written too.
func TestRead_OfARunUnderWay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	written(t, dir, 2)
	r := open(t, dir, head())
	got, err := readResults(dir, "test")
	if err != nil || !got.Unfinished || len(got.Tables["x"].Rows) != 4 || !reflect.DeepEqual(got.Manifest.Seeds, head().Seeds) {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := readResults(dir, "other"); !errors.Is(err, ErrRaw) {
		t.Error(err)
	}
	if err := r.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := readResults(dir, "test"); !errors.Is(err, report.ErrNoReport) {
		t.Error(err)
	}
}
