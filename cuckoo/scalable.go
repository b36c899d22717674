package cuckoo

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/limits"
)

// Scalable is a cuckoo filter that grows. It is a chain of sub-filters, each a [Filter] with a power of
// two of buckets. If none of them takes a key, it adds one that is GrowthFactor times as large as the
// largest. Make one with [NewScalable].
//
// All sub-filters have the same width of fingerprints, so each full one adds the same to the compound
// rate. A sub-filter that would raise that above ScalableConfig.FalsePositiveRate is refused, so the
// rate is never exceeded. With the default rate the filter can grow to sub-filters of 2^32 buckets.
// docs/SCALABLE.md compares it with a filter of the right size.
//
// # Nested classes
//
// A sub-filter of 2^k buckets takes k bits from the digest for the primary bucket: the LOW ones of the
// digest's high half. One of 2^(k+1) takes one bit more. Under placement XOR the alternate bucket nests
// in the same way, so a class of a larger sub-filter is a part of exactly one class of each smaller
// one. Two things follow.
//
// Delete may take its fingerprint from the LARGEST sub-filter that has one of the key's class, whichever
// key it belongs to. Suppose that x was stored in A, and that Delete of x takes the fingerprint of y from
// B, which is larger. x and y are of one class in B, so they are of one class in A. There x's fingerprint
// stays, and now stands for y. So no key that was inserted and not deleted is ever denied.
//
// A fingerprint can be moved to any smaller sub-filter without its key, by leaving out bits of its
// bucket number. So Compact can fold sub-filters that deletions have emptied, and Merge can add filters
// of different sizes. A fingerprint cannot be moved to a larger sub-filter.
//
// # Concurrent use
//
// Any number of goroutines may query a filter at once. An operation that changes it, growth included,
// needs it to itself. A Scalable must not be copied; use [Scalable.Clone].
type Scalable[F fingerprint.Width] struct {
	levels   []level[F] // by rising size; the last one is the newest but for Compact and Merge
	hash     hashing.Digester
	config   ScalableConfig
	first    Config // of the first sub-filter
	past     Stats  // of sub-filters that are gone
	refusals uint64
	scratch  *kick.Scratch // of all sub-filters, which insert one at a time
	read     bool          // from a file, so that first is a claim
}

// A level is one sub-filter.
type level[F fingerprint.Width] struct {
	*Filter[F]
	shift    uint // 32 less the logarithm of the number of buckets
	capacity int  // what it is promised to take
	full     int  // the Len from which inserts do not try it, as it has refused a key
	spent    bool // the insert under way found no path in it, beyond its capacity
}

// NewScalable returns an empty growing filter, which has one sub-filter. The error is [ErrConfig],
// which names each field that is wrong or the rate that F is too narrow for, or [ErrTooLarge] if the
// first sub-filter is beyond MaxBytes.
func NewScalable[F fingerprint.Width](c ScalableConfig) (*Scalable[F], error) {
	if err := checkBits[F](c, c.FingerprintBits); err != nil {
		return nil, err
	}
	width := widthFor[F](c.FingerprintBits)
	c, first, err := c.resolve(width)
	if err != nil {
		return nil, err
	}
	c.FingerprintBits = storedBits[F](width)
	first.FingerprintBits = c.FingerprintBits
	s := &Scalable[F]{hash: hashing.NewDigester(c.Hash), config: c, first: first, scratch: new(kick.Scratch)}
	l, err := s.newLevel(first.Buckets)
	if err != nil {
		return nil, err
	}
	s.levels = append(s.levels, l)
	return s, nil
}

// newLevel returns an empty sub-filter of so many buckets, a power of two.
func (s *Scalable[F]) newLevel(buckets int) (level[F], error) {
	width := s.width()
	c, err := s.config.sub(buckets).resolve(width)
	if err != nil {
		return level[F]{}, err
	}
	return levelOf(newFilter[F](c, c.newTable(width), s.scratch)), nil
}

// levelOf makes a level of a filter.
func levelOf[F fingerprint.Width](f *Filter[F]) level[F] {
	k := uint(bits.TrailingZeros64(uint64(f.config.Buckets)))
	return level[F]{Filter: f, shift: 32 - k, capacity: f.Capacity(), full: f.Slots()}
}

// digest returns the digest that the sub-filter knows h by: the fingerprint's half as it is, and the bits
// that a larger sub-filter takes away from the other, so that the primary bucket is the low bits of the
// high half.
func (l *level[F]) digest(h uint64) uint64 {
	return h<<(l.shift&63)&^math.MaxUint32 | uint64(uint32(h))
}

// free returns how many keys the sub-filter takes within its promise.
func (l *level[F]) free() int { return max(0, l.capacity-l.len) }

// The reasons why a filter does not grow.
var (
	errSubFilters = fmt.Errorf("cuckoo: %w: one sub-filter more would be beyond MaxSubFilters or FalsePositiveRate", ErrFull)
	errBytes      = fmt.Errorf("cuckoo: %w: one sub-filter more would be beyond MaxBytes: %w", ErrFull, ErrTooLarge)
)

// insert is InsertHash. It returns the index of the sub-filter that took the key.
func (s *Scalable[F]) insert(h uint64) (at int, err error) {
	refused, spent := errNoPath, false
	for n := len(s.levels) - 1; n >= 0; n-- {
		l := &s.levels[n]
		if l.len >= l.full {
			continue
		}
		err := l.InsertHash(l.digest(h))
		if err == nil {
			if spent {
				s.settle(true)
			}
			return n, nil
		}
		if err == errNoPath && l.len >= l.capacity {
			// Below its capacity the keys are to blame, and others will fit.
			l.spent, spent = true, true
		}
		refused = err
	}
	err = s.grow(refused)
	s.settle(err == nil)
	if err != nil {
		s.refusals++
		return 0, err
	}
	at = len(s.levels) - 1
	l := &s.levels[at]
	return at, l.InsertHash(l.digest(h))
}

// settle ends an insert for which some sub-filters were spent. If the key was stored, they are not tried again until
// deletions have made some room, as a search in vain costs microseconds. A refusal leaves all marks as they were.
func (s *Scalable[F]) settle(stored bool) {
	for k := range s.levels {
		l := &s.levels[k]
		if l.spent && stored {
			l.full = l.len - l.len>>7
		}
		l.spent = false
	}
}

// grow adds a sub-filter for a key that the others refused with that error, if all limits permit it.
func (s *Scalable[F]) grow(refused error) error {
	stored, capacity, bytes, slots := 0, 0, 0, uint64(0)
	for n := range s.levels {
		l := &s.levels[n]
		stored += l.len
		capacity += l.capacity
		bytes += l.SizeBytes()
		slots += uint64(l.Slots())
	}
	switch {
	case len(s.levels) == 0:
		return errUnmade
	case stored < capacity/2:
		return refused
	}
	largest := s.levels[len(s.levels)-1].config.Buckets
	if len(s.levels) >= s.config.MaxSubFilters || uint64(largest) > fingerprint.MaxBuckets/uint64(s.config.GrowthFactor) {
		return errSubFilters
	}
	next := uint64(largest) * uint64(s.config.GrowthFactor)
	size, ok := s.first.size(s.width(), next)
	// Where int has 32 bits, slots of a few bits outgrow it before the bytes do, and Len with them.
	if !ok || size > limits.MaxBytes(s.config.MaxBytes)-bytes || slots+next*uint64(s.config.BucketSize) > math.MaxInt {
		return errBytes
	}
	l, err := s.newLevel(int(next))
	if err != nil {
		return err
	}
	s.levels = append(s.levels, l)
	return nil
}

// Config returns the configuration with every default filled in. NewScalable of it makes an empty
// filter of the same kind. FingerprintBits is 0 unless F is fingerprint.Any.
func (s *Scalable[F]) Config() ScalableConfig { return s.config }

// Reset empties the filter and makes it as NewScalable did. It gives back the memory of all sub-filters
// but the first.
//
// It allocates nothing, unless a Merge with a filter of another Capacity has replaced the first
// sub-filter, which Reset then makes anew. A filter that was read from a file does not get larger by
// that, because the Capacity in the file is only a claim: if the first sub-filter would need more
// memory than the filter has, the smallest sub-filter takes its place.
func (s *Scalable[F]) Reset() {
	if len(s.levels) == 0 {
		return // the zero Scalable
	}
	at := 0
	for at < len(s.levels) && s.levels[at].config.Buckets != s.first.Buckets {
		at++
	}
	if at == len(s.levels) {
		l := s.levels[0] // the smallest
		if size, _ := s.first.size(s.width(), uint64(s.first.Buckets)); !s.read || size <= s.SizeBytes() {
			if made, err := s.newLevel(s.first.Buckets); err == nil { // it was made once, so it can be made again
				l = made
			}
		}
		s.levels, at = []level[F]{l}, 0
	}
	first := s.levels[at]
	first.Filter.Reset()
	first.full = first.Slots()
	clear(s.levels)
	s.levels = append(s.levels[:0], first)
	s.past, s.refusals = Stats{}, 0
}

// Clone returns a filter with equal content, statistics and generators that shares nothing with s.
func (s *Scalable[F]) Clone() *Scalable[F] {
	c := *s
	c.levels, c.scratch = slices.Clone(s.levels), new(kick.Scratch)
	for n := range c.levels {
		c.levels[n].Filter = c.levels[n].cloneWith(c.scratch)
	}
	return &c
}

// Equal tells whether the two filters have the same configuration, MaxBytes and HugePages aside, and
// the same sub-filters, byte for byte. Two filters of the same keys can differ, by the order of their
// inserts.
func (s *Scalable[F]) Equal(g *Scalable[F]) bool {
	if len(s.levels) == 0 || len(g.levels) == 0 {
		return len(s.levels) == len(g.levels)
	}
	return s.config.same(g.config) && slices.EqualFunc(s.levels, g.levels, func(a, b level[F]) bool {
		return a.Filter.Equal(b.Filter)
	})
}
