package cuckoo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// meddler is a policy that changes its own filter while it runs.
type meddler struct{ change func() }

func (meddler) Recipe() string { return "meddler" }
func (m meddler) Kick(w *Walk) {
	if i, _ := w.Homes(); w.Swap(i, 0) {
		m.change()
	}
	RandomWalk.Kick(w)
}

// panicOf returns what a call panics with, as text.
func panicOf(call func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	call()
	return ""
}

// TestPolicy_ChangingItsFilterPanics: the panic says what is wrong, and no key that was inserted is lost.
func TestPolicy_ChangingItsFilterPanics(t *testing.T) {
	var f *Filter[fingerprint.Bits12]
	next := uint64(1 << 40)
	for name, c := range map[string]struct {
		change func()
		want   string
	}{
		"inserts": {func() {
			for range 100 {
				_ = f.InsertHash(hashing.Mix64(next))
				next++
			}
		}, "insert during an insert"},
		"inserts one": {func() {
			before := f.Len()
			for ; f.Len() == before; next++ { // into a free slot
				if i, j := f.engine.Scheme.Pair(hashing.Mix64(next), fingerprint.Of(hashing.Mix64(next), 12)); f.engine.Table.Count(i, 0)+f.engine.Table.Count(j, 0) > 0 {
					_ = f.InsertHash(hashing.Mix64(next))
				}
			}
		}, "kick policy meddler inserted"},
		"resets": {func() { f.Reset() }, "insert during an insert"},
	} {
		var err error
		if f, err = New[fingerprint.Bits12](Config{Buckets: 16, Kick: meddler{c.change}}); err != nil {
			t.Fatal(err)
		}
		var stored []uint64
		text := panicOf(func() {
			for k := range uint64(64) {
				if f.InsertHash(hashing.Mix64(k)) == nil {
					stored = append(stored, hashing.Mix64(k))
				}
			}
		})
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: panic %q, want %q", name, text, c.want)
		}
		for _, h := range stored {
			if !f.ContainsHash(h) {
				t.Errorf("%s: digest %#x is lost", name, h)
			}
		}
		used := 0
		for bucket := range f.engine.Table.Buckets() {
			used += int(f.engine.Table.Lanes()) - f.engine.Table.Count(bucket, 0)
		}
		if used != f.Len() {
			t.Errorf("%s: Len is %d, and %d slots are used", name, f.Len(), used)
		}
		// A filter whose policy was stopped goes on.
		if f.DeleteHash(stored[0]); f.InsertHash(stored[0]) != nil {
			t.Errorf("%s: the filter does not go on", name)
		}
	}
}

// TestInsertHash_OfIntegersHintsAtMix64: all small integers have one bucket, and the low half of their few fingerprints.
func TestInsertHash_OfIntegersHintsAtMix64(t *testing.T) {
	f, err := New[fingerprint.Bits12](Config{Capacity: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for k := range uint64(1000) {
		if err = f.InsertHash(k); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "hashing.Mix64") {
		t.Errorf("integers as digests: %v", err)
	}
}
