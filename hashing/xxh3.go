package hashing

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/memory"
)

// XXH3 as doc/xxhash_spec.md of Cyan4973/xxHash describes it, release 0.8 and later: there are ways of their own for
// keys of 1 to 3 bytes, 4 to 8, 9 to 16, up to 128, up to 240, and more.

// XXH3 returns the 64-bit XXH3 with the given seed: with seed 0 the default of every filter but split-block ones. A
// lookup takes 0.6 to 0.9 of the time that it takes under [XXH64] with keys of 4 to 128 bytes, about as long up to 240,
// and 1.3 times as long beyond, as no vector instructions are used (a cuckoo filter of 2^16 slots of 12 bits, absent
// keys, AMD EPYC, Go 1.26). Its digests are not those of XXH64, which Parquet has.
//
// Seeds are no defence against chosen keys: see the package documentation.
func XXH3(seed uint64) Hasher {
	return builtin{Digester{seed: seed, of16: Of16{xxh3Of9 + seed, xxh3Of9B - seed}}}
}

const (
	xxhPrime32A = 0x9e3779b1
	xxhPrime32B = 0x85ebca77
	xxhPrime32C = 0xc2b2ae3d
	xxhPrime64A = 0x9e3779b185ebca87
	xxhPrime64B = 0xc2b2ae3d27d4eb4f
	xxhPrime64C = 0x165667b19e3779f9
	xxhPrime64D = 0x85ebca77c2b2ae63
	xxhPrime64E = 0x27d4eb2f165667c5
	xxh3MixA    = 0x165667919e3779f9
	xxh3MixB    = 0x9fb21c651e98df25
)

// xxh3Secret is the default secret, which is read at any byte, little-endian.
var xxh3Secret = [...]byte{
	0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
	0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
	0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
	0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
	0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
	0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
	0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
	0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
	0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
	0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
	0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
	0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
}

// What keys of up to 16 bytes take of the secret, words of it xored.
const (
	xxh3Of1  = 0x87275a9b
	xxh3Of4  = 0xc73ab174c5ecd5a2
	xxh3Of9  = 0x6782737bea4239b9
	xxh3Of9B = 0xaf56bc3b0996523a
	xxh3Of0  = 0x8726f9105dc21ddc
)

// xxh3 is of any number of bytes but 4 to 16.
func xxh3(seed uint64, key []byte) uint64 {
	switch n := uint64(len(key)); {
	case n > 240:
		return xxh3Large(seed, key)
	case n > 0 && n < 4:
		x := uint64(key[n-1]) | n<<8 | uint64(key[0])<<16 | uint64(key[n/2])<<24
		return xxh64Avalanche((xxh3Of1 + seed) ^ x)
	case n == 0:
		return xxh64Avalanche(seed ^ xxh3Of0)
	}
	return xxh3Medium(seed, key)
}

// xxh3From4 is XXH3 of 4 to 8 bytes, the last 4 of them below the first 4 in x.
func xxh3From4(seed, x, n uint64) uint64 {
	x ^= xxh3Of4 - (seed ^ uint64(bits.ReverseBytes32(uint32(seed)))<<32)
	x ^= bits.RotateLeft64(x, 49) ^ bits.RotateLeft64(x, 24)
	x *= xxh3MixB
	x ^= x>>35 + n
	x *= xxh3MixB
	return x ^ x>>28
}

// xxh3From9 is XXH3 of 9 to 16 bytes, of which low is the first 8 and high the last 8, xored with what Of16 has.
func xxh3From9(low, high, n uint64) uint64 {
	return xxh3Avalanche(n + bits.ReverseBytes64(low) + high + fold(low, high))
}

// xxh3Medium is xxh3 of 17 to 240 bytes. It takes pieces of 16 bytes, up to 128 bytes from both ends inwards.
func xxh3Medium(seed uint64, key []byte) uint64 {
	n := uint64(len(key))
	sum := n * xxhPrime64A
	if n <= 128 {
		if n > 32 { // written out, so that the places in the secret are constants
			if n > 64 {
				if n > 96 {
					sum += xxh3Mix(seed, key, 48, 96) + xxh3Mix(seed, key, n-64, 112)
				}
				sum += xxh3Mix(seed, key, 32, 64) + xxh3Mix(seed, key, n-48, 80)
			}
			sum += xxh3Mix(seed, key, 16, 32) + xxh3Mix(seed, key, n-32, 48)
		}
		return xxh3Avalanche(sum + xxh3Mix(seed, key, 0, 0) + xxh3Mix(seed, key, n-16, 16))
	}
	for at := uint64(0); at < 128; at += 16 {
		sum += xxh3Mix(seed, key, at, at)
	}
	sum = xxh3Avalanche(sum)
	for at := uint64(128); at+16 <= n; at += 16 {
		sum += xxh3Mix(seed, key, at, at-128+3)
	}
	return xxh3Avalanche(sum + xxh3Mix(seed, key, n-16, 119))
}

// xxh3Mix mixes 16 bytes of the key with as many of the secret.
func xxh3Mix(seed uint64, key []byte, at, secret uint64) uint64 {
	return fold(memory.Load64(key, at)^(memory.Load64(xxh3Secret[:], secret)+seed),
		memory.Load64(key, at+8)^(memory.Load64(xxh3Secret[:], secret+8)-seed))
}

// Sizes of large keys: a stripe is what the sums take at once, and a block is followed by a scramble.
const (
	xxh3Stripe = 64
	xxh3Block  = (uint64(len(xxh3Secret)) - xxh3Stripe) / 8 * xxh3Stripe
)

// xxh3Large is xxh3 of more than 240 bytes: eight sums over stripes of 64 bytes.
func xxh3Large(seed uint64, key []byte) uint64 {
	n, secret := uint64(len(key)), xxh3Secret[:]
	if seed != 0 {
		own := xxh3Secret
		secret = own[:]
		for at := uint64(0); at < uint64(len(own)); at += 16 {
			memory.Store64(secret, at, memory.Load64(secret, at)+seed)
			memory.Store64(secret, at+8, memory.Load64(secret, at+8)-seed)
		}
	}
	sums := [8]uint64{
		xxhPrime32C, xxhPrime64A, xxhPrime64B, xxhPrime64C, xxhPrime64D, xxhPrime32B, xxhPrime64E, xxhPrime32A,
	}
	last := key[n-xxh3Stripe:]
	for ; uint64(len(key)) > xxh3Block; key = key[xxh3Block:] {
		xxh3Accumulate(&sums, key[:xxh3Block], secret)
		for i, x := range sums {
			sums[i] = (x ^ x>>47 ^ memory.Load64(secret, uint64(len(secret)-xxh3Stripe+8*i))) * xxhPrime32A
		}
	}
	xxh3Accumulate(&sums, key[:(len(key)-1)/xxh3Stripe*xxh3Stripe], secret)
	xxh3Accumulate(&sums, last, secret[len(secret)-71:])
	sum := n * xxhPrime64A
	for i := uint64(0); i < 8; i += 2 {
		sum += fold(sums[i]^memory.Load64(secret, 11+8*i), sums[i+1]^memory.Load64(secret, 19+8*i))
	}
	return xxh3Avalanche(sum)
}

// xxh3Accumulate adds whole stripes to the sums, two columns at a time, which stay in registers.
func xxh3Accumulate(sums *[8]uint64, stripes, secret []byte) {
	for i := uint64(0); i < 8; i += 2 {
		a, b := sums[i], sums[i+1]
		for at := uint64(0); at < uint64(len(stripes)); at += xxh3Stripe {
			x, y := memory.Load64(stripes, at+8*i), memory.Load64(stripes, at+8*i+8)
			v, w := x^memory.Load64(secret, at/8+8*i), y^memory.Load64(secret, at/8+8*i+8)
			a += y + uint64(uint32(v))*(v>>32)
			b += x + uint64(uint32(w))*(w>>32)
		}
		sums[i], sums[i+1] = a, b
	}
}

// fold is the product of two words, its halves xored.
func fold(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return high ^ low
}

// xxh3Avalanche and xxh64Avalanche are the last steps.
func xxh3Avalanche(x uint64) uint64 {
	x ^= x >> 37
	x *= xxh3MixA
	return x ^ x>>32
}

func xxh64Avalanche(x uint64) uint64 {
	x ^= x >> 33
	x *= xxhPrime64B
	x ^= x >> 29
	x *= xxhPrime64C
	return x ^ x>>32
}
