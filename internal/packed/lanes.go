package packed

import "math/bits"

// Lanes is the arithmetic of a word that holds several equally wide lanes side by side, lane 0 in the lowest bits. Bits
// above the last lane are ignored, so that a word may carry the beginning of the next bucket.
//
// The methods return flags: a word with the highest bit of a lane set where the lane qualifies.
// [Lanes.First] turns flags into a lane number and bits.OnesCount64 counts them.
//
// The zero Lanes has no lanes. Make one with [NewLanes].
type Lanes struct {
	// Low has the lowest bit of every lane set, High the highest.
	Low, High uint64
	// Width is the width of a lane in bits.
	Width uint
	// reciprocal is 2^16/Width rounded up: a multiplication in place of a division.
	reciprocal uint64
}

// NewLanes returns the arithmetic of n lanes of the given width in bits.
// The lanes must fit into a word: 1 <= n and 1 <= width and n*width <= 64; it is not checked.
func NewLanes(width, n uint) Lanes {
	var low uint64
	for lane := range n {
		low |= 1 << (lane * width)
	}
	return Lanes{
		Low: low, High: low << (width - 1), Width: width,
		reciprocal: uint64(1<<16+width-1) / uint64(width),
	}
}

// Spread returns a word with v in every lane. v must fit into a lane; it is not checked.
func (l *Lanes) Spread(v uint64) uint64 { return l.Low * v }

// Zero flags the lanes of x that are zero. It is exact as a yes or no and for the lowest flagged lane; a lane of value
// 1 above a zero lane may be flagged too, because the subtraction borrows. Use [Lanes.ZeroExact] to count.
func (l *Lanes) Zero(x uint64) uint64 { return (x - l.Low) &^ x & l.High }

// ZeroExact flags exactly the lanes of x that are zero, at the cost of two more instructions.
func (l *Lanes) ZeroExact(x uint64) uint64 {
	rest := l.High - l.Low // every bit of a lane but its highest
	return ^((x&rest + rest) | x) & l.High
}

// Equal flags the lanes of x that equal v, with the same restriction as [Lanes.Zero].
func (l *Lanes) Equal(x, v uint64) uint64 { return l.Zero(x ^ l.Low*v) }

// EqualExact flags exactly the lanes of x that equal v.
func (l *Lanes) EqualExact(x, v uint64) uint64 { return l.ZeroExact(x ^ l.Low*v) }

// First returns the lowest flagged lane. There must be one; it is not checked.
func (l *Lanes) First(flags uint64) uint {
	// Exact because a bit number times a width is below 2^16.
	return uint(uint64(bits.TrailingZeros64(flags)) * l.reciprocal >> 16)
}
