package cuckoo

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/packed"
)

// Where slots are paired and a word holds the window of each pair, all lanes of the window are compared, of which all
// but the two that the fingerprint may be in are blocked: the lowest bit set in what they differ by, so that they are
// never equal and never empty.
//
// Other tables take the methods of packed.Table that look at two lanes.

// A pairedWord is how the lanes of such words are compared: in code for a type with a width, constants.
type pairedWord struct {
	low, high uint64 // the lowest and the highest bit of every lane
	width     uint64
}

// isPaired tells whether the windows of a table are words, for a filter whose type has that width.
func isPaired(t *packed.Table, width uint) bool { return width <= 16 && t.Layout == packed.Windowed }

// pairedOf returns the pairedWord of a table for which isPaired holds.
func pairedOf(t *packed.Table, width uint) pairedWord {
	if width == 0 {
		w := &t.Windows.Window
		return pairedWord{w.Low, w.High, uint64(w.Width)}
	}
	return pairedWord{pairedLow(width), pairedLow(width) << (width - 1), uint64(width)}
}

// pairedLow returns a word with the lowest bit of four lanes set or, up to 12 bits, of five whatever the bucket size:
// with four slots a bucket, the fifth lane is of the next bucket and blocked.
func pairedLow(width uint) uint64 { return (1<<((5-width/13)*width) - 1) / (1<<width - 1) }

// of4 returns what the lanes of a bucket of 4 differ from wanted by, with those blocked that are not of the pair.
func (q pairedWord) of4(t *packed.Table, bucket, wanted, blocked uint64) uint64 {
	bit := bucket * 4 * q.width
	return t.At(bit>>3)>>(bit&7) ^ wanted | blocked
}

// of8 does the same for the window of a pair of a bucket of 8, which begins at a byte of the bucket.
func (q pairedWord) of8(t *packed.Table, bucket, at uint64, shift uint8, wanted, blocked uint64) uint64 {
	return t.At(bucket*q.width+at)>>(shift&63) ^ wanted | blocked
}

// has tells whether a lane of one of two windows differs in nothing.
func (q pairedWord) has(x, y uint64) bool { return ((x-q.low)&^x|(y-q.low)&^y)&q.high != 0 }

// at returns where the window of a pair in its home, 0 or 1, is: at which byte, shifted by so many bits.
func (q pairedWord) at(t *packed.Table, bucket, home, pair uint64) (at, shift uint64) {
	if t.Lanes() == 4 {
		bit := bucket * 4 * q.width
		return bit >> 3, bit & 7
	}
	return bucket*q.width + t.Windows.Byte[home][pair], uint64(t.Windows.Shift[home][pair])
}

// zero flags the lanes of a word at a place that hold fp and are not blocked, as [packed.Lanes.Zero] does. With fp = 0
// these lanes are empty.
func (q pairedWord) zero(x, shift, fp, blocked uint64) (flags uint64) {
	differ := x>>(shift&63) ^ q.low*fp | blocked
	return (differ - q.low) &^ differ & q.high
}

// rest is smaller for the window that has more room: lanes are filled from the first on, so it is mostly that whose last
// lanes are smaller. It sees four lanes, and is the largest number for a window without a flagged one.
func (q pairedWord) rest(x, shift, flags uint64) uint64 {
	full := uint64(int64((flags-1)&^flags) >> 63) // all ones without a flag
	return x>>(shift&63)<<((64-4*q.width)&63) | full
}

// lane returns the lowest bit of the lowest flagged lane in the word before its shift; the mask is for the compiler, as
// in [quad].
func (q pairedWord) lane(shift, flags uint64) uint64 {
	return (shift + uint64(bits.TrailingZeros64(flags)) - (q.width - 1)) & 63
}
