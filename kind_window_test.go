package nest_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo/window"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// TestWindow_ForgetsInTime: the front's filter remembers a key for the time that the Spec says, also from a file and in
// a clone; its view answers as of the file.
func TestWindow_ForgetsInTime(t *testing.T) {
	s := nest.Spec{Kind: nest.Window, Capacity: 1000, FalsePositiveRate: .001, Window: time.Hour}
	f := mustNew(t, s).(nest.Advancer)
	start := time.Unix(1_700_000_000, 0)
	f.AdvanceTo(start)
	for k, want := range []bool{true, false} {
		if added, err := f.TouchString("a"); added != want || err != nil {
			t.Error(k, added, err)
		}
	}
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	opened, err := nest.Open(b)
	v, err2 := nest.OpenView(b)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if _, typed := v.Unwrap().(*window.View[fingerprint.Any]); !typed || opened.Spec() != f.Spec() ||
		v.Spec() != f.Spec() || f.Spec().Window != time.Hour || f.Spec().Generations != 6 || f.Spec().FingerprintBits != 13 {
		t.Error(opened.Spec(), v.Spec(), f.Spec())
	}
	for _, x := range []nest.Filter{f, opened, f.Clone()} {
		x.(nest.Advancer).AdvanceTo(start.Add(time.Hour))
		early := x.ContainsString("a")
		x.(nest.Advancer).AdvanceTo(start.Add(time.Hour + 10*time.Minute + time.Second))
		if late := x.ContainsString("a"); !early || late || x.Len() != 0 || !v.ContainsString("a") {
			t.Error(x, early, late)
		}
	}
	f.Insert([]byte("b"))
	f.Advance()
	if added, err := f.InsertUniqueString("b"); added || err != nil {
		t.Error(added, err)
	}
}

// TestWindow_PlansAndProblems: the capacity is that of a window, Best never takes the kind, and what is wrong is said.
func TestWindow_PlansAndProblems(t *testing.T) {
	s := nest.Spec{Kind: nest.Window, Capacity: 1_000_000, FalsePositiveRate: .01}
	p, err := nest.Plans(s)
	if err != nil || p[0].Spec.Generations != 14 || p[0].FalsePositiveRate > .01 || p[0].FalsePositiveRate < .007 {
		t.Fatal(p, err)
	}
	if bits := 8 * float64(p[0].SizeBytes) / 1e6; bits < 15.5 || bits > 15.7 {
		t.Errorf("%.2f bits for each key of a window", bits)
	}
	keys, err := nest.Plans(nest.Spec{Kind: nest.Window, Keys: 1_000_000, FalsePositiveRate: .01})
	if err != nil || keys[0].SizeBytes != p[0].SizeBytes || keys[0].FalsePositiveRate != p[0].FalsePositiveRate {
		t.Error(keys, err)
	}
	for _, rate := range []float64{.1, .01, .0001} {
		if all, err := nest.Plans(nest.Spec{Capacity: 1000, FalsePositiveRate: rate}); err != nil {
			t.Error(err)
		} else {
			for _, p := range all {
				if p.Spec.Kind == nest.Window {
					t.Error("Best considers", p)
				}
			}
		}
	}
	for text, want := range map[string]string{
		"kind=window/fpr=.01":                             "Capacity and Slots are both 0",
		"kind=window/keys=5":                              "FingerprintBits are all 0",
		"kind=window/keys=5/bitsperitem=20":               "BitsPerItem is 20 and Capacity is 0",
		"kind=window/capacity=5/fpr=.01/window=1us":       "Window is 1µs, want at least 1ms",
		"kind=window/capacity=5/fpr=.01/window=1h/keys=3": "Window 1h0m0s and Keys 3",
		"kind=window/capacity=5/fpr=.01/generations=15":   "Generations is 15",
		"kind=window/slots=6/f=12":                        "want a multiple of 4",
		"kind=window/capacity=5/fpr=.01/mustdelete=true":  "cannot delete",
		"kind=cuckoo/capacity=5/fpr=.01/window=1h":        "which Kind cuckoo does not have",
		"kind=cuckoo/capacity=5/fpr=.01/forgetearly=true": "which Kind cuckoo does not have",
		"kind=window/capacity=5/fpr=.01/segments=3":       "which Kind window does not have",
		"kind=window/capacity=5000/fpr=.01/maxbytes=10":   "MaxBytes",
		"kind=window/capacity=5/fpr=.01/layout=paired":    "which Kind window does not have",
	} {
		var s nest.Spec
		err := s.Set(text)
		if err == nil {
			_, err = nest.New(s)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	var read nest.Spec
	s.Window = 90 * time.Second
	b, err := json.Marshal(s)
	if err != nil || !strings.Contains(string(b), `"window":"1m30s"`) || json.Unmarshal(b, &read) != nil || read != s {
		t.Errorf("%s, %v, %v", b, read, err)
	}
}

// TestWindow_FullForgetsEarlyIfAsked: a full filter refuses keys, also one from a file, unless it is to forget early.
func TestWindow_FullForgetsEarlyIfAsked(t *testing.T) {
	for _, early := range []bool{false, true} {
		f := mustNew(t, nest.Spec{Kind: nest.Window, Slots: 400, FingerprintBits: 12, ForgetEarly: early})
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		} else if f, err = nest.Open(b); err != nil || f.Spec().ForgetEarly != early {
			t.Fatal(f, err)
		}
		for h := range uint64(2000) {
			if h%40 == 0 {
				f.(nest.Advancer).Advance()
			}
			err = errors.Join(err, f.InsertHash(hashing.Mix64(h)))
		}
		if errors.Is(err, nest.ErrFull) == early {
			t.Error(early, err)
		}
	}
}
