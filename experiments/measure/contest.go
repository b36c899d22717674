package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/hashing"
)

// ErrLost reports keys that were inserted and not found: a defect of the filter.
var ErrLost = errors.New("inserted keys are not found")

// A KeySet is keys that are digests already, or strings that every insert and lookup hashes: one of both.
type KeySet struct {
	Digests []uint64
	Strings []string
}

// Len returns the number of keys.
func (k KeySet) Len() int { return len(k.Digests) + len(k.Strings) }

// Slice returns the keys from one index to before another.
func (k KeySet) Slice(from, to int) KeySet {
	if k.Strings != nil {
		return KeySet{Strings: k.Strings[from:to]}
	}
	return KeySet{Digests: k.Digests[from:to]}
}

// part returns the lookups of a round: size of them, in turn, or all of fewer.
func (k KeySet) part(size, round int) KeySet {
	if k.Len() <= size {
		return k
	}
	from := round % (k.Len() / size) * size
	return k.Slice(from, from+size)
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

// A Holder holds keys and is asked for them, many in each call.
type Holder interface {
	// Insert inserts keys.
	Insert(k KeySet) error
	// Ask asks for keys one at a time and returns how many are there.
	Ask(k KeySet) (found int)
	// AskBatches asks for ContestBatch keys at a time.
	AskBatches(k KeySet)
}

// ContestBatch is the number of lookups of a batch.
const ContestBatch = 256

// A Front is the filter of package nest as a Holder: asked as a program does that chooses at run time, which is 0.3
// to 0.7 ns slower than the typed filters, for all kinds alike. Lookups do not wait for each other's answers.
type Front struct {
	Filter nest.Filter
	Hash   hashing.Digester // of strings
}

// each calls do with the digests of the keys, a batch at a time, until it fails.
func (f Front) each(k KeySet, do func(hs []uint64) error) error {
	var digests [ContestBatch]uint64
	for from := 0; from < k.Len(); from += ContestBatch {
		part := k.Slice(from, min(from+ContestBatch, k.Len()))
		for i, s := range part.Strings {
			digests[i] = f.Hash.Sum64String(s)
		}
		if part.Strings != nil {
			part.Digests = digests[:len(part.Strings)]
		}
		if err := do(part.Digests); err != nil {
			return err
		}
	}
	return nil
}

// Insert inserts keys. The error is that of the first one refused.
func (f Front) Insert(k KeySet) error {
	return f.each(k, func(hs []uint64) error {
		_, err := f.Filter.InsertHashes(hs)
		return err
	})
}

// Ask asks for keys one at a time.
func (f Front) Ask(k KeySet) (found int) {
	for _, h := range k.Digests {
		if f.Filter.ContainsHash(h) {
			found++
		}
	}
	for _, s := range k.Strings {
		if f.Filter.ContainsString(s) {
			found++
		}
	}
	return found
}

// AskBatches asks for keys, a batch at a time.
func (f Front) AskBatches(k KeySet) {
	var yes [ContestBatch]bool
	f.each(k, func(hs []uint64) error { f.Filter.ContainsHashes(hs, yes[:]); return nil })
}

// delete deletes keys that are there.
func (f Front) delete(k KeySet) {
	d := f.Filter.(nest.Deleter)
	for _, h := range k.Digests {
		d.DeleteHash(h)
	}
	for _, s := range k.Strings {
		d.DeleteString(s)
	}
}

// The numbers of lookups of a contest.
const (
	// TimedLookups is how many one timing has: 1 to 10 ms of them.
	TimedLookups = 1 << 18
	// minLap is how many a timing has at least, by repetition, unless they take longLap.
	minLap  = 1 << 15
	longLap = 10 * time.Millisecond
	// Before its turn a Holder is asked as often as its table has cache lines, since the turns of the others have
	// taken the caches: from minLap to maxWarm times, and for longWarm at most.
	maxWarm  = 1 << 20
	longWarm = 30 * time.Millisecond
)

// A Contest times holders of the same keys. In each round every holder has a turn, starting with another one each
// time, so that whatever disturbs the machine disturbs all of them. All are in memory at once.
type Contest struct {
	Keys         KeySet
	Hits, Misses KeySet // what is asked, in turn
	Lookups      int    // of one timing
	// Rounds is how often lookups are timed, Builds how often the holder is built, each at least 1.
	Rounds, Builds int
	// Singles times lookups one at a time besides batches, and Deletes the deletes of a Front that can.
	Singles, Deletes bool
	Hash             hashing.Digester // of strings

	// HashTimes is filled in: the time of hashing a key, empty without strings.
	HashTimes Rounds
	sink      uint64
}

// An Entrant takes part in a contest, which fills in its times: of making it and inserting a key, and of the other
// operations per key. What is not timed is empty.
type Entrant struct {
	Name  string
	Bytes int // of the table, about
	Make  func() (Holder, error)

	Build, Absent, Present, AbsentBatch, PresentBatch, Delete Rounds
	// Held is the holder with all keys, after the contest too; nil if it could not take them again after deletes.
	Held Holder
}

// Run builds and times the entrants. Those that refuse the keys with nest.ErrFull or nest.ErrTooLarge are left without
// times. Other errors are that of ctx, that of a constructor, and [ErrLost].
func (c *Contest) Run(ctx context.Context, all []*Entrant) error {
	var in []*Entrant
	for _, e := range all {
		err := c.build(ctx, e)
		switch {
		case errors.Is(err, nest.ErrFull) || errors.Is(err, nest.ErrTooLarge):
			continue
		case err != nil:
			return err
		}
		in = append(in, e)
	}
	for round := range c.Rounds {
		for i := range in {
			if err := c.turn(ctx, in[(round+i)%len(in)], round); err != nil {
				return err
			}
		}
		if c.Keys.Strings != nil {
			c.HashTimes = append(c.HashTimes, lap(c.Hits.part(c.Lookups, round), func(k KeySet) {
				for _, s := range k.Strings {
					c.sink += c.Hash.Sum64String(s)
				}
			}))
		}
	}
	return nil
}

// turn is one round of one entrant.
func (c *Contest) turn(ctx context.Context, e *Entrant, round int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if e.Held == nil || round > 0 && round < c.Builds {
		if err := c.build(ctx, e); err != nil {
			return err
		}
	}
	hits, misses := c.Hits.part(c.Lookups, round), c.Misses.part(c.Lookups, round)
	start := time.Now()
	for left := min(max(e.Bytes/64, minLap), maxWarm); left > 0 && time.Since(start) < longWarm; left -= hits.Len() {
		e.Held.AskBatches(hits.Slice(0, min(left, hits.Len())))
	}
	if c.Singles {
		found := 0
		e.Absent = append(e.Absent, lap(misses, func(k KeySet) { found = e.Held.Ask(k) }))
		e.AbsentBatch = append(e.AbsentBatch, lap(misses, e.Held.AskBatches))
		e.Present = append(e.Present, lap(hits, func(k KeySet) { found = e.Held.Ask(k) }))
		if found < hits.Len() {
			return fmt.Errorf("%s: %w: %d of %d", e.Name, ErrLost, hits.Len()-found, hits.Len())
		}
	} else {
		e.AbsentBatch = append(e.AbsentBatch, lap(misses, e.Held.AskBatches))
	}
	e.PresentBatch = append(e.PresentBatch, lap(hits, e.Held.AskBatches))
	c.deletes(e, round)
	return nil
}

// lap times what is done with keys, which it repeats while that is too short to be timed, and returns the nanoseconds
// for one key.
func lap(k KeySet, do func(KeySet)) float64 {
	start, done := time.Now(), 0
	for passes := 1; ; passes *= 2 {
		for range passes {
			do(k)
		}
		done += passes * k.Len()
		if took := time.Since(start); done >= minLap || took >= longLap || k.Len() == 0 {
			return float64(took) / float64(max(done, 1))
		}
	}
}

// build times making the holder and inserting every key.
func (c *Contest) build(ctx context.Context, e *Entrant) (err error) {
	e.Held = nil
	runtime.GC() // what was there before must not be collected on this one's time
	took := lap(c.Keys, func(k KeySet) {
		if err == nil {
			e.Held, err = e.Make()
		}
		const part = 1 << 20 // between looks at ctx
		for from := 0; from < k.Len() && err == nil; from += part {
			if err = ctx.Err(); err == nil {
				err = e.Held.Insert(k.Slice(from, min(from+part, k.Len())))
			}
		}
	})
	if err != nil {
		e.Held = nil
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	e.Build = append(e.Build, took)
	return nil
}

// deletes times deletes of keys that are there, and inserts them again.
func (c *Contest) deletes(e *Entrant, round int) {
	f, ok := e.Held.(Front)
	if ok {
		_, ok = f.Filter.(nest.Deleter)
	}
	if !c.Deletes || !ok {
		return
	}
	n := min(c.Lookups, c.Keys.Len()/2+1)
	from := 0
	if rest := c.Keys.Len() - n; rest > 0 {
		from = round * n % rest
	}
	keys := c.Keys.Slice(from, from+n)
	start := time.Now()
	f.delete(keys)
	e.Delete = append(e.Delete, LapSince(start, n).PerKey())
	if f.Insert(keys) != nil {
		e.Held = nil // it was full before and is no longer: the next round builds it again
	}
}
