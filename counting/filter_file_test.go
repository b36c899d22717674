package counting_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/filetest"
)

// storedFilter returns a counting filter with two keys, and its file.
func storedFilter(t testing.TB, c counting.Config) (*counting.Filter, []byte) {
	t.Helper()
	f, err := counting.New(c)
	if err != nil {
		t.Fatal(err)
	}
	f.InsertHashes([]uint64{hashing.Mix64(1), hashing.Mix64(2)})
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return f, b
}

// storedDLeft returns a d-left filter with two keys, one of them twice, and its file.
func storedDLeft(t testing.TB, c counting.DLeftConfig) (*counting.DLeft, []byte) {
	t.Helper()
	f, err := counting.NewDLeft(c)
	if err == nil {
		_, err = f.InsertHashes([]uint64{hashing.Mix64(1), hashing.Mix64(2), hashing.Mix64(1)})
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return f, b
}

// TestView_StatsAreTheFilters compares the Stats of a view with those of the filter in its file.
func TestView_StatsAreTheFilters(t *testing.T) {
	f, fb := storedFilter(t, counting.Config{Slots: 100, Hashes: 3, CounterBits: 2})
	d, db := storedDLeft(t, counting.DLeftConfig{Slots: 48, RemainderBits: 9, CounterBits: 1})
	for _, c := range []struct {
		file []byte
		want counting.Stats
	}{{fb, f.ScanStats()}, {db, d.ScanStats()}} {
		v, err := counting.OpenView(c.file)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.ScanStats(); got != c.want || got.LoadFactor <= 0 || got.FalsePositiveRate <= 0 {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

func TestUnmarshal_GoesOn(t *testing.T) {
	key := hashing.SipHash([16]byte{3})
	f, fb := storedFilter(t, counting.Config{Slots: 100, Hashes: 3, Hash: key})
	d, db := storedDLeft(t, counting.DLeftConfig{Slots: 48, RemainderBits: 9, Hash: key})
	f2, err1 := counting.Decode(fb, key)
	d2, err2 := counting.DecodeDLeft(db, key)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	h := hashing.Mix64(1)
	for range 3 {
		if f.CountHash(h) != f2.CountHash(h) || d.CountHash(h) != d2.CountHash(h) {
			t.Fatal("counts differ")
		}
		if f.DeleteHash(h) != f2.DeleteHash(h) || d.DeleteHash(h) != d2.DeleteHash(h) {
			t.Fatal("deletes differ")
		}
	}
	if !f.Equal(f2) || !d.Equal(d2) || f.Len() != f2.Len() || d.Len() != d2.Len() || d.LoadFactor() != d2.LoadFactor() {
		t.Error("the filters differ")
	}
	v, err := counting.OpenView(db, key)
	if err != nil || v.CountHash(h) != 2 || v.Len() != 3 {
		t.Errorf("view: %v", err)
	}
	if v, err = counting.OpenView(fb, key); err != nil || v.CountHash(h) != 1 || v.Len() != 2 {
		t.Errorf("view: %v", err)
	}
}

func TestUnmarshal_ErrorsLeaveReceiver(t *testing.T) {
	f, fb := storedFilter(t, counting.Config{Slots: 100, Hashes: 3, MaxBytes: 60})
	d, db := storedDLeft(t, counting.DLeftConfig{Slots: 48, RemainderBits: 9, MaxBytes: 200})
	_, large := storedFilter(t, counting.Config{Slots: 1000, Hashes: 3})
	_, largeDLeft := storedDLeft(t, counting.DLeftConfig{Slots: 480, RemainderBits: 9})
	forge := func(at int, x byte) []byte {
		b := bytes.Clone(db)
		b[at] ^= x
		filetest.Reseal(b)
		return b
	}
	for _, c := range []struct {
		b    []byte
		want error
		text string
	}{
		{forge(48, 1), counting.ErrCorrupt, "at byte 48: 2 slots are used, the file says 3"},
		{forge(len(db)-18, 0xff), counting.ErrCorrupt, "is free and has a counter"},
		{forge(57, 1), counting.ErrCorrupt, "at byte 40"},
		{forge(60, 1), counting.ErrCorrupt, "at byte 58"},
		{fb, counting.ErrMismatch, "at byte 10: a counting Bloom filter, want a d-left"},
		{largeDLeft, counting.ErrTooLarge, "MaxBytes is 200"},
		{db[:len(db)-1], counting.ErrTooShort, "ends at byte"},
	} {
		if err := d.UnmarshalBinary(c.b); !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%v, want %v and %q", err, c.want, c.text)
		}
	}
	for _, b := range [][]byte{large, db, fb[:100]} {
		if err := f.UnmarshalBinary(b); err == nil {
			t.Error("no error")
		}
	}
	fAfter, err1 := f.MarshalBinary()
	dAfter, err2 := d.MarshalBinary()
	if err1 != nil || err2 != nil || !bytes.Equal(fAfter, fb) || !bytes.Equal(dAfter, db) {
		t.Error("a receiver has changed")
	}
}

// ratesOf returns the load and the rate of such a view.
func ratesOf(v filetest.View) (load, rate float64) {
	s := v.(*counting.View).ScanStats()
	return s.LoadFactor, s.FalsePositiveRate
}

// openView is OpenView for package filetest.
func openView(b []byte) (filetest.View, error) { return counting.OpenView(b) }

// FuzzUnmarshal reads whatever it is given as both kinds.
func FuzzUnmarshal(f *testing.F) {
	for _, bits := range []int{2, 4, 8, 16} {
		own, b := storedFilter(f, counting.Config{Slots: 33, Hashes: 3, CounterBits: bits})
		f.Add(b)
		own.InsertHashes(make([]uint64, 300)) // counters of up to 8 bits are full
		full, err := own.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(full)
	}
	for _, c := range []counting.DLeftConfig{{Slots: 32, RemainderBits: 9}, {Slots: 16, RemainderBits: 24, CounterBits: 8}, {Slots: 144, RemainderBits: 5, CounterBits: 1}} {
		_, b := storedDLeft(f, c)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err1 := filetest.Type[*counting.Filter]{
			Own: func() *counting.Filter {
				own, _ := storedFilter(t, counting.Config{Slots: 20, Hashes: 3})
				return own
			},
			View:  openView,
			Rates: ratesOf,
			Use:   func(f *counting.Filter) error { return use(f, func(h uint64) error { f.InsertHash(h); return nil }) },
		}.Check(b)
		_, err2 := filetest.Type[*counting.DLeft]{
			Own: func() *counting.DLeft {
				own, _ := storedDLeft(t, counting.DLeftConfig{Slots: 48, RemainderBits: 7})
				return own
			},
			View:  openView,
			Rates: ratesOf,
			Use: func(d *counting.DLeft) error {
				double := d.Clone()
				if err := double.Merge(d); err != nil && !(errors.Is(err, counting.ErrFull) && double.Equal(d)) {
					return fmt.Errorf("merged with itself: %w", err)
				}
				return use(d, d.InsertHash)
			},
		}.Check(b)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
	})
}

// A counter is what both kinds are here.
type counter interface {
	ContainsHash(h uint64) bool
	CountHash(h uint64) int
	DeleteHash(h uint64) bool
}

// use inserts keys and deletes them. A count that has reached its counters' end stays there, and otherwise goes up and down
// by one. Of a filter with refused keys nothing has changed.
func use(f counter, insert func(h uint64) error) error {
	for _, h := range []uint64{0, ^uint64(0), hashing.Mix64(1)} {
		n := f.CountHash(h)
		err := insert(h)
		switch after := f.CountHash(h); {
		case err != nil && (!errors.Is(err, counting.ErrFull) || after != n):
			return fmt.Errorf("a key was refused: %w; its count is %d and was %d", err, after, n)
		case err == nil && (!f.ContainsHash(h) || after < n):
			return fmt.Errorf("a key that was inserted has count %d and had %d", after, n)
		case err == nil && (!f.DeleteHash(h) || f.CountHash(h) < n):
			return fmt.Errorf("a key that was inserted and deleted has count %d and had %d", f.CountHash(h), n)
		}
	}
	return nil
}
