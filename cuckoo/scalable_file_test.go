package cuckoo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/filetest"
)

// encodedScalable returns a filter that has doubled, of which keys were deleted, and its file.
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

// TestScalableUnmarshal_GoesOn stores filters of every shape, also while they grow, and holds what is read to do what the first does:
// inserts and growth, deletes, compacting and merging, up to the same bytes.
func TestScalableUnmarshal_GoesOn(t *testing.T) {
	for _, c := range append(scalableShapes, ScalableConfig{FalsePositiveRate: 0.9, Hash: hashing.Metro64(3), Seed: 1 << 60, MaxKicks: 99}) {
		s := mustScalable[fingerprint.Bits12](t, c)
		r := rand.New(rand.NewPCG(12, 0x5eed))
		var keys []uint64
		for step := range 1500 {
			if h := r.Uint64(); s.InsertHash(h) == nil {
				keys = append(keys, h)
			}
			if step%9 == 0 && len(keys) > 0 {
				at := r.IntN(len(keys))
				s.DeleteHash(keys[at])
				keys[at] = keys[len(keys)-1]
				keys = keys[:len(keys)-1]
			}
			if step%500 == 499 || s.moving() && step%3 == 0 {
				goesOn(t, s, keys)
			}
		}
	}
}

// goesOn stores s, reads it in every way and goes on with all of them, from generators at Seed.
func goesOn(t *testing.T, s *Scalable[fingerprint.Bits12], keys []uint64) {
	t.Helper()
	b := bytesOf(t, s)
	var all [3]*Scalable[fingerprint.Bits12]
	all[0] = &Scalable[fingerprint.Bits12]{scalableReader[fingerprint.Bits12]{config: ScalableConfig{Kick: s.config.Kick}}}
	if err := all[0].UnmarshalBinary(b); err != nil || !all[0].Equal(s) {
		t.Fatalf("%v is not equal to what was stored, %v: %v", all[0], s, err)
	}
	for n := 1; n < len(all); n++ {
		all[n] = mustScalable[fingerprint.Bits12](t, ScalableConfig{Capacity: 1, Kick: s.config.Kick, MaxBytes: s.config.MaxBytes})
	}
	_, err := all[1].ReadFrom(iotest.HalfReader(bytes.NewReader(b)))
	if err := errors.Join(err, all[2].UnmarshalBinary(b)); err != nil {
		t.Fatalf("%v: %v", s, err)
	}
	if s.config.Kick.Recipe() == BreadthFirst.Recipe() {
		all[0] = s.Clone() // which has no generator that is not stored, and may be growing
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
		if got, want := fmt.Sprint(g), fmt.Sprint(all[0]); got != want || !g.Equal(all[0]) || !bytes.Equal(bytesOf(t, g), bytesOf(t, all[0])) {
			t.Fatalf("it went on to be\n%s, and from its file\n%s", want, got)
		}
	}
}

// forge returns b with other bytes at an offset, checksums made right.
func forge[N uint8 | uint32 | uint64](b []byte, at int, v N) []byte {
	b = bytes.Clone(b)
	if _, err := binary.Encode(b[at:], binary.LittleEndian, v); err != nil {
		panic(err)
	}
	filetest.Reseal(b)
	return b
}

// TestScalableUnmarshal_ErrorsLeaveReceiver checks every kind of misfit between a file and its reader, and every
// lie of a header and a directory.
func TestScalableUnmarshal_ErrorsLeaveReceiver(t *testing.T) {
	s, b := encodedScalable[fingerprint.Bits12](t, ScalableConfig{Capacity: 60}, 400)
	_, keyed := encodedScalable[fingerprint.Bits12](t, ScalableConfig{Hash: hashing.SipHash([16]byte{7})}, 10)
	_, lazily := encodedScalable[fingerprint.Bits12](t, ScalableConfig{Kick: lazy{}}, 10)
	_, wide := encodedScalable[fingerprint.Bits13](t, ScalableConfig{}, 10)
	_, plain := encoded[fingerprint.Bits12](t, Config{Buckets: 8})
	const at = 128 // where the table begins
	if head := int(binary.LittleEndian.Uint32(b[12:])); head != at || s.Doublings() != 2 {
		t.Fatalf("a header of %d bytes, %d doublings", head, s.Doublings())
	}
	lane := func(v uint64) []byte { // the first slot, which is used, holds v
		word := binary.LittleEndian.Uint64(b[at+directoryBytes:])
		if word&0xfff == 0 {
			t.Fatal("the first slot is empty")
		}
		return forge(b, at+directoryBytes, word&^0xfff|v)
	}
	f, before := encodedScalable[fingerprint.Bits12](t, ScalableConfig{MaxBytes: 300, Capacity: 9, Hash: hashing.SipHash([16]byte{8})}, 20)
	for _, c := range []struct {
		name string
		b    []byte
		want error
		text string
	}{
		{"larger than MaxBytes", b, ErrTooLarge, "MaxBytes is 300"},
		{"another key", keyed, ErrMismatch, "siphash"},
		{"unknown policy", lazily, ErrMismatch, `kick policy "lazy" is not built in: call UnmarshalBinary or ReadFrom of a filter that was made with it`},
		{"another width", wide, ErrMismatch, "at byte 40: fingerprints of 13 bits, want 12"},
		{"another type", plain, ErrMismatch, "at byte 10: a cuckoo filter, want a growing cuckoo filter"},
		{"a type that is not used", forge(b, 10, uint8(7)), ErrVersion, "at byte 10: a filter of type 7, which this release does not know"},
		{"short", b[:100], ErrTooShort, "it ends at byte"},
		{"a layout", forge(b, 43, uint8(1)), ErrCorrupt, "at byte 43: layout semisorted"},
		{"bucket size", forge(b, 41, uint8(2)), ErrCorrupt, "BucketSize is 2"},
		{"more doublings than tails", forge(b, 42, uint8(14)), ErrCorrupt, "at byte 42: MaxDoublings is 14, and there is room for 13"},
		{"more doublings than the rate", forge(b, 48, uint64(0x3f90000000000000)), ErrCorrupt, "tails of 5 bits"},
		{"rate of 0", forge(b, 48, uint64(0)), ErrCorrupt, "at byte 48: FalsePositiveRate is 0"},
		{"no number", forge(b, 48, ^uint64(0)), ErrCorrupt, "at byte 48: FalsePositiveRate is NaN"},
		{"rate out of reach", forge(b, 48, uint64(1)), ErrCorrupt, "that never doubled"},
		{"no capacity", forge(b, at, uint64(0)), ErrCorrupt, "at byte 128: Capacity is 0"},
		{"beyond an int", forge(b, at, ^uint64(0)), ErrTooLarge, "Capacity 18446744073709551615"},
		{"first too large", forge(b, at, uint64(1)<<40), ErrTooLarge, "Capacity 1099511627776"},
		{"first beyond the table", forge(b, at, uint64(10000)), ErrCorrupt, "at byte 144: sides of 2^6 buckets, want 2^11"},
		{"unused bytes", forge(b, at+8, uint32(1)), ErrCorrupt, "at byte 136"},
		{"no table", forge(b, at+12, uint32(0)), ErrCorrupt, "0 tables, want 1"},
		{"a smaller side", forge(b, at+16, uint64(5)), ErrCorrupt, "at byte 144: sides of 2^5 buckets take"},
		{"a larger side", forge(b, at+16, uint64(7)), ErrCorrupt, "at byte 144: sides of 2^7 buckets take"},
		{"used beyond", forge(b, at+24, uint64(999)), ErrCorrupt, "at byte 152: 999 slots are used, of 512"},
		{"used differs", forge(b, at+24, uint64(359)), ErrCorrupt, "at byte 24: Len is 360, and 359 slots are used"},
		{"used differs", forge(b, at+24, uint64(361)), ErrCorrupt, "361 slots are used with"},
		{"extra hits differ", forge(b, at+32, uint64(0)), ErrCorrupt, "0 extra hits, and the table has 360"},
		{"extra hits beyond", forge(b, at+32, ^uint64(0)), ErrCorrupt, "at byte 160: 18446744073709551615 extra hits"},
		{"Len beyond", forge(b, 24, uint64(361)), ErrCorrupt, "at byte 24: Len is 361, and 360 slots are used"},
		{"gap", forge(b, at+16+24+8+1, uint8(1)), ErrCorrupt, "bytes between the parts"},
		{"a lane without an end", lane(0x840), ErrCorrupt, "at byte 0 of the table: lane 0 of bucket 0 is 0x840, whose tail has no end"},
		{"behind the table", forge(b, len(b)-9, uint8(1)), ErrCorrupt, "behind the last bucket"},
	} {
		_, readErr := f.ReadFrom(iotest.HalfReader(bytes.NewReader(c.b)))
		for _, err := range []error{f.UnmarshalBinary(c.b), readErr} {
			if c.want == ErrCorrupt || c.text == "Capacity 18446744073709551615" || c.text == "Capacity 1099511627776" {
				_, err = DecodeScalable[fingerprint.Bits12](c.b) // f has a MaxBytes that is looked at first
			}
			if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) || !strings.HasPrefix(fmt.Sprint(err), "cuckoo: ") {
				t.Errorf("%s: %v, want %v and %q", c.name, err, c.want, c.text)
			}
		}
		if !bytes.Equal(bytesOf(t, f), before) {
			t.Errorf("%s: the receiver has changed", c.name)
		}
	}
}

// TestScalableUnmarshal_BitsThatAreNotThere reads files of any width: lanes that hold no remainder and tail, and sides of so many buckets
// that the digest has no bits left.
func TestScalableUnmarshal_BitsThatAreNotThere(t *testing.T) {
	_, b := encodedScalable[fingerprint.Bits12](t, ScalableConfig{Capacity: 60}, 400)
	row := binary.LittleEndian.Uint32(b[12:]) + container.DirectoryHead
	for want, b := range map[string][]byte{
		"FingerprintBits is 7, want 8 to 32": forge(b, 40, uint8(7)),
		"sides of 2^32 buckets, want 2^4 to": forge(b, int(row), uint64(32)),
		"sides of 2^64 buckets, want 2^4 to": forge(b, int(row), uint64(64)),
		"MaxDoublings is 255":                forge(b, 42, uint8(255)),
	} {
		_, err := DecodeScalable[fingerprint.Any](b)
		_, viewErr := OpenScalableView[fingerprint.Any](b)
		for _, err := range []error{err, viewErr} {
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
}

// TestScalableUnmarshal_MaxBytes reads filters near and beyond the limit of the receiver.
func TestScalableUnmarshal_MaxBytes(t *testing.T) {
	s, b := encodedScalable[fingerprint.Bits12](t, ScalableConfig{Capacity: 60}, 400)
	for _, most := range []int{s.SizeBytes(), 0} {
		f := mustScalable[fingerprint.Bits12](t, ScalableConfig{Capacity: 1, MaxBytes: most})
		if err := f.UnmarshalBinary(b); err != nil || f.Config().MaxBytes != most {
			t.Errorf("a table of %d bytes into %d: %v, %v", s.SizeBytes(), most, f.Config(), err)
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

// FuzzUnmarshalScalable reads whatever it is given, once as it is and once with right checksums, and works with what is
// accepted.
func FuzzUnmarshalScalable(f *testing.F) {
	for _, c := range []ScalableConfig{{Capacity: 20}, {Capacity: 7, BucketSize: 8, Kick: RandomWalk}} {
		for _, n := range []int{0, 10, 500} {
			_, b := encodedScalable[fingerprint.Bits13](f, c, n)
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		worksScalable(t, b)
		if b = bytes.Clone(b); filetest.Reseal(b) {
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
