package packed

import (
	"math/bits"
	"sync"
)

// A lane may hold a prefix of a value instead of the value: its highest bits, behind them a 1 that ends them, and
// zeros. A value is the prefix that ends with its lowest bit, so it is odd. The bits before the end are one at least,
// so that the end is never the highest bit of a lane. None of this is for semi-sorted buckets.

// NoPrefix returns a word that has the highest bit of a lane set exactly where that lane of x is no prefix of the same
// lane of wanted, empty lanes included; low and high are as in [Lanes]. The other bits mean nothing, and so do bits of
// x above the lanes.
//
// Nothing is carried from one lane into the next: what is subtracted is at most the highest bit of a lane, and what is
// added twice less than it.
func NoPrefix(x, wanted, low, high uint64) uint64 {
	rest := high - low        // every bit of a lane but its highest
	negative := high - x&rest // the bits below the highest, negated; the highest is set where all are 0
	differ := x ^ wanted      // where x and -x differ, apart from the highest bit, is above the end
	differs := differ & (x ^ negative) & rest
	return (differs + rest) | differ | negative
}

// Prefix flags exactly the lanes of x that are a prefix of v.
func (l *Lanes) Prefix(x, v uint64) uint64 { return ^NoPrefix(x, l.Low*v, l.Low, l.High) & l.High }

// HasPrefix tells whether a lane of the bucket is a prefix of v.
func (t *Table) HasPrefix(bucket, v uint64) bool { return t.CountPrefix(bucket, v) != 0 }

// CountPrefix returns how many lanes of the bucket are prefixes of v.
func (t *Table) CountPrefix(bucket, v uint64) (n int) {
	if t.Ordered() {
		return 0
	}
	bit := bucket * t.bucketBits
	for g := uint(1); g < t.groups; g++ {
		n += bits.OnesCount64(t.Group.Prefix(t.word(bit), v))
		bit += t.groupBits
	}
	return n + bits.OnesCount64(t.Last.Prefix(t.word(bit), v))
}

// LongestPrefix returns the lane of the bucket that is the longest prefix of v, the lowest of several, how many bits of
// v it is without, and whether there is one.
func (t *Table) LongestPrefix(bucket, v uint64) (lane, without uint, ok bool) {
	if t.CountPrefix(bucket, v) == 0 {
		return 0, 0, false
	}
	without = t.Width()
	for at := range t.lanes {
		x := t.Get(bucket, at)
		if end := uint(bits.TrailingZeros64(x)); x != 0 && end < without && (x^v)>>end>>1 == 0 {
			lane, without = at, end
		}
	}
	return lane, without, true
}

// SplitPrefixes writes the lanes of some buckets into twice as many of another table, which are empty, of lanes of the
// same width: those of bucket i go to bucket 2i or 2i+1, each into the lane that it had. A lane is a number of 6 bits, a
// tail of so many bits or fewer, and the end. It gives the first bit of its tail: 1 is for bucket 2i+1 and 0 for 2i, and
// the other way round where the product of the number and turn has its highest bit set. A lane without a bit before its
// end goes to both as it is.
func (t *Table) SplitPrefixes(to *Table, bucket, end uint64, tail uint, turn uint64) {
	for g := range t.groups {
		l := t.Group
		if g == t.groups-1 {
			l = t.Last
		}
		l.split(to, t, bucket, end, uint64(g)*t.groupBits, tail, turn)
	}
}

// split is SplitPrefixes of one group of each bucket, which begins so many bits behind the bucket. No branch depends on
// the half that a lane goes to.
func (l Lanes) split(to, from *Table, bucket, end, group uint64, tail uint, turn uint64) {
	tail &= 63
	width, lane, lanes := l.Width&63, uint64(1)<<(l.Width&63)-1, l.High<<1-l.Low
	first := l.Low << tail    // the highest bit of each full tail, or its end if it has no bit
	tails := first<<1 - l.Low // all bits of tails and ends
	for ; bucket < end; bucket++ {
		bit := bucket*from.bucketBits + group
		x := from.word(bit) & lanes
		goes := x & first
		if turn != 0 {
			rest := x >> tail >> 1
			for at := uint64(1) << tail; at-1 < l.High; at <<= width {
				goes ^= at & uint64(int64(rest&63*turn)>>63)
				rest >>= width
			}
		}
		moved := x&^tails | x<<1&(tails-l.Low)
		upper := moved & (goes >> tail * lane)
		moved ^= upper
		if ended := ^(x&tails ^ first + tails) >> 1 & first; ended != 0 {
			ended = ended >> tail * lane
			moved, upper = moved&^ended|x&ended, upper&^ended|x&ended
		}
		bit += bucket * from.bucketBits
		to.Xor(bit>>3, moved<<(bit&7))
		bit += from.bucketBits
		to.Xor(bit>>3, upper<<(bit&7))
	}
}

// Clear empties all lanes of some buckets, whose numbers from and to are multiples of 8, or of one bucket.
func (t *Table) Clear(from, to uint64) {
	if to-from > 1 {
		clear(t.data[t.Offset(from):t.Offset(to)])
		return
	}
	for lane := range t.lanes {
		t.Set(from, lane, 0)
	}
}

// CheckPrefixes is [Table.Check] of a table whose lanes are prefixes, in which the end is one of the lowest bits, as
// many as it is given. It returns how many lanes have the end at each bit.
func (t *Table) CheckPrefixes(ends uint) (counts [MaxWidth]int, err error) {
	if err := t.checkEnd(); err != nil {
		return counts, err
	}
	var add sync.Mutex
	_, err = t.inParts(minCheckPart, func(from, to uint64) (used uint64, err error) {
		var own [MaxWidth]int
		for bucket := from; bucket < to; bucket++ {
			for lane := range t.lanes {
				x := t.Get(bucket, lane)
				if x == 0 {
					continue
				}
				end := uint(bits.TrailingZeros64(x))
				if end >= ends {
					return 0, corrupt(t.Offset(bucket),
						"lane %d of bucket %d is %#x, whose tail has no end", lane, bucket, x)
				}
				own[end]++
			}
		}
		add.Lock()
		defer add.Unlock()
		for end, n := range own {
			counts[end] += n
		}
		return 0, nil
	})
	return counts, err
}
