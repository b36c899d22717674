package cuckoo

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/packed"
)

// TestSemiSort_AnswersAsPlainBucketsDo runs the same inserts, deletes and lookups on a semi-sorted filter
// and a plain one of the same width. Which copy of a class is in which bucket differs, but not how many
// there are, as long as none is refused.
func TestSemiSort_AnswersAsPlainBucketsDo(t *testing.T) {
	step := uint(1)
	if testing.Short() {
		step = 4
	}
	for width := uint(packed.MinSortedWidth); width <= fingerprint.MaxWidth; width += step {
		for p := range Placement(placements) {
			c := Config{Buckets: 64, Placement: p, Kick: policies[(int(width)+int(p))%4], Seed: 3}
			plain := mustNew(t, width, c)
			c.Layout = SemiSorted
			semi := mustNew(t, width, c)
			r := rand.New(rand.NewPCG(uint64(width), uint64(p)))
			var keys []uint64
			for step := range 1500 {
				h := r.Uint64()
				switch {
				case len(keys) < 225 && step%4 < 3: // load .88
					if e, s := plain.InsertHash(h), semi.InsertHash(h); e != nil || s != nil {
						t.Fatalf("%v: step %d: insert %v, plain %v", semi, step, s, e)
					}
					keys = append(keys, h)
				case step%2 == 0 && len(keys) > 0:
					at := r.IntN(len(keys))
					h, keys[at] = keys[at], keys[len(keys)-1]
					keys = keys[:len(keys)-1]
					fallthrough
				default: // of a key that was never inserted where its class is not stored
					if plain.CountHash(h) > 0 && step%2 == 1 {
						continue
					}
					if e, s := plain.DeleteHash(h), semi.DeleteHash(h); e != s {
						t.Fatalf("%v: step %d: delete %t, plain %t", semi, step, s, e)
					}
				}
				for _, h := range []uint64{h, r.Uint64(), r.Uint64() >> 32 << 63} {
					if n, s := plain.CountHash(h), semi.CountHash(h); n != s || semi.ContainsHash(h) != (n > 0) {
						t.Fatalf("%v: step %d: %#x is there %d times, plain %d, Contains %t", semi, step, h, s, n, semi.ContainsHash(h))
					}
				}
				if plain.Len() != semi.Len() {
					t.Fatalf("%v: step %d: Len %d, plain %d", semi, step, semi.Len(), plain.Len())
				}
			}
		}
	}
}

// TestSemiSort_OrderLeavesNoTrace inserts keys that need no kick in two orders: the tables are equal.
func TestSemiSort_OrderLeavesNoTrace(t *testing.T) {
	f, g := mustNew(t, 12, Config{Buckets: 1, Layout: SemiSorted}), mustNew(t, 12, Config{Buckets: 1, Layout: SemiSorted})
	hs := randomDigests(4, 1)
	for k := range hs {
		if f.InsertHash(hs[k]) != nil || g.InsertHash(hs[3-k]) != nil {
			t.Fatal("four keys do not fit into four slots")
		}
	}
	if !f.equal(g) {
		t.Errorf("%#v\nand in the other order\n%#v", f, g)
	}
}

// TestSemiSort_RoundRobinGoesInNoCircle holds the policy that has no randomness to its promise in tables
// where it would refuse at a load of .6 if it kicked slots 0, 1, 2, 3 in turn.
func TestSemiSort_RoundRobinGoesInNoCircle(t *testing.T) {
	for _, p := range []Placement{Additive, XOR} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			t.Parallel()
			f, err := New[fingerprint.Bits8](Config{Buckets: 1 << 12, Placement: p, Kick: RoundRobin, Layout: SemiSorted})
			if err != nil {
				t.Fatal(err)
			}
			if failed := refusals(f, f.Capacity(), 20); failed > 0 {
				t.Errorf("%d of 20 fills to %d keys were refused", failed, f.Capacity())
			}
		})
	}
}
