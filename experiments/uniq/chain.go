package uniq

import (
	"errors"
	"fmt"
	"math"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// minWidth is the narrowest fingerprint that a link takes: below 8 bits the promise of
// cuckoo.Filter.Capacity is a thousand times weaker.
const minWidth = 8

// bucketSize is that of every link, the default of package cuckoo.
const bucketSize = 4

// batchSize is the number of lines whose digests are looked up together. From 128 to 2048 the throughput
// of BenchmarkStream differed by no more than the noise of a shared 2-core machine.
const batchSize = 512

// A link is one filter of a chain.
type link struct {
	filter   nest.Filter
	capacity int
	rate     float64 // the highest rate that it may have, which it reaches at its capacity at most
	classes  float64 // the number of classes that its table tells apart
	len      int
	lost     float64 // expected number of digests lost while it was the newest link
}

// newLink makes an empty filter with the narrowest fingerprints that keep the rate.
func newLink(capacity int, rate float64, hash hashing.Hasher) (*link, error) {
	var lowest float64
	for width := uint(minWidth); width <= fingerprint.MaxWidth; width++ {
		c, _, err := cuckoo.Plan(cuckoo.Config{Capacity: capacity, BucketSize: bucketSize, Hash: hash}, width)
		if err != nil {
			return nil, err
		}
		n := classes(width, c.Buckets)
		if lowest = float64(capacity) / n; lowest > rate {
			continue
		}
		f, err := nest.New(nest.Spec{
			Kind: nest.Cuckoo, Capacity: capacity, BucketSize: bucketSize, FingerprintBits: int(width), Hasher: hash,
		})
		return &link{filter: f, capacity: capacity, rate: rate, classes: n}, err
	}
	return nil, fmt.Errorf("no filter for %d lines reaches a rate of %.3g, the lowest is %.3g", capacity, rate, lowest)
}

// classes returns the number of classes of a table: of the pairs of a bucket and a fingerprint two
// make one class, but for the share 1/buckets whose two buckets coincide.
func classes(width uint, buckets int) float64 {
	m := float64(buckets)
	return m * (math.Exp2(float64(width)) - 1) / (2 - 1/m)
}

// share is the rate of the link as it is: the share of all classes that it holds. InsertUnique
// never stores a class twice, so this is exact where the prediction of the filter, 1-exp(-share), is
// for keys of which some share a class.
func (l *link) share() float64 { return float64(l.len) / l.classes }

// A chain is a set of digests that grows: every link but the last is frozen. It answers yes if any
// link does.
type chain struct {
	links []*link
	past  float64 // the sum of the rates of the frozen links
	grows bool
	hash  hashing.Hasher
	seen  [batchSize]bool
}

// newChain returns a chain of one link. If it is to grow, that link gets half of the rate.
func newChain(capacity int, rate float64, grows bool, hash hashing.Hasher) (*chain, error) {
	if grows {
		rate /= 2
	}
	first, err := newLink(capacity, rate, hash)
	if err != nil {
		return nil, err
	}
	return &chain{links: []*link{first}, grows: grows, hash: hash}, nil
}

func (c *chain) newest() *link { return c.links[len(c.links)-1] }

// insert adds the digests that are not in the chain, in order, and tells of each whether it was
// added. It takes batchSize digests at most. The error says why hs[n] could not be added; it and those behind it
// were not.
func (c *chain) insert(hs []uint64, added []bool) (n int, err error) {
	for {
		n += c.fill(hs[n:], added[n:])
		if n == len(hs) {
			return n, nil
		}
		// From here on the link that was the newest is frozen, so fill looks the rest up in it again.
		if err := c.grow(); err != nil {
			return n, err
		}
	}
}

// fill is insert until the newest link takes no more: it returns the index of the digest that needs
// another link, or len(hs).
func (c *chain) fill(hs []uint64, added []bool) int {
	added = added[:len(hs)]
	seen := c.seen[:len(hs)]
	clear(added)
	// What a lookup ahead of the inserts finds stays found. In frozen links nothing is missed by it
	// either; in the newest link repetitions within hs are, which InsertUnique finds. There the lookup
	// is for its speed: the cache misses of neighbouring digests overlap.
	for _, l := range c.links {
		l.filter.ContainsHashes(hs, seen)
		for i, yes := range seen {
			added[i] = added[i] || yes
		}
	}
	last := c.newest()
	for i, h := range hs {
		if added[i] {
			added[i] = false
			continue
		}
		if last.len == last.capacity {
			if last.filter.ContainsHash(h) {
				continue
			}
			return i
		}
		ok, err := last.filter.InsertUniqueHash(h)
		if err != nil {
			return i // full below its capacity, one set of keys in 10^6: treated as if it were there
		}
		added[i] = ok
		if ok {
			last.len++
		}
	}
	return len(hs)
}

// grow freezes the newest link and adds one of twice the capacity and half the rate.
func (c *chain) grow() error {
	last := c.newest()
	if !c.grows && last.len < last.capacity {
		return fmt.Errorf("%w: %d distinct lines are kept, and the filter is full before its %d, as one set of lines in 10^6 makes it",
			ErrCapacity, last.len, last.capacity)
	}
	if !c.grows {
		return fmt.Errorf("%w: %d distinct lines are kept already", ErrCapacity, last.len)
	}
	if last.capacity > math.MaxInt/2 {
		return fmt.Errorf("%w: %d lines cannot be doubled", ErrCapacity, last.capacity)
	}
	next, err := newLink(2*last.capacity, last.rate/2, c.hash)
	if err != nil {
		return fmt.Errorf("%w: the filter cannot grow further: %w", ErrCapacity, err)
	}
	last.lost = expectedLost(last.len, last.classes, c.past)
	c.past += last.share()
	c.links = append(c.links, next)
	return nil
}

// expectedLost returns how many new digests are expectedly taken for repetitions while a link of so many
// classes takes its first n, when the frozen links say yes at the rate past: the sum over
// i = 0..n-1 of p/(1-p) with p = past + i/classes, by the midpoint rule.
func expectedLost(n int, classes, past float64) float64 {
	free := classes*(1-past) + 0.5
	return -classes*math.Log1p(-float64(n)/free) - float64(n)
}

// ErrCapacity reports a new line beyond the capacity of a stream that does not grow, or cannot.
var ErrCapacity = errors.New("the capacity is passed")
