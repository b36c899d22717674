package hashing

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"

	"github.com/cespare/xxhash/v2"
	"github.com/dgryski/go-metro"

	"github.com/nestfilter/nest/internal/memory"
)

// kind tells a Digester which code to run. Its zero value is XXH3.
type kind uint8

const (
	kindXXH3 kind = iota
	kindXXH64
	kindMetro64
	kindFNV1a
	kindSipHash
	kindMapHash
	kindMurmur64A
	kindUser // a user's Hasher, or DigestsOnly: it is in Digester.user
)

// A secret is what must not be printed.
type secret struct {
	k0, k1 uint64       // SipHash
	seed   maphash.Seed // maphash
}

// A seal keeps a secret from package fmt, which follows a pointer at the top level and, for a verb that does not suit,
// one more: behind two pointers it prints an address whatever holds the Digester.
type seal struct{ *secret }

// A Digester computes the digests of one [Hasher]; it is what a filter holds. Built-in families are called directly,
// which keeps the caller's key on its stack, and a user's Hasher through a helper that hides the key from escape
// analysis. So no method that computes a digest allocates. Builds with the tag purego have two exceptions: keys for a
// user's Hasher are copied, and so are keys longer than 256 bytes for SipHash.
//
// The zero Digester computes XXH3 with seed 0. A Digester is immutable: it may be copied and used by
// several goroutines at once. To compare two, compare their recipes.
type Digester struct {
	kind kind
	seed uint64
	of16 Of16 // of XXH3
	seal *seal
	user Hasher // nil for the families that builtin holds
}

// NewDigester returns the Digester of h. A nil h means XXH3(0).
func NewDigester(h Hasher) Digester {
	switch h := h.(type) {
	case nil:
		return XXH3(0).(builtin).d
	case builtin:
		return h.d
	case sipHash:
		return h.d
	default:
		return Digester{kind: kindUser, user: h}
	}
}

// Hasher returns the Hasher that d was made from, or XXH3(0) for the zero Digester.
func (d *Digester) Hasher() Hasher {
	switch {
	case d.user != nil:
		return d.user
	case d.kind == kindSipHash:
		return sipHash{builtin{*d}}
	case d.kind == kindXXH3:
		return XXH3(d.seed) // of the zero Digester too
	}
	return builtin{*d}
}

// Recipe returns the recipe of d's Hasher. It allocates.
func (d *Digester) Recipe() string { return d.Hasher().Recipe() }

// Sum64 returns the digest of key; a nil and an empty key are one. With [DigestsOnly] it panics, as do the other forms.
func (d *Digester) Sum64(key []byte) uint64 { return d.sum(key, false) }

// Sum64String returns the digest of the bytes of s, the same as Sum64([]byte(s)).
func (d *Digester) Sum64String(s string) uint64 { return d.sum(bytesOf(s), true) }

// Of16 returns what computes the digests of keys of 16 bytes, such as UUIDs and IPv6 addresses, if d computes [XXH3]. Of
// other families, and of the zero Digester, ok is false, and Sum64 has to be called.
func (d *Digester) Of16() (of Of16, ok bool) { return d.of16, d.of16.low != 0 }

// Of16 computes what a [Digester] does of keys of 16 bytes. It is inlined, which saves some 5% of a lookup.
type Of16 struct{ low, high uint64 } // what the halves of a key are xored with

// Sum64 returns the digest of key.
func (of Of16) Sum64(key *[16]byte) uint64 {
	return xxh3From9(of.low^binary.LittleEndian.Uint64(key[:]), of.high^binary.LittleEndian.Uint64(key[8:]), 16)
}

// sum is Sum64 of key or, if text is set, Sum64String. XXH3 of 4 to 16 bytes is inlined here.
func (d *Digester) sum(key []byte, text bool) uint64 {
	if d.kind == kindXXH3 {
		switch n := uint64(len(key)); {
		case n-9 < 8:
			return xxh3From9(memory.Load64(key, 0)^(xxh3Of9+d.seed), memory.Load64(key, n-8)^(xxh3Of9B-d.seed), n)
		case n-4 < 5:
			first, last := binary.LittleEndian.Uint32(key), binary.LittleEndian.Uint32(key[n-4:])
			return xxh3From4(d.seed, uint64(first)<<32|uint64(last), n)
		}
		return xxh3(d.seed, key)
	}
	switch d.kind {
	case kindXXH64:
		if d.seed == 0 {
			return xxhash.Sum64(key)
		}
		return xxh64Seeded(d.seed, key)
	case kindMetro64:
		return metro.Hash64(key, d.seed)
	case kindFNV1a:
		return fnv1a(d.seed, key)
	case kindSipHash:
		return sipBytes(d.seal.k0, d.seal.k1, key)
	case kindMapHash:
		return maphash.Bytes(d.seal.seed, key)
	case kindMurmur64A:
		return murmur64a(d.seed, key)
	}
	// Keys go through an interface here alone, hidden from escape analysis.
	if text {
		return d.user.Sum64String(hideText(key))
	}
	return d.user.Sum64(memory.Hide(key))
}

// SumAll writes the digests of as many keys as dst has room for, and returns how many: for verbs that take many
// digests, such as InsertHashes. ContainsKeys and ContainsStrings of the filters do it for lookups.
func (d *Digester) SumAll(keys [][]byte, dst []uint64) int {
	keys = keys[:min(len(keys), len(dst))]
	for i, key := range keys {
		dst[i] = d.Sum64(key)
	}
	return len(keys)
}

// SumAllStrings is [Digester.SumAll] of strings.
func (d *Digester) SumAllStrings(keys []string, dst []uint64) int {
	keys = keys[:min(len(keys), len(dst))]
	for i, key := range keys {
		dst[i] = d.Sum64String(key)
	}
	return len(keys)
}

// Sum64Uint64 returns the digest of the 8 little-endian bytes of k. It is not [Mix64] of k.
func (d *Digester) Sum64Uint64(k uint64) uint64 {
	switch d.kind {
	case kindXXH3:
		return xxh3From4(d.seed, bits.RotateLeft64(k, 32), 8)
	case kindUser:
		return d.user.Sum64Uint64(k)
	}
	var key [8]byte
	binary.LittleEndian.PutUint64(key[:], k)
	return d.Sum64(key[:])
}

// xxh64Seeded keeps the streaming state on the stack: the library has no one-shot seeded sum.
func xxh64Seeded(seed uint64, key []byte) uint64 {
	var x xxhash.Digest
	x.ResetWithSeed(seed)
	x.Write(key) // never fails
	return x.Sum64()
}

// Parameters of 64-bit FNV-1a: Noll, Vo, Eastlake and Hansen, RFC 9923, section 5.
const (
	fnvOffset64 = 0xcbf29ce484222325
	fnvPrime64  = 0x00000100000001b3
)

// fnv1a is written out because hash/fnv has no way to set the offset basis.
func fnv1a(seed uint64, key []byte) uint64 {
	h := fnvOffset64 ^ seed
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * fnvPrime64
	}
	return Mix64(h)
}
