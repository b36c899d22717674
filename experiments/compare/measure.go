package compare

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"encoding/binary"

	"github.com/nestfilter/nest/experiments/stat"
)

// perEvent is the number of probes for each expected false positive: 100 of them make a 95% interval
// of about +-20%.
const perEvent = 100

// minProbes is the least number of random probes.
const minProbes = 10_000

// maxTimed is the largest number of different keys, or probes, in a timed run of lookups. More of them
// would take longer without being other ones: the table lines that they touch no longer fit a cache.
const maxTimed = 1 << 18

// A timed run of few operations is repeated, since a timer ticks in tens of nanoseconds, until it has
// minOps of them or, with keys that are slow to hash, takes about longRun.
const (
	minOps  = 1 << 15
	longRun = 10 * time.Millisecond
)

// measureRates asks every candidate for every probe.
func (r *runner) measureRates(result *Result) error {
	events := make([]int, len(r.candidates))
	digests, yes := make([]uint64, 0, batch), make([]bool, batch)
	flush := func() error {
		for i, c := range r.candidates {
			c.held.ContainsHashes(digests, yes)
			for _, y := range yes[:len(digests)] {
				if y {
					events[i]++
				}
			}
		}
		result.Probes += len(digests)
		digests = digests[:0]
		return r.ctx.Err()
	}
	for key := range r.probes(result) {
		if len(r.misses) < maxTimed {
			r.misses = append(r.misses, strings.Clone(key))
		}
		digests = append(digests, r.hash.Sum64String(key))
		if len(digests) == batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if result.Probes == 0 {
		return fmt.Errorf("compare: %s: %w", r.o.Queries.Name, ErrNoProbes)
	}
	for i, c := range r.candidates {
		c.row.Measured = stat.Rate{Events: events[i], N: result.Probes}
	}
	if want := r.wanted(); result.Probes < want {
		result.Notes = append(result.Notes, fmt.Sprintf(
			"%d probes are fewer than %d, %d for each expected false positive of the lowest rate: its interval is wide.",
			result.Probes, want, perEvent))
	}
	return nil
}

// wanted is the number of probes that the lowest predicted rate needs. A filter that is far better than
// it was asked to be, as the smallest tables are, does not make the others wait: it counts as
// ten times better at most.
func (r *runner) wanted() int {
	lowest := 1.
	for _, c := range r.candidates {
		lowest = min(lowest, max(c.row.Predicted, c.row.Asked/10))
	}
	if lowest*math.MaxInt32 < perEvent {
		return math.MaxInt32
	}
	return max(minProbes, int(perEvent/lowest)+1)
}

// probes yields the absent queries, and counts those that are keys, or random strings: 16 hexadecimal
// digits, keys left out.
func (r *runner) probes(result *Result) func(yield func(string) bool) {
	if r.o.Queries != nil {
		return func(yield func(string) bool) {
			for _, q := range r.o.Queries.Keys {
				if r.o.Keys.Contains(q) {
					result.TruePositives++
				} else if !yield(q) {
					return
				}
			}
		}
	}
	n := min(r.wanted(), MaxProbes)
	random := rand.New(rand.NewPCG(r.o.Seed, probeStream))
	return func(yield func(string) bool) {
		var raw [8]byte
		for made := 0; made < n; {
			binary.BigEndian.PutUint64(raw[:], random.Uint64())
			key := hex.EncodeToString(raw[:])
			if r.o.Keys.Contains(key) {
				continue
			}
			made++
			if !yield(key) {
				return
			}
		}
	}
}

// The streams of the generator: what uses one does not disturb the other.
const (
	probeStream = 1
	orderStream = 2
)

// time runs the rounds. In each of them every candidate is built and asked once, starting with another
// one each time, so that whatever disturbs the machine disturbs all of them.
func (r *runner) time(result *Result) error {
	random := rand.New(rand.NewPCG(r.o.Seed, orderStream))
	hits, misses := r.sample(r.o.Keys.Keys, random), r.sample(r.misses, random)
	n := len(r.candidates)
	for round := range r.o.Rounds {
		for i := range n {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			c := r.candidates[(round+i)%n]
			runtime.GC() // what the last one left behind must not be collected on the next one's time
			if err := r.timeBuild(c); err != nil {
				return err
			}
			timed(&c.row.Hit, len(hits), func() { r.lookup(c, hits) })
			timed(&c.row.Miss, len(misses), func() { r.lookup(c, misses) })
		}
		timed(&result.Hash, len(hits), func() { r.lookup(nil, hits) })
	}
	return nil
}

// sample returns up to maxTimed of the strings in random order, laid out anew in that order, so that
// reading them costs the same everywhere.
func (r *runner) sample(from []string, random *rand.Rand) []string {
	out := make([]string, min(len(from), maxTimed))
	for i, at := range random.Perm(len(from))[:len(out)] {
		out[i] = strings.Clone(from[at])
	}
	return out
}

// timed calls run, which does ops operations, often enough and notes the nanoseconds of one. The first
// time it calls it once more, to learn how long it takes, which also warms the caches.
func timed(t *Timing, ops int, run func()) {
	if t.Ops == 0 {
		start := time.Now()
		run()
		once := max(time.Since(start), 1)
		passes := min((minOps+ops-1)/ops, int(longRun/once)+1)
		t.Ops = passes * ops
	}
	start := time.Now()
	for range t.Ops / ops {
		run()
	}
	t.Rounds = append(t.Rounds, float64(time.Since(start))/float64(t.Ops))
}

// lookup asks the candidate for every key, a batch at a time, or only hashes where it is nil.
func (r *runner) lookup(c *candidate, keys []string) {
	if c != nil && c.set != nil {
		found := 0
		for _, k := range keys {
			if _, ok := c.set[k]; ok {
				found++
			}
		}
		sink = found
		return
	}
	var digests [batch]uint64
	var yes [batch]bool
	for len(keys) > 0 {
		part := keys[:min(batch, len(keys))]
		keys = keys[len(part):]
		for i, k := range part {
			digests[i] = r.hash.Sum64String(k)
		}
		if c != nil {
			c.held.ContainsHashes(digests[:len(part)], yes[:])
		}
	}
	sink = int(digests[0])
}

// sink keeps the compiler from leaving out what is timed. It is only ever written.
var sink int

var _ = &sink

// timeBuild times making a candidate and inserting the keys, from strings.
func (r *runner) timeBuild(c *candidate) (err error) {
	n := len(r.o.Keys.Keys)
	timed(&c.row.Build, n, func() {
		if c.set != nil {
			sink = len(r.makeMap())
			return
		}
		f, e := c.make()
		var digests [batch]uint64
		for keys := r.o.Keys.Keys; len(keys) > 0 && e == nil; {
			part := keys[:min(batch, len(keys))]
			keys = keys[len(part):]
			for i, k := range part {
				digests[i] = r.hash.Sum64String(k)
			}
			_, e = f.InsertHashes(digests[:len(part)])
		}
		if e != nil {
			err = fmt.Errorf("compare: building %s again: %w", c.row.Plan, e)
		}
	})
	return err
}
