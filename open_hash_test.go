package nest_test

import (
	"bytes"
	"encoding"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/window"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// keyless visits files of every kind under the hash whose key verbs panic.
func keyless(t *testing.T, visit func(f nest.Filter, b []byte)) {
	for _, s := range []nest.Spec{
		{Kind: nest.Cuckoo, Slots: 40, FingerprintBits: 12}, {Kind: nest.Scalable, Capacity: 30, FingerprintBits: 12},
		{Kind: nest.Bloom, Slots: 512, Hashes: 8}, {Kind: nest.BlockedBloom, Slots: 512, Hashes: 8},
		{Kind: nest.SplitBlock, Slots: 512, Hashes: 8},
		{Kind: nest.Window, Slots: 512, FingerprintBits: 12},
		{Kind: nest.Counting, Slots: 512, Hashes: 8}, {Kind: nest.DLeft, Slots: 64, FingerprintBits: 12},
	} {
		f := mustNew(t, s, hashing.DigestsOnly)
		if err := f.InsertHash(hashing.Mix64(1)); err != nil {
			t.Fatal(err)
		}
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		visit(f, b)
	}
}

// TestOpen_HashThatPanicsMustBeNamed refuses a file whose key verbs would panic, in every way to read one, and
// leaves the receiver as it was: whoever writes files could end programs that read them.
func TestOpen_HashThatPanicsMustBeNamed(t *testing.T) {
	keyless(t, func(f nest.Filter, b []byte) {
		name := f.Spec().String()
		check := func(how string, err error) {
			t.Helper()
			if !errors.Is(err, nest.ErrMismatch) || !strings.Contains(err.Error(), `"`+f.Spec().Hash+`"`) {
				t.Errorf("%s: %s: %v", name, how, err)
			}
		}
		other := hashing.XXH64(3)
		_, err := nest.Open(b, other)
		check("Open", err)
		_, err = nest.Read(bytes.NewReader(b), other)
		check("Read", err)
		_, err = nest.OpenView(b, other)
		check("OpenView", err)
		check("the package's OpenView", viewed(b))
		spec := f.Spec()
		spec.Hash = "xxh64:3"
		keyed := mustNew(t, spec)
		check("UnmarshalBinary", keyed.UnmarshalBinary(b))
		_, err = keyed.ReadFrom(bytes.NewReader(b))
		check("ReadFrom", err)
		if got := keyed.Spec().String(); got != spec.String() || keyed.Len() != 0 {
			t.Errorf("%s: a refused file made the filter %s, Len %d", name, got, keyed.Len())
		}
		zero := reflect.New(reflect.TypeOf(f.Unwrap()).Elem()).Interface()
		check("UnmarshalBinary of a zero filter", zero.(encoding.BinaryUnmarshaler).UnmarshalBinary(b))
		if info, err := nest.Inspect(b); err != nil || info.Spec.Hash != f.Spec().Hash || info.Len != 1 {
			t.Errorf("%s: Inspect: %+v, %v", name, info, err)
		}
	})
}

// viewed opens a view with the package of a file's kind and returns the error.
func viewed(b []byte) (err error) {
	for _, open := range []func() error{
		func() error { _, err := cuckoo.OpenView[fingerprint.Bits12](b); return err },
		func() error { _, err := cuckoo.OpenScalableView[fingerprint.Bits12](b); return err },
		func() error { _, err := window.OpenView[fingerprint.Bits12](b); return err },
		func() error { _, err := bloom.OpenView(b); return err },
		func() error { _, err := counting.OpenView(b); return err },
	} {
		if err = open(); err == nil || !strings.Contains(err.Error(), "want a ") {
			return err
		}
	}
	return err
}

// TestOpen_NamedHashThatPanics reads such files where the hash is named.
func TestOpen_NamedHashThatPanics(t *testing.T) {
	keyless(t, func(f nest.Filter, b []byte) {
		name := f.Spec().String()
		opened, err := nest.Open(b, hashing.SipHash([16]byte{}), hashing.DigestsOnly)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := opened.MarshalBinary()
		if err != nil || !bytes.Equal(again, b) || opened.Spec().String() != name {
			t.Errorf("%s: became %s, %v", name, opened.Spec(), err)
		}
		if err := opened.UnmarshalBinary(b); err != nil {
			t.Errorf("%s: into a filter under this hash: %v", name, err)
		}
		v, err := nest.OpenView(b, hashing.DigestsOnly)
		if err != nil || !v.ContainsHash(hashing.Mix64(1)) || v.Spec().String() != name {
			t.Errorf("%s: the view: %v", name, err)
		}
	})
}

// mine is a kick policy of one's own.
type mine struct{}

func (mine) Recipe() string      { return "mine" }
func (mine) Kick(w *cuckoo.Walk) { cuckoo.RandomWalk.Kick(w) }

// TestOpen_OwnKickPolicy refuses the file of a filter under such a policy, and queries and inspects it.
func TestOpen_OwnKickPolicy(t *testing.T) {
	f, err1 := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: 10, Kick: mine{}})
	s, err2 := cuckoo.NewScalable[fingerprint.Bits12](cuckoo.ScalableConfig{Kick: mine{}})
	if err := errors.Join(err1, err2, f.InsertHash(1<<40), s.InsertHash(1<<40)); err != nil {
		t.Fatal(err)
	}
	for _, f := range []encoding.BinaryMarshaler{f, s} {
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		const want = "call UnmarshalBinary or ReadFrom of a filter that was made with it"
		if _, err := nest.Open(b); !errors.Is(err, nest.ErrMismatch) || !strings.Contains(err.Error(), want) {
			t.Errorf("opened without its policy: %v", err)
		}
		if v, err := nest.OpenView(b); err != nil || v.Spec().Kick != "" || !v.ContainsHash(1<<40) {
			t.Errorf("viewed: %v", err)
		}
		if info, err := nest.Inspect(b); err != nil || info.Spec.Kick != "mine" || info.Spec.Validate() == nil {
			t.Errorf("%v, %v", info.Spec, err)
		}
	}
}
