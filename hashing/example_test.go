package hashing_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

func ExampleNew() {
	h, err := hashing.New("xxh64", 7)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Name(), h.Recipe())
	fmt.Printf("%016x\n", h.Sum64String("cuckoo"))

	_, err = hashing.New("md5", 7)
	fmt.Println(err)
	// Output:
	// xxh64 xxh64:7
	// 2df579e137102df4
	// hashing: unknown hash family "md5" (known: fnv1a, maphash, metro64, murmur64a, siphash, xxh3, xxh64)
}

func ExampleParse() {
	h, err := hashing.Parse("metro64:1337")
	fmt.Println(h, err)

	secret := hashing.SipHash([16]byte{0: 0x2a, 15: 0x17})
	_, err = hashing.Parse(secret.Recipe())
	fmt.Println(errors.Is(err, hashing.ErrNotRebuildable))
	// Output:
	// metro64:1337 <nil>
	// true
}

// Sums that are cryptographic hashes already go into a filter as they are.
func ExampleDigest() {
	sum := sha256.Sum256([]byte("contents of a file"))
	h, err := hashing.Digest(sum[:])
	fmt.Printf("%x\n%x %v\n", sum[:10], h, err) // filter.InsertHash(h), filter.ContainsHash(h)

	_, err = hashing.Digest(sum[:4])
	fmt.Println(err, errors.Is(err, hashing.ErrTooShort))
	// Output:
	// 47d22db938e01ee66508
	// 47d22db938e01ee6 <nil>
	// hashing: digest: data too short: a sum of 4 bytes, want at least 8 true
}

func ExampleMix64() {
	for user := uint64(0); user < 3; user++ {
		fmt.Printf("%016x\n", hashing.Mix64(user))
	}
	// Output:
	// e220a8397b1dcdaf
	// 910a2dec89025cc1
	// 975835de1c9756ce
}

// userID is an integer type of a program's own.
type userID int32

// Integer keys of any type go into a filter in one line, and are equal to keys of another type that are equal numbers.
func ExampleMix() {
	f, err := cuckoo.New[fingerprint.Bits16](cuckoo.Config{Capacity: 1000, Hash: hashing.DigestsOnly})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.InsertHash(hashing.Mix(userID(42))); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.ContainsHash(hashing.Mix(userID(42))), f.ContainsHash(hashing.Mix(uint64(42))), f.ContainsHash(hashing.Mix(userID(-42))))
	// Output: true true false
}

// Many integers become digests at once, here in place, for the verbs that take many.
func ExampleMixAll() {
	f, err := cuckoo.New[fingerprint.Bits16](cuckoo.Config{Capacity: 1000, Hash: hashing.DigestsOnly})
	if err != nil {
		fmt.Println(err)
		return
	}
	users := []uint64{7, 42, 1 << 40}
	hashing.MixAll(users, users)
	if _, err := f.InsertHashes(users); err != nil {
		fmt.Println(err)
		return
	}
	questions := []uint64{42, 43}
	digests, found := make([]uint64, len(questions)), make([]bool, len(questions))
	hashing.MixAll(questions, digests)
	f.ContainsHashes(digests, found)
	fmt.Println(found, f.ContainsHash(hashing.Mix(7)))
	// Output: [true false] true
}

// Keys of any comparable type go into a filter of this process. Its hash, a MapHash, keeps other processes from opening
// the filter's file, where these digests mean nothing.
func ExampleComparable() {
	type point struct{ x, y float64 }
	f, err := cuckoo.New[fingerprint.Bits32](cuckoo.Config{Capacity: 1000, Hash: hashing.MapHash()})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.InsertHash(hashing.Comparable(point{1, 2.5})); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.ContainsHash(hashing.Comparable(point{1, 2.5})), f.ContainsHash(hashing.Comparable(point{2.5, 1})))
	// Output: true false
}

// djb is a user's own family: Bernstein's times-33 hash, whose few well-mixed bits Mix64 spreads over
// the whole digest.
type djb struct{}

func (djb) Sum64(key []byte) uint64 {
	h := uint64(5381)
	for _, c := range key {
		h = h*33 + uint64(c)
	}
	return hashing.Mix64(h)
}

func (d djb) Sum64String(key string) uint64 { return d.Sum64([]byte(key)) }

func (d djb) Sum64Uint64(k uint64) uint64 {
	var key [8]byte
	for i := range key {
		key[i] = byte(k >> (8 * i))
	}
	return d.Sum64(key[:])
}

func (djb) Name() string   { return "djb" }
func (djb) Recipe() string { return "djb:1" }

// A program passes a family of its own wherever a Hasher is taken; nothing is registered.
func ExampleHasher() {
	d := hashing.NewDigester(djb{})
	k, _ := strconv.ParseUint("6f6f6b637563", 16, 64) // "cuckoo" and two zero bytes, little-endian
	fmt.Println(d.Recipe())
	fmt.Println(d.Sum64String("cuckoo") == d.Sum64([]byte("cuckoo")))
	fmt.Println(d.Sum64String("cuckoo\x00\x00") == d.Sum64Uint64(k))
	// Output:
	// djb:1
	// true
	// true
}
