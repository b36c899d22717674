package hashing

import (
	"encoding/binary"
	"testing"
)

// sipKey is a key whose bytes and words are easy to find in printed text.
var sipKey = [16]byte{0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0x17, 0x28, 0x39, 0x4a, 0x5b, 0x6c, 0x7d, 0x8e, 0x9f, 0xa0}

// builtins are the families under the seeds that the tests use.
func builtins() []Hasher {
	return []Hasher{
		XXH64(0), XXH64(0x9e3779b9), Metro64(0), Metro64(1337), FNV1a(0), FNV1a(77),
		Murmur64A(0), Murmur64A(1<<63 + 5), XXH3(0), XXH3(1<<63 + 5), SipHash(sipKey), MapHash(),
	}
}

// wordSum is a user's own family, reached through the interface: Mix64 over the sum of the bytes
// and the length. It counts in no way and keeps nothing.
type wordSum struct{ salt uint64 }

func (w wordSum) Sum64(key []byte) uint64 {
	h := w.salt + uint64(len(key))
	for _, c := range key {
		h = Mix64(h ^ uint64(c))
	}
	return h
}

func (w wordSum) Sum64String(key string) uint64 { return w.Sum64([]byte(key)) }

func (w wordSum) Sum64Uint64(k uint64) uint64 {
	return w.Sum64(binary.LittleEndian.AppendUint64(make([]byte, 0, 8), k))
}

func (w wordSum) Name() string   { return "wordsum" }
func (w wordSum) Recipe() string { return "wordsum:1" }

// checkForms holds every form of one key, through the Hasher and its Digester, to one digest.
func checkForms(t testing.TB, h Hasher, key []byte) {
	t.Helper()
	d := NewDigester(h)
	before := string(key)
	want := h.Sum64(key)
	forms := map[string]uint64{
		"Hasher.Sum64String": h.Sum64String(before), "Digester.Sum64": d.Sum64(key),
		"Digester.Sum64String": d.Sum64String(before), "Digester.Sum64([]byte)": d.Sum64([]byte(before)),
	}
	if len(key) == 8 {
		k := binary.LittleEndian.Uint64(key)
		forms["Hasher.Sum64Uint64"], forms["Digester.Sum64Uint64"] = h.Sum64Uint64(k), d.Sum64Uint64(k)
	}
	for form, got := range forms {
		if got != want {
			t.Errorf("%s, key %x: %s = %#x, Sum64 = %#x", h.Recipe(), key, form, got, want)
		}
	}
	if string(key) != before {
		t.Errorf("%s changed the key %x to %x", h.Recipe(), before, key)
	}
}

func TestHasher_FormsAgree(t *testing.T) {
	lengths := []int{127, 128, 129, 255, 256, 257, 1000} // the pieces of sipBytes under purego
	for n := range 71 {
		lengths = append(lengths, n)
	}
	for _, h := range append(builtins(), wordSum{5}) {
		for _, n := range lengths {
			checkForms(t, h, []byte(sanityBuffer(n)))
			// The same bytes at every alignment: assembly reads words.
			shifted := append([]byte{0, 0, 0}, sanityBuffer(n)...)
			if got, want := h.Sum64(shifted[3:]), h.Sum64String(sanityBuffer(n)); got != want {
				t.Errorf("%s, length %d: unaligned key gives %#x, want %#x", h.Recipe(), n, got, want)
			}
		}
	}
}

func TestHasher_LengthsDiffer(t *testing.T) {
	zeros := make([]byte, 71)
	for _, h := range builtins() {
		seen := map[uint64]int{}
		for n := range zeros {
			seen[h.Sum64(zeros[:n])]++
		}
		if len(seen) != len(zeros) {
			t.Errorf("%s: %d lengths of zero bytes give %d digests", h.Recipe(), len(zeros), len(seen))
		}
	}
}

func TestHasher_NilIsEmpty(t *testing.T) {
	for _, h := range append(builtins(), wordSum{5}) {
		d := NewDigester(h)
		want := h.Sum64([]byte{})
		for _, got := range []uint64{h.Sum64(nil), h.Sum64String(""), d.Sum64(nil), d.Sum64([]byte{}), d.Sum64String("")} {
			if got != want {
				t.Errorf("%s: an empty key gives %#x and %#x", h.Recipe(), got, want)
			}
		}
	}
}

// FuzzSum64_BytesAgainstString holds all forms of any key together, for every family.
func FuzzSum64_BytesAgainstString(f *testing.F) {
	for _, n := range []int{0, 1, 3, 8, 16, 31, 33, 64, 200} {
		f.Add([]byte(sanityBuffer(n)))
	}
	f.Fuzz(func(t *testing.T, key []byte) {
		for _, h := range append(builtins(), wordSum{5}) {
			checkForms(t, h, key)
		}
	})
}

func TestSeed_Matters(t *testing.T) {
	for _, family := range []func(uint64) Hasher{XXH64, XXH3, Metro64, FNV1a, Murmur64A} {
		for n := range 33 {
			seen := map[uint64]uint64{}
			for bit := range 65 {
				seed := uint64(1) << bit // 0 for bit 64
				h := family(seed)
				digest := h.Sum64String(sanityBuffer(n))
				if other, dup := seen[digest]; dup {
					t.Errorf("%s, length %d: seeds %d and %d give the same digest", h.Name(), n, seed, other)
				}
				seen[digest] = seed
			}
		}
	}
	other := sipKey
	other[15] ^= 1
	if SipHash(sipKey).Sum64(nil) == SipHash(other).Sum64(nil) {
		t.Error("two keys of SipHash give the same digest")
	}
	if one, two := MapHash(), MapHash(); one.Sum64String("key") == two.Sum64String("key") {
		t.Error("two draws of MapHash give the same digest (probability 2^-64)")
	}
}

func TestKeyed_IsSipHashAlone(t *testing.T) {
	for _, h := range append(builtins(), DigestsOnly) {
		if _, ok := h.(Keyed); ok != (h.Name() == "siphash") {
			t.Errorf("%v: has a key: %v", h, ok)
		}
	}
}
