package cuckoo

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// Compact gives back memory that deletions have emptied, and returns how many bytes. It makes a table of half the size,
// a quarter and so on, of the smallest that takes the entries at a load of 93%, but none smaller than the first one
// was. An entry takes the bits of its bucket number that a smaller table does not have back into its tail, up to the
// length of a full one. So no key is lost, and the rate stays below that of a full table of that size which has never
// been larger.
//
// Compact costs an insert for each entry, and the memory of the smaller table beside the old one. It does nothing if
// there is no smaller table for the entries. A filter that is growing moves all that is still to be moved.
func (s *Scalable[F]) Compact() (freed int) {
	if s.engine.Table.Buckets() == 0 {
		return 0
	}
	s.settle()
	before := s.SizeBytes()
	for k := max(uint(s.begin), logOf(uint64(s.entries()), s.config.BucketSize)); k < s.place.log(); k++ {
		// A refusal is rare, except for many copies of a key: then a table of twice the size takes them.
		small := new(Scalable[F])
		small.init(s.config, s.config.newSides(k))
		small.engine.Stats = s.engine.Stats
		if small.adoptAll(&s.engine.Table) == nil {
			s.takeTable(small, s.len, s.extra)
			break
		}
	}
	return before - s.SizeBytes()
}

// takeTable makes the table of g, whose entries are counted by their tails, that of s, which has so many keys and other
// entries then.
func (s *Scalable[F]) takeTable(g *Scalable[F], keys, extra int) {
	s.old, s.swept = packed.Table{}, 0
	s.setTable(g.engine.Table)
	s.engine.Stats = g.engine.Stats
	s.count(keys, extra, g.short)
}

// adoptAll inserts all entries of a table that is as large as that of s or larger. It counts their tails, and each as a
// key.
func (s *Scalable[F]) adoptAll(from *packed.Table) error {
	var memory [packed.MaxLanes]uint64
	tail := uint(s.tail)
	larger := sidesOf(from.Buckets())
	for bucket := range from.Buckets() {
		for _, lane := range from.ReadAll(bucket, &memory) {
			if lane == 0 {
				continue
			}
			to, lane := larger.fold(bucket, lane, tail, uint(s.place.shift-larger.shift))
			if o := s.engine.Insert(to, s.place.alternate(to, lane, tail), 0, lane); o != kick.Stored {
				return outcome(o)
			}
			s.len++
			if without := bits.TrailingZeros64(lane); without > 0 {
				s.short[without]++
			}
		}
	}
	return nil
}

// fold returns the bucket and the lane that an entry has in a table with n bits less in its bucket numbers.
func (p sides) fold(bucket, lane uint64, tail, n uint) (to, folded uint64) {
	side0 := bucket
	if bucket>>p.log() != 0 {
		side0 = p.alternate(bucket, lane, tail)
	}
	ended := lane & (2<<tail - 1)
	longer := (side0&(1<<n-1)<<(tail+1) | ended) >> n
	if ended&(1<<n-1) != 0 {
		longer |= 1 // the end, which was shifted out
	}
	return bucket >> n, lane&^(2<<tail-1) | longer
}

// Merge adds every entry of g to s, as if each key of g had been inserted into s: the multiset sum of both. The sum has
// the size of the larger table or, if they do not fit into it, twice that. g does not change, and may be s itself.
//
// Both filters need the same BucketSize and Hash and, with fingerprint.Any, the same FingerprintBits. Otherwise the
// error is [ErrMismatch], which names the field. If the sum is beyond MaxDoublings or MaxBytes, or could exceed
// FalsePositiveRate when the table is full, the error is [ErrFull]: two filters of many doublings have entries with
// short tails, so their sum has up to twice the rate of each. After an error s is as it was, except Stats. Merge costs
// an insert for each entry of g, and works on copies of both.
func (s *Scalable[F]) Merge(g *Scalable[F]) error {
	if s.engine.Table.Buckets() == 0 || g.engine.Table.Buckets() == 0 {
		return pkg.Errorf(ErrMismatch, "one of the filters is the zero Scalable")
	}
	if err := s.shape.sameTable(g.shape); err != nil {
		return err
	}
	for k := max(s.place.log(), g.place.log()); ; k++ {
		sum, err := s.sumAt(g, k)
		if err == nil {
			s.takeTable(sum, sum.len, sum.extra)
			return nil
		}
		if sum == nil {
			s.engine.Stats.Refusals++
			return err
		}
	}
}

// sumAt returns the sum of s and g in a table of 2^k buckets a side. With an error there is no sum if a larger table
// would not help either.
func (s *Scalable[F]) sumAt(g *Scalable[F], k uint) (sum *Scalable[F], err error) {
	sum, other := s.Clone(), g.Clone()
	sum.settle()
	other.settle()
	for sum.place.log() < k {
		if err := sum.mayDouble(); err != nil {
			return nil, err
		}
		sum.double()
		sum.settle()
	}
	for other.place.log() < k {
		other.double()
		other.settle()
	}
	keys, extra := sum.len+other.len, sum.extra+other.extra
	if keys+extra > sum.Slots() {
		return sum, errNoPath
	}
	if err := sum.adoptAll(&other.engine.Table); err != nil {
		if 2*(keys+extra) < sum.Slots() {
			return nil, err
		}
		return sum, err
	}
	sum.count(keys, extra, sum.short)
	full := uint64(sum.Slots()) + sum.extraHits
	if !keeps(s.config.FalsePositiveRate, sum.hits(full)) {
		return nil, errRate
	}
	return sum, nil
}
