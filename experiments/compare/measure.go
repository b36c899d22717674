package compare

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// perEvent is the number of probes for each expected false positive: 100 of them make a 95% interval
// of about +-20%.
const perEvent = 100

const minProbes = 10_000

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
		if len(r.misses) < measure.TimedLookups {
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

// time has the candidates compete: each is built and asked in every round, from strings.
func (r *runner) time(result *Result) error {
	random := rand.New(rand.NewPCG(r.o.Seed, orderStream))
	keys := r.o.Keys.Keys
	hits, misses := measure.SampleStrings(keys, random), measure.SampleStrings(r.misses, random)
	r.texts = measure.Texts{All: slices.Concat(keys, hits, misses), Hash: r.hash}
	contest := measure.Contest{
		Keys: len(keys), Hits: numbers(len(keys), len(hits)), Misses: numbers(len(keys)+len(hits), len(misses)),
		Lookups: measure.TimedLookups, Rounds: r.o.Rounds, Builds: r.o.Rounds, Hash: r.texts.Hashing(),
	}
	var entrants []*measure.Entrant
	for _, c := range r.candidates {
		c.held = nil
		entrants = append(entrants, c.timed)
	}
	if err := contest.Run(r.ctx, entrants); err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	result.Hash = contest.HashTimes
	for _, c := range r.candidates {
		if len(c.timed.Times) == 0 {
			return fmt.Errorf("compare: building %s again: %w", c.row.Plan, nest.ErrFull)
		}
		c.row.Build, c.row.Hit, c.row.Miss = c.timed.Times[measure.StepBuild], c.timed.Times[measure.StepPresentBatch], c.timed.Times[measure.StepAbsentBatch]
	}
	return nil
}

// numbers are n numbers from one on.
func numbers(from, n int) (all []uint64) {
	for i := range n {
		all = append(all, uint64(from+i))
	}
	return all
}
