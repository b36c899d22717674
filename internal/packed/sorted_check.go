package packed

import "math/bits"

// tuples is the number of indexes of semi-sorted buckets.
const tuples = 3876

// checkSorted is checkPart for semi-sorted buckets.
func (t *Table) checkSorted(from, to uint64) (used uint64, err error) {
	for bucket := from; bucket < to; bucket++ {
		v := t.open(bucket)
		if t.Word(bucket)&indexMask >= tuples || v.a > v.b || v.b > v.c || v.c > v.d {
			return 0, corrupt(t.Offset(bucket), "the fingerprints of bucket %d are out of order", bucket)
		}
		used += uint64(sortedLanes - v.count(0))
	}
	return used, nil
}

// traits says of each index what a check of the rests has to know, without an unpredictable branch: in bits 0 to 3
// which prefixes are 0, in bits 4 to 6 which are equal to the one behind them. Bit 7 is set where no index is.
var traits = indexTraits()

func indexTraits() (out [1 << IndexBits]uint8) {
	for index, p := range prefixes {
		for lane := range sortedLanes {
			if p>>(4*lane)&15 == 0 {
				out[index] |= 1 << lane
			}
			if lane+1 < sortedLanes && p>>(4*lane)&15 == p>>(4*lane+4)&15 {
				out[index] |= 0x10 << lane
			}
		}
		if index >= tuples {
			out[index] |= 0x80
		}
	}
	return out
}

// checkSortedWords is checkSorted where a word holds a bucket: lanes are out of order only where prefixes are equal
// and rests fall, and empty where both are 0.
func (t *Table) checkSortedWords(from, to uint64) (used uint64, err error) {
	rest, mask := t.sorted.rest&31, t.sorted.mask
	free := uint64(0)
	for bucket := from; bucket < to; bucket++ {
		x := t.Word(bucket)
		trait := uint64(traits[x&indexMask])
		x >>= IndexBits
		a, b := x&mask, x>>rest&mask
		x >>= 2 * rest & 63
		c, d := x&mask, x>>rest&mask
		// Rests have up to 28 bits, so that the sign of a difference tells which is less.
		falls := (b-a)>>63<<4 | (c-b)>>63<<5 | (d-c)>>63<<6 | 0x80
		if trait&falls != 0 {
			return t.checkSorted(bucket, to)
		}
		zeros := (a-1)>>63 | (b-1)>>63<<1 | (c-1)>>63<<2 | (d-1)>>63<<3
		free += uint64(bits.OnesCount64(trait & zeros))
	}
	return (to-from)*sortedLanes - free, nil
}
