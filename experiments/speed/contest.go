package speed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/hashing"
)

// Times are the nanoseconds of one operation in each round.
type Times []float64

// Median returns the median over the rounds.
func (t Times) Median() float64 { return stat.Median(t) }

// Interval returns the 95% interval of the median.
func (t Times) Interval() (lo, hi float64) { return stat.MedianInterval(t) }

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
	// AskBatches asks for DefaultBatch keys at a time.
	AskBatches(k KeySet)
}

// A Front is the filter of package nest as a Holder: asked as a program does that chooses at run time, which is 0.3
// to 0.7 ns slower than the typed filters, for all kinds alike. Lookups do not wait for each other's answers.
type Front struct {
	Filter nest.Filter
	Hash   hashing.Digester // of strings
}

// Insert inserts keys. The error is that of the first one refused.
func (f Front) Insert(k KeySet) error {
	if k.Strings == nil {
		_, err := f.Filter.InsertHashes(k.Digests)
		return err
	}
	var digests [DefaultBatch]uint64
	for from := 0; from < len(k.Strings); from += DefaultBatch {
		part := k.Strings[from:min(from+DefaultBatch, len(k.Strings))]
		if _, err := f.Filter.InsertHashes(hash(f.Hash, part, &digests)); err != nil {
			return err
		}
	}
	return nil
}

// hash makes the digests of up to DefaultBatch keys.
func hash(d hashing.Digester, keys []string, to *[DefaultBatch]uint64) []uint64 {
	for i, k := range keys {
		to[i] = d.Sum64String(k)
	}
	return to[:len(keys)]
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
	var digests [DefaultBatch]uint64
	var yes [DefaultBatch]bool
	for from := 0; from < len(k.Digests); from += DefaultBatch {
		f.Filter.ContainsHashes(k.Digests[from:min(from+DefaultBatch, len(k.Digests))], yes[:])
	}
	for from := 0; from < len(k.Strings); from += DefaultBatch {
		f.Filter.ContainsHashes(hash(f.Hash, k.Strings[from:min(from+DefaultBatch, len(k.Strings))], &digests), yes[:])
	}
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
	HashTimes Times
	sink      uint64
}

// An Entrant takes part in a contest, which fills in its times: of making it and inserting a key, and of the other
// operations per key. What is not timed is empty.
type Entrant struct {
	Name  string
	Bytes int // of the table, about
	Make  func() (Holder, error)

	Build, Absent, Present, AbsentBatch, PresentBatch, Delete Times
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
			c.HashTimes = append(c.HashTimes, c.lap(c.Hits.part(c.Lookups, round), func(k KeySet) {
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
	for _, of := range []struct {
		keys          KeySet
		single, batch *Times
		least         int
	}{{misses, &e.Absent, &e.AbsentBatch, 0}, {hits, &e.Present, &e.PresentBatch, hits.Len()}} {
		found := of.least
		if c.Singles {
			*of.single = append(*of.single, c.lap(of.keys, func(k KeySet) { found = e.Held.Ask(k) }))
		}
		if found < of.least {
			return fmt.Errorf("%s: %w: %d of %d", e.Name, ErrLost, of.least-found, of.least)
		}
		*of.batch = append(*of.batch, c.lap(of.keys, e.Held.AskBatches))
	}
	c.deletes(e, round)
	return nil
}

// lap times what is done with keys, which it repeats while that is too short to be timed, and returns the nanoseconds
// for one key.
func (c *Contest) lap(k KeySet, do func(KeySet)) float64 {
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
	took := c.lap(c.Keys, func(k KeySet) {
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
	e.Delete = append(e.Delete, float64(time.Since(start))/float64(n))
	if f.Insert(keys) != nil {
		e.Held = nil // it was full before and is no longer: the next round builds it again
	}
}
