package cuckoo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// encodedScalable returns a filter of some sub-filters, from the older ones of which keys were deleted, and its file.
func encodedScalable[F fingerprint.Width](t testing.TB, c ScalableConfig, n int) (*Scalable[F], []byte) {
	t.Helper()
	s := grown[F](t, c, 11, n)
	r := rand.New(rand.NewPCG(11, 0x5eed))
	for range n / 10 {
		if !s.DeleteHash(r.Uint64()) {
			t.Fatal("a key is lost")
		}
	}
	b, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return s, b
}

// TestScalableUnmarshal_GoesOn stores filters of every shape and holds what is read to do what the first does:
// inserts and growth, deletes, compacting and merging, up to the same bytes.
func TestScalableUnmarshal_GoesOn(t *testing.T) {
	for _, c := range append(scalableShapes, ScalableConfig{FalsePositiveRate: 0.9, Hash: hashing.Metro64(3), Seed: 1 << 60, MaxKicks: 99}) {
		s, err := NewScalable[fingerprint.Bits6](c)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(12, 0x5eed))
		var keys []uint64
		for step := range 300 {
			if h := r.Uint64(); s.InsertHash(h) == nil {
				keys = append(keys, h)
			}
			if step%3 == 0 && len(keys) > 0 {
				at := r.IntN(len(keys))
				s.DeleteHash(keys[at])
				keys[at] = keys[len(keys)-1]
				keys = keys[:len(keys)-1]
			}
			if step%100 == 99 {
				goesOn(t, s, keys)
			}
		}
	}
}

// goesOn stores s, reads it in every way and goes on with all of them, from generators at Seed.
func goesOn(t *testing.T, s *Scalable[fingerprint.Bits6], keys []uint64) {
	t.Helper()
	b, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var all [3]*Scalable[fingerprint.Bits6]
	all[0] = &Scalable[fingerprint.Bits6]{config: ScalableConfig{Kick: s.config.Kick}}
	if err := all[0].UnmarshalBinary(b); err != nil || !all[0].Equal(s) {
		t.Fatalf("%v is not equal to what was stored, %v: %v", all[0], s, err)
	}
	for n := 1; n < len(all); n++ {
		all[n] = mustScalable[fingerprint.Bits6](t, ScalableConfig{Capacity: 1, Kick: s.config.Kick, MaxBytes: s.config.MaxBytes})
	}
	_, err = all[1].ReadFrom(iotest.HalfReader(bytes.NewReader(b)))
	if err := errors.Join(err, all[2].UnmarshalBinary(b)); err != nil {
		t.Fatalf("%v: %v", s, err)
	}
	if s.config.Kick.Recipe() == BreadthFirst.Recipe() {
		all[0] = s.Clone() // which has no generator that is not stored
	}
	all[0].config.MaxBytes = s.config.MaxBytes
	for _, g := range all {
		r := rand.New(rand.NewPCG(13, 0x5eed))
		for k := range 200 {
			_ = g.InsertHash(r.Uint64())
			if k%2 == 0 && k/2 < len(keys) && !g.DeleteHash(keys[k/2]) {
				t.Fatalf("%v: a key is lost", g)
			}
		}
		g.Compact()
		_ = g.Merge(s)
		if got, want := fmt.Sprint(g, g.first, g.limits()), fmt.Sprint(all[0], all[0].first, all[0].limits()); got != want || !g.Equal(all[0]) {
			t.Fatalf("it went on to be\n%s, and from its file\n%s", want, got)
		}
	}
}

// limits returns what decides which sub-filters inserts try.
func (s *Scalable[F]) limits() (all []int) {
	for n := range s.levels {
		all = append(all, s.levels[n].full, s.levels[n].capacity)
	}
	return all
}

// forge returns b with other bytes at an offset, checksums made right.
func forge[N uint8 | uint32 | uint64](b []byte, at int, v N) []byte {
	b = bytes.Clone(b)
	if _, err := binary.Encode(b[at:], binary.LittleEndian, v); err != nil {
		panic(err)
	}
	container.Reseal(b)
	return b
}

// TestScalableUnmarshal_ErrorsLeaveReceiver checks every kind of misfit between a file and its reader, and every
// lie of a directory.
func TestScalableUnmarshal_ErrorsLeaveReceiver(t *testing.T) {
	_, b := encodedScalable[fingerprint.Bits12](t, ScalableConfig{Capacity: 60}, 400)
	_, keyed := encodedScalable[fingerprint.Bits12](t, ScalableConfig{Hash: hashing.SipHash([16]byte{7})}, 10)
	_, lazily := encodedScalable[fingerprint.Bits12](t, ScalableConfig{Kick: lazy{}}, 10)
	_, wide := encodedScalable[fingerprint.Bits13](t, ScalableConfig{}, 10)
	_, plain := encoded[fingerprint.Bits12](t, Config{Buckets: 8})
	const at = 128 // where the table begins
	head := int(binary.LittleEndian.Uint32(b[12:]))
	if head != at {
		t.Fatalf("a header of %d bytes", head)
	}
	f, before := encodedScalable[fingerprint.Bits12](t, ScalableConfig{MaxBytes: 200, Capacity: 9, Hash: hashing.SipHash([16]byte{8})}, 20)
	for _, c := range []struct {
		name string
		b    []byte
		want error
		text string
	}{
		{"larger than MaxBytes", b, ErrTooLarge, "MaxBytes is 200"},
		{"another key", keyed, ErrMismatch, "siphash"},
		{"unknown policy", lazily, ErrMismatch, `kick policy "lazy" is not built in: call UnmarshalBinary or ReadFrom of a filter that was made with it`},
		{"another width", wide, ErrMismatch, "at byte 40: fingerprints of 13 bits, want 12"},
		{"another type", plain, ErrMismatch, "at byte 10: a cuckoo filter, want a growing cuckoo filter"},
		{"short", b[:100], ErrTooShort, "it ends at byte"},
		{"no growth", forge(b, 42, uint8(0)), ErrCorrupt, "at byte 42: GrowthFactor is 0"},
		{"odd growth", forge(b, 42, uint8(3)), ErrCorrupt, "GrowthFactor is 3"},
		{"rate of 0", forge(b, 48, uint64(0)), ErrCorrupt, "at byte 48: FalsePositiveRate is 0"},
		{"no number", forge(b, 48, ^uint64(0)), ErrCorrupt, "at byte 48: FalsePositiveRate is NaN"},
		{"rate out of reach", forge(b, 48, uint64(1)), ErrCorrupt, "one full sub-filter"},
		{"no capacity", forge(b, at, uint64(0)), ErrCorrupt, "at byte 128: Capacity is 0"},
		{"beyond an int", forge(b, at, ^uint64(0)), ErrTooLarge, "Capacity 18446744073709551615"},
		{"first too large", forge(b, at, uint64(1)<<40), ErrTooLarge, "too large"},
		{"no sub-filter", forge(b, at+12, uint32(0)), ErrCorrupt, "bytes between the parts"},
		{"a rate that is broken", forge(b, at+8, uint32(1000)), ErrCorrupt, "at byte 136: MaxSubFilters is 1000, and FalsePositiveRate"},
		{"more than permitted", forge(b, at+8, uint32(1)), ErrCorrupt, "at byte 136: 3 sub-filters, MaxSubFilters being 1"},
		{"many", forge(forge(b, at+8, uint32(1<<31-1)), at+12, uint32(1<<31-1)), ErrCorrupt, "at byte 140: 2147483647 rows"},
		{"no power of two", forge(b, at+16, uint64(33)), ErrCorrupt, "at byte 144: 33 buckets"},
		{"huge", forge(b, at+16+24, uint64(1)<<40), ErrCorrupt, "at byte 168: 1099511627776 buckets"},
		{"falling", forge(b, at+16+24, uint64(16)), ErrCorrupt, "at byte 168: 16 buckets behind a sub-filter of 32"},
		{"larger", forge(b, at+16, uint64(64)), ErrCorrupt, "sub-filters of"},
		{"Len beyond", forge(b, at+24, uint64(999)), ErrCorrupt, "at byte 144: Len is 999"},
		{"mark beyond", forge(b, at+32, uint64(999)), ErrCorrupt, "the mark 999"},
		{"Len differs", forge(b, at+24, uint64(0)), ErrCorrupt, "at byte 24: Len is 360"},
		{"gap", forge(b, at+16+4*24+8+1, uint8(1)), ErrCorrupt, "bytes between the parts"},
	} {
		_, readErr := f.ReadFrom(iotest.HalfReader(bytes.NewReader(c.b)))
		for _, err := range []error{f.UnmarshalBinary(c.b), readErr} {
			if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) || !strings.HasPrefix(fmt.Sprint(err), "cuckoo: ") {
				t.Errorf("%s: %v, want %v and %q", c.name, err, c.want, c.text)
			}
		}
		if after, err := f.MarshalBinary(); err != nil || !bytes.Equal(after, before) {
			t.Errorf("%s: the receiver has changed: %v", c.name, err)
		}
	}
	for _, c := range []struct {
		b    []byte
		text string
	}{
		{moved(b, at+24, at+24+24), "sub-filter 0: data corrupt: at byte 144: Len is"},
		{forge(b, len(b)-9, uint8(1)), "sub-filter 2: data corrupt: at byte"},
		{forge(b, len(b)-40, uint8(0x55)), "sub-filter 2: data corrupt: at byte 192: Len is"},
	} {
		if _, err := DecodeScalable[fingerprint.Bits12](c.b); !errors.Is(err, ErrCorrupt) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("a table that is not what the directory says: %v, want %q", err, c.text)
		}
	}
}

// moved moves one key from one Len to another.
func moved(b []byte, from, to int) []byte {
	le := binary.LittleEndian
	b = forge(b, from, le.Uint64(b[from:])-1)
	return forge(b, to, le.Uint64(b[to:])+1)
}

// TestScalableUnmarshal_MaxBytes reads filters near and beyond the limit of the receiver.
func TestScalableUnmarshal_MaxBytes(t *testing.T) {
	s, b := encodedScalable[fingerprint.Bits12](t, ScalableConfig{Capacity: 60}, 400)
	for _, most := range []int{s.SizeBytes(), 0} {
		f := mustScalable[fingerprint.Bits12](t, ScalableConfig{Capacity: 1, MaxBytes: most})
		if err := f.UnmarshalBinary(b); err != nil || f.Config().MaxBytes != most {
			t.Errorf("tables of %d bytes into %d: %v, %v", s.SizeBytes(), most, f.Config(), err)
		}
	}
	f := mustScalable[fingerprint.Bits12](t, ScalableConfig{Capacity: 1, MaxBytes: s.SizeBytes() - 1})
	if err := f.UnmarshalBinary(b); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a byte too many: %v", err)
	}
	var zero Scalable[fingerprint.Bits12]
	if _, err := zero.MarshalBinary(); !errors.Is(err, ErrConfig) {
		t.Errorf("the zero Scalable: %v", err)
	}
	if err := zero.UnmarshalBinary(b); err != nil || !zero.Equal(s) {
		t.Errorf("into the zero Scalable: %v", err)
	}
}

// TestScalableUnmarshal_ManySmallOnes reads a file of as many and as small sub-filters as there can be, with the most
// memory for kicks: it allocates what the documentation says.
func TestScalableUnmarshal_ManySmallOnes(t *testing.T) {
	const n = 3000
	s := mustScalable[fingerprint.Bits16](t, ScalableConfig{
		Capacity: 1, BucketSize: 1, Kick: RandomWalk, MaxKicks: MaxKicksLimit, FalsePositiveRate: 0.9, MaxSubFilters: n,
	})
	for len(s.levels) < n {
		l, err := s.newLevel(1)
		if err != nil {
			t.Fatal(err)
		}
		s.levels = append(s.levels, l)
	}
	b, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	limited := mustScalable[fingerprint.Bits16](t, ScalableConfig{MaxBytes: 9000, Capacity: 1})
	if took, err := limited.ReadFrom(iotest.HalfReader(bytes.NewReader(b))); !errors.Is(err, ErrTooLarge) || took > 192 {
		t.Errorf("%d bytes of a file beyond MaxBytes were read: %v", took, err)
	}
	for name, read := range map[string]func() error{
		"decode": func() error { _, err := DecodeScalable[fingerprint.Bits16](b); return err },
		"stream": func() error {
			_, err := new(Scalable[fingerprint.Bits16]).ReadFrom(iotest.HalfReader(bytes.NewReader(b)))
			return err
		},
		"view": func() error { _, err := OpenScalableView[fingerprint.Bits16](b); return err },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := read(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(len(b)+1024*n+4<<20); got > most {
			t.Errorf("%s: %d bytes of %d sub-filters allocated %d, want at most %d", name, len(b), n, got, most)
		} else {
			t.Logf("%s: %d bytes a sub-filter", name, got/n)
		}
	}
}

// FuzzUnmarshalScalable reads whatever it is given, once as it is and once with right checksums, and works with what is
// accepted.
func FuzzUnmarshalScalable(f *testing.F) {
	for _, c := range []ScalableConfig{{Capacity: 20}, {Capacity: 9, Layout: SemiSorted}, {Capacity: 7, BucketSize: 2, Kick: RandomWalk, GrowthFactor: 4}} {
		for _, n := range []int{0, 10, 200} {
			_, b := encodedScalable[fingerprint.Bits13](f, c, n)
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		worksScalable(t, b)
		if b = bytes.Clone(b); container.Reseal(b) {
			worksScalable(t, b)
		}
	})
}

// worksScalable runs the verbs of a filter in b, if there is one, against what they promise.
func worksScalable(t *testing.T, b []byte) {
	v, viewErr := OpenScalableView[fingerprint.Bits13](b)
	if viewErr == nil {
		v.ContainsHashes([]uint64{0, ^uint64(0)}, make([]bool, 2))
		v.CountHash(1)
		_ = fmt.Sprint(v.Config(), v.Len(), v.LoadFactor(), v.FalsePositiveRate())
	}
	s := new(Scalable[fingerprint.Bits13])
	s.config.MaxBytes = 1 << 20
	if s.UnmarshalBinary(b) != nil {
		return
	}
	if viewErr != nil || v.VerifyChecksum() != nil || v.Len() != s.Len() || v.Slots() != s.Slots() {
		t.Fatalf("%v: the view is none of it: %v", s, viewErr)
	}
	if again, err := s.MarshalBinary(); err != nil || !bytes.Equal(again, b) {
		t.Fatalf("stored as other bytes than it was read from: %v", err)
	}
	stored := s.Len()
	for k := range uint64(8) {
		h := hashing.Mix64(k)
		if s.InsertHash(h) != nil {
			continue
		}
		if !s.ContainsHash(h) || s.CountHash(h) < 1 {
			t.Fatal("a key that was inserted is not there")
		}
		stored++
	}
	s.Compact()
	if err := s.Merge(s.Clone()); err == nil {
		stored *= 2
	}
	if s.Len() != stored {
		t.Fatalf("Len is %d, want %d", s.Len(), stored)
	}
	had := s.SizeBytes()
	if s.Reset(); s.SizeBytes() > had {
		t.Fatalf("Reset makes %d bytes of %d", s.SizeBytes(), had)
	}
}
