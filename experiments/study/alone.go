package study

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// timed is the number of lookups of a timing, and sampled that of the keys which the rounds ask for in turn, so that a table that no cache holds
// does not fit by being asked for the same lines.
const (
	timed   = 1 << 18
	sampled = 1 << 20
)

// contest times the filters with n keys, adds their series and returns them with all keys. It is a share of the work. made
// says that making a filter is part of what an insert costs.
func (r *runner) contest(n int, all []contender, made bool, share float64, set func(*measure.Contest)) (held []*measure.Loops, err error) {
	first := r.first(n)
	key := func(place uint64) uint64 { return hashing.Mix64(first + place) } // a bijection
	hits, misses := make([]uint64, sampled), make([]uint64, sampled)
	random := rand.New(rand.NewPCG(r.Options.Seed, 1))
	for i := range hits {
		hits[i], misses[i] = key(uint64(random.IntN(n))), key(uint64(n+i))
	}
	contest := measure.Contest{
		Keys: n, Key: key, Hits: hits, Misses: misses,
		Lookups: timed, Rounds: r.Options.Rounds, Builds: min(r.Options.Rounds, mostBuilds(n)), Singles: true, Deletes: true,
		Report: func(done, total int) { r.report(n, done, total, 0, share) },
	}
	set(&contest)
	var entrants []*measure.Entrant
	for _, c := range all {
		// A table has up to 4 bytes a key; four times as much asks for each of its cache lines eight times before it is timed.
		entrants = append(entrants, &measure.Entrant{Name: c.Name, Bytes: 16 * n, Open: func() (*measure.Loops, error) {
			return c.Open(c.size(n, made))
		}})
	}
	if err := contest.Run(r.ctx, entrants); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	for i, e := range entrants {
		if len(e.Times) == 0 || e.Held == nil {
			return nil, fmt.Errorf("study: %s: %w", e.Name, errRefused)
		}
		held = append(held, e.Held)
		r.take(n, all[i], made, e)
	}
	return held, nil
}

// A contender is a filter of a study, as one goroutine uses it.
type contender struct {
	catalogue.Entry
	base  string // the name of the one that it is compared with, one before it; empty for none
	slots int    // of a bucket, where the filter is made for a load and not for keys
}

// size is that of a filter for n keys, which are digests.
func (c contender) size(n int, made bool) catalogue.Size {
	s := catalogue.Size{Keys: n, Digests: true, Unwritten: made}
	if c.slots > 0 {
		s.Keys, s.Slots = 0, buckets(n, c.slots)*c.slots
	}
	return s
}

// beside are entries of which the others are compared with the first.
func beside(entries []catalogue.Entry) (all []contender) {
	for i, e := range entries {
		c := contender{Entry: e}
		if i > 0 {
			c.base = entries[0].Name
		}
		all = append(all, c)
	}
	return all
}

// errRefused reports a filter that did not take the keys that it promised to take.
var errRefused = errors.New("a filter has no room for the keys that it was made for")

// mostBuilds is how often a filter of n keys is filled at most.
func mostBuilds(n int) int {
	if n > 1<<21 {
		return 5
	}
	return DefaultRounds
}

// take adds the times of an entrant.
func (r *runner) take(n int, c contender, made bool, e *measure.Entrant) {
	for _, step := range []string{
		measure.StepAbsent, measure.StepPresent, measure.StepAbsentBatch, measure.StepPresentBatch,
		measure.StepAbsentSmall, measure.StepPresentSmall, measure.StepFill, measure.StepLastTenth, measure.StepDelete,
	} {
		rounds := e.Times[step]
		if made && step == measure.StepFill {
			rounds = e.Times[measure.StepBuild]
		}
		if len(rounds) > 0 {
			r.add(Series{Section: alone, N: n, Subject: c.Name, What: step, Unit: "ns", Rounds: rounds}, c.base)
		}
	}
	if e.Slowest > 0 {
		r.add(Series{Section: alone, N: n, Subject: c.Name, What: "longest insert", Unit: "us", Rounds: measure.Rounds{e.Slowest / 1e3}}, c.base)
	}
}

// rate is the share of absent digests that a filter of n keys reports.
func (r *runner) rate(f *measure.Loops, n int) float64 {
	const probes = 1 << 24
	ask, hs := f.Batches(measure.ContestBatch), make([]uint64, measure.Chunk)
	found, next := 0, r.first(n)+uint64(n)
	for range probes / len(hs) {
		for i := range hs {
			hs[i] = hashing.Mix64(next)
			next++
		}
		found += ask(hs)
	}
	return float64(found) / probes
}

// note adds what has no rounds, being counted.
func (r *runner) note(n int, c contender, what, unit string, value float64) {
	r.add(Series{Section: alone, N: n, Subject: c.Name, What: what, Unit: unit, Rounds: measure.Rounds{value}}, c.base)
}

// bitsPerItem is the size of a filter of n keys.
func bitsPerItem(f *measure.Loops, n int) float64 { return 8 * float64(f.SizeBytes()) / float64(n) }

// runPaired measures paired slots at the promised capacity.
func runPaired(r *runner, n int) error {
	all := beside(catalogue.Paired())
	held, err := r.contest(n, all, false, 1, func(c *measure.Contest) { c.Slowest = true })
	if err != nil {
		return err
	}
	for i, c := range all {
		r.note(n, c, "bits per item", "", bitsPerItem(held[i], n))
		r.note(n, c, "false positives, measured", "%", 100*r.rate(held[i], n))
		rate := held[i].Filter.(interface{ FalsePositiveRate() float64 }).FalsePositiveRate()
		r.note(n, c, "false positives, predicted", "%", 100*rate)
	}
	return nil
}
