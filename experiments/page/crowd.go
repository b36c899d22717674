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
	// absent is the number of the first key that is never inserted.
	absent = 1 << 32
)

// A crowd is a large cuckoo filter filled with random keys, and a Bloom filter of as many bits that gets the same.
type crowd struct {
	Params
	filter   *cuckoo.Filter[fingerprint.Any]
	bloom    *bloom.Filter
	exponent int // of two, of the number of slots
	full     bool
	kept     int // keys that the filter says yes to after the refusal
	kicks    uint64
	window   int // keys in the table at the last sample
	samples  []sample
}

// A sample is what was measured between two loads.
type sample struct {
	keys  int
	kicks float64        // of one insert, the mean since the sample before
	rates [2]claims.Rate // of yes among keys that are in neither filter: of the cuckoo and of the Bloom filter
}

// newCrowd returns empty filters of parameters that a small table has, and so a large one can have, with 2^exponent
// slots.
func newCrowd(p Params, exponent int) *crowd {
	slots := 1 << exponent
	c := &crowd{Params: p, exponent: exponent}
	p.Buckets = slots / p.BucketSize
	c.filter, _ = cuckoo.New[fingerprint.Any](cuckoo.Config(p))
	// As many keys as a table takes at b = 4 decide how many bits a key sets.
	c.bloom, _ = bloom.New(bloom.Config{Slots: slots * p.FingerprintBits, Capacity: slots * 95 / 100})
	return c
}

// digest is that of the i-th random key.
func (c *crowd) digest(i uint64) uint64 { return hashing.Mix64(c.Seed<<40 ^ i) }

// fill inserts up to n random keys, and fewer if the filter refuses one: then nothing more is inserted.
func (c *crowd) fill(n int) {
	for ; n > 0 && !c.full; n-- {
		i := c.filter.Len()
		if c.full = c.filter.InsertHash(c.digest(uint64(i))) != nil; !c.full {
			c.bloom.InsertHash(c.digest(uint64(i)))
		}
		if c.full || (i+1)*windows/c.filter.Slots() > i*windows/c.filter.Slots() {
			c.sample()
		}
		for k := 0; c.full && k < i; k++ {
			if c.filter.ContainsHash(c.digest(uint64(k))) {
				c.kept++
			}
		}
	}
}

// sample measures both filters as they are.
func (c *crowd) sample() {
	keys, kicks := c.filter.Len(), c.filter.Stats().Kicks
	if keys == c.window {
		return
	}
	s := sample{keys: keys, kicks: float64(kicks-c.kicks) / float64(keys-c.window),
		rates: [2]claims.Rate{{N: probes}, {N: probes}}}
	for i := range probes {
		h := c.digest(absent + uint64(keys*probes+i))
		for k, contains := range []func(uint64) bool{c.filter.ContainsHash, c.bloom.ContainsHash} {
			if contains(h) {
				s.rates[k].Events++
			}
		}
	}
	c.samples = append(c.samples, s)
	c.window, c.kicks = keys, kicks
}

// predict returns the rates that both filters have with n keys by the formulas of their packages.
func (c *crowd) predict(n int) [2]float64 {
	b := c.bloom.Config()
	return [2]float64{c.filter.Config().PredictRate(n), bloom.PredictRate(b.Slots, b.Hashes, n)}
}

func (c *crowd) load(keys int) float64 { return float64(keys) / float64(c.filter.Slots()) }

// words says how far the fill is and what was measured last.
func (c *crowd) words(v voice) string {
	n, name := c.filter.Len(), "crowd"
	if c.full {
		name = "crowd-full"
	}
	text := v.say(name, grouped(n), grouped(c.filter.Slots()), claims.Percent(c.load(n), 3), grouped(c.kept))
	if len(c.samples) == 0 {
		return text
	}
	s := c.samples[len(c.samples)-1]
	p := c.predict(s.keys)
	share := func(x float64) string { return claims.Percent(x, 3) }
	return text + v.say("crowd-rates", share(s.rates[0].Value()), share(p[0]), share(s.rates[1].Value()), share(p[1]),
		fmt.Sprintf("%.2f", s.kicks))
}
