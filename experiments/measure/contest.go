package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/nestfilter/nest"
)

// The steps of a contest: what is timed of a filter in a round.
const (
	StepBuild        = "build"          // making it and inserting the keys
	StepAbsent       = "lookup, absent" // one by one
	StepPresent      = "lookup, present"
	StepAbsentBatch  = "lookup, absent, 256 at once" // in batches of ContestBatch
	StepPresentBatch = "lookup, present, 256 at once"
	StepDelete       = "delete"
)

const (
	// ContestBatch is the number of lookups of a batch.
	ContestBatch = 256
	// TimedLookups is how many one timing of a contest has: 1 to 10 ms of them.
	TimedLookups = 1 << 18
)

// A Contest is a script for filters of the same keys, which are built, asked, and asked again in every round. All are
// in memory at once. What it does not time, because it is not asked for or a filter cannot do it, has no rounds.
type Contest struct {
	// Keys is how many keys the filters get: those of the places 0 to Keys-1 of Key, nil where the place is the key.
	Keys int
	Key  func(place uint64) uint64
	// Hits are keys that are in and Misses others, of which a round asks for Lookups, in turn.
	Hits, Misses []uint64
	Lookups      int
	// Rounds is how often lookups are timed, Builds how often the filters are built, each at least 1.
	Rounds, Builds int
	// Singles times lookups one at a time besides batches, and Deletes the deletes of filters that can.
	Singles, Deletes bool
	// Hash, where there are strings, is a loop that hashes keys; its times are HashTimes.
	Hash      func(keys []uint64)
	HashTimes Rounds
}

// An Entrant takes part in a contest.
type Entrant struct {
	Name string
	Open func() (*Loops, error)

	// Times are the nanoseconds per key of each round, by the steps, and none if it refused the keys.
	Times map[string]Rounds
	// Held has the filter with all keys, after the contest too; nil if it could not take them again after deletes.
	Held *Loops

	turn    *Turn
	refused bool
}

// Run builds and times the entrants. Those that refuse the keys with nest.ErrFull or nest.ErrTooLarge are left without
// times. Other errors are that of ctx, that of a constructor, and [ErrLost].
func (c *Contest) Run(ctx context.Context, all []*Entrant) error {
	for round := range c.Rounds {
		for i := range Turns(round, len(all)) {
			e := all[i]
			if round == 0 {
				e.turn, e.Times = NewTurn(ctx, nil, c.Key), map[string]Rounds{}
			}
			for _, do := range []func(*Entrant, int) error{c.build, c.lookups, c.deletes} {
				if e.refused {
					break
				}
				err := do(e, round)
				e.refused = round == 0 && (errors.Is(err, nest.ErrFull) || errors.Is(err, nest.ErrTooLarge))
				if err != nil && !e.refused {
					return fmt.Errorf("%s: %w", e.Name, err)
				}
			}
		}
		if c.Hash != nil {
			keys := c.part(c.Hits, round)
			l, _ := long(func() (Lap, error) { return Timed(len(keys), func() { c.Hash(keys) }), nil })
			c.HashTimes = append(c.HashTimes, l.PerKey())
		}
	}
	return nil
}

// part are the lookups of a round, in turn.
func (c *Contest) part(keys []uint64, round int) []uint64 {
	if len(keys) <= c.Lookups {
		return keys
	}
	from := round % (len(keys) / c.Lookups) * c.Lookups
	return keys[from : from+c.Lookups]
}

// probesOf are probes that are made already: all of them keys of the filter, or none.
func probesOf(keys []uint64, hits bool) Probes {
	return Probes{len(keys), func(at int, to []uint64) int {
		if copy(to, keys[at:]); hits {
			return len(to)
		}
		return 0
	}}
}

func (e *Entrant) note(step string, l Lap) {
	if step != "" && l.Keys > 0 {
		e.Times[step] = append(e.Times[step], l.PerKey())
	}
}

// build makes the filter and inserts the keys.
func (c *Contest) build(e *Entrant, round int) error {
	if e.Held != nil && round >= c.Builds {
		return nil
	}
	e.Held = nil
	laps, whole, err := e.turn.Fills(e.Open, minLap, c.Keys)
	if err != nil {
		return err
	}
	whole.Add(laps[0])
	e.note(StepBuild, whole)
	e.Held = e.turn.Loops
	return nil
}

// lookups times the lookups of a round, behind untimed ones: the turns of the others have taken the caches.
func (c *Contest) lookups(e *Entrant, round int) error {
	hits, misses := probesOf(c.part(c.Hits, round), true), probesOf(c.part(c.Misses, round), false)
	for _, s := range []struct {
		step   string
		probes Probes
		batch  int
	}{
		{"", hits, ContestBatch}, {StepAbsent, misses, 0}, {StepAbsentBatch, misses, ContestBatch},
		{StepPresent, hits, 0}, {StepPresentBatch, hits, ContestBatch},
	} {
		if s.batch == 0 && !c.Singles {
			continue
		}
		l, err := long(func() (Lap, error) { return e.turn.Ask(s.probes, s.batch) })
		if err != nil {
			return err
		}
		e.note(s.step, l)
	}
	return nil
}

// deletes times deletes of keys that are there, and inserts them again.
func (c *Contest) deletes(e *Entrant, round int) error {
	if !c.Deletes || e.turn.Remove == nil {
		return nil
	}
	n, from := min(c.Lookups, c.Keys/2+1), 0
	if rest := c.Keys - n; rest > 0 {
		from = round * n % rest
	}
	l, err := e.turn.Delete(n, func(i int) uint64 { return uint64(from + i) })
	if err != nil {
		return err
	}
	e.note(StepDelete, l)
	if _, err := e.turn.each(n, rising, e.turn.From(from), e.turn.Insert); err != nil {
		e.Held = nil // it was full before and is no longer: the next round builds it again
	}
	e.turn.Stored = c.Keys
	return nil
}

// SampleStrings returns up to [TimedLookups] of the strings in random order, laid out anew in that order, so that
// reading them costs the same everywhere.
func SampleStrings(from []string, random *rand.Rand) []string {
	out := make([]string, min(len(from), TimedLookups))
	for i, at := range random.Perm(len(from))[:len(out)] {
		out[i] = strings.Clone(from[at])
	}
	return out
}
