package hashing

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"strconv"

	"github.com/dchest/siphash"
)

// XXH64 returns the 64-bit xxHash with the given seed. With seed 0 it is the hash of Parquet Bloom filters, and the
// default of split-block ones. Other seeds cost a few nanoseconds more.
func XXH64(seed uint64) Hasher { return builtin{Digester{kind: kindXXH64, seed: seed}} }

// Metro64 returns MetroHash64 with the given seed. It is here for compatibility: seed 1337 is what
// seiflotfy/cuckoofilter and its relatives use.
//
// It mixes keys well, but its seed weakly. On 8-byte keys the seed only shifts the key: the digest of the integer k
// under seed s is that of k + (s-t)*c under seed t, with one constant c. So every seed has the same collisions, at
// other keys. For the empty key 304 of the 4096 pairs of a seed bit and a digest bit do not flip together half of the
// time.
func Metro64(seed uint64) Hasher { return builtin{Digester{kind: kindMetro64, seed: seed}} }

// FNV1a returns 64-bit FNV-1a whose offset basis is xored with seed, finished with [Mix64]. Seed 0 before the finish is
// FNV-1a as published and as in hash/fnv. It multiplies once for each byte, so it is the slowest on keys of more than
// some 30 bytes. The finish is there because plain FNV-1a leaves short keys nearly unmixed where filters take the
// bucket: of the 4096 pairs of an input bit and an output bit of 8-byte keys, 1575 do not flip together half of the
// time, and the top 12 bits of the digests of "user-00000000" to "user-00065535" take 1767 of their 4096 values.
//
// A seed below 256 does no more than xor the first byte of the key. Filters of the same consecutive integers under
// seeds 0 to 255 thus hold the same digests: for seeds that make a difference take Mix64(0), Mix64(1) and so on.
func FNV1a(seed uint64) Hasher { return builtin{Digester{kind: kindFNV1a, seed: seed}} }

// SipHash returns SipHash-2-4 under key (Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012):
// the family for keys that an adversary may choose. Package hashing/secret draws a key for it. Keep the key secret. It
// protects a filter only as long as nobody else can see the digests of keys of their choice.
//
// The recipe holds a fingerprint of the key, which tells two keys apart but does not give the key away. [Parse]
// therefore cannot rebuild this Hasher: opening such a filter requires the key, and a wrong key is noticed. Printing
// the Hasher, or what holds it, with package fmt does not show the key. The Hasher is a [Keyed].
func SipHash(key [16]byte) Keyed {
	return sipHash{builtin{Digester{kind: kindSipHash, seal: &seal{&secret{
		k0: binary.LittleEndian.Uint64(key[:8]),
		k1: binary.LittleEndian.Uint64(key[8:]),
	}}}}}
}

// Keyed is a Hasher under a secret key, which neither its recipe nor a filter's file holds. [SipHash] returns one.
type Keyed interface {
	Hasher
	// Key returns the key. No other method shows it.
	Key() [16]byte
}

// sipHash is a type of its own because it alone has a Key.
type sipHash struct{ builtin }

// Key is [Keyed.Key].
func (s sipHash) Key() (key [16]byte) {
	binary.LittleEndian.PutUint64(key[:8], s.d.seal.k0)
	binary.LittleEndian.PutUint64(key[8:], s.d.seal.k1)
	return key
}

// MapHash returns hash/maphash, the hash of Go's maps, under a random seed that this call draws. Its digests mean
// nothing to another process, nor to another MapHash of this one: use it for filters that are neither stored nor sent.
// The recipe differs for each draw, so that such filters never match by mistake, and [Parse] cannot rebuild it.
func MapHash() Hasher {
	return builtin{Digester{kind: kindMapHash, seal: &seal{&secret{seed: maphash.MakeSeed()}}}}
}

// builtin is the Hasher of every built-in family that hashes keys of every length.
type builtin struct{ d Digester }

func (b builtin) Sum64(key []byte) uint64       { return b.d.Sum64(key) }
func (b builtin) Sum64String(key string) uint64 { return b.d.Sum64String(key) }
func (b builtin) Sum64Uint64(k uint64) uint64   { return b.d.Sum64Uint64(k) }

func (b builtin) Name() string { return families[b.d.kind].name }

// secretLabel is hashed under a secret to tell it from others without showing it.
const secretLabel = "nest/hashing: the fingerprint of a secret"

func (b builtin) Recipe() string {
	switch b.d.kind {
	case kindSipHash:
		mark := siphash.Hash(b.d.seal.k0, b.d.seal.k1, []byte(secretLabel))
		return fmt.Sprintf("siphash:key-%016x", mark)
	case kindMapHash:
		return fmt.Sprintf("maphash:process-%016x", maphash.String(b.d.seal.seed, secretLabel))
	default:
		return b.Name() + ":" + strconv.FormatUint(b.d.seed, 10)
	}
}

// A configuration prints recipes and never a secret.
func (b builtin) String() string   { return b.Recipe() }
func (b builtin) GoString() string { return "hashing(" + b.Recipe() + ")" }

type digestsOnly uint8

// DigestsOnly is the Hasher of a filter that is fed with digests alone, through its Hash verbs (InsertHash,
// ContainsHash and so on): digests from [Mix64], from another system, or computed once for several filters.
// The filter's file has the recipe "digests", and is opened only if the caller names DigestsOnly among the
// hashers that it knows.
//
// Its Sum64 methods, and so the key verbs of such a filter, panic. That is an error in the program, never in its data.
const DigestsOnly digestsOnly = 0

const digestsOnlyMisuse = "hashing: this filter holds digests only (hashing.DigestsOnly): " +
	"use the Hash verbs, such as InsertHash and ContainsHash"

func (digestsOnly) Sum64([]byte) uint64       { panic(digestsOnlyMisuse) }
func (digestsOnly) Sum64String(string) uint64 { panic(digestsOnlyMisuse) }
func (digestsOnly) Sum64Uint64(uint64) uint64 { panic(digestsOnlyMisuse) }
func (digestsOnly) Name() string              { return "digests" }
func (digestsOnly) Recipe() string            { return "digests" }
func (digestsOnly) String() string            { return "digests" }
