package cuckoo

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

// matched tells whether every live key can be given an entry of its own: one in its buckets that is a prefix of its lane. That is
// what makes deletes right, and what every operation has to keep. (Kuhn's algorithm for bipartite matchings.)
func matched[F fingerprint.Width](s *Scalable[F], live []uint64) bool {
	table, tail := s.settled(), uint(s.tail)
	type slot struct {
		bucket uint64
		lane   uint
	}
	owner := map[slot]int{}
	candidates := make([][]slot, len(live))
	for k, h := range live {
		i, j := s.place.pair(h)
		wanted := s.place.lane(h, tail)
		for _, bucket := range []uint64{i, j} {
			for lane := range table.Lanes() {
				x := table.Get(bucket, lane)
				if end := x & -x; x != 0 && (x^wanted)&^(end<<1-1) == 0 {
					candidates[k] = append(candidates[k], slot{bucket, lane})
				}
			}
		}
	}
	var seen map[slot]bool
	var find func(k int) bool
	find = func(k int) bool {
		for _, c := range candidates[k] {
			if seen[c] {
				continue
			}
			seen[c] = true
			if other, taken := owner[c]; !taken || find(other) {
				owner[c] = k
				return true
			}
		}
		return false
	}
	for k := range live {
		if seen = map[slot]bool{}; !find(k) {
			return false
		}
	}
	return true
}

// worldDigests are keys of one bucket and one remainder in the smallest table, whose tails differ at the first, at the second and at the
// third bit; with tails of one or two bits they become one class and part again as the table doubles.
var worldDigests = []uint64{0x3 << 60, 0x3<<60 | 1<<58, 0x3<<60 | 1<<59, 0x3<<60 | 1<<57 | 1<<59}

// TestScalableDelete_SmallWorlds explores every sequence of inserts of those keys, of deletes of keys that are there, of doublings and
// of Compact, up to a length: after each step every live key has an entry of its own, and in the end all can be deleted in any order.
func TestScalableDelete_SmallWorlds(t *testing.T) {
	depth := 6
	if testing.Short() {
		depth = 5
	}
	t.Run("tail of 1 bit", func(t *testing.T) { t.Parallel(); growingWorld[fingerprint.Bits8](t, worldDigests[:3], depth) })
	t.Run("tail of 2 bits", func(t *testing.T) { t.Parallel(); growingWorld[fingerprint.Bits9](t, worldDigests[:3], depth) })
	t.Run("two keys", func(t *testing.T) {
		t.Parallel()
		growingWorld[fingerprint.Bits8](t, []uint64{worldDigests[0], worldDigests[3]}, depth+1)
	})
}

func growingWorld[F fingerprint.Width](t *testing.T, digests []uint64, depth int) {
	states := 0
	var explore func(s *Scalable[F], live []uint64, past string, left int)
	explore = func(s *Scalable[F], live []uint64, past string, left int) {
		states++
		if s.Len() != len(live) || !matched(s, live) {
			t.Fatalf("after%s: Len %d of %d keys, or one has no entry: %#v", past, s.Len(), len(live), s)
		}
		if left == 0 {
			deletesAll(t, s.Clone(), live, past)
			slices.Reverse(live)
			deletesAll(t, s, live, past)
			return
		}
		for k, h := range digests {
			c := s.Clone()
			if c.InsertHash(h) == nil {
				explore(c, append(slices.Clone(live), h), fmt.Sprint(past, " +", k), left-1)
			}
			if at := slices.Index(live, h); at >= 0 {
				c := s.Clone()
				if !c.DeleteHash(h) {
					t.Fatalf("after%s: key %d is lost", past, k)
				}
				explore(c, slices.Delete(slices.Clone(live), at, at+1), fmt.Sprint(past, " -", k), left-1)
			}
		}
		if s.Doublings() < 4 {
			c := s.Clone()
			c.settle()
			c.double()
			explore(c, live, past+" double", left-1)
		}
		if c := s.Clone(); c.Compact() > 0 {
			explore(c, live, past+" compact", left-1)
		}
	}
	explore(mustScalable[F](t, ScalableConfig{Capacity: 1}), nil, "", depth)
	t.Logf("%d states", states)
	if states < 4000 {
		t.Error("too few")
	}
}

// deletesAll deletes all live keys, each of which must be found.
func deletesAll[F fingerprint.Width](t *testing.T, s *Scalable[F], live []uint64, past string) {
	for n, h := range live {
		if !s.ContainsHash(h) || s.CountHash(h) < 1 || !s.DeleteHash(h) {
			t.Fatalf("after%s and %d deletes: digest %#x is lost", past, n, h)
		}
	}
	if s.Len() != 0 {
		t.Fatalf("after%s: Len %d without keys", past, s.Len())
	}
}

// TestScalableDelete_LongestTailOnly shows that the rule is needed: if Delete took a shorter tail, the other key would be lost.
func TestScalableDelete_LongestTailOnly(t *testing.T) {
	s := mustScalable[fingerprint.Bits9](t, ScalableConfig{Capacity: 1})
	x, y := worldDigests[0], worldDigests[0]|1<<57 // the same tail of two bits now, and not after a doubling
	if err := s.InsertHash(y); err != nil {
		t.Fatal(err)
	}
	s.double()
	s.settle()
	if err := s.InsertHash(x); err != nil || s.CountHash(x) != 2 || s.CountHash(y) != 1 {
		t.Fatalf("%v: %d and %d entries, want 2 and 1", err, s.CountHash(x), s.CountHash(y))
	}
	if !s.DeleteHash(x) || !s.ContainsHash(y) || s.Len() != 1 {
		t.Errorf("y is lost: %#v", s)
	}
}

// TestScalable_EndedTails follows a key beyond the end of its tail: Len counts it once, Delete takes one entry, and the others stay until
// Reset.
func TestScalable_EndedTails(t *testing.T) {
	s := mustScalable[fingerprint.Bits9](t, ScalableConfig{Capacity: 1})
	const h = 0x123456789abcdef0
	if err := s.InsertHash(h); err != nil {
		t.Fatal(err)
	}
	for range 4 { // a tail of two bits has ended after the second
		s.double()
		s.settle()
	}
	if s.Len() != 1 || s.entries() != 4 || s.CountHash(h) != 1 || s.FalsePositiveRate() != mustRate(1<<4, 8, 9) {
		t.Fatalf("%v: %d entries, %d of the key, rate %v", s, s.entries(), s.CountHash(h), s.FalsePositiveRate())
	}
	if !s.DeleteHash(h) || s.ContainsHash(h) || s.Len() != 0 || s.entries() != 3 {
		t.Errorf("%v: %d entries", s, s.entries())
	}
	other := uint64(h ^ 1<<(63-4-3)) // which parted from it at a doubling beyond the tail's end
	if !s.ContainsHash(other) || !s.DeleteHash(other) || s.Len() != 0 || s.entries() != 2 {
		t.Errorf("%v: the other half of the bucket: %d entries", s, s.entries())
	}
	s.Reset()
	if s.entries() != 0 || s.LoadFactor() != 0 || !s.Equal(mustScalable[fingerprint.Bits9](t, ScalableConfig{Capacity: 1})) {
		t.Errorf("Reset: %v", s)
	}
}

// mustRate returns the rate of entries that have as many hits as so many full tails, where a side has 2^k buckets.
func mustRate(hits uint64, k, width uint) float64 {
	c := ScalableConfig{FingerprintBits: int(width), BucketSize: 4}
	s := &Scalable[fingerprint.Any]{scalableReader[fingerprint.Any]{place: sidesOf(2 << k), config: c}}
	s.len, s.engine.Table = int(hits), c.newSides(minLog)
	return s.FalsePositiveRate()
}

// FuzzScalableOps turns bytes into inserts, deletes of live keys, doublings, Compact, Merge and files, over few digests that share
// buckets, remainders and beginnings of tails, and holds the matching of keys and entries, and Len.
func FuzzScalableOps(f *testing.F) {
	f.Add([]byte("growing filters"))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 240, 0, 0, 240, 0, 100, 240, 240, 0, 100, 100, 250, 100, 100, 255, 100})
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 240, 1, 2, 3, 240, 250, 252, 121, 122, 255, 254, 123, 124, 240, 253, 252})
	f.Fuzz(func(t *testing.T, ops []byte) {
		ops = ops[:min(len(ops), 300)]
		operate[fingerprint.Bits8](t, ops)
		operate[fingerprint.Bits10](t, ops)
		operate[fingerprint.Bits17](t, ops)
	})
}

func operate[F fingerprint.Width](t *testing.T, ops []byte) {
	s := mustScalable[F](t, ScalableConfig{Capacity: 1})
	var live []uint64
	for n, op := range ops {
		h := uint64(op&15)<<56 | uint64(op>>4&3)<<62 | uint64(op>>6&1)
		switch {
		case op < 128:
			if s.InsertHash(h) == nil {
				live = append(live, h)
			}
		case op < 240:
			if len(live) > 0 {
				at := int(op) % len(live)
				if !s.DeleteHash(live[at]) {
					t.Fatalf("op %d: a key is lost", n)
				}
				live = slices.Delete(live, at, at+1)
			}
		case op < 248:
			if s.settle(); s.Doublings() < 5 {
				s.double() // and goes on while it grows
			}
		case op < 252:
			s.Compact()
		case op < 254 && len(live) < 100:
			if s.Merge(s.Clone()) == nil {
				live = append(live, live...)
			}
		case s.Doublings() <= s.config.MaxDoublings: // files of more are refused
			b := bytesOf(t, s)
			read, err := DecodeScalable[F](b)
			if err != nil || !read.Equal(s) || !s.Equal(read) {
				t.Fatalf("op %d: %v is read as %v: %v", n, s, read, err)
			}
			s = read
		}
		if s.Len() != len(live) || !matched(s, live) {
			t.Fatalf("op %d: Len %d of %d keys, or one has no entry: %v", n, s.Len(), len(live), s)
		}
	}
	deletesAll(t, s, live, " the operations")
}
