package filetest_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/filetest"
)

// A faulty filter is a good one but for what its fault says.
type faulty struct {
	*bloom.Filter
	fault string
}

func (f faulty) UnmarshalBinary(b []byte) error {
	switch f.fault {
	case "greedy":
		kept = make([]byte, 6<<20)
	case "eager":
		f.InsertHash(77)
	case "forgetful":
		f.Reset()
		return nil
	}
	err := f.Filter.UnmarshalBinary(b)
	if f.fault == "vague" && err != nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

var kept []byte

func (f faulty) ReadFrom(r io.Reader) (int64, error) {
	n, err := f.Filter.ReadFrom(r)
	switch f.fault {
	case "miscounting":
		n++
	case "no streams":
		err = errors.Join(err, bloom.ErrCorrupt)
	case "greedy streams":
		kept = make([]byte, 6<<20)
	}
	return n, err
}

func (f faulty) WriteTo(w io.Writer) (int64, error) {
	if f.fault == "mute" {
		return 0, io.ErrShortWrite
	}
	return f.Filter.WriteTo(w)
}

func (f faulty) MarshalBinary() ([]byte, error) {
	if f.fault == "not to store" {
		return nil, bloom.ErrConfig
	}
	return f.Filter.MarshalBinary()
}

// A faultyView is a good view but for its fault.
type faultyView struct {
	*bloom.View
	fault string
}

func (v faultyView) Len() int {
	if v.fault == "view of another" {
		return 5
	}
	return v.View.Len()
}

func (v faultyView) ContainsHash(h uint64) bool {
	return v.fault == "view of everything" || v.View.ContainsHash(h)
}

func (v faultyView) ScanStats() bloom.Stats {
	s := v.View.ScanStats()
	if v.fault == "heavy view" {
		s.LoadFactor = 2
	}
	return s
}

// check runs Check of a filter with two keys, damaged if asked for, on a type with a fault.
func check(t *testing.T, fault string, damage func([]byte) []byte) (bool, error) {
	t.Helper()
	own := func() faulty {
		f, err := bloom.New(bloom.Config{Slots: 1000, Hashes: 3})
		if err != nil {
			t.Fatal(err)
		}
		f.InsertHashes([]uint64{hashing.Mix64(1), 9})
		return faulty{f, fault}
	}
	other := own()
	other.InsertHash(hashing.Mix64(2))
	b, err := other.Filter.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return filetest.Type[faulty]{
		Own: own,
		View: func(b []byte) (filetest.View, error) {
			v, err := bloom.OpenView(b)
			switch fault {
			case "no views":
				err = bloom.ErrCorrupt
			case "vague views":
				err = io.EOF
			}
			return faultyView{v, fault}, err
		},
		Rates: func(v filetest.View) (load, rate float64) {
			s := v.(faultyView).ScanStats()
			return s.LoadFactor, s.FalsePositiveRate
		},
		Use: func(faulty) error {
			if fault == "useless" {
				return errors.New("no use")
			}
			return nil
		},
	}.Check(damage(b))
}

// A whole file and damages of it.
func whole(b []byte) []byte   { return b }
func flipped(b []byte) []byte { b[130] ^= 1; return b }
func cut(b []byte) []byte     { return b[:len(b)-8] }
func header(b []byte) []byte  { return b[:70] }
func tiny(b []byte) []byte    { return b[:7] }

// TestCheck_TakesGoodFilters reads a file and damaged ones. A bit of the table that is changed makes another
// filter, once the checksum is right.
func TestCheck_TakesGoodFilters(t *testing.T) {
	for _, c := range []struct {
		damage func([]byte) []byte
		want   bool
	}{{whole, true}, {flipped, true}, {cut, false}, {header, false}, {tiny, false}} {
		if taken, err := check(t, "", c.damage); err != nil || taken != c.want {
			t.Errorf("%t, %v; want %t", taken, err, c.want)
		}
	}
}

func TestCheck_NoticesFaults(t *testing.T) {
	for _, c := range []struct {
		fault  string
		damage func([]byte) []byte
		want   string
	}{
		{"greedy", whole, "allocated"},
		{"greedy streams", whole, "allocated"},
		{"eager", cut, "is stored as"},
		{"forgetful", whole, "is stored as"},
		{"vague", cut, "says nothing of a file"},
		{"miscounting", whole, "and says"},
		{"no streams", whole, "ReadFrom says"},
		{"mute", whole, "storing"},
		{"not to store", whole, bloom.ErrConfig.Error()},
		{"no views", whole, "no view of a filter"},
		{"vague views", cut, "says nothing of a file"},
		{"view of another", whole, "Len 5"},
		{"view of everything", whole, "one by one"},
		{"heavy view", whole, "load 2"},
		{"useless", whole, "no use"},
	} {
		if _, err := check(t, c.fault, c.damage); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.fault, err, c.want)
		}
	}
}
