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
