package counting

import (
	"math/bits"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
)

// A class is a true fingerprint: what a [DLeft] can tell apart. It is a bucket of the leftmost table and a remainder of
// 1..span.
type class struct{ bucket, remainder uint64 }

// classes is the rule of where a class may live. Bonomi et al. (2006) hash a key once, to a true fingerprint, and send
// that through one permutation for each table; each permuted value is split into a bucket and a remainder. As
// permutations lose nothing, two keys look alike in one table only if they look alike in all of them. Otherwise a
// delete of one of them might find the other's slot.
//
// The permutation of table i keeps the remainder and shifts the bucket by an amount that the remainder decides:
//
//	(bucket, remainder) -> ((bucket + shift_i(remainder)) mod m, remainder)
//
// It needs no division, and a lookup compares with one pattern in all tables. In the leftmost one there is no shift.
type classes struct {
	m    uint64 // buckets of a table
	span uint64 // number of remainders
}

// of returns the class of a digest: its high part is the bucket, what is left the remainder. All
// m*span classes are equally likely, except for one part in 2^64/(m*span).
func (cs *classes) of(h uint64) class {
	bucket, rest := bits.Mul64(h, cs.m)
	return class{bucket, bloomcore.Reduce(rest, cs.span) + 1}
}

// buckets returns the bucket of the class in each table, from left to right. The buckets of table i
// are numbered from i*m on. (Four numbers are returned in registers, an array of four is not.)
func (cs *classes) buckets(c class) (b0, b1, b2, b3 uint64) {
	x := hashing.Mix64(c.remainder)
	y := bloomcore.Next(x)
	z := bloomcore.Next(y)
	m := cs.m
	return c.bucket, m + shiftBy(c.bucket, x, m), 2*m + shiftBy(c.bucket, y, m), 3*m + shiftBy(c.bucket, z, m)
}

// shiftBy returns bucket + shift modulo m, the shift being x reduced to 0..m-1.
func shiftBy(bucket, x, m uint64) uint64 {
	b := bucket + bloomcore.Reduce(x, m) - m
	return b + m&uint64(int64(b)>>63) // a branch would be mispredicted as often as not
}

// at returns the class whose remainder was found in a bucket numbered as buckets does.
func (cs *classes) at(bucket, remainder uint64) class {
	table, b := bucket/cs.m, bucket%cs.m
	if table == 0 {
		return class{b, remainder}
	}
	x := hashing.Mix64(remainder)
	for range table - 1 {
		x = bloomcore.Next(x)
	}
	// m less the shift is the shift back.
	return class{(b + cs.m - bloomcore.Reduce(x, cs.m)) % cs.m, remainder}
}
