package cuckoo

import (
	"bytes"
	"math/bits"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// Scalable is a cuckoo filter that grows: its table doubles when it is full. A filter that has doubled any number of
// times is looked up in two buckets, like a [Filter] of its size. Make one with [NewScalable].
//
// # Sides, remainders and tails
//
// The table has two sides of 2^k buckets each. A key has one bucket on either side and is stored in one of
// the two. Its digest gives, from the top, the k bits of the bucket on side 0, then the tail, and in its
// lowest 6 bits the remainder:
//
//	digest   | bucket: k | tail: f-7 |      ...      | remainder: 6 |
//	lane     | remainder: 6 | tail: f-7, or fewer | 1 | 0 ... 0 |
//
// A lane, the f bits of a slot, holds the remainder and the tail, which a 1 ends. The bucket on side 1 is
// the one on side 0 xor a number of k bits that the remainder determines. So a bucket and a lane give the
// other bucket, and a lane can be moved as it is.
//
// A table doubles by giving the first bit of each tail to the bucket number: bucket i splits into 2i and
// 2i+1, on both sides, and no entry has to look for room. Tails become a bit shorter. Those of keys that come
// later have the full length again, so half of the keys have the full tail, a quarter one bit less and
// so on. A key is contained if a lane of its two buckets has its remainder and the beginning of its tail.
//
// # The rate
//
// A filter that was full at each doubling says yes of absent keys, after g doublings, at the rate
//
//	(1 + g/2) * 2*b*alpha / 2^(f-1)
//
// at load alpha: the tails that are one bit shorter hit twice as many keys, but they are half as many.
// [ScalableConfig].FalsePositiveRate bounds it: a doubling that could break the bound is refused.
//
// # Keys whose tail has ended
//
// A key that was there for more than f-7 doublings has no bit of its tail left to give. At the next doubling its entry
// goes to both halves of its bucket. So one key can have several entries, of which only one is in the key's own
// buckets; the others are false positives and take slots. They are few as long as a filter keeps within its
// MaxDoublings, at most an eighth of the slots. Len counts keys and does not count them. Delete takes one entry, from
// the key's own buckets, and the others stay until Reset, as a filter cannot tell them from entries of other keys.
//
// # Deleting
//
// Delete takes, of the entries in the key's two buckets that match it, one with the longest tail,
// whichever key it was stored for. No key is lost by that. Suppose that x and y are stored and that Delete of x
// takes the entry of y. Both entries match x, so the shorter tail is the beginning of the longer one. What
// the longer one matches, the shorter one matches too. So x's entry, which stays, matches y and stands for it.
//
// # Growing in steps
//
// A doubling does not stop the program. With the policy [BreadthFirst] the new table is filled in steps, some buckets
// with each insert, and until that is done lookups ask both tables. It is done after an insert for every 16 buckets of
// a side, less than a hundredth of those that fill the new table. Nothing else tells the difference: a filter that is
// growing has the same file as one that has grown. Other policies double at once.
//
// # Concurrent use
//
// Any number of goroutines may query a filter at once. An operation that changes it, growth included,
// needs it to itself. A Scalable must not be copied; use [Scalable.Clone].
type Scalable[F fingerprint.Width] struct{ scalableReader[F] }

// scalableReader is what answers queries, of a [Scalable] and of a [ScalableView]. Its methods are theirs.
type scalableReader[F fingerprint.Width] struct {
	held               // its table is the new one while the filter grows
	place sides        // of the engine's table
	tail  uint8        // bits of a full tail
	begin uint8        // logarithm of the buckets of a side in the first table
	old   packed.Table // while the filter grows, the old table, some of whose buckets are still to be split; else none
	swept uint64       // the buckets of old below this one are split

	config    ScalableConfig
	shape     Config // what config says that a Filter's configuration says too
	short     tails  // entries with less than a full tail
	extraHits uint64 // of short
}

// moving tells whether the filter grows.
func (s *scalableReader[F]) moving() bool { return s.old.Buckets() != 0 }

// tails counts the entries whose tails are not full, by how many bits these are without. The first means nothing.
type tails [fingerprint.MaxWidth]int

// extraHits returns how many more keys the entries hit than as many with full tails.
func (t *tails) extraHits() (hits uint64) {
	for without, n := range t {
		hits += uint64(n) * (1<<without - 1)
	}
	return hits
}

// NewScalable returns an empty growing filter. The error is [ErrConfig], which names each field that is
// wrong or the rate that F is too narrow for, or [ErrTooLarge] if the first table is beyond MaxBytes.
func NewScalable[F fingerprint.Width](c ScalableConfig) (*Scalable[F], error) {
	c, err := c.resolve(fingerprint.WidthOf[F]())
	if err != nil {
		return nil, err
	}
	s := new(Scalable[F])
	s.init(c, c.newSides(c.begin()))
	return s, nil
}

// init makes s an empty growing filter of a resolved configuration over a table.
func (s *Scalable[F]) init(c ScalableConfig, table packed.Table) {
	s.over(c, table)
	s.engine.Init(table, s.place.scheme(uint(s.tail)), policyOf(c.Kick), c.MaxKicks, c.Seed)
	adoptPolicy(&s.engine, c.Kick, &s.len)
}

// over makes s an empty filter of a resolved configuration over a table, without what inserts need.
func (s *scalableReader[F]) over(c ScalableConfig, table packed.Table) {
	*s = scalableReader[F]{config: c, shape: c.shared(), tail: uint8(tailBits(c.width())), begin: uint8(c.begin())}
	s.hash, s.place, s.engine.Table = hashing.NewDigester(c.Hash), sidesOf(table.Buckets()), table
	s.measure(&table)
}

// newSides returns an empty table of a resolved configuration, with two sides of 2^k buckets.
func (c *ScalableConfig) newSides(k uint) packed.Table {
	shape := c.shared()
	shape.Buckets = 2 << k
	return shape.newTable()
}

// Config returns the configuration with every default filled in. NewScalable of it makes an empty
// filter of the same kind.
func (s *scalableReader[F]) Config() ScalableConfig { return s.config }

// Reset empties the filter and makes it as NewScalable did, with a table of the first size. It allocates
// that table if the filter has doubled.
func (s *Scalable[F]) Reset() {
	if s.engine.Table.Buckets() == 0 {
		return // the zero Scalable
	}
	s.old, s.swept = packed.Table{}, 0
	s.count(0, 0, tails{})
	if k := s.place.log(); k != uint(s.begin) {
		s.setTable(s.config.newSides(uint(s.begin)))
	}
	s.engine.Reset()
}

// setTable puts another table in place of the engine's.
func (s *Scalable[F]) setTable(table packed.Table) {
	s.place = sidesOf(table.Buckets())
	s.measure(&table)
	s.engine.Replace(table, s.place.scheme(uint(s.tail)))
}

// count sets the number of keys and of entries beyond those, and how many entries have which tail.
func (s *Scalable[F]) count(keys, extra int, short tails) {
	s.len, s.extra, s.short, s.extraHits = keys, extra, short, short.extraHits()
}

// entries returns the number of slots that are used; while the filter grows, of those that will be when it has grown.
func (s *scalableReader[F]) entries() int { return s.len + s.extra }

// Clone returns a filter with equal content, statistics and generator that shares nothing with s.
func (s *Scalable[F]) Clone() *Scalable[F] {
	c := new(Scalable[F])
	*c = *s
	if s.moving() {
		c.old = s.old.Clone()
	}
	if s.engine.Table.Buckets() != 0 {
		s.engine.CloneTo(&c.engine)
		adoptPolicy(&c.engine, c.config.Kick, &c.len)
	}
	return c
}

// Equal tells whether the two filters are equal, as [Filter.Equal] does. One that is growing is compared as it will be
// when it has grown, which takes the memory of a copy.
func (s *Scalable[F]) Equal(g *Scalable[F]) bool {
	if s.engine.Table.Buckets() == 0 || g.engine.Table.Buckets() == 0 {
		return s.engine.Table.Buckets() == g.engine.Table.Buckets()
	}
	if pkg.DifferIn(s.config.fields(), g.config.fields(), "MaxBytes") != nil || s.len != g.len || s.entries() != g.entries() || s.place != g.place {
		return false
	}
	a, b := s.settled(), g.settled()
	return bytes.Equal(a.Data(), b.Data())
}

// sides is how a digest is split where each side has a certain number of buckets. Buckets of side 1 are numbered behind
// those of side 0.
type sides struct {
	shift uint8 // 63 less the logarithm of the buckets of a side
}

// The bits of a digest: the remainder is the lowest, the bucket and the tail are the highest.
const (
	remainderBits = 6
	remainderMask = 1<<remainderBits - 1
)

// maxLog is the logarithm of the most buckets that a side can have. The table has twice as many, 2^32, as that of a
// Filter has. Bucket, tail and remainder of the widest fingerprints then take 62 bits of the digest's 64.
const maxLog = 31

// tailBits returns the bits of a full tail.
func tailBits(width uint) uint { return width - 1 - remainderBits }

// sidesOf returns the sides of a table of so many buckets, a power of two from 2 on.
func sidesOf(buckets uint64) sides { return sides{shift: uint8(64 - bits.TrailingZeros64(buckets))} }

// log returns the logarithm of the buckets of a side.
func (p sides) log() uint { return 63 - uint(p.shift) }

// pair returns the two buckets of a digest, on side 0 and on side 1.
func (p sides) pair(h uint64) (i, j uint64) {
	i = h >> 1 >> (p.shift & 63)
	return i, i ^ difference(h&remainderMask)>>(p.shift&63)
}

// lane returns what a slot holds of a digest, with a full tail. (The shift by 63 less the tail leaves a bit of the
// digest where the end of the tail is.)
func (p sides) lane(h uint64, tail uint) uint64 {
	return h&remainderMask<<((tail+1)&63) | h<<((63-p.shift)&63)>>((63-tail)&63) | 1
}

// difference returns what the two buckets of a remainder differ by, for sides of 2^63 buckets: its highest bit, which
// is the side, and as many of the others as smaller sides have. A side of half as many buckets so has the differences
// without their lowest bit, and a bucket that splits has its pairs among the halves of its pairs.
func difference(remainder uint64) uint64 { return remainder*kick.Multiplier>>1 | 1<<63 }

// alternate returns the other bucket of a lane.
func (p sides) alternate(bucket, lane uint64, tail uint) uint64 {
	return bucket ^ difference(lane>>((tail+1)&63))>>(p.shift&63)
}

// scheme returns the pairs of buckets as the engine wants them.
func (p sides) scheme(tail uint) kick.Scheme { return kick.NewSides(p.log(), tail+1) }
