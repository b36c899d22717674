package bloom

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/bits"
	"testing"

	"github.com/nestfilter/nest/hashing"
)

// The tables of this file are the layout. Files and merges rely on it: do not change it.

// reference is a filter as a set of positions, computed the long way.
type reference struct {
	bits   uint64
	hashes int
	block  uint64 // bits of a block, or 0 for a Filter
	set    map[uint64]bool
}

// positions returns the positions of h.
func (r *reference) positions(h uint64) []uint64 {
	const multiplier = 0xf1357aea2e62a9c5
	high := func(x, m uint64) uint64 {
		p := new(big.Int).Mul(new(big.Int).SetUint64(x), new(big.Int).SetUint64(m))
		return p.Rsh(p, 64).Uint64()
	}
	var ps []uint64
	if r.block == 0 {
		for x := h; len(ps) < r.hashes; x = bits.RotateLeft64(x, 32) * multiplier {
			ps = append(ps, high(x, r.bits))
		}
		return ps
	}
	if r.block == 256 {
		start := (h >> 32) * (r.bits / 256) >> 32 * 256
		for lane, salt := range []uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31} {
			ps = append(ps, start+uint64(32*lane)+uint64(uint32(h)*salt>>27))
		}
		return ps
	}
	start := high(h, r.bits/512) * 512
	x := (h ^ h>>32) * multiplier
	for len(ps) < r.hashes {
		for field := 0; field < 7 && len(ps) < r.hashes; field++ {
			ps = append(ps, start+x>>(55-9*field)&511)
		}
		x = bits.RotateLeft64(x, 32) * multiplier
	}
	return ps
}

func (r *reference) insert(h uint64) {
	for _, p := range r.positions(h) {
		r.set[p] = true
	}
}

func (r *reference) contains(h uint64) bool {
	for _, p := range r.positions(h) {
		if !r.set[p] {
			return false
		}
	}
	return true
}

// words returns the table.
func (r *reference) words() []uint64 {
	w := make([]uint64, (r.bits+63)/64)
	for p := range r.set {
		w[p/64] |= 1 << (p % 64)
	}
	return w
}

// TestLayout_MatchesReference fills filters of many shapes and compares every word of the table.
func TestLayout_MatchesReference(t *testing.T) {
	for _, m := range []int{1, 2, 63, 64, 65, 100, 127, 128, 130, 511, 512, 513, 1024, 5120, 99_991} {
		for _, k := range []int{1, 2, 6, 7, 8, 13, 14, 15, 64} {
			c := Config{Slots: m, Hashes: k}
			classic, err := New(c)
			if err != nil {
				t.Fatal(err)
			}
			blocked, err := NewBlocked(c)
			if err != nil {
				t.Fatal(err)
			}
			rc := &reference{uint64(m), k, 0, map[uint64]bool{}}
			rb := &reference{blocked.t.Slots, k, 512, map[uint64]bool{}}
			for i := range uint64(1 + m/k/2) {
				h := hashing.Mix64(i + uint64(m))
				classic.InsertHash(h)
				blocked.InsertHash(h)
				rc.insert(h)
				rb.insert(h)
			}
			if got, want := fmt.Sprint(classic.t.Words), fmt.Sprint(rc.words()); got != want {
				t.Fatalf("Filter m=%d k=%d: table %s, want %s", m, k, got, want)
			}
			if got, want := fmt.Sprint(blocked.t.Words), fmt.Sprint(rb.words()); got != want {
				t.Fatalf("Blocked m=%d k=%d: table %s, want %s", m, k, got, want)
			}
			for i := range uint64(100) {
				h := hashing.Mix64(i << 32)
				if classic.ContainsHash(h) != rc.contains(h) || blocked.ContainsHash(h) != rb.contains(h) {
					t.Fatalf("m=%d k=%d: Contains(%#x) = %t, %t", m, k, h, classic.ContainsHash(h), blocked.ContainsHash(h))
				}
			}
		}
	}
}

// TestSplitBlock_MatchesReference fills split blocks of several numbers, the digests of a block's ends
// among those inserted, and compares every word of the table.
func TestSplitBlock_MatchesReference(t *testing.T) {
	for _, blocks := range []uint64{1, 2, 3, 5, 7, 64, 100, 1000} {
		f, err := NewSplitBlock(Config{Slots: int(256 * blocks)})
		if err != nil {
			t.Fatal(err)
		}
		r := &reference{256 * blocks, 8, 256, map[uint64]bool{}}
		for i := range 8 * blocks {
			first := (i<<32+blocks-1)/blocks<<32 | uint64(uint32(hashing.Mix64(i))) // of block i, if there is one
			for _, h := range []uint64{hashing.Mix64(i), first, first - 1<<32} {
				f.InsertHash(h)
				r.insert(h)
			}
		}
		if got, want := fmt.Sprint(f.t.Words), fmt.Sprint(r.words()); got != want {
			t.Fatalf("%d blocks: table %s, want %s", blocks, got, want)
		}
		for i := range uint64(100) {
			if h := hashing.Mix64(i << 32); f.ContainsHash(h) != r.contains(h) {
				t.Fatalf("%d blocks: Contains(%#x) = %t", blocks, h, f.ContainsHash(h))
			}
		}
	}
}

// TestGolden_Layout pins the tables that key bytes make, hash included.
func TestGolden_Layout(t *testing.T) {
	classic, _ := New(Config{Slots: 1000, Hashes: 7, Hash: hashing.XXH64(0)})
	blocked, _ := NewBlocked(Config{Slots: 1000, Hashes: 9, Hash: hashing.XXH64(0)})
	for i := range 100 {
		classic.InsertString(fmt.Sprintf("key %d", i))
		blocked.InsertString(fmt.Sprintf("key %d", i))
	}
	for _, c := range []struct {
		name  string
		words []uint64
		want  string
	}{
		{"Filter", classic.t.Words, "5bdfc81cc8d6004c"},
		{"Blocked", blocked.t.Words, "360e9ec5f5b856d2"},
	} {
		var table []byte
		for _, w := range c.words {
			table = binary.LittleEndian.AppendUint64(table, w)
		}
		sum := sha256.Sum256(table)
		if got := hex.EncodeToString(sum[:8]); got != c.want {
			t.Errorf("%s: the table hashes to %s, want %s", c.name, got, c.want)
		}
	}
}

// FuzzOps runs a string of operations on every kind and holds every answer against the reference.
func FuzzOps(f *testing.F) {
	f.Add(uint16(100), uint8(3), []byte{0, 1, 1, 1, 2, 1, 3, 9, 0, 200, 1, 200})
	f.Add(uint16(0), uint8(0), []byte{0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 1, 0})
	f.Add(uint16(600), uint8(20), []byte{3, 1, 3, 2, 0, 3, 5, 0, 1, 1, 6, 1, 1, 3, 2, 4, 2, 4})
	f.Fuzz(func(t *testing.T, m uint16, k uint8, ops []byte) {
		c := Config{Slots: int(m)%3000 + 1, Hashes: int(k)%MaxHashes + 1}
		classic, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		blocked, err := NewBlocked(c)
		if err != nil {
			t.Fatal(err)
		}
		runOps(t, classic, &reference{uint64(c.Slots), c.Hashes, 0, map[uint64]bool{}}, ops)
		split, err := NewSplitBlock(Config{Slots: c.Slots})
		if err != nil {
			t.Fatal(err)
		}
		runOps(t, blocked, &reference{blocked.t.Slots, c.Hashes, 512, map[uint64]bool{}}, ops)
		runOps(t, split, &reference{split.t.Slots, 8, 256, map[uint64]bool{}}, ops)
	})
}

// fuzzed are the verbs that FuzzOps calls.
type fuzzed interface {
	InsertHash(h uint64)
	InsertHashes(hs []uint64)
	InsertUniqueHash(h uint64) bool
	ContainsHash(h uint64) bool
	ContainsHashes(hs []uint64, dst []bool)
	Len() int
	ScanStats() Stats
	Reset()
}

// runOps takes two bytes an operation: which, and the key. Keys 0 and 255 have degenerate digests.
func runOps(t *testing.T, f fuzzed, r *reference, ops []byte) {
	digest := func(key byte) uint64 {
		switch key {
		case 0, 255:
			return -uint64(key & 1)
		}
		return hashing.Mix64(uint64(key))
	}
	length := 0
	for ; len(ops) >= 2; ops = ops[2:] {
		h := digest(ops[1])
		batch := []uint64{h, digest(ops[1] + 1), digest(ops[1] + 2), h}
		switch ops[0] % 6 {
		case 0:
			f.InsertHash(h)
			r.insert(h)
			length++
		case 1:
			if f.ContainsHash(h) != r.contains(h) {
				t.Fatalf("Contains(%#x) = %t", h, f.ContainsHash(h))
			}
		case 2:
			fresh := !r.contains(h)
			if f.InsertUniqueHash(h) != fresh {
				t.Fatalf("InsertUnique(%#x) is not %t", h, fresh)
			}
			if fresh {
				r.insert(h)
				length++
			}
		case 3:
			f.InsertHashes(batch)
			for _, h := range batch {
				r.insert(h)
			}
			length += len(batch)
		case 4:
			dst := make([]bool, len(batch))
			f.ContainsHashes(batch, dst)
			for i, h := range batch {
				if dst[i] != r.contains(h) {
					t.Fatalf("ContainsHashes: %#x is %t", h, dst[i])
				}
			}
		case 5:
			if ops[1] == 7 {
				f.Reset()
				clear(r.set)
				length = 0
			}
		}
		if f.Len() != length || f.ScanStats().LoadFactor != float64(len(r.set))/float64(r.bits) {
			t.Fatalf("Len %d, want %d; LoadFactor %v, want %d of %d", f.Len(), length, f.ScanStats().LoadFactor, len(r.set), r.bits)
		}
	}
}
