package filtertest

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// A mutant is the correct filter with one bug.
type mutant struct {
	name   string
	mutate func(b *bag, f *Filter)
	// fails are the checks that must fail, evidence a part of what the first one must say.
	fails, evidence string
}

// salt makes every filter another one.
var salt uint64

// sink keeps what is assigned to it on the heap.
var sink []byte

var mutants = []mutant{
	// Full filters.
	{"a refused insert replaces another key", func(b *bag, f *Filter) {
		b.refusing(f, func(key []byte) { b.remove(b.last); b.insert(key) })
	}, "overfilling refusal", "accepted keys are lost after 50 refusals"},
	{"a refused insert keeps its key", func(b *bag, f *Filter) {
		b.refusing(f, func(key []byte) { b.copies[classOf(b.hash.Sum64(key))]++ })
	}, "refusal", "of the refused keys are found that were not before"},
	{"a refused insert counts", func(b *bag, f *Filter) {
		calls := 0
		f.Insert = func(key []byte) bool { calls++; return b.insert(key) }
		f.Len = func() int { return b.len + max(0, calls-b.limit()) }
		f.Delete, f.Hashes, f.Reset = nil, nil, nil
	}, "refusal", "Len changed"},
	{"a full filter takes everything", func(b *bag, f *Filter) {
		b.capacity = 1 << 30
	}, "refusal", "is refused"},
	{"refuses too early", func(b *bag, f *Filter) {
		b.capacity = b.capacity * 8 / 10
	}, "capacity tiny", "first refusal after 900 keys of 1,000"},
	{"loses the keys from 900 to 930", func(b *bag, f *Filter) {
		calls := 0
		f.Insert = func(key []byte) bool {
			if calls++; calls > 900 && calls <= 930 {
				b.remove(b.last)
			}
			return b.insert(key)
		}
		f.Len, f.Delete, f.Reset = nil, nil, nil
	}, "filling overfilling", "of 930 accepted keys are lost, with none refused"},

	// Rates.
	{"finds 96% of absent keys", func(b *bag, f *Filter) {
		contains := f.Contains
		f.Contains = func(key []byte) bool { return contains(key) || b.hash.Sum64(key)%100 < 96 }
		f.Delete = nil
	}, "rate", "more than predicted: more than claimed"},
	{"predicts a rate that is 30% too low", func(b *bag, f *Filter) {
		f.Rate = func() float64 { return b.rate() * .7 }
	}, "rate", "more than predicted"},
	{"predicts a rate that is 30% too high", func(b *bag, f *Filter) {
		f.Rate = func() float64 { return b.rate() * 1.3 }
	}, "rate", "less than predicted"},
	{"asking for the rate empties it", func(b *bag, f *Filter) {
		f.Rate = func() float64 { rate := b.rate(); b.reset(); return rate }
	}, "queries", "of 750 keys are lost by queries"},
	{"a query stores its key", func(b *bag, f *Filter) {
		f.Count = func(key []byte) int { b.insert(key); return b.count(key) }
		f.Len, f.Delete, f.Hashes, f.Strings = nil, nil, nil, nil
	}, "queries", ""},

	// Deletes.
	{"a delete takes every copy", func(b *bag, f *Filter) {
		f.Delete = func(key []byte) bool {
			n := b.count(key)
			for range n {
				b.delete(key)
			}
			return n > 0
		}
		f.Len = nil
	}, "delete operations duplicates saturation", "others"},
	{"a delete takes a neighbour too", func(b *bag, f *Filter) {
		f.Delete = func(key []byte) bool {
			b.remove(classOf(b.hash.Sum64(key)) + 1)
			return b.delete(key)
		}
		f.Len = nil
	}, "delete operations absent-delete", "loses"},
	{"counters stop at 15 and are decremented", func(b *bag, f *Filter) {
		f.Insert = func(key []byte) bool {
			return b.count(key) >= 15 || b.insert(key)
		}
		f.Len = nil
	}, "saturation", "a key inserted 20 times: after 20 inserts and 15 deletes it is not found"},
	{"counters overflow at 256", func(b *bag, f *Filter) {
		f.Insert = func(key []byte) bool {
			if b.count(key) < 255 {
				return b.insert(key)
			}
			delete(b.copies, classOf(b.hash.Sum64(key)))
			return true
		}
		f.Len = nil
	}, "saturation", "a key inserted 300 times"},
	{"a delete does nothing", func(b *bag, f *Filter) {
		f.Delete = func(key []byte) bool { return b.contains(key) }
		f.Len = nil
	}, "delete", "750 of 750 deleted keys are still found"},
	{"Delete always says yes", func(b *bag, f *Filter) {
		f.Delete = func(key []byte) bool { b.delete(key); return true }
	}, "absent-delete", "keys that Contains denied"},
	{"Delete always says no", func(b *bag, f *Filter) {
		f.Delete = func(key []byte) bool { b.delete(key); return false }
	}, "delete operations duplicates saturation keys tiny", "Delete says no"},
	{"Len ignores deletes", func(b *bag, f *Filter) {
		deletes := 0
		f.Delete = func(key []byte) bool { deletes++; return b.delete(key) }
		f.Len = func() int { return b.len + deletes }
		f.Hashes = nil
	}, "delete operations duplicates absent-delete tiny", "Len is"},
	{"Count is 1 at most", func(b *bag, f *Filter) {
		f.Count = func(key []byte) int { return min(1, b.count(key)) }
	}, "operations", "Count is 1 for a key with 2 copies"},

	// Copies of filters.
	{"Reset leaves a key", func(b *bag, f *Filter) {
		f.Reset = func() { b.reset(); b.copies[7] = 1 }
	}, "reset", "the tables differ"},
	{"Reset leaves Len", func(b *bag, f *Filter) {
		f.Reset = func() { n := b.len; b.reset(); b.len = n / 2 }
	}, "reset", "after Reset Len is"},
	{"a clone shares its table", func(b *bag, f *Filter) {
		f.Clone = func() *Filter { c := *b; return c.wrap(nil) }
	}, "clone", "changing the filter changes the other"},
	{"a clone lacks a key", func(b *bag, f *Filter) {
		f.Clone = func() *Filter { c := b.clone(); c.remove(c.last); c.len++; return c.wrap(nil) }
	}, "clone", "answers differ"},
	{"filters differ", func(b *bag, f *Filter) {
		salt++
		mine := salt
		b.hashing(f, func(key []byte) uint64 { return b.hash.Sum64(key) ^ mine<<24 })
		f.Clone, f.Reset = nil, nil
	}, "determinism", "filled alike"},

	// Keys.
	{"panics at the empty key", func(b *bag, f *Filter) {
		f.Insert = func(key []byte) bool { _ = key[0]; return b.insert(key) }
	}, "keys", "panic: runtime error: index out of range [0] with length 0 (in filtertest.init"},
	{"nil and empty differ", func(b *bag, f *Filter) {
		f.Contains = func(key []byte) bool { return key != nil && b.contains(key) }
	}, "keys", "the empty key is refused or not found"},
	{"ignores all bytes after 1000", func(b *bag, f *Filter) {
		b.hashing(f, func(key []byte) uint64 { return b.hash.Sum64(key[:min(len(key), 1000)]) })
	}, "keys", "some bytes of a key do not count"},
	{"ignores zeros at the end", func(b *bag, f *Filter) {
		b.hashing(f, func(key []byte) uint64 { return b.hash.Sum64(bytes.TrimRight(key, "\x00")) })
	}, "keys", "some bytes of a key do not count"},
	{"changes its key", func(b *bag, f *Filter) {
		f.Insert = func(key []byte) bool {
			ok := b.insert(key)
			if len(key) > 0 {
				key[0]++
			}
			return ok
		}
	}, "aliasing", "calls changed the key"},
	{"writes behind its key", func(b *bag, f *Filter) {
		f.Contains = func(key []byte) bool {
			if cap(key) > len(key) {
				_ = append(key, 0)
			}
			return b.contains(key)
		}
	}, "aliasing", "or the memory behind it"},
	{"keeps its key", func(b *bag, f *Filter) {
		var kept [][]byte
		f.Insert = func(key []byte) bool {
			if len(kept) >= b.limit() {
				return false
			}
			kept = append(kept, key)
			return true
		}
		f.Contains = func(key []byte) bool {
			return slices.ContainsFunc(kept, func(k []byte) bool { return bytes.Equal(k, key) })
		}
		*f = Filter{Insert: f.Insert, Contains: f.Contains}
	}, "aliasing", "the filter keeps it"},

	// Forms.
	{"a batch does not stop at a refusal", func(b *bag, f *Filter) {
		f.Hashes.InsertAll = func(hs []uint64) (n int) {
			for _, h := range hs {
				b.insertHash(h)
			}
			return len(hs)
		}
	}, "batches", "where single calls insert"},
	{"a batch forgets its rest", func(b *bag, f *Filter) {
		all := f.Hashes.ContainsAll
		f.Hashes.ContainsAll = func(hs []uint64, dst []bool) { all(hs[:len(hs)&^7], dst) }
	}, "batches", "ContainsAll says"},
	{"a batch of deletes skips one", func(b *bag, f *Filter) {
		all := f.Hashes.DeleteAll
		f.Hashes.DeleteAll = func(hs []uint64) int { return all(hs[min(1, len(hs)):]) }
	}, "batches", "DeleteAll says"},
	{"strings have their own hash", func(b *bag, f *Filter) {
		f.Strings.Contains = func(key string) bool { return b.contains([]byte(key + "!")) }
	}, "strings", "Contains of a string and of its bytes disagree"},
	{"is broken below 8 keys", func(b *bag, f *Filter) {
		if b.capacity < 8 {
			f.Contains = func(key []byte) bool { return b.len < 5 && b.contains(key) }
		}
	}, "tiny", "capacity 5: 5 of 5 keys are lost"},

	// Allocations.
	{"an insert allocates", func(b *bag, f *Filter) {
		f.Insert = func(key []byte) bool { sink = make([]byte, 8); return b.insert(key) }
	}, "allocations", "Insert allocates 1 times"},
	{"a refusal allocates", func(b *bag, f *Filter) {
		b.refusing(f, func(key []byte) { sink = make([]byte, 8) })
	}, "allocations", "Insert into a full filter allocates 1 times"},
	{"a key on the stack escapes", func(b *bag, f *Filter) {
		f.OnStack = func(key [16]byte) { sink = key[:0]; b.contains(key[:]) }
	}, "allocations", "A verb of a key on the stack allocates 1 times"},
}

// TestCheck_CatchesMutants holds that every bug is found, and by the checks that are about it alone.
func TestCheck_CatchesMutants(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			mutate := func(b *bag, f *Filter) {
				if m.fails != "batches" && m.fails != "strings" { // which would show bugs in the verbs for keys
					f.Strings, f.Hashes = nil, nil
				}
				m.mutate(b, f)
			}
			o := Options{Queries: 2048, Refusals: 50}
			if testing.Short() {
				o.Only = strings.Fields(m.fails)
			}
			failed := Check(bagAdapter(mutate), o).Failed()
			var names []string
			for _, f := range failed {
				names = append(names, f.Check)
			}
			if !slices.Equal(names, strings.Fields(m.fails)) {
				t.Errorf("%v fail, want %v", names, m.fails)
				for _, f := range failed {
					t.Log(f)
				}
			}
			if len(failed) > 0 && !strings.Contains(failed[0].Evidence, m.evidence) {
				t.Errorf("evidence is %q, want %q in it", failed[0].Evidence, m.evidence)
			}
		})
	}
}

// TestCheck_PassesTheCorrectFilter holds that the filter that mutants are made from has no bug, at
// several seeds and sizes.
func TestCheck_PassesTheCorrectFilter(t *testing.T) {
	for _, capacity := range []int{1, 2, 10, 300, 1200} {
		for seed := range uint64(4) {
			report := Check(bagAdapter(nil), Options{Capacity: capacity, Seed: seed + 1, Queries: 1024})
			for _, f := range report.Findings {
				if f.Status != Passed {
					t.Errorf("capacity %d, seed %d: %v", capacity, seed+1, f)
				}
			}
		}
	}
}

// TestAliasing_LossesByChanceAreNoEvidence has a filter that loses one key in 50 in one copy and one in 100
// in the next, whatever becomes of the keys' memory.
func TestAliasing_LossesByChanceAreNoEvidence(t *testing.T) {
	copies := uint64(0)
	a := bagAdapter(func(b *bag, f *Filter) {
		copies++
		share := 50 * copies
		f.Contains = func(key []byte) bool { return b.hash.Sum64(key)%share != 0 && b.contains(key) }
		f.Count, f.Strings, f.Hashes = nil, nil, nil
	})
	a.Random = true
	aliasing, _ := Check(a, Options{Only: []string{"aliasing"}}).Finding("aliasing")
	if aliasing.Status != Skipped || !strings.Contains(aliasing.Evidence, "loses keys by chance") {
		t.Errorf("%v", aliasing)
	}
}
