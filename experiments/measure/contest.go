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
	StepBuild        = "build"                        // making it and inserting the keys
	StepFill         = "insert"                       // inserting them
	StepLastTenth    = "insert, last tenth"           // the last tenth of them
	StepAbsent       = "lookup, absent"               // one by one
	StepPresent      = "lookup, present"              //
	StepAbsentBatch  = "lookup, absent, 256 at once"  // in batches of ContestBatch
	StepPresentBatch = "lookup, present, 256 at once" //
	StepAbsentSmall  = "lookup, absent, 7 at once"    // in batches of SmallBatch
	StepPresentSmall = "lookup, present, 7 at once"   //
	StepDelete       = "delete"                       //
)

const (
	// ContestBatch is the number of lookups of a batch.
	ContestBatch = 256
	// SmallBatch is that of a small one: too few for vector instructions, so that it takes the portable code of a filter
	// that has others.
	SmallBatch = 7
	// TimedLookups is how many one timing of a contest has: 1 to 10 ms of them.
	TimedLookups = 1 << 18
	// slowest is how often every insert is timed by itself.
	slowest = 2
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
	// Singles times lookups one at a time besides batches, Small times small batches too, Deletes the deletes of those
	// that can, and Slowest every insert by itself.
	Singles, Small, Deletes, Slowest bool
	// Hash, where there are strings, is a loop that hashes keys; its times are HashTimes.
	Hash      func(keys []uint64)
	HashTimes Rounds
	// Report is called after each turn with the number of turns; it may be nil.
	Report func(done, total int)
}

// An Entrant takes part in a contest, which fills in its times.
type Entrant struct {
	Name  string
	Bytes int // of the table, about
	Open  func() (*Loops, error)

	// Times are the nanoseconds per key of each round, by the steps.
	Times map[string]Rounds
	// Slowest is the longest time of an insert, in nanoseconds, taking for each of them the shortest that it has taken.
	Slowest float64
	// Held has the filter with all keys, after the contest too; nil if it could not take them again after deletes.
	Held *Loops

	// Last are the laps of the last build and turn, by the steps, until the caller clears them.
	Last map[string]Lap

	turn *Turn
	best []uint32
}

// Run builds and times the entrants. Those that refuse the keys with nest.ErrFull or nest.ErrTooLarge are left without
// times. Other errors are that of ctx, that of a constructor, and [ErrLost].
func (c *Contest) Run(ctx context.Context, all []*Entrant) error {
	var in []*Entrant
	for _, e := range all {
		err := c.Enter(ctx, e)
		switch {
		case errors.Is(err, nest.ErrFull) || errors.Is(err, nest.ErrTooLarge):
			continue
		case err != nil:
			return err
		}
		in = append(in, e)
	}
	for round := range c.Rounds {
		done := 0
		for i := range Turns(round, len(in)) {
			if err := c.Round(in[i], round); err != nil {
				return err
			}
			if done++; c.Report != nil {
				c.Report(round*len(in)+done, c.Rounds*len(in))
			}
		}
		if c.Hash != nil {
			keys := c.part(c.Hits, round)
			l, _ := Long(func() (Lap, error) { return Timed(len(keys), func() { c.Hash(keys) }), nil })
			c.HashTimes = append(c.HashTimes, l.PerKey())
		}
	}
	return nil
}

// Enter builds an entrant for the first time.
func (c *Contest) Enter(ctx context.Context, e *Entrant) error {
	e.turn, e.Times, e.Last = NewTurn(ctx, nil, c.Key), map[string]Rounds{}, map[string]Lap{}
	return e.named(c.build(e))
}

// Round is a turn of an entrant.
func (c *Contest) Round(e *Entrant, round int) error { return e.named(c.round(e, round)) }

// named is an error with the name of the entrant.
func (e *Entrant) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", e.Name, err)
}

// part are the lookups of a round, in turn.
func (c *Contest) part(keys []uint64, round int) []uint64 {
	if len(keys) <= c.Lookups {
		return keys
	}
	from := round % (len(keys) / c.Lookups) * c.Lookups
	return keys[from : from+c.Lookups]
}

// ProbesOf are probes that are made already: all of them keys of the filter, or none.
func ProbesOf(keys []uint64, hits bool) Probes {
	return Probes{len(keys), func(at int, to []uint64) int {
		if copy(to, keys[at:]); hits {
			return len(to)
		}
		return 0
	}}
}

func (e *Entrant) note(step string, l Lap) {
	if e.Last[step] = l; l.Keys > 0 {
		e.Times[step] = append(e.Times[step], l.PerKey())
	}
}

// round is one turn of one entrant.
func (c *Contest) round(e *Entrant, round int) error {
	if e.Held == nil || round > 0 && round < c.Builds {
		if err := c.build(e); err != nil {
			return err
		}
	}
	if c.Slowest && round < slowest {
		l, err := e.Open()
		if err != nil {
			return err
		}
		took, err := NewTurn(e.turn.ctx, l, c.Key).Slowest(c.Keys, &e.best)
		if e.Slowest = float64(took); err != nil {
			return err
		}
	}
	if err := c.lookups(e, round); err != nil {
		return err
	}
	return c.deletes(e, round)
}

// build makes the filter and inserts the keys.
func (c *Contest) build(e *Entrant) error {
	e.Held = nil
	laps, opened, err := e.turn.Fills(e.Open, minLap, c.Keys-(c.Keys+9)/10, c.Keys)
	if err != nil {
		return err
	}
	whole := laps[0]
	whole.Add(laps[1])
	e.note(StepFill, whole)
	e.note(StepLastTenth, laps[1])
	whole.Add(opened)
	e.note(StepBuild, whole)
	e.Held = e.turn.Loops
	return nil
}

// lookups times the lookups of a round.
func (c *Contest) lookups(e *Entrant, round int) error {
	hits, misses := ProbesOf(c.part(c.Hits, round), true), ProbesOf(c.part(c.Misses, round), false)
	if err := e.turn.Warm(hits, e.Bytes, ContestBatch); err != nil {
		return err
	}
	for _, s := range []struct {
		step   string
		probes Probes
		batch  int
		wanted bool
	}{
		{StepAbsent, misses, 0, c.Singles}, {StepAbsentBatch, misses, ContestBatch, true},
		{StepPresent, hits, 0, c.Singles}, {StepPresentBatch, hits, ContestBatch, true},
		{StepAbsentSmall, misses, SmallBatch, c.Small}, {StepPresentSmall, hits, SmallBatch, c.Small},
	} {
		if !s.wanted {
			continue
		}
		l, err := Long(func() (Lap, error) { return e.turn.Ask(s.probes, s.batch) })
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
	if _, err := e.turn.each(n, e.turn.From(from), e.turn.Insert); err != nil {
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
