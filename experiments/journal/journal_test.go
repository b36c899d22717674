package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var head = Head{Version: "v1", Profile: "quick", Seed: 1 << 63, Machine: "this"}

// someTrials are n trials with counts that a 64-bit float does not hold.
func someTrials(n int) []Trial {
	out := make([]Trial, n)
	for i := range out {
		out[i] = Trial{Experiment: "x", Series: "a \u03b1\n", Params: []string{"1", strconv.Itoa(i)}, Trial: i, Seed: 1<<64 - 1 - uint64(i), Counts: []int{1<<31 - 1 - i, 0, -1}, Took: 5}
	}
	return out
}

var somePlans = []Plan{{Experiment: "x", Hash: "1234"}}

// open opens a journal and closes it when the test ends.
func open(t *testing.T, dir string, h Head) *Journal {
	t.Helper()
	j, err := Open(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// written makes a journal of n trials and returns its file's content.
func written(t *testing.T, dir string, n int) []byte {
	t.Helper()
	j := open(t, dir, head)
	if kept, err := j.Begin(somePlans); err != nil || len(kept) != 0 {
		t.Fatalf("a new journal has %v, %v", kept, err)
	}
	for _, trial := range someTrials(n) {
		if err := j.Append(trial); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A program may die at any byte: what was whole is there, and the next trial stands behind it.
func TestJournal_CutAnywhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	whole := written(t, dir, 3)
	path := filepath.Join(dir, fileName)
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		want := someTrials(max(bytes.Count(whole[:cut], []byte("\n"))-2, 0))
		for _, more := range []int{0, 1} {
			j := open(t, dir, head)
			kept, err := j.Begin(somePlans)
			if err != nil || len(kept) != len(want)+more || len(want) > 0 && !reflect.DeepEqual(kept[:len(want)], want) || j.Len() != len(kept) {
				t.Fatalf("cut at %d: %v, %v, want %v and %d more", cut, kept, err, want, more)
			}
			if err := j.Append(Trial{Experiment: "x", Trial: 99}); err != nil {
				t.Fatal(err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Every byte of every whole line is under its checksum or its frame.
func TestJournal_DamageIsFound(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	whole := written(t, dir, 3)
	path := filepath.Join(dir, fileName)
	for at := range whole {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		if damaged[at] == '\n' || whole[at] == '\n' {
			continue // two lines of one, or one of two: a cut tail if it is the last
		}
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		line := 1 + bytes.Count(whole[:at], []byte("\n"))
		_, err := Open(dir, head)
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path+":"+string(rune('0'+line))+":") {
			t.Fatalf("byte %d of line %d: %v", at, line, err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, damaged) {
			t.Fatal("a refused journal was altered")
		}
	}
	for _, lines := range []string{string(whole) + string(whole), string(whole[bytes.IndexByte(whole, '\n')+1:]), "\n", "{}\n"} {
		if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, head); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%.40q: %v", lines, err)
		}
	}
	if err := Discard(dir); err != nil {
		t.Error(err)
	}
	if err := Discard(dir); err != nil {
		t.Errorf("of nothing: %v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
}

func TestJournal_OtherRunsAreRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	written(t, dir, 2)
	for _, c := range []struct {
		change func(h *Head, p *[]Plan)
		want   string
	}{
		{func(h *Head, _ *[]Plan) { h.Version = "v2" }, "of version v1, this is v2"},
		{func(h *Head, _ *[]Plan) { h.Profile = "paper" }, "of profile quick, this run of paper"},
		{func(h *Head, _ *[]Plan) { h.Seed = 7 }, "of seed 9223372036854775808, this run of 7"},
		{func(h *Head, p *[]Plan) { h.Machine = "that"; *p = []Plan{{"x", "1234", true}} }, `machine "this", this is "that"`},
		{func(_ *Head, p *[]Plan) { *p = []Plan{{"x", "12", false}} }, "its plan of x has the hash 1234, this run's 12"},
		{func(_ *Head, p *[]Plan) { *p = []Plan{{"y", "1234", false}} }, "it has x, which this run leaves out"},
		{func(h *Head, _ *[]Plan) { h.Version, h.AnyVersion = "v2", true }, ""},
		{func(h *Head, _ *[]Plan) { h.Machine = "that" }, ""}, // nothing is timed
		{func(_ *Head, p *[]Plan) { *p = append([]Plan{{"y", "5", false}}, somePlans...) }, ""},
	} {
		h, plans := head, somePlans
		c.change(&h, &plans)
		var kept []Trial
		j, err := Open(dir, h)
		if err == nil {
			kept, err = j.Begin(plans)
			j.Close()
		}
		if c.want == "" && (err != nil || len(kept) != 2) {
			t.Errorf("%v, %v: %v, %v", h, plans, kept, err)
		}
		if c.want != "" && (!errors.Is(err, ErrOther) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestJournal_EmptyOneIsRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	j := open(t, dir, head)
	if _, err := j.Begin(somePlans); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
	j = open(t, filepath.Join(dir, "deep", "deeper"), head)
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the parent is there: %v", err)
	}
	written(t, dir, 1)
	j = open(t, dir, head)
	if _, err := Open(dir, head); !errors.Is(err, ErrBusy) && locks {
		t.Errorf("a second time: %v, want %v", err, ErrBusy)
	}
	if err := Discard(dir); !errors.Is(err, ErrBusy) && locks {
		t.Errorf("Discard: %v, want %v", err, ErrBusy)
	}
	if err := j.Remove(); err != nil {
		t.Error(err)
	}
	if err := j.Remove(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("removed twice: %v", err)
	}
}

func TestJournal_ManyWriters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	j := open(t, dir, head)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, trial := range someTrials(100) {
				if err := j.Append(trial); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = open(t, dir, head)
	if j.Len() != 800 {
		t.Errorf("%d of 800 trials", j.Len())
	}
}
