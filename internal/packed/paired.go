package packed

import "github.com/nestfilter/nest/internal/hugepage"

// The layout Paired has the lanes of a bucket one behind the other, as the plain layouts do, and its tables have the same bytes.
// But a value may be in two lanes of a bucket only: in a lane p and in p^a, where its distance a, 1 to lanes-1, follows from the
// value. So a bucket of b lanes has (b-1)*b/2 pairs of lanes. A pair is given by a number, a<<3 | p, and so is the same pair
// by a<<3 | p^a.
//
// Package kick says which pair is whose. Here are the two things that one can do with a pair fast: look at its two lanes one by
// one, at any width, and compare all lanes of a word of which all but two are blocked.

const (
	// pairShift is where the number of a pair has its distance: above a lane of up to 8.
	pairShift  = 3
	pairLane   = 1<<pairShift - 1
	pairNumber = 1<<(2*pairShift) - 1
)

// PairOf returns the number of the pair of a lane at that distance.
func PairOf(distance, lane uint64) uint64 { return distance<<pairShift | lane }

// PairLanes returns the two lanes of a pair, the lower one first.
func PairLanes(pair uint64) (low, high uint) {
	p, q := uint(pair&pairLane), uint((pair^pair>>pairShift)&pairLane)
	return min(p, q), max(p, q)
}

// SamePair tells whether two numbers of pairs at the same distance are of the same pair.
func SamePair(k, l uint64) bool {
	moved := k ^ l
	return moved == 0 || moved == k>>pairShift
}

// NewPaired returns an empty table of the layout Paired with 4 or 8 lanes a bucket, as [NewPaged] does of plain ones.
func NewPaired(width, lanes uint, buckets uint64, pages hugepage.Mode) Table {
	t := NewPaged(width, lanes, buckets, pages)
	t.pairUp()
	return t
}

// OverPaired is [Over] for the layout Paired.
func OverPaired(width, lanes uint, buckets uint64, data []byte, pages hugepage.Mode) Table {
	t := Over(width, lanes, buckets, data, pages)
	t.pairUp()
	return t
}

// pairUp makes a plain table one of the layout Paired.
func (t *Table) pairUp() {
	if t.Layout == Word {
		t.PairBits, t.Blocked = t.bucketBits, blockedLanes(&t.Last, t.lanes)
	}
	// What is for plain buckets must not be taken for these.
	t.Layout, t.WholeBytes = Paired, 0
}

// blockedLanes returns the lowest bits of all lanes but the two of a pair, by the number of the pair.
func blockedLanes(l *Lanes, lanes uint) *[pairNumber + 1]uint64 {
	blocked := new([pairNumber + 1]uint64)
	for distance := range lanes {
		for lane := range lanes {
			low, high := PairLanes(PairOf(uint64(distance), uint64(lane)))
			blocked[PairOf(uint64(distance), uint64(lane))] = l.Low &^ (1<<(low*l.Width) | 1<<(high*l.Width))
		}
	}
	return blocked
}

// Rest returns the lowest bits of the lanes that are not of a pair. Where one word holds a bucket, a word with them set has no
// zero lane but in the pair, and flags none that is not zero: the subtraction of [Lanes.Zero] borrows from no lane that is blocked.
func (t *Table) Rest(pair uint64) uint64 { return t.Blocked[pair&pairNumber] }

// Slot returns the lane of that number, counted through the table, which is not semi-sorted.
func (t *Table) Slot(n uint64) uint64 { return t.word(n*uint64(t.Group.Width)) & t.mask }

// FindIn returns the lower lane of a pair that holds v, or the other one that does.
func (t *Table) FindIn(bucket, pair, v uint64) (lane uint, ok bool) {
	low, high := PairLanes(pair)
	if t.Get(bucket, low) == v {
		return low, true
	}
	return high, t.Get(bucket, high) == v
}

// ReplaceIn writes v in place of the lower lane of a pair that holds old, and tells whether there is one.
func (t *Table) ReplaceIn(bucket, pair, old, v uint64) bool {
	lane, ok := t.FindIn(bucket, pair, old)
	if ok {
		t.Set(bucket, lane, v)
	}
	return ok
}

// CountIn returns how many lanes of a pair hold v.
func (t *Table) CountIn(bucket, pair, v uint64) (n int) {
	low, high := PairLanes(pair)
	if t.Get(bucket, low) == v {
		n++
	}
	if t.Get(bucket, high) == v {
		n++
	}
	return n
}

// HasEitherIn tells whether a lane of pair k of bucket i, or one of pair l of bucket j, holds v. All four are loaded before any
// is looked at, so that their cache misses overlap.
func (t *Table) HasEitherIn(i, j, k, l, v uint64) bool {
	a, b := PairLanes(k)
	c, d := PairLanes(l)
	differ := [...]uint64{t.Get(i, a) ^ v, t.Get(i, b) ^ v, t.Get(j, c) ^ v, t.Get(j, d) ^ v}
	return differ[0] == 0 || differ[1] == 0 || differ[2] == 0 || differ[3] == 0
}
