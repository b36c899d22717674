package counting

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"github.com/nestfilter/nest/hashing"
)

// The tables of this file are the layout. Files and merges rely on it: do not change it.

// reference is a filter with one int a counter. It keeps the rule of saturation, and no other.
type reference struct {
	hashes, top int
	counters    []int
}

func (r *reference) positions(h uint64) []uint64 {
	var ps []uint64
	m := new(big.Int).SetInt64(int64(len(r.counters)))
	for x := h; len(ps) < r.hashes; x = bits.RotateLeft64(x, 32) * 0xf1357aea2e62a9c5 {
		p := new(big.Int).SetUint64(x)
		ps = append(ps, p.Rsh(p.Mul(p, m), 64).Uint64())
	}
	return ps
}

func (r *reference) count(h uint64) int {
	least := r.top
	for _, p := range r.positions(h) {
		least = min(least, r.counters[p])
	}
	return least
}

func (r *reference) add(h uint64, by int) {
	for _, p := range r.positions(h) {
		if c := r.counters[p]; c != r.top && (c != 0 || by > 0) {
			r.counters[p] += by
		}
	}
}

// countersOf returns the counters of a filter.
func countersOf(f *Filter) []int {
	cs := make([]int, f.Slots())
	for i := range cs {
		bit := i * int(f.t.CellBits)
		cs[i] = int(f.t.Words[bit/64] >> (bit % 64) & (1<<f.t.CellBits - 1))
	}
	return cs
}

// TestGolden_Layout pins the tables that key bytes make, hash included.
func TestGolden_Layout(t *testing.T) {
	for width, want := range map[int]string{
		2: "514bd9c2467fd898", 4: "03c65983b2b35330", 8: "c1fc146e4c0437a7", 16: "90b860d57e17eeb4",
	} {
		f, err := New(Config{Slots: 1000, Hashes: 7, CounterBits: width, Hash: hashing.XXH64(0)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			f.InsertString(fmt.Sprintf("key %d", i))
		}
		for i := range 30 {
			f.DeleteString(fmt.Sprintf("key %d", i))
		}
		var table []byte
		for _, w := range f.t.Words {
			table = binary.LittleEndian.AppendUint64(table, w)
		}
		sum := sha256.Sum256(table)
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("counters of %d bits: the table hashes to %s, want %s", width, got, want)
		}
	}
}

// FuzzOps runs a string of operations, two bytes each, and holds every answer and every counter
// against the reference. Where no counter of a present key can have been stolen from, because only
// keys that are present were deleted, it also holds that every present key is found.
func FuzzOps(f *testing.F) {
	f.Add(uint16(100), uint8(3), uint8(0), []byte{0, 1, 1, 1, 2, 1, 3, 9, 0, 200, 1, 200, 6, 0})
	f.Add(uint16(7), uint8(9), uint8(0), []byte{0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 6, 0, 6, 0, 6, 0, 6, 0})
	f.Add(uint16(700), uint8(5), uint8(1), []byte{3, 1, 3, 2, 0, 3, 5, 0, 1, 1, 6, 1, 1, 3, 2, 4, 7, 4, 7, 1})
	f.Fuzz(func(t *testing.T, m uint16, k, width uint8, ops []byte) {
		c := Config{Slots: int(m)%1000 + 1, Hashes: int(k)%64 + 1, CounterBits: 2 << (width % 4)}
		filter, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		s := &session{
			f:       filter,
			r:       &reference{hashes: c.Hashes, top: 1<<c.CounterBits - 1, counters: make([]int, c.Slots)},
			present: map[uint64]int{},
		}
		for ; len(ops) >= 2; ops = ops[2:] {
			s.step(t, ops[0]%8, ops[1])
			s.check(t)
		}
	})
}

// session is a filter, its reference and the exact multiset of present keys.
type session struct {
	f       *Filter
	r       *reference
	present map[uint64]int
	length  int
	stolen  bool // a key that was not present was deleted as a false positive
}

// digest returns the digest of a key; two keys have degenerate ones.
func digest(key byte) uint64 {
	if key == 0 || key == 255 {
		return -uint64(key & 1)
	}
	return hashing.Mix64(uint64(key))
}

func (s *session) insert(h uint64) {
	s.r.add(h, 1)
	s.present[h]++
	s.length++
}

func (s *session) remove(h uint64) bool {
	if s.r.count(h) == 0 {
		return false
	}
	s.r.add(h, -1)
	s.length = max(0, s.length-1)
	if s.present[h] == 0 {
		s.stolen = true
	} else {
		s.present[h]--
	}
	return true
}

func (s *session) step(t *testing.T, op, key byte) {
	t.Helper()
	h := digest(key)
	batch := []uint64{h, digest(key + 1), digest(key + 2), h}
	switch op {
	case 0:
		s.f.InsertHash(h)
		s.insert(h)
	case 1:
		if got := s.f.ContainsHash(h); got != (s.r.count(h) > 0) {
			t.Fatalf("Contains(%#x) = %t", h, got)
		}
	case 2:
		fresh := s.r.count(h) == 0
		if got := s.f.InsertUniqueHash(h); got != fresh {
			t.Fatalf("InsertUnique(%#x) = %t", h, got)
		}
		if fresh {
			s.insert(h)
		}
	case 3:
		s.f.InsertHashes(batch)
		for _, h := range batch {
			s.insert(h)
		}
	case 4:
		dst := make([]bool, len(batch))
		s.f.ContainsHashes(batch, dst)
		for i, h := range batch {
			if dst[i] != (s.r.count(h) > 0) {
				t.Fatalf("ContainsHashes: %#x is %t", h, dst[i])
			}
		}
	case 5:
		if got := s.f.CountHash(h); got != s.r.count(h) {
			t.Fatalf("Count(%#x) = %d, want %d", h, got, s.r.count(h))
		}
	case 6:
		want := s.remove(h)
		if got := s.f.DeleteHash(h); got != want {
			t.Fatalf("Delete(%#x) = %t", h, got)
		}
	case 7:
		n := 0
		for _, h := range batch {
			if s.remove(h) {
				n++
			}
		}
		if got := s.f.DeleteHashes(batch); got != n {
			t.Fatalf("DeleteHashes = %d, want %d", got, n)
		}
	}
}

func (s *session) check(t *testing.T) {
	t.Helper()
	if got := countersOf(s.f); !slices.Equal(got, s.r.counters) {
		t.Fatalf("counters %v, want %v", got, s.r.counters)
	}
	if s.f.Len() != s.length {
		t.Fatalf("Len %d, want %d", s.f.Len(), s.length)
	}
	if s.stolen {
		return
	}
	for h, n := range s.present {
		if n > 0 && s.f.CountHash(h) < min(n, s.r.top) {
			t.Fatalf("%#x was inserted %d times, Count is %d", h, n, s.f.CountHash(h))
		}
	}
}
