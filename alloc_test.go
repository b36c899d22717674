package nest_test

import (
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/memory"
)

// allocs returns the allocations of one run.
func allocs(run func()) float64 { return testing.AllocsPerRun(100, run) }

// heapKey is a key that is on the heap already, as a reader's buffer is.
var heapKey = []byte("a key of a reader")

func TestAllocs_Zero(t *testing.T) {
	text, hs, dst := string(heapKey), []uint64{1, 2, 3}, make([]bool, 3)
	for _, kind := range nest.Kinds() {
		f := mustNew(t, nest.Spec{Kind: kind, Capacity: 1 << 14, FalsePositiveRate: .001})
		verbs := map[string]func(){
			"Insert":           func() { f.Reset(); _ = f.Insert(heapKey) },
			"InsertString":     func() { f.Reset(); _ = f.InsertString(text) },
			"InsertHash":       func() { f.Reset(); _ = f.InsertHash(1) },
			"InsertHashes":     func() { f.Reset(); _, _ = f.InsertHashes(hs) },
			"InsertUnique":     func() { _, _ = f.InsertUnique(heapKey) },
			"InsertUniqueHash": func() { _, _ = f.InsertUniqueHash(1) },
			"Contains":         func() { f.Contains(heapKey) },
			"ContainsString":   func() { f.ContainsString(text) },
			"ContainsHashes":   func() { f.ContainsHashes(hs, dst) },
			"Stats":            func() { _ = f.ScanStats() },
			"Digester": func() {
				var key [16]byte
				d := f.Digester()
				f.ContainsHash(d.Sum64(key[:]))
			},
		}
		if d, ok := f.(nest.Deleter); ok {
			verbs["Delete"] = func() { d.Delete(heapKey) }
			verbs["DeleteHashes"] = func() { d.DeleteHashes(hs) }
			verbs["Count"] = func() { f.(nest.Counter).Count(heapKey) }
		}
		for name, run := range verbs {
			if n := allocs(run); n != 0 {
				t.Errorf("%s of %v: %v allocations", name, f, n)
			}
		}
	}
}

// userHash is a family that is reached through an interface.
type userHash struct{ hashing.Hasher }

func (userHash) Recipe() string { return "user:1" }

// TestAllocs_KeyOnStack holds what the documentation of Filter says about a key in the caller's buffer: it escapes
// through the interface and does not through a Digester, not even to a user's Hasher.
func TestAllocs_KeyOnStack(t *testing.T) {
	f := mustNew(t, nest.Spec{Capacity: 100, FalsePositiveRate: .01}, userHash{hashing.XXH64(1)})
	direct := allocs(func() {
		var key [16]byte
		f.Contains(key[:])
	})
	digested := allocs(func() {
		var key [16]byte
		d := f.Digester()
		f.ContainsHash(d.Sum64(key[:]))
	})
	if !memory.HidesFree {
		t.Skip("this build copies keys for a user's Hasher")
	}
	if direct != 1 || digested != 0 {
		t.Errorf("a key on the stack: %v allocations through Contains, %v through a Digester, want 1 and 0", direct,
			digested)
	}
}
