package nest_test

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// keyless visits files of every kind under the hash whose key verbs panic.
func keyless(t *testing.T, visit func(f nest.Filter, b []byte)) {
	for _, s := range []nest.Spec{
		{Kind: nest.Cuckoo, Slots: 40, FingerprintBits: 12}, {Kind: nest.Scalable, Capacity: 30, FingerprintBits: 12},
		{Kind: nest.Bloom, Slots: 512, Hashes: 8}, {Kind: nest.BlockedBloom, Slots: 512, Hashes: 8}, {Kind: nest.SplitBlock, Slots: 512, Hashes: 8},
		{Kind: nest.Counting, Slots: 512, Hashes: 8}, {Kind: nest.DLeft, Slots: 64, FingerprintBits: 12},
	} {
		s.Hasher = hashing.DigestsOnly
		f := mustNew(t, s)
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
		spec.Hash, spec.Hasher = "xxh64:3", nil
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
type mine struct{ depth int }

func (m mine) Recipe() string      { return fmt.Sprint("mine:", m.depth) }
func (m mine) Kick(w *cuckoo.Walk) { cuckoo.RandomWalk.Kick(w) }

// TestSpec_OwnKickPolicy opens filters under such a policy and makes another one of their Spec, which can be merged with
// the first, as Filter.Spec promises; and goes through the text form, which holds the recipe.
func TestSpec_OwnKickPolicy(t *testing.T) {
	for _, s := range []nest.Spec{
		{Kind: nest.Cuckoo, Slots: 40, FingerprintBits: 12, KickPolicy: mine{3}}, {Kind: nest.Cuckoo, Capacity: 40, FalsePositiveRate: .01, KickPolicy: mine{3}},
		{Kind: nest.Scalable, KickPolicy: mine{3}, Kick: "mine:3"}, {Kind: nest.Scalable, FalsePositiveRate: .01, KickPolicy: mine{3}},
	} {
		f := mustNew(t, s)
		if err := f.InsertHash(1 << 40); err != nil {
			t.Fatal(err)
		}
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := nest.Open(b); !errors.Is(err, nest.ErrMismatch) || !strings.Contains(err.Error(), "call UnmarshalBinary or ReadFrom of a filter that was made with it") {
			t.Errorf("%v: opened without its policy: %v", s, err)
		}
		other := mustNew(t, s)
		if _, err := other.ReadFrom(bytes.NewReader(b)); err != nil || other.Spec() != f.Spec() {
			t.Errorf("%v: read with its policy: %v", s, err)
		}
		opened := mustNew(t, nest.Spec{Kind: s.Kind, Capacity: 1, FingerprintBits: 8, KickPolicy: mine{3}})
		if err := opened.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if opened.Spec() != f.Spec() || f.Spec().Kick != "mine:3" || f.Spec().KickPolicy != (mine{3}) {
			t.Errorf("%v: opened it is %v", s, opened.Spec())
		}
		another, err := nest.New(opened.Spec())
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		if err := another.Merge(f); err != nil || !another.ContainsHash(1<<40) {
			t.Errorf("%v: merge: %v", s, err)
		}
		var read nest.Spec
		if err := read.Set(opened.Spec().String()); err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []cuckoo.KickPolicy{nil, mine{4}, cuckoo.LookAhead} {
			read.KickPolicy = wrong
			if _, err := nest.New(read); !errors.Is(err, nest.ErrConfig) {
				t.Errorf("%v with policy %v: %v", read, wrong, err)
			}
		}
		read.KickPolicy = mine{3}
		if g, err := nest.New(read); err != nil || g.Spec() != f.Spec() {
			t.Errorf("%v: from text: %v, %v", s, g, err)
		}
	}
	if f := mustNew(t, nest.Spec{Kind: nest.Cuckoo, Slots: 40, FingerprintBits: 12, KickPolicy: cuckoo.LookAhead}); f.Spec().KickPolicy != nil || f.Spec().Kick != "look-ahead" {
		t.Errorf("a built-in policy needs no more than its name: %+v", f.Spec())
	}
	_, err := nest.New(nest.Spec{Kind: nest.Bloom, Slots: 64, Hashes: 2, KickPolicy: mine{3}})
	if mentions(t, err, "Kick mine:3 is set"); !errors.Is(err, nest.ErrConfig) {
		t.Error(err)
	}
	inspected, err := nest.Inspect(func() []byte {
		b, _ := mustNew(t, nest.Spec{Kind: nest.Cuckoo, Slots: 40, FingerprintBits: 12, KickPolicy: mine{3}}).MarshalBinary()
		return b
	}())
	if err != nil || inspected.Spec.Kick != "mine:3" || inspected.Spec.KickPolicy != nil {
		t.Errorf("%v, %v", inspected.Spec, err)
	}
}
