package cuckoo

import (
	"github.com/nestfilter/nest/internal/packed"
)

// Where slots are paired and one word holds a bucket, all lanes of it are compared, of which all but the two that the fingerprint
// may be in are blocked: the lowest bit set in what they differ by, so that they are never equal and never empty. Four lanes of a
// width up to 16 are compared with masks that are constants of the width; other such buckets with those of the table.
//
// Other buckets take the methods of packed.Table that look at two lanes.

// A pairedWord is how such buckets are found and compared.
type pairedWord struct {
	low, high uint64 // the lowest and the highest bit of every lane
	bits      uint64 // from one bucket to the next
}

// isPaired tells whether the buckets of a table are such words, for a filter whose type has that width.
func isPaired(t *packed.Table, width uint) bool {
	return width != 0 && width <= 16 && t.PairBits == uint64(4*width) || (width == 0 || width <= 8) && t.PairBits != 0
}

// pairedOf returns the pairedWord of a table for which isPaired holds.
func pairedOf(t *packed.Table, width uint) pairedWord {
	if width > 8 {
		return pairedWord{quadLow(width), quadLow(width) << (width - 1), uint64(4 * width)}
	}
	return pairedWord{t.Last.Low, t.Last.High, t.PairBits}
}

// word returns the word that a bucket begins.
func (q pairedWord) word(t *packed.Table, bucket uint64) uint64 {
	bit := bucket * q.bits
	return t.At(bit>>3) >> (bit & 7)
}

// equal flags the lanes of a bucket that hold fp and are of a pair, as [packed.Lanes.Zero] does. With fp = 0 these are empty.
func (q pairedWord) equal(t *packed.Table, bucket, pair, fp uint64) uint64 {
	differ := q.word(t, bucket) ^ q.low*fp | t.Rest(pair)
	return (differ - q.low) &^ differ & q.high
}
