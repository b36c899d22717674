package page

import (
	"fmt"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

const (
	// windows is the number of parts of a table whose kicks are counted together, and after each of which both filters are
	// asked for probes keys that are in neither.
	windows = 50
	probes  = 4000
	// The least and the largest exponent of two of the number of slots.
	leastSlots, mostSlots = 10, 20
)

// A crowd is a large cuckoo filter that is filled with random keys, and a Bloom filter with as many bits that gets the
// same.
type crowd struct {
	Params
	filter *cuckoo.Filter[fingerprint.Any]
	bloom  *bloom.Filter
	// exponent is that of the number of slots.
	exponent int
	full     bool
	kept     int // keys that the filter says yes to after the refusal
	kicks    uint64
	window   int // keys in the table at the last sample
	samples  []sample
}

// A sample is what was measured between two loads.
type sample struct {
	keys          int
	kicks         float64     // of one insert, the mean since the sample before
	cuckoo, bloom claims.Rate // of yes among keys that are in neither filter
}

// newCrowd returns empty filters of the parameters, with 2^exponent slots.
func newCrowd(p Params, exponent int) (*crowd, error) {
	slots := 1 << exponent
	c := &crowd{Params: p, exponent: exponent}
	var err error
	c.filter, err = cuckoo.New[fingerprint.Any](cuckoo.Config{Buckets: slots / p.BucketSize, BucketSize: p.BucketSize,
		FingerprintBits: int(p.Width), Placement: p.Placement, Kick: p.Kick, Seed: p.Seed})
	if err != nil {
		return nil, err
	}
	// As many keys as a table takes at b = 4 decide how many bits a key sets.
	c.bloom, err = bloom.New(bloom.Config{Bits: slots * int(p.Width), Capacity: slots * 95 / 100})
	return c, err
}

// digest is that of the i-th random key.
func (c *crowd) digest(i int) uint64 { return hashing.Mix64(c.Seed<<40 ^ uint64(i)) }

// absent is the number of the first key that is never inserted.
const absent = 1 << 32

// fill inserts up to n random keys, and fewer if the filter refuses one: then nothing more is inserted.
func (c *crowd) fill(n int) {
	for range n {
		if c.full {
			return
		}
		i := c.filter.Len()
		if c.full = c.filter.InsertHash(c.digest(i)) != nil; c.full {
			c.sample()
			for k := range i {
				if c.filter.ContainsHash(c.digest(k)) {
					c.kept++
				}
			}
			return
		}
		c.bloom.InsertHash(c.digest(i))
		if (i+1)*windows/c.filter.Slots() > i*windows/c.filter.Slots() {
			c.sample()
		}
	}
}

// sample measures both filters as they are.
func (c *crowd) sample() {
	keys, kicks := c.filter.Len(), c.filter.Stats().Kicks
	if keys == c.window {
		return
	}
	s := sample{keys: keys, kicks: float64(kicks-c.kicks) / float64(keys-c.window), cuckoo: claims.Rate{N: probes},
		bloom: claims.Rate{N: probes}}
	for i := range probes {
		h := c.digest(absent + keys*probes + i)
		if c.filter.ContainsHash(h) {
			s.cuckoo.Events++
		}
		if c.bloom.ContainsHash(h) {
			s.bloom.Events++
		}
	}
	c.samples = append(c.samples, s)
	c.window, c.kicks = keys, kicks
}

// predict returns the rates that both filters have with n keys by the formulas of their packages.
func (c *crowd) predict(n int) (cuckooRate, bloomRate float64) {
	b := c.bloom.Config()
	return c.filter.Config().PredictRate(c.Width, n), bloom.PredictRate(b.Bits, b.Hashes, n)
}

// words says how far the fill is and what was measured last.
func (c *crowd) words(v voice) string {
	n, slots := c.filter.Len(), c.filter.Slots()
	keys, of, load := grouped(n), grouped(slots), percent(c.load(n))
	text := v.say("%[1]s keys in %[2]s slots: load %[3]s.", keys, of, load)
	if c.full {
		text = v.say("First refusal at %[1]s keys in %[2]s slots: load %[3]s. Nothing is lost: the filter says yes to "+
			"%[4]s of them.", keys, of, load, grouped(c.kept))
	}
	if len(c.samples) == 0 {
		return text
	}
	s := c.samples[len(c.samples)-1]
	cuckooRate, bloomRate := c.predict(s.keys)
	return text + v.say(" False positives: cuckoo filter %[1]s measured, %[2]s predicted; Bloom filter of the same "+
		"bits, %[3]s and %[4]s. Kicks per insert lately: %[5]s.",
		percent(s.cuckoo.Value()), percent(cuckooRate), percent(s.bloom.Value()), percent(bloomRate),
		fmt.Sprintf("%.2f", s.kicks))
}
