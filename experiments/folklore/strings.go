package folklore

import "fmt"

// javaHash is Java's String.hashCode of a text of ASCII.
func javaHash(s string) (h uint32) {
	for i := range len(s) {
		h = 31*h + uint32(s[i])
	}
	return h
}

// stirred is a mixer of 32 bits by shifts and sums, of the kind that Java texts print.
func stirred(h uint32) uint32 {
	h += ^(h << 15)
	h ^= h >> 10
	h += h << 3
	h ^= h >> 6
	h += h<<2 + h<<14
	return h ^ h>>16
}

// consecutive returns texts with numbers that follow each other.
func consecutive(i uint64) string { return fmt.Sprintf("user%07d", i) }

// A javaHalf makes one byte of a hash.
type javaHalf func(h uint32) uint32

// javaPlaces are the places of texts in a class as Java texts print it: the bucket is String.hashCode with its halves xored, the
// fingerprint one byte that a function makes of the same 32 bits, and 40 in place of 0.
func javaPlaces(name func(uint64) string, fingerprint javaHalf, m int) keys {
	return func(i int) place {
		h := javaHash(name(uint64(i)))
		fp := uint16(fingerprint(h) & 0xff)
		if fp == 0 {
			fp = 40
		}
		return place{int(h^h>>16) & (m - 1), fp}
	}
}

// javaPartner is the alternate bucket in that class: i xor the stirred fingerprint.
func javaPartner(m int) func(int, uint16) int {
	return func(i int, fp uint16) int { return i ^ int(stirred(uint32(fp)))&(m-1) }
}

// unstirred takes the lowest byte as it is.
func unstirred(h uint32) uint32 { return h ^ h>>16 }
