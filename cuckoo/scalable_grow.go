package cuckoo

import (
	"math"
	"math/bits"

	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// stepBuckets is how many buckets of the old table an insert splits while the filter grows.
const stepBuckets = 32

// growthLoad is the load, in percent, from which a filter doubles rather than kicks. Tables refuse keys at a load of
// 97% to 98%, and the kicks between cost more than all that the table has taken before.
const growthLoad = 96

// The reasons why a filter does not grow.
var (
	errRate    = pkg.Errorf(ErrFull, "one doubling more would be beyond MaxDoublings or FalsePositiveRate")
	errBytes   = pkg.Errorf(ErrFull, "a table of twice the size would be beyond MaxBytes: %w", ErrTooLarge)
	errLargest = pkg.Errorf(ErrFull, "the table has 2^%d buckets; the other bits of digests are tails", maxLog+1)
)

// grow doubles the table for a digest whose buckets are both full, and stores it, if all limits permit that and it
// finds room then. The outcome is that of kicks, NoPath before there were any.
func (s *Scalable[F]) grow(h uint64, o kick.Outcome) error {
	if o == kick.Copies || 2*s.entries() < s.Slots() {
		return outcome(o)
	}
	if err := s.mayDouble(); err != nil {
		return err
	}
	if !s.hasRoomAfter(h) {
		return outcome(o)
	}
	s.double()
	if !s.put(h) { // which hasRoomAfter has excluded
		return outcome(o)
	}
	if s.config.Kick != KickPolicy(BreadthFirst) || s.config.MaxKicks < 2 {
		s.settle() // put is a part of breadth-first search, and of nothing else
	}
	return nil
}

// mayDouble returns why the table may not double, or nil.
func (s *Scalable[F]) mayDouble() error {
	k := s.place.log()
	size, ok := s.shape.size(4 << k)
	slots := uint64(4<<k) * uint64(s.config.BucketSize)
	switch {
	case k == maxLog:
		return errLargest
	case s.Doublings() >= s.config.MaxDoublings:
		return errRate
	case !ok || size > config.MaxBytes(s.config.MaxBytes) || slots > math.MaxInt:
		return errBytes
	}
	// What the table would have once it is full. Only a Merge can bring a filter there before MaxDoublings does.
	used := uint64(s.entries() + s.short[s.tail])
	hits := 2*(uint64(s.entries())+s.extraHits) + slots - used
	if !keeps(s.config.FalsePositiveRate, s.hits(hits)/2) {
		return errRate
	}
	return nil
}

// hits returns the number of entries that a key which was never inserted is expected to match, for as many keys as have
// the same rate in this table.
func (s *scalableReader[F]) hits(full uint64) float64 {
	return math.Ldexp(float64(full), -int(s.place.log()+s.config.width()-1))
}

// Doublings returns how often the table has doubled since it had its first size.
func (s *scalableReader[F]) Doublings() int {
	if s.slots == 0 {
		return 0
	}
	return int(s.place.log()) - int(s.begin)
}

// double makes the table of twice the size, into which the entries are still to be moved.
func (s *Scalable[F]) double() {
	k, short, full := s.place.log(), tails{}, s.entries()
	for without := 1; without <= int(s.tail); without++ {
		short[min(without+1, int(s.tail))] += s.short[without]
		full -= s.short[without]
	}
	twice := s.short[s.tail]
	short[s.tail] += twice
	short[1] += full
	s.old, s.swept = s.engine.Table, 0
	s.setTable(s.config.newSides(k + 1))
	s.count(s.len, s.extra+twice, short)
}

// insertMoving is InsertHash while the filter grows. It returns false, and the filter has grown, where that is not
// enough.
func (s *Scalable[F]) insertMoving(h uint64) bool {
	s.sweep(stepBuckets)
	if s.moving() && s.put(h) {
		return true
	}
	s.settle()
	return false
}

// put stores a digest in a free slot of its buckets or with one kick, as breadth-first search of the whole table would,
// and tells whether it did. Before a bucket is looked at, the entries that belong there are moved into it.
func (s *Scalable[F]) put(h uint64) bool {
	t, tail := &s.engine.Table, uint(s.tail)
	i, j := s.place.pair(h)
	lane := s.place.lane(h, tail)
	s.split(i>>1, 1)
	s.split(j>>1, 1)
	if !t.Replace(i, 0, lane) && !t.Replace(j, 0, lane) {
		for _, from := range [...]uint64{i, j} {
			for at := range t.Lanes() {
				s.split(s.place.alternate(from, t.Get(from, at), tail)>>1, 1)
			}
		}
		if !s.engine.KickOnce(i, j, lane) {
			return false
		}
	}
	s.len++
	return true
}

// sweep splits up to n buckets more of the old table, and drops it if those were the last.
func (s *Scalable[F]) sweep(n uint64) {
	end := min(s.swept+n, s.old.Buckets())
	s.split(s.swept, end-s.swept)
	if s.swept = end; end == s.old.Buckets() {
		s.old, s.swept = packed.Table{}, 0
	}
}

// settle moves all that is still to be moved.
func (s *Scalable[F]) settle() {
	if s.moving() {
		s.sweep(s.old.Buckets())
	}
}

// settled returns the table as it is when the filter has grown: a copy if it is growing.
func (s *scalableReader[F]) settled() packed.Table {
	if !s.moving() {
		return s.engine.Table
	}
	t := s.engine.Table.Clone()
	s.place.split(&t, &s.old, s.swept, s.old.Buckets(), uint(s.tail))
	return t
}

// split moves the entries of n buckets of the old table: one, or a multiple of 8 from a multiple of 8 on. One that was
// split is empty.
func (s *Scalable[F]) split(bucket, n uint64) {
	s.place.split(&s.engine.Table, &s.old, bucket, bucket+n, uint(s.tail))
	s.old.Clear(bucket, bucket+n)
}

// split writes the entries of some buckets of the old table into the empty buckets of the table, of those sides, that
// they become. The first bit of a tail goes to the bucket on side 0; that on side 1 differs by what the remainder says.
func (p sides) split(to, from *packed.Table, bucket, end uint64, tail uint) {
	middle := from.Buckets() / 2
	if bucket < middle {
		from.SplitPrefixes(to, bucket, min(end, middle), tail, 0)
	}
	if end > middle {
		turn := uint64(kick.Multiplier) << ((62 - p.shift) & 63) // brings the lowest bit of a difference to the top
		from.SplitPrefixes(to, max(bucket, middle), end, tail, turn)
	}
}

// half returns which half of a bucket, that splits into a table of those sides, a lane goes to, as what lane, and 1 if
// it goes to both, which it does if its tail has ended. The first bit of the tail goes to the bucket on side 0; that on
// side 1 differs by what the remainder says.
func (p sides) half(bucket, lane uint64, tail uint) (half, both, moved uint64) {
	end, tail64 := uint64(1)<<(tail&63), uint64(tail)
	ended := lane & (2*end - 1)
	if ended == end {
		return 0, 1, lane
	}
	side := bucket >> ((uint64(p.log()) - 1) & 63) & 1
	half = ended>>(tail64&63) ^ side&(difference(lane>>((tail64+1)&63))>>(p.shift&63))
	return half & 1, 0, lane&^(2*end-1) | ended<<1&(2*end-1)
}

// hasRoomAfter tells whether a digest would find room in a table of twice the size as put looks for it.
func (s *Scalable[F]) hasRoomAfter(h uint64) bool {
	p, tail := sides{s.place.shift - 1}, uint(s.tail)
	var memory [packed.MaxLanes]uint64
	i, j := p.pair(h)
	for _, from := range [...]uint64{i, j} {
		n := s.halfOf(p, from, &memory)
		if n < s.config.BucketSize {
			return true
		}
		for _, lane := range memory[:n] {
			var others [packed.MaxLanes]uint64
			if s.halfOf(p, p.alternate(from, lane, tail), &others) < s.config.BucketSize {
				return true
			}
		}
	}
	return false
}

// halfOf returns how many lanes a bucket would have in a table of twice the size, with those sides, and writes them to
// lanes.
func (s *scalableReader[F]) halfOf(p sides, bucket uint64, lanes *[packed.MaxLanes]uint64) (n int) {
	t := &s.engine.Table
	for at := range t.Lanes() {
		lane := t.Get(bucket>>1, at)
		if lane == 0 {
			continue
		}
		if half, both, moved := p.half(bucket>>1, lane, uint(s.tail)); both == 1 || half == bucket&1 {
			lanes[n] = moved
			n++
		}
	}
	return n
}

// logOf returns the logarithm of the fewest buckets of a side at which n keys are no more than a first table takes.
func logOf(n uint64, b int) uint {
	buckets := scale(n, knot{buckets: firstLoad * 2 * uint64(b), keys: 100}, true)
	return max(minLog, uint(bits.Len64(max(buckets, 1)-1)))
}
