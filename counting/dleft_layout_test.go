package counting

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/bits"
	"testing"

	"github.com/nestfilter/nest/hashing"
)

// The tables of this file are the layout. Files and merges rely on it: do not change it.

// TestDLeftGolden_Layout pins the tables that key bytes make, hash included.
func TestDLeftGolden_Layout(t *testing.T) {
	for _, c := range []struct {
		buckets, remainder, counter int
		want                        string
	}{
		{8, 10, 2, "c453428ad1045890"}, {7, 13, 1, "1740a25486e0692b"}, {100, 32, 16, "ce2a714c1b3eb2b4"},
	} {
		f, err := NewDLeft(DLeftConfig{Slots: 16 * c.buckets, RemainderBits: c.remainder, CounterBits: c.counter, Hash: hashing.XXH64(0)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 80 {
			for range 1 + i%2 {
				if err := f.InsertString(fmt.Sprintf("key %d", i)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range 30 {
			f.DeleteString(fmt.Sprintf("key %d", i))
		}
		remainders := f.remainders.Clone()
		sum := sha256.Sum256(append(remainders.Data(), f.extras.Data()...))
		if got := hex.EncodeToString(sum[:8]); got != c.want {
			t.Errorf("%v: the tables hash to %s, want %s", f, got, c.want)
		}
	}
}

// dleftPlace is where a reference keeps a true fingerprint.
type dleftPlace struct {
	table, bucket, lane, remainder int
}

// dleftReference is a filter of maps: where each true fingerprint is, and how many keys have it.
type dleftReference struct {
	m, span, top int
	places       map[int]dleftPlace
	counts       map[int]int
	length       int
}

// class returns the true fingerprint of a digest as one number: floor(h*m*span/2^64).
func (r *dleftReference) class(h uint64) int {
	x := new(big.Int).SetUint64(h)
	x.Mul(x, big.NewInt(int64(r.m))).Mul(x, big.NewInt(int64(r.span)))
	return int(x.Rsh(x, 64).Int64())
}

// bucket returns the bucket of a true fingerprint in a table.
func (r *dleftReference) bucket(class, table int) int {
	turn, x := 0, hashing.Mix64(uint64(class%r.span+1))
	for range table {
		p := new(big.Int).SetUint64(x)
		turn = int(p.Rsh(p.Mul(p, big.NewInt(int64(r.m))), 64).Int64())
		x = bits.RotateLeft64(x, 32) * 0xf1357aea2e62a9c5
	}
	return (class/r.span + turn) % r.m
}

func (r *dleftReference) insert(h uint64) bool {
	class := r.class(h)
	if _, ok := r.places[class]; !ok {
		taken := map[[3]int]bool{}
		for p := range maps.Values(r.places) {
			taken[[3]int{p.table, p.bucket, p.lane}] = true
		}
		best, most := dleftPlace{}, 0
		for table := range dleftTables {
			bucket, free, first := r.bucket(class, table), 0, 0
			for lane := dleftBucketSize - 1; lane >= 0; lane-- {
				if !taken[[3]int{table, bucket, lane}] {
					free, first = free+1, lane
				}
			}
			if free > most {
				best, most = dleftPlace{table, bucket, first, class%r.span + 1}, free
			}
		}
		if most == 0 {
			return false
		}
		r.places[class] = best
	}
	r.counts[class] = min(r.counts[class]+1, r.top)
	r.length++
	return true
}

func (r *dleftReference) remove(h uint64) bool {
	class := r.class(h)
	switch r.counts[class] {
	case 0:
		return false
	case 1:
		delete(r.counts, class)
		delete(r.places, class)
	case r.top:
	default:
		r.counts[class]--
	}
	r.length = max(0, r.length-1)
	return true
}

// FuzzDLeftOps runs a string of operations, two bytes each, and holds every answer and every slot
// against the reference.
func FuzzDLeftOps(f *testing.F) {
	f.Add(uint8(3), uint8(2), uint8(0), []byte{0, 1, 1, 1, 2, 1, 3, 9, 0, 200, 1, 200, 6, 0})
	f.Add(uint8(0), uint8(0), uint8(0), []byte{3, 0, 3, 4, 3, 8, 3, 12, 3, 16, 3, 20, 6, 0, 6, 0, 6, 8, 3, 60, 8, 0})
	f.Add(uint8(1), uint8(9), uint8(1), []byte{3, 1, 3, 5, 3, 9, 3, 13, 3, 17, 3, 21, 3, 25, 3, 29, 3, 33, 3, 37, 3, 41, 3, 45, 8, 1, 7, 4})
	f.Add(uint8(40), uint8(12), uint8(15), []byte{0, 0, 0, 255, 6, 255, 5, 0, 7, 254, 8, 3, 4, 0, 2, 0})
	f.Fuzz(func(t *testing.T, m, remainder, counter uint8, ops []byte) {
		c := DLeftConfig{
			Slots: 16 * (int(m) + 1), CounterBits: int(counter)%MaxDLeftCounterBits + 1,
			RemainderBits: MinRemainderBits + int(remainder)%20,
		}
		filter, err := NewDLeft(c)
		if err != nil {
			t.Fatal(err)
		}
		s := &dleftSession{f: filter, r: &dleftReference{
			m: c.Slots / 16, span: 1<<c.RemainderBits - 1, top: 1 << c.CounterBits,
			places: map[int]dleftPlace{}, counts: map[int]int{},
		}}
		for ops = ops[:min(len(ops), 400)]; len(ops) >= 2; ops = ops[2:] {
			s.step(t, ops[0]%9, ops[1])
			s.check(t)
		}
	})
}

type dleftSession struct {
	f *DLeft
	r *dleftReference
}

func (s *dleftSession) step(t *testing.T, op, key byte) {
	t.Helper()
	h := digest(key)
	batch := []uint64{h, digest(key + 1), digest(key + 2), digest(key + 3)}
	switch op {
	case 0:
		err := s.f.InsertHash(h)
		if ok := s.r.insert(h); ok != (err == nil) || !ok && !errors.Is(err, ErrFull) {
			t.Fatalf("Insert(%#x): %v, want room: %t", h, err, ok)
		}
	case 1, 5:
		want := s.r.counts[s.r.class(h)]
		if got := s.f.CountHash(h); got != want || s.f.ContainsHash(h) != (want > 0) {
			t.Fatalf("Count(%#x) = %d, want %d; Contains says %t", h, got, want, s.f.ContainsHash(h))
		}
	case 2:
		want := s.r.counts[s.r.class(h)] == 0 && s.r.insert(h)
		if added, err := s.f.InsertUniqueHash(h); added != want || added && err != nil {
			t.Fatalf("InsertUnique(%#x) = %t, %v", h, added, err)
		}
	case 3:
		want := 0
		for want < len(batch) && s.r.insert(batch[want]) {
			want++
		}
		if n, err := s.f.InsertHashes(batch); n != want || (err == nil) != (n == len(batch)) {
			t.Fatalf("InsertHashes = %d, %v, want %d", n, err, want)
		}
	case 4:
		dst := make([]bool, len(batch))
		s.f.ContainsHashes(batch, dst)
		for i, h := range batch {
			if dst[i] != (s.r.counts[s.r.class(h)] > 0) {
				t.Fatalf("ContainsHashes: %#x is %t", h, dst[i])
			}
		}
	case 6:
		want := s.r.remove(h)
		if got := s.f.DeleteHash(h); got != want {
			t.Fatalf("Delete(%#x) = %t", h, got)
		}
	case 7:
		n := 0
		for _, h := range batch {
			if s.r.remove(h) {
				n++
			}
		}
		if got := s.f.DeleteHashes(batch); got != n {
			t.Fatalf("DeleteHashes = %d, want %d", got, n)
		}
	case 8:
		s.merge(t)
	}
}

// merge merges the filter into an empty one, which must count alike. It may place keys elsewhere,
// and then there may be no room, so the session goes on with the filter that it had.
func (s *dleftSession) merge(t *testing.T) {
	t.Helper()
	sum, err := NewDLeft(s.f.Config())
	if err != nil {
		t.Fatal(err)
	}
	empty := sum.Clone()
	if err := sum.Merge(s.f); err != nil {
		if !errors.Is(err, ErrFull) || !sum.Equal(empty) || sum.Len() != 0 {
			t.Fatalf("Merge: %v", err)
		}
		return
	}
	for key := range 256 {
		h := digest(byte(key))
		if sum.CountHash(h) != s.f.CountHash(h) {
			t.Fatalf("Count(%#x) is %d after Merge, want %d", h, sum.CountHash(h), s.f.CountHash(h))
		}
	}
}

func (s *dleftSession) check(t *testing.T) {
	t.Helper()
	for class, p := range s.r.places {
		bucket := uint64(p.table*s.r.m + p.bucket)
		remainder, extra := s.f.remainders.Get(bucket, uint(p.lane)), s.f.extras.Get(bucket, uint(p.lane))
		if int(remainder) != p.remainder || int(extra)+1 != s.r.counts[class] {
			t.Fatalf("%+v holds %d, %d more keys; want %d keys", p, remainder, extra, s.r.counts[class])
		}
		if at := s.f.classes.at(bucket, remainder); int(at.bucket) != class/s.r.span {
			t.Fatalf("%+v: class %d is taken for %+v", p, class, at)
		}
	}
	used, extras := 0, 0
	for bucket := range s.f.remainders.Buckets() {
		used += dleftBucketSize - s.f.remainders.Count(bucket, 0)
		extras += dleftBucketSize - s.f.extras.Count(bucket, 0)
	}
	more := 0
	for _, n := range s.r.counts {
		if n > 1 {
			more++
		}
	}
	if used != len(s.r.places) || used != s.f.used || extras != more || s.f.Len() != s.r.length {
		t.Fatalf("%d slots used, %d counted, %d counters not 0, Len %d; want %d, %d and %d",
			used, s.f.used, extras, s.f.Len(), len(s.r.places), more, s.r.length)
	}
}

// TestDLeftClasses_ArePermuted visits every class of small filters: in each table no two of them
// look alike, and each is recognised where it is.
func TestDLeftClasses_ArePermuted(t *testing.T) {
	for m := uint64(1); m <= 40; m++ {
		cs := classes{m, 1<<MinRemainderBits - 1}
		seen := map[class]bool{} // a bucket of any table, and a remainder
		for bucket := range m {
			for remainder := uint64(1); remainder <= cs.span; remainder++ {
				c := class{bucket, remainder}
				b0, b1, b2, b3 := cs.buckets(c)
				for i, b := range []uint64{b0, b1, b2, b3} {
					if b/m != uint64(i) || seen[class{b, remainder}] {
						t.Fatalf("m=%d: %+v is in bucket %d of table %d, as another is", m, c, b, i)
					}
					seen[class{b, remainder}] = true
					if got := cs.at(b, remainder); got != c {
						t.Fatalf("m=%d: %+v is taken for %+v", m, c, got)
					}
				}
			}
		}
	}
}
