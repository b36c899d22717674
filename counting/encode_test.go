package counting_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
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

func TestUnmarshal_GoesOn(t *testing.T) {
	key := hashing.SipHash([16]byte{3})
	f, fb := storedFilter(t, counting.Config{Counters: 100, Hashes: 3, Hash: key})
	d, db := storedDLeft(t, counting.DLeftConfig{Buckets: 3, RemainderBits: 9, Hash: key})
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
	f, fb := storedFilter(t, counting.Config{Counters: 100, Hashes: 3, MaxBytes: 60})
	d, db := storedDLeft(t, counting.DLeftConfig{Buckets: 3, RemainderBits: 9, MaxBytes: 200})
	_, large := storedFilter(t, counting.Config{Counters: 1000, Hashes: 3})
	_, largeDLeft := storedDLeft(t, counting.DLeftConfig{Buckets: 30, RemainderBits: 9})
	forge := func(at int, x byte) []byte {
		b := bytes.Clone(db)
		b[at] ^= x
		container.Reseal(b)
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

// FuzzUnmarshal reads whatever it is given as both kinds, once as it is and once with right checksums.
func FuzzUnmarshal(f *testing.F) {
	_, fb := storedFilter(f, counting.Config{Counters: 33, Hashes: 3})
	_, db := storedDLeft(f, counting.DLeftConfig{Buckets: 2, RemainderBits: 9})
	f.Add(fb)
	f.Add(db)
	f.Fuzz(func(t *testing.T, b []byte) {
		works(t, b)
		if b = bytes.Clone(b); container.Reseal(b) {
			works(t, b)
		}
	})
}

// works runs verbs of what b is, if it is a filter.
func works(t *testing.T, b []byte) {
	h := hashing.Mix64(1)
	if v, err := counting.OpenView(b); err == nil {
		v.ContainsHashes([]uint64{0, ^uint64(0)}, make([]bool, 2))
		_ = v.FalsePositiveRate() + v.LoadFactor() + float64(v.CountHash(h))
	}
	if f, err := counting.Decode(b); err == nil {
		if again, err := f.MarshalBinary(); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("stored as other bytes than it was read from: %v", err)
		}
		f.InsertHash(h)
		if !f.ContainsHash(h) || !f.DeleteHash(h) {
			t.Fatal("a key that was inserted is not there")
		}
	}
	if d, err := counting.DecodeDLeft(b); err == nil {
		if again, err := d.MarshalBinary(); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("stored as other bytes than it was read from: %v", err)
		}
		if d.InsertHash(h) == nil && (!d.ContainsHash(h) || !d.DeleteHash(h)) {
			t.Fatal("a key that was inserted is not there")
		}
		_ = d.Merge(d.Clone())
	}
}
