package cuckoo

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/memory"
	"github.com/nestfilter/nest/internal/packed"
)

// Four fingerprints of an even width up to 16 have a path of their own in the verbs: a bucket is then whole bytes of one
// word, so that no shift brings it into place, and the masks of the lanes are constants of the width. The same path
// serves filters of fingerprint.Any where their buckets are whole bytes of one word, with what the table says in place
// of constants, at every bucket size.

// isQuad tells whether the buckets of a table are such words, for a filter whose type has that width, 0 that of
// fingerprint.Any. Whole bytes of half the width are four fingerprints.
func isQuad(t *packed.Table, width uint) bool {
	even := width != 0 && width%2 == 0 && width <= 16
	return even && t.WholeBytes == uint64(width/2) || width == 0 && t.WholeBytes != 0
}

// A quad is how the lanes of such words are compared: in code for a type with a width, constants.
type quad struct {
	low, high uint64 // the lowest and the highest bit of every lane
	bytes     uint64 // from one bucket to the next
	width     uint
}

// quadOf returns the quad of a table for which isQuad holds.
func quadOf(t *packed.Table, width uint) quad {
	if width == 0 {
		return quad{t.Last.Low, t.Last.High, t.WholeBytes, t.Last.Width}
	}
	return quad{quadLow(width), quadLow(width) << (width - 1), uint64(width / 2), width}
}

// halfQuad returns half the lanes of a bucket. It is no field of quad, whose four stay in registers: of five the
// compiler makes memory.
func halfQuad(t *packed.Table, width uint) uint64 {
	if width == 0 {
		return uint64(t.Lanes() / 2)
	}
	return 2
}

// has tells whether a lane of bucket i or j holds fp. Both buckets are loaded before either is looked at, so that their
// cache misses overlap, and no branch depends on what was found.
func (q quad) has(t *packed.Table, i, j, fp uint64) bool {
	wanted := q.low * fp
	x, y := t.At(i*q.bytes)^wanted, t.At(j*q.bytes)^wanted
	return ((x-q.low)&^x|(y-q.low)&^y)&q.high != 0
}

// hasBytes is has of four lanes of 8 bits. It loads a bucket and no more, which never lies in two cache lines.
func hasBytes(t *packed.Table, i, j, fp uint64) bool {
	const low = 0x01010101
	x, y := memory.Load32(t.Data(), i*4)^low*fp, memory.Load32(t.Data(), j*4)^low*fp
	return uint32((x-low)&^x|(y-low)&^y)&(low<<7) != 0
}

// free returns a bucket, the byte at which it begins, and flags the lanes that are empty, as [packed.Lanes.Zero] does.
func (q quad) free(t *packed.Table, bucket uint64) (x, at, flags uint64) {
	x = t.At(bucket * q.bytes)
	return x, bucket * q.bytes, (x - q.low) &^ x & q.high
}

// equal returns a bucket, the byte at which it begins, and flags the lanes that hold fp.
func (q quad) equal(t *packed.Table, bucket, fp uint64) (x, at, flags uint64) {
	x = t.At(bucket * q.bytes)
	differ := x ^ q.low*fp
	return x, bucket * q.bytes, (differ - q.low) &^ differ & q.high
}

// put stores fp in the lowest flagged lane of the bucket x at a byte. The lane is empty.
func (q quad) put(t *packed.Table, x, at, flags, fp uint64) { t.Put(at, x|fp<<q.lane(flags)) }

// clear empties the lowest flagged lane of the bucket x at a byte.
func (q quad) clear(t *packed.Table, x, at, flags uint64) {
	t.Put(at, x&^((1<<q.width-1)<<q.lane(flags)))
}

// lane returns the lowest bit of the lowest flagged lane. The mask changes nothing where a lane is flagged: it tells
// the compiler that a shift by the result needs no test.
func (q quad) lane(flags uint64) uint {
	return (uint(bits.TrailingZeros64(flags)) - (q.width - 1)) & 63
}

// quadLow returns a word with the lowest bit of four lanes set.
func quadLow(width uint) uint64 { return 1 | 1<<width | 1<<(2*width) | 1<<(3*width) }
