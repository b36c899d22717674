package packed

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/memory"
)

// A semi-sorted bucket has 4 lanes and keeps their values in rising order, empty ones first. It stores
// the highest 4 bits of each, their prefixes, all together: rising 4-tuples of 16 values are 3876, so an
// index of 12 bits says what 16 bits would, and every lane is one bit narrower (Fan et al. 2014,
// section 5.2, after Bonomi et al. 2006). The rest of each lane stands as it is.
//
//	| index | rest 0 | rest 1 | rest 2 | rest 3 |     12 + 4*(w-4) = 4*(w-1) bits, lowest first
//
// The index of prefixes a <= b <= c <= d is the number of rising tuples that come before them where the
// last counts most: C(a,1) + C(b+1,2) + C(c+2,3) + C(d+3,4). Four empty lanes have index 0, so a table
// of zeros is empty. Equal contents have equal bytes, however they came about.
//
// The number of a lane is its place in that order: writing one may move the others. What holds a lane's
// number over a write takes the new one from [Table.Swap].
const (
	// PrefixBits is the width of a prefix, IndexBits that of an index.
	PrefixBits = 4
	IndexBits  = 12

	sortedLanes = 4
	indexMask   = 1<<IndexBits - 1

	// MinSortedWidth and MaxSortedWidth are the lane widths that a semi-sorted table can have, in bits.
	MinSortedWidth = PrefixBits + 1
	MaxSortedWidth = 32
)

// prefixes gives the prefixes of an index, the first in the lowest 4 bits. Behind the last of 3876
// tuples, where no table has an index, it goes on with zeros up to what 12 bits can ask for.
//
// pairs[d], triples[d] and quadruples[d] are the terms of the index's sum for a second, third and fourth
// prefix of d; the first is its own.
var prefixes, pairs, triples, quadruples = prefixTables()

// prefixTables computes the terms, and counts through the tuples in the order of their index.
func prefixTables() (tuples [1 << IndexBits]uint16, pairs, triples, quadruples [1 << PrefixBits]uint16) {
	index := 0
	for d := range 1 << PrefixBits {
		pairs[d], triples[d] = uint16(d*(d+1)/2), uint16(d*(d+1)*(d+2)/6)
		quadruples[d] = uint16(d * (d + 1) * (d + 2) * (d + 3) / 24)
		for c := range d + 1 {
			for b := range c + 1 {
				for a := range b + 1 {
					tuples[index] = uint16(a | b<<4 | c<<8 | d<<12)
					index++
				}
			}
		}
	}
	return tuples, pairs, triples, quadruples
}

// sorted is the arithmetic of the semi-sorted buckets of one lane width.
type sorted struct {
	rest uint   // w-4, the bits of a lane below its prefix
	last uint   // where the rests of lanes 2 and 3 begin: 12 + 2*(w-4)
	mask uint64 // of one rest
	all  uint64 // of a bucket, where a word holds it
	one  bool   // a word holds a bucket
	// Where a word holds a bucket, how lookups compare prefixes and rests; nil elsewhere.
	compare *comparison
}

// Prefixes returns the prefixes of the semi-sorted bucket that x begins with, the first in the lowest PrefixBits.
func Prefixes(x uint64) uint64 { return uint64(prefixes[x&indexMask]) }

// shapeSorted returns a table of semi-sorted buckets without buckets, and false if there is none of that shape.
func shapeSorted(width, lanes uint) (t Table, ok bool) {
	if width < MinSortedWidth || width > MaxSortedWidth || lanes != sortedLanes {
		return t, false
	}
	rest := width - PrefixBits
	t = Table{
		Group:      Lanes{Width: width},
		Layout:     Sorted,
		bucketBits: uint64(width-1) * sortedLanes,
		lanes:      sortedLanes,
		mask:       1<<width - 1,
	}
	// Buckets begin at a multiple of 4 bits: behind up to 4 bits of a word.
	t.sorted = sorted{
		rest: rest, mask: 1<<rest - 1, last: IndexBits + 2*rest, all: 1<<t.bucketBits - 1,
		one: t.bucketBits+8-uint64(commonPowerOfTwo(uint(t.bucketBits))) <= 64,
	}
	if t.sorted.one {
		t.sorted.compare = &comparisons[rest]
	}
	return t, true
}

// lanes are the values of a semi-sorted bucket, which rise. A struct stays in registers where an array does not.
type lanes struct{ a, b, c, d uint64 }

// noLane is the value of no lane, whose widths end at 32 bits.
const noLane = 1<<64 - 1

// open returns the lanes of a semi-sorted bucket.
func (t *Table) open(bucket uint64) lanes {
	if t.Layout == None {
		return lanes{noLane, noLane, noLane, noLane}
	}
	s := &t.sorted
	bit := bucket * t.bucketBits
	shift := bit & 7
	x := memory.Load64(t.data, bit>>3) >> shift
	w := s.rest & 31
	y, z := x>>IndexBits, x>>(s.last&63)
	if !s.one {
		// A shift by 64 or more, a negative one included, gives 0.
		hi := memory.Load64(t.data, bit>>3+8)
		x |= hi << (64 - shift)
		hi >>= shift
		y = x>>IndexBits | hi<<(64-IndexBits)
		z = x>>s.last | hi<<(64-s.last) | hi>>(s.last-64)
	}
	p := Prefixes(x)
	return lanes{
		p&0xf<<w | y&s.mask, p>>4&0xf<<w | y>>w&s.mask,
		p>>8&0xf<<w | z&s.mask, p>>12<<w | z>>w&s.mask,
	}
}

// lowest returns lane 0 of a semi-sorted bucket, which is empty unless all are full.
func (t *Table) lowest(bucket uint64) uint64 {
	x := t.Word(bucket)
	return Prefixes(x)&0xf<<(t.sorted.rest&31) | x>>IndexBits&t.sorted.mask
}

// seal writes the lanes of a semi-sorted bucket.
func (t *Table) seal(bucket uint64, v lanes) {
	s := &t.sorted
	w := s.rest & 31
	x := v.a>>w + uint64(pairs[v.b>>w&15]) + uint64(triples[v.c>>w&15]) + uint64(quadruples[v.d>>w&15])
	y := v.a&s.mask | v.b&s.mask<<w
	z := v.c&s.mask | v.d&s.mask<<w
	bit := bucket * t.bucketBits
	off, shift := bit>>3, bit&7
	old := memory.Load64(t.data, off)
	if s.one {
		x |= y<<IndexBits | z<<(s.last&63)
		memory.Store64(t.data, off, old&^(s.all<<shift)|x<<shift)
		return
	}
	// As above, shifts by 64 or more give 0.
	x |= y<<IndexBits | z<<s.last
	hi := y>>(64-IndexBits) | z>>(64-s.last) | z<<(s.last-64)
	hi = hi<<shift | x>>(64-shift)
	memory.Store64(t.data, off, old&(1<<shift-1)|x<<shift)
	mask := uint64(1)<<(t.bucketBits+shift-64) - 1
	old = memory.Load64(t.data, off+8)
	memory.Store64(t.data, off+8, old&^mask|hi)
}

// lane returns one lane.
func (v lanes) lane(n uint) uint64 {
	switch n {
	case 0:
		return v.a
	case 1:
		return v.b
	case 2:
		return v.c
	}
	return v.d
}

// without empties a lane: those in front of it close up.
func (v lanes) without(n uint) lanes {
	if n > 2 {
		v.d = v.c
	}
	if n > 1 {
		v.c = v.b
	}
	if n > 0 {
		v.b = v.a
	}
	v.a = 0
	return v
}

// with puts x into lane 0, which is empty, and all of them in order.
func (v lanes) with(x uint64) lanes {
	return lanes{min(v.b, x), min(max(v.b, x), v.c), min(max(v.c, x), v.d), max(v.d, x)}
}

// less counts the lanes that hold less than x.
func (v lanes) less(x uint64) uint { return less(v.a, x) + less(v.b, x) + less(v.c, x) + less(v.d, x) }

// less returns 1 if a is less than b and 0 if not, without a branch.
func less(a, b uint64) uint {
	_, borrow := bits.Sub64(a, b, 0)
	return uint(borrow)
}

// find returns the first lane that holds x, and whether there is one. As lanes rise, as many hold less
// as stand before it.
func (v lanes) find(x uint64) (n uint, ok bool) {
	n = v.less(x)
	return n, v.misses(x) == 0
}

// HasEither tells whether a lane of bucket i or j holds v. The two may be one.
func (t *Table) HasEither(i, j, v uint64) bool {
	c, rest := t.sorted.compare, t.sorted.rest&63
	if c == nil {
		return t.hasEitherOther(i, j, v)
	}
	// No branch depends on what is found.
	x, y := t.Word(i), t.Word(j)
	prefixes, rests := v>>rest*c.prefixes, v&t.sorted.mask*c.rests
	p, q := Prefixes(x)^prefixes, Prefixes(y)^prefixes
	x, y = x>>IndexBits^rests, y>>IndexBits^rests
	if c.slimRests {
		p, q, x, y = x, y, p, q
	}
	x |= c.spread(p)
	y |= c.spread(q)
	return ((x-c.low)&^x|(y-c.low)&^y)&c.high != 0
}

// hasEitherOther is HasEither for tables but those of semi-sorted buckets that one word holds.
func (t *Table) hasEitherOther(i, j, v uint64) bool {
	if !t.Ordered() {
		return t.Has(i, v) || t.Has(j, v)
	}
	x, y := t.open(i), t.open(j)
	return min(x.misses(v), y.misses(v)) == 0 // which of them has it is a coin toss
}

// A comparison is how a lookup compares the prefixes and the rests of a bucket with those of one lane, all at once
// and without taking the lanes apart: the differences of the narrower ones are spread to lanes as wide as the
// others', where a lane that is zero in both is equal. Its fields are the masks and shifts of one lane width.
type comparison struct {
	prefixes, rests  uint64 // the lowest bit of each of four lanes of that width
	low, high        uint64 // the lowest and the highest bit of four lanes as wide as the wider ones
	pair, secondPair uint64 // the first two narrow lanes, and the second two
	pairShift        uint   // what brings these to their place
	even, odd        uint64 // lanes 0 and 2 of these, and lanes 1 and 3
	oddShift         uint   // what brings these to their place
	slimRests        bool   // rests are narrower than prefixes
}

// comparisons holds the comparison for rests of every width of which a word holds four with their index.
var comparisons = func() (all [(64-IndexBits)/sortedLanes + 1]comparison) {
	for rest := uint(1); rest < uint(len(all)); rest++ {
		all[rest] = comparisonOf(rest)
	}
	return all
}()

// comparisonOf returns the comparison for rests of that width.
func comparisonOf(rest uint) comparison {
	slim, wide := min(PrefixBits, rest), max(PrefixBits, rest)
	lanes := func(width uint) uint64 { return NewLanes(width, sortedLanes).Low }
	first := (uint64(1)<<slim - 1) * (1 | 1<<(2*wide))
	return comparison{
		prefixes: lanes(PrefixBits), rests: lanes(rest), low: lanes(wide), high: lanes(wide) << (wide - 1),
		pair: 1<<(2*slim) - 1, secondPair: (1<<(2*slim) - 1) << (2 * slim), pairShift: 2 * (wide - slim),
		even: first, odd: first << slim, oddShift: wide - slim, slimRests: rest < PrefixBits,
	}
}

// spread moves four narrow lanes of x apart, to lanes as wide as the wider ones.
func (c *comparison) spread(x uint64) uint64 {
	x = x&c.pair | x&c.secondPair<<(c.pairShift&63)
	return x&c.even | x&c.odd<<(c.oddShift&63)
}

// misses returns 0 if a lane holds x.
func (v lanes) misses(x uint64) uint64 {
	return min(v.a^x, v.b^x, v.c^x, v.d^x)
}

// count returns how many lanes hold x.
func (v lanes) count(x uint64) int { return int(v.less(x+1) - v.less(x)) }

// swapSorted is Swap for semi-sorted buckets.
func (t *Table) swapSorted(bucket uint64, lane uint, x uint64) (old uint64, at uint) {
	v := t.open(bucket)
	rest := v.without(lane)
	t.seal(bucket, rest.with(x))
	// Of the empty lane in front x takes the place if it is 0 itself.
	return v.lane(lane), max(rest.less(x), 1) - 1
}

// replaceSorted is Replace for semi-sorted buckets.
func (t *Table) replaceSorted(bucket, old, x uint64) bool {
	v := t.open(bucket)
	if old == 0 {
		if v.a != 0 {
			return false
		}
		t.seal(bucket, v.with(x))
		return true
	}
	n, ok := v.find(old)
	if ok {
		t.seal(bucket, v.without(n).with(x))
	}
	return ok
}

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
