package price

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/keyfile"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/hashing"
)

const (
	// timed is the number of lookups of one timing: 1 to 10 ms of them. A quick subject, which shows that all
	// works and no more, takes fewer.
	timed      = 1 << 18
	timedQuick = 1 << 12
	// minWarm is the least number of lookups before a filter's turn, which bring its table back into the caches.
	minWarm = 1 << 15
	// sampled is the number of digests from which the rounds take their lookups in turn, so that a
	// table that no cache holds does not fit by being asked for the same few lines.
	sampled = 1 << 20
	// batch is the number of lookups asked at a time.
	batch = 256
	// minEvents is the least number of expected false positives whose rate is taken as measured: its
	// standard error is then 3%, which is about what the prediction may be off.
	minEvents = 1000
)

// A Subject is the keys that filters are measured with, and what they are asked.
type Subject struct {
	digests []uint64 // of the keys, where they are integers
	keys    []string // else

	// The lookups, of the form that the keys have.
	hits, misses             []uint64
	stringHits, stringMisses []string

	timed int // lookups of one timing
	hash  hashing.Digester
	sink  int
}

// Integers returns a subject of n random 64-bit keys, which are digests already, from a seed. It takes 8
// bytes for each of them and 16 MiB.
func Integers(n int, seed uint64) *Subject {
	s := &Subject{digests: make([]uint64, n), hits: make([]uint64, sampled), misses: make([]uint64, sampled), timed: timed}
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	// Mix64 is a bijection: counters that differ make digests that differ.
	start := random.Uint64()
	for i := range s.digests {
		s.digests[i] = hashing.Mix64(start + uint64(i))
	}
	for i := range s.hits {
		s.hits[i] = s.digests[random.IntN(n)]
		s.misses[i] = hashing.Mix64(start + uint64(n+i))
	}
	return s
}

// Strings returns a subject of the keys of a file. What is asked of absent keys are keys of the file
// with eight characters replaced, so that they take as long to hash. Every lookup hashes its key.
func Strings(set *keyfile.Set, seed uint64) *Subject {
	s := &Subject{keys: set.Keys, timed: timed, hash: hashing.NewDigester(hashing.XXH64(0))}
	random := rand.New(rand.NewPCG(seed, uint64(len(set.Keys))))
	for range timed {
		s.stringHits = append(s.stringHits, strings.Clone(set.Keys[random.IntN(len(set.Keys))]))
	}
	for len(s.stringMisses) < timed {
		key := []byte(set.Keys[random.IntN(len(set.Keys))])
		for len(key) < 8 {
			key = append(key, '-')
		}
		copy(key[random.IntN(len(key)-7):], fmt.Sprintf("%08x", random.Uint32()))
		if miss := string(key); !set.Contains(miss) {
			s.stringMisses = append(s.stringMisses, miss)
		}
	}
	return s
}

// Len returns the number of keys.
func (s *Subject) Len() int { return len(s.digests) + len(s.keys) }

// HashTime measures the nanoseconds of hashing a key: 0 of integers, which are digests already.
func (s *Subject) HashTime() float64 {
	if s.keys == nil {
		return 0
	}
	var rounds []float64
	for range 5 {
		start := time.Now()
		for _, k := range s.stringHits {
			s.sink += int(s.hash.Sum64String(k) & 1)
		}
		rounds = append(rounds, since(start, len(s.stringHits)))
	}
	return stat.Median(rounds)
}

// since returns the nanoseconds of one of ops operations.
func since(start time.Time, ops int) float64 {
	return float64(time.Since(start)) / float64(max(ops, 1))
}

// An Effort says how often what is timed.
type Effort struct {
	// Rounds is how often lookups are timed, Builds how often the filter is built, each at least 1.
	Rounds, Builds int
	// Deletes says that deletes are timed too, of filters that can.
	Deletes bool
	// Rates says that false positives are counted where enough of them are expected.
	Rates bool
}

// A trial is one filter under measurement.
type trial struct {
	cost   *Cost
	filter nest.Filter
	rounds [7][]float64 // by the index in Cost.times
}

// Indexes in Cost.times.
const (
	absent = iota
	present
	absentBatch
	presentBatch
	noise
	insert
	remove
)

// Measure builds the filters of the costs' plans and fills in their times: medians over rounds, in each of
// which every filter has its turn, starting with another one each time, so that whatever disturbs the
// machine disturbs all of them. Filters are asked through package nest, as a program does that chooses at
// run time: that is 0.3 to 0.7 ns slower than the typed filters, for all kinds alike. Lookups do not wait for each
// other's answers.
//
// All filters are in memory at once. A filter that cannot take the keys is left out of the result:
// those beyond 2^56 bytes and the rare table that is unlucky. The error is that of ctx, or says which filter
// denied a key.
func (s *Subject) Measure(ctx context.Context, costs []Cost, e Effort) ([]Cost, error) {
	done := make([]Cost, 0, len(costs))
	var trials []*trial
	for _, c := range costs {
		done = append(done, c)
		t := &trial{cost: &done[len(done)-1]}
		err := s.build(ctx, t)
		switch {
		case errors.Is(err, nest.ErrFull) || errors.Is(err, nest.ErrTooLarge):
			done = done[:len(done)-1]
			continue
		case err != nil:
			return nil, err
		}
		trials = append(trials, t)
	}
	for round := range e.Rounds {
		for i := range trials {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			t := trials[(round+i)%len(trials)]
			if t.filter == nil || round > 0 && round < e.Builds {
				if err := s.build(ctx, t); err != nil {
					return nil, err
				}
			}
			if err := s.lookups(t, round); err != nil {
				return nil, err
			}
			s.deletes(t, round, e)
		}
	}
	for _, t := range trials {
		t.conclude()
		if e.Rates {
			s.rate(t)
		}
	}
	return done, nil
}

// conclude takes the medians.
func (t *trial) conclude() {
	for i, to := range t.cost.times() {
		if len(t.rounds[i]) > 0 {
			*to = stat.Median(t.rounds[i])
		}
	}
	lo, hi := stat.MedianInterval(t.rounds[absent])
	t.cost.Noise = (hi - lo) / 2
}

// build times making the filter and inserting every key.
func (s *Subject) build(ctx context.Context, t *trial) error {
	t.filter = nil
	runtime.GC() // what was there before must not be collected on this one's time
	start := time.Now()
	f, err := nest.New(t.cost.Plan.Spec)
	if err != nil {
		return fmt.Errorf("price: %v: %w", t.cost.Plan, err)
	}
	const part = 1 << 20 // between looks at ctx
	for from := 0; from < s.Len() && err == nil; from += part {
		if err = ctx.Err(); err == nil {
			err = s.insert(f, from, min(from+part, s.Len()))
		}
	}
	if err != nil {
		return fmt.Errorf("price: %v: %w", t.cost.Plan, err)
	}
	t.filter = f
	t.rounds[insert] = append(t.rounds[insert], since(start, s.Len()))
	return nil
}

// insert inserts the keys from one index to before another.
func (s *Subject) insert(f nest.Filter, from, to int) error {
	if s.keys == nil {
		_, err := f.InsertHashes(s.digests[from:to])
		return err
	}
	var digests [batch]uint64
	for ; from < to; from += batch {
		part := s.keys[from:min(from+batch, to)]
		for i, k := range part {
			digests[i] = s.hash.Sum64String(k)
		}
		if _, err := f.InsertHashes(digests[:len(part)]); err != nil {
			return err
		}
	}
	return nil
}

// warm asks as often as the table has cache lines, since the other filters' turns have taken the caches.
func (s *Subject) warm(t *trial) {
	for left := min(max(t.cost.Plan.Bytes/64, minWarm), sampled); left > 0; left -= s.timed {
		round := left / s.timed
		hs, keys := part(s.hits, s.timed, round), part(s.stringHits, s.timed, round)
		s.ask(t.filter, hs[:min(left, len(hs))], keys[:min(left, len(keys))])
	}
}

// lookups times the four sorts of lookups.
func (s *Subject) lookups(t *trial, round int) error {
	s.warm(t)
	for i, present := range []bool{false, true} {
		hs, keys := part(s.misses, s.timed, round), part(s.stringMisses, s.timed, round)
		if present {
			hs, keys = part(s.hits, s.timed, round), part(s.stringHits, s.timed, round)
		}
		n := len(hs) + len(keys)
		start := time.Now()
		found := s.ask(t.filter, hs, keys)
		t.rounds[absent+i] = append(t.rounds[absent+i], since(start, n))
		if present && found != n {
			return fmt.Errorf("price: %v denied %d of %d keys that it holds", t.cost.Plan, n-found, n)
		}
		start = time.Now()
		s.askBatches(t.filter, hs, keys)
		t.rounds[absentBatch+i] = append(t.rounds[absentBatch+i], since(start, n))
	}
	return nil
}

// part is the lookups of a round: all of what is no longer than that.
func part[T any](of []T, timed, round int) []T {
	if len(of) <= timed {
		return of
	}
	from := round % (len(of) / timed) * timed
	return of[from : from+timed]
}

// ask asks for digests or for keys, one at a time, and returns how many are there.
func (s *Subject) ask(f nest.Filter, hs []uint64, keys []string) (found int) {
	for _, h := range hs {
		if f.ContainsHash(h) {
			found++
		}
	}
	for _, k := range keys {
		if f.ContainsString(k) {
			found++
		}
	}
	s.sink += found
	return found
}

// askBatches asks for digests or for keys, a batch at a time.
func (s *Subject) askBatches(f nest.Filter, hs []uint64, keys []string) {
	var digests [batch]uint64
	var yes [batch]bool
	for ; len(hs) > 0; hs = hs[min(batch, len(hs)):] {
		f.ContainsHashes(hs[:min(batch, len(hs))], yes[:])
	}
	for ; len(keys) > 0; keys = keys[min(batch, len(keys)):] {
		now := keys[:min(batch, len(keys))]
		for i, k := range now {
			digests[i] = s.hash.Sum64String(k)
		}
		f.ContainsHashes(digests[:len(now)], yes[:])
	}
	if yes[0] {
		s.sink++
	}
}

// deletes times deletes of keys that are there, and inserts them again.
func (s *Subject) deletes(t *trial, round int, e Effort) {
	f, ok := t.filter.(nest.Deleter)
	if !e.Deletes || !ok {
		return
	}
	n := min(s.timed, s.Len()/2+1)
	from := 0
	if rest := s.Len() - n; rest > 0 {
		from = round * n % rest
	}
	start := time.Now()
	for i := from; i < from+n; i++ {
		if s.keys == nil {
			f.DeleteHash(s.digests[i])
		} else {
			f.DeleteString(s.keys[i])
		}
	}
	t.rounds[remove] = append(t.rounds[remove], since(start, n))
	if s.insert(f, from, from+n) != nil {
		t.filter = nil // it was full before and is no longer: the next round builds it again
	}
}

// rate counts false positives if enough of them are expected.
func (s *Subject) rate(t *trial) {
	c := t.cost
	n := len(s.misses) + len(s.stringMisses)
	if c.Rate*float64(n) < minEvents || t.filter == nil {
		return
	}
	c.Probes, c.Events = n, s.ask(t.filter, s.misses, s.stringMisses)
	c.Rate = float64(c.Events) / float64(n)
}
