package advice

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// sampled is the number of digests from which the rounds take their lookups in turn, so that a table that no cache
// holds does not fit by being asked for the same few lines.
const sampled = 1 << 20

// A subject is the keys that filters are measured with, and what they are asked.
type subject struct {
	contest measure.Contest
	texts   measure.Texts
}

// integers returns a subject of n random 64-bit keys, which are digests already, from a seed. It takes 16 MiB.
func integers(n int, seed uint64) *subject {
	hits, misses := make([]uint64, sampled), make([]uint64, sampled)
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	// Mix64 is a bijection: counters that differ make digests that differ.
	start := random.Uint64()
	key := func(place uint64) uint64 { return hashing.Mix64(start + place) }
	for i := range hits {
		hits[i], misses[i] = key(uint64(random.IntN(n))), key(uint64(n+i))
	}
	return &subject{contest: measure.Contest{
		Keys: n, Key: key, Hits: hits, Misses: misses, Lookups: measure.TimedLookups, Singles: true,
	}}
}

// fileKeys returns a subject of the keys of a file. What is asked of absent keys are keys of the file whose last
// eight characters are others, so that they take as long to hash. Every lookup hashes its key.
func fileKeys(set *files.KeySet, seed uint64) *subject {
	random := rand.New(rand.NewPCG(seed, uint64(len(set.Keys))))
	hits := measure.SampleStrings(set.Keys, random)
	var misses []string
	for len(misses) < len(hits) {
		key := set.Keys[random.IntN(len(set.Keys))]
		if miss := fmt.Sprintf("%s%08x", key[:max(0, len(key)-8)], random.Uint32()); !set.Contains(miss) {
			misses = append(misses, miss)
		}
	}
	s := texts(set.Keys, hits, misses, hashing.NewDigester(nil))
	s.contest.Singles = true
	return s
}

// texts returns a subject of strings.
func texts(keys, hits, misses []string, hash hashing.Digester) *subject {
	all := measure.Texts{All: slices.Concat(keys, hits, misses), Hash: hash}
	numbers := make([]uint64, len(all.All))
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	n := len(keys) + len(hits)
	return &subject{texts: all, contest: measure.Contest{Keys: len(keys), Hits: numbers[len(keys):n], Misses: numbers[n:],
		Lookups: measure.TimedLookups, Hash: all.Hashing()}}
}

// measure builds the filters of the costs' plans so often, looks up in more rounds, and fills in their times: medians
// over the rounds of a [measure.Contest]. A filter that cannot take the keys is left out: those beyond 2^56 bytes and
// the rare table that is unlucky. The error is that of ctx, or says which filter denied a key.
func (s *subject) measure(ctx context.Context, costs []Cost, rounds, builds int) (done []Cost, err error) {
	s.contest.Rounds, s.contest.Builds = rounds, builds
	var entrants []*measure.Entrant
	for _, cost := range costs {
		entrants = append(entrants, cost.Plan.Entrant(&s.texts))
	}
	if err := s.contest.Run(ctx, entrants); err != nil {
		return nil, fmt.Errorf("size: %w", err)
	}
	for i, cost := range costs {
		if t := entrants[i].Times; len(t) > 0 {
			cost.take(t)
			done = append(done, cost)
		}
	}
	return done, nil
}

func (c *Cost) take(times map[string]measure.Rounds) {
	for step, to := range map[string]*float64{
		measure.StepAbsent: &c.Absent, measure.StepPresent: &c.Present, measure.StepAbsentBatch: &c.AbsentBatch,
		measure.StepPresentBatch: &c.PresentBatch, measure.StepBuild: &c.Insert, measure.StepDelete: &c.Delete,
	} {
		if rounds := times[step]; len(rounds) > 0 {
			*to = rounds.Interval().Median
		}
	}
}

// scout measures the ladders of the families.
func (s *subject) scout(ctx context.Context, families []form, builds int, say func(string)) ([]Cost, error) {
	var all []Cost
	for _, f := range families {
		all = append(all, f.rungs(s.contest.Keys)...)
	}
	say(fmt.Sprintf("trying %d filters of %d keys", len(all), s.contest.Keys))
	return s.measure(ctx, all, 5, builds)
}

// MinBits and MaxBits are the ends of a family's ladder, in bits per item.
const (
	MinBits = 4
	MaxBits = 24
)

// bitsOf are the rungs of every ladder: fewer above, where a bit more changes a price less.
var bitsOf = []int{MinBits, 6, 8, 10, 12, 14, 16, 20, MaxBits}

// families are the forms that will do for the work, of plain buckets those of 4 slots. A map has no cuckoo filters of
// placement XOR, and where keys need not be deletable no counting filters.
func families(o Options, mapped bool) []form {
	return slices.DeleteFunc(wanted(forms(), o.Work.MustDelete, o.Flags), func(f form) bool {
		counts := f.bucket == 0 && deletes(f.Spec.Kind)
		return !f.usual() || f.Slower == "" && len(f.Buckets) > 1 && f.bucket != 4 ||
			mapped && (f.placement == cuckoo.XOR || counts && !o.Work.MustDelete)
	})
}

// rungs returns what the form makes of each number of bits per item for n keys, less what is the same as on the rung
// below. Rungs on which there is no such filter are missing.
func (f form) rungs(n int) (all []Cost) {
	for _, bits := range bitsOf {
		p, err := f.plan(nest.Spec{Capacity: n, BitsPerItem: float64(bits)})
		if last := len(all) - 1; err != nil || last >= 0 && all[last].Plan.Spec == p.Spec {
			continue
		}
		all = append(all, Cost{Family: f.name, form: f, Rung: bits, Plan: p, Rate: p.FPR})
	}
	return all
}
