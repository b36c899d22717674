package price

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

const (
	// timedQuick is the number of lookups of one timing where it is to be shown that all works and no more.
	timedQuick = 1 << 12
	// sampled is the number of digests from which the rounds take their lookups in turn, so that a
	// table that no cache holds does not fit by being asked for the same few lines.
	sampled = 1 << 20
	// minEvents is the least number of expected false positives whose rate is taken as measured: its
	// standard error is then 3%, which is about what the prediction may be off.
	minEvents = 1000
)

// A Subject is the keys that filters are measured with, and what they are asked.
type Subject struct {
	contest measure.Contest
	texts   measure.Texts
}

// Integers returns a subject of n random 64-bit keys, which are digests already, from a seed. It takes 8
// bytes for each of them and 16 MiB.
func Integers(n int, seed uint64) *Subject {
	hits, misses := make([]uint64, sampled), make([]uint64, sampled)
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	// Mix64 is a bijection: counters that differ make digests that differ.
	start := random.Uint64()
	key := func(place uint64) uint64 { return hashing.Mix64(start + place) }
	for i := range hits {
		hits[i], misses[i] = key(uint64(random.IntN(n))), key(uint64(n+i))
	}
	return &Subject{contest: measure.Contest{
		Keys: n, Key: key, Hits: hits, Misses: misses, Lookups: measure.TimedLookups, Singles: true,
	}}
}

// Strings returns a subject of the keys of a file. What is asked of absent keys are keys of the file
// with eight characters replaced, so that they take as long to hash. Every lookup hashes its key.
func Strings(set *files.KeySet, seed uint64) *Subject {
	random := rand.New(rand.NewPCG(seed, uint64(len(set.Keys))))
	hits := measure.SampleStrings(set.Keys, random)
	var misses []string
	for len(misses) < len(hits) {
		key := []byte(set.Keys[random.IntN(len(set.Keys))])
		for len(key) < 8 {
			key = append(key, '-')
		}
		copy(key[random.IntN(len(key)-7):], fmt.Sprintf("%08x", random.Uint32()))
		if miss := string(key); !set.Contains(miss) {
			misses = append(misses, miss)
		}
	}
	n := len(set.Keys)
	texts := measure.Texts{All: slices.Concat(set.Keys, hits, misses), Hash: hashing.NewDigester(hashing.XXH64(0))}
	return &Subject{texts: texts, contest: measure.Contest{
		Keys: n, Hits: numbers(n, len(hits)), Misses: numbers(n+len(hits), len(misses)),
		Lookups: measure.TimedLookups, Singles: true, Hash: texts.Hashing(),
	}}
}

// numbers are n numbers from one on.
func numbers(from, n int) (all []uint64) {
	for i := range n {
		all = append(all, uint64(from+i))
	}
	return all
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

// Measure builds the filters of the costs' plans and fills in their times: medians over the rounds of a
// [measure.Contest]. A filter that cannot take the keys is left out of the result: those beyond 2^56 bytes and the rare
// table that is unlucky. The error is that of ctx, or says which filter denied a key.
func (s *Subject) Measure(ctx context.Context, costs []Cost, e Effort) (done []Cost, err error) {
	c := s.contest
	c.Rounds, c.Builds, c.Deletes = e.Rounds, e.Builds, e.Deletes
	var entrants []*measure.Entrant
	for _, cost := range costs {
		entrants = append(entrants, cost.Plan.Entrant(&s.texts))
	}
	if err := c.Run(ctx, entrants); err != nil {
		return nil, fmt.Errorf("price: %w", err)
	}
	for i, cost := range costs {
		if t := entrants[i]; len(t.Times) > 0 {
			cost.take(t)
			if e.Rates {
				cost.count(t.Held, c.Misses)
			}
			done = append(done, cost)
		}
	}
	s.contest.HashTimes = c.HashTimes
	return done, nil
}

func (c *Cost) take(t *measure.Entrant) {
	for step, to := range map[string]*float64{
		measure.StepAbsent: &c.Absent, measure.StepPresent: &c.Present, measure.StepAbsentBatch: &c.AbsentBatch,
		measure.StepPresentBatch: &c.PresentBatch, measure.StepBuild: &c.Insert, measure.StepDelete: &c.Delete,
	} {
		if times := t.Times[step]; len(times) > 0 {
			*to = times.Interval().Median
		}
	}
	absent := t.Times[measure.StepAbsent].Interval()
	c.Noise = (absent.Hi - absent.Lo) / 2
}

// count counts false positives if enough of them are expected.
func (c *Cost) count(f *measure.Loops, misses []uint64) {
	n := len(misses)
	if f == nil || c.Rate*float64(n) < minEvents {
		return
	}
	c.Probes, c.Events = n, f.Contains(misses)
	c.Rate = float64(c.Events) / float64(n)
}
