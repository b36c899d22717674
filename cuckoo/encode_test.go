package cuckoo

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// encoded returns the file of a filter with a few keys, and the filter.
func encoded[F fingerprint.Width](t testing.TB, c Config) (*Filter[F], []byte) {
	t.Helper()
	f, err := New[F](c)
	if err != nil {
		t.Fatal(err)
	}
	for k := range uint64(f.Slots() / 2) {
		if err := f.InsertHash(hashing.Mix64(k)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return f, b
}

// TestUnmarshal_GoesOn holds a filter that was stored to be one to go on with: it does what the first does.
func TestUnmarshal_GoesOn(t *testing.T) {
	for _, kick := range []KickPolicy{BreadthFirst, RandomWalk, RoundRobin, LookAhead, lazy{}} {
		f, b := encoded[fingerprint.Bits12](t, Config{Buckets: 8, Kick: kick, Seed: 3})
		g, err := Decode[fingerprint.Bits12](b, kick)
		if err != nil {
			t.Fatal(err)
		}
		if !g.Equal(f) {
			t.Fatalf("%v: is not equal to what was stored", kick.Recipe())
		}
		f.engine.Reset() // the generator is not stored
		f, err = Decode[fingerprint.Bits12](b, kick)
		for k := uint64(100); err == nil && k < 200; k++ {
			refused, other := f.InsertHash(hashing.Mix64(k)), g.InsertHash(hashing.Mix64(k))
			if !errors.Is(other, refused) || f.DeleteHash(hashing.Mix64(k/2)) != g.DeleteHash(hashing.Mix64(k/2)) {
				t.Fatalf("%v, key %d: %v and %v", kick.Recipe(), k, refused, other)
			}
		}
		if err != nil || !f.Equal(g) || f.Len() == 0 {
			t.Errorf("%v: %v", kick.Recipe(), err)
		}
	}
}

// lazy is a policy of a user's own.
type lazy struct{}

func (lazy) Recipe() string { return "lazy" }
func (lazy) Kick(w *Walk) {
	i, _ := w.Homes()
	for w.Swap(i, 0) {
		i = w.Alternate(i, w.Homeless())
	}
}

// TestUnmarshal_ErrorsLeaveReceiver checks every kind of misfit between a file and its reader.
func TestUnmarshal_ErrorsLeaveReceiver(t *testing.T) {
	key := hashing.SipHash([16]byte{7})
	_, plain := encoded[fingerprint.Bits12](t, Config{Buckets: 8})
	_, keyed := encoded[fingerprint.Bits12](t, Config{Buckets: 8, Hash: key})
	_, lazily := encoded[fingerprint.Bits12](t, Config{Buckets: 8, Kick: lazy{}})
	_, wide := encoded[fingerprint.Bits13](t, Config{Buckets: 8})
	lied := bytes.Clone(plain)
	lied[container.LenAt]++
	container.Reseal(lied)
	stray := bytes.Clone(plain)
	stray[len(stray)-9] = 1
	container.Reseal(stray)
	f, before := encoded[fingerprint.Bits12](t, Config{Buckets: 4, MaxBytes: 50, Hash: hashing.SipHash([16]byte{8})})
	for _, c := range []struct {
		name string
		b    []byte
		want error
		text string
	}{
		{"larger than MaxBytes", plain, ErrTooLarge, "MaxBytes is 50"},
		{"another key", keyed, ErrMismatch, "siphash"},
		{"unknown policy", lazily, ErrMismatch, `at byte 71: kick policy "lazy"`},
		{"another width", wide, ErrMismatch, "at byte 40: fingerprints of 13 bits, want 12"},
		{"short", plain[:100], ErrTooShort, "it ends at byte"},
	} {
		_, readErr := f.ReadFrom(bytes.NewReader(c.b))
		for _, err := range []error{f.UnmarshalBinary(c.b), readErr} {
			if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) || !strings.HasPrefix(err.Error(), "cuckoo: ") {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if after, err := f.MarshalBinary(); err != nil || !bytes.Equal(after, before) {
			t.Errorf("%s: the receiver has changed: %v", c.name, err)
		}
	}
	for _, c := range []struct {
		b    []byte
		text string
	}{{lied, "at byte 24: Len is 17, and 16 slots are used"}, {stray, "bytes behind the last bucket"}} {
		if _, err := Decode[fingerprint.Bits12](c.b); !errors.Is(err, ErrCorrupt) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%v, want %q", err, c.text)
		}
	}
	if f, err := Decode[fingerprint.Bits12](keyed, key); err != nil || f.Len() != 16 {
		t.Errorf("with the key: %v", err)
	}
	if _, err := OpenView[fingerprint.Bits12](lazily); err != nil {
		t.Errorf("a view with an unknown policy: %v", err)
	}
	var zero Filter[fingerprint.Bits12]
	if _, err := zero.MarshalBinary(); !errors.Is(err, ErrConfig) {
		t.Errorf("the zero Filter: %v", err)
	}
}

// TestView_NoAllocs asks a view with keys on the stack.
func TestView_NoAllocs(t *testing.T) {
	_, b := encoded[fingerprint.Bits12](t, Config{Buckets: 80})
	v, err := OpenView[fingerprint.Bits12](b)
	if err != nil {
		t.Fatal(err)
	}
	n := byte(0)
	allocs := testing.AllocsPerRun(100, func() {
		n++
		key := [9]byte{n, 2, 3}
		var dst [4]bool
		v.Contains(key[:])
		v.ContainsString("hello")
		v.Count(key[1:])
		v.ContainsHashes([]uint64{1, 2, 3, uint64(n)}, dst[:])
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// FuzzUnmarshal reads whatever it is given as two layouts, once as it is and once with right checksums, and
// works with what is accepted.
func FuzzUnmarshal(f *testing.F) {
	for _, sorted := range []bool{false, true} {
		_, b := encoded[fingerprint.Bits13](f, Config{Buckets: 5, SemiSort: sorted})
		f.Add(b)
	}
	_, b := encoded[fingerprint.Bits13](f, Config{Buckets: 8, BucketSize: 2, Placement: XOR, Kick: RandomWalk})
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		works(t, b)
		if b = bytes.Clone(b); container.Reseal(b) {
			works(t, b)
		}
	})
}

// works runs the verbs of a filter in b, if there is one, against what they promise.
func works(t *testing.T, b []byte) {
	if v, err := OpenView[fingerprint.Bits13](b); err == nil {
		v.ContainsHashes([]uint64{0, ^uint64(0)}, make([]bool, 2))
		v.CountHash(1)
	}
	f, err := Decode[fingerprint.Bits13](b)
	if err != nil {
		return
	}
	if again, err := f.MarshalBinary(); err != nil || !bytes.Equal(again, b) {
		t.Fatalf("stored as other bytes than it was read from: %v", err)
	}
	stored := f.Len()
	for k := range uint64(8) {
		h := hashing.Mix64(k)
		if f.InsertHash(h) == nil {
			stored++
			if !f.ContainsHash(h) || !f.DeleteHash(h) {
				t.Fatal("a key that was inserted is not there")
			}
			stored--
		}
	}
	if f.Len() != stored {
		t.Fatalf("Len is %d, want %d", f.Len(), stored)
	}
	_ = f.Merge(f.Clone())
}
