package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
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
	// AskBatches asks for keys, size of them at a time and at most ContestBatch.
	AskBatches(k KeySet, size int)
}

// A Deleter is a Holder that can delete, or one that tells that it cannot.
type Deleter interface {
	// Delete deletes keys that are there one at a time and returns how many it found, and whether it can delete.
	Delete(k KeySet) (found int, can bool)
}

const (
	// ContestBatch is the number of lookups of a batch.
	ContestBatch = 256
	// SmallBatch is that of a small one: too few for vector instructions, so that it takes the portable code of a filter
	// that has others.
	SmallBatch = 7
)

// A Front is the filter of package nest as a Holder: asked as a program does that chooses at run time, which is 0.3
// to 0.7 ns slower than the typed filters, for all kinds alike. Lookups do not wait for each other's answers.
type Front struct {
	Filter nest.Filter
	Hash   hashing.Digester // of strings
}

// each calls do with the digests of the keys, size of them at a time, until it fails.
func (f Front) each(k KeySet, size int, do func(hs []uint64) error) error {
	var digests [ContestBatch]uint64
	for from := 0; from < k.Len(); from += size {
		part := k.Slice(from, min(from+size, k.Len()))
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
	return f.each(k, ContestBatch, func(hs []uint64) error {
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

// AskBatches asks for keys, size of them at a time.
func (f Front) AskBatches(k KeySet, size int) {
	var yes [ContestBatch]bool
	f.each(k, size, func(hs []uint64) error { f.Filter.ContainsHashes(hs, yes[:]); return nil })
}

// Delete deletes keys that are there, if filters of this kind delete.
func (f Front) Delete(k KeySet) (found int, can bool) {
	d, can := f.Filter.(nest.Deleter)
	if !can {
		return 0, false
	}
	for _, h := range k.Digests {
		if d.DeleteHash(h) {
			found++
		}
	}
	for _, s := range k.Strings {
		if d.DeleteString(s) {
			found++
		}
	}
	return found, true
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
	// longestBuilds is how often every insert is timed by itself.
	longestBuilds = 2
)

// A Contest times holders of the same keys. In each round every holder has a turn, starting with another one each
// time, so that whatever disturbs the machine disturbs all of them. All are in memory at once.
type Contest struct {
	Keys         KeySet
	Hits, Misses KeySet // what is asked, in turn
	Lookups      int    // of one timing
	// Rounds is how often lookups are timed, Builds how often the holder is built, each at least 1.
	Rounds, Builds int
	// Singles times lookups one at a time besides batches, Small times small batches too, Deletes the deletes of those that
	// can, and Longest every insert by itself.
	Singles, Small, Deletes, Longest bool

	Hash hashing.Digester // of strings
	// Report is called after each turn with the number of turns; it may be nil.
	Report func(done, total int)

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

	Build, Absent, Present, AbsentBatch, PresentBatch, AbsentSmall, PresentSmall, Delete Rounds
	// Fill is the time of inserting a key without that of making the holder, LastTenth that of the last tenth of the keys.
	Fill, LastTenth Rounds
	// LongestInsert is the longest time of an insert, taking for each of them the shortest time that it has taken: what
	// disturbs the machine seldom meets an insert twice.
	LongestInsert time.Duration
	inserts       []uint32 // nanoseconds of each
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
			if c.Report != nil {
				c.Report(round*len(in)+i+1, c.Rounds*len(in))
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
	if c.Longest && round < longestBuilds {
		if err := c.eachInsert(ctx, e); err != nil {
			return err
		}
	}
	if err := c.lookups(e, round); err != nil {
		return err
	}
	return c.deletes(e, round)
}

// lookups times the lookups of a round.
func (c *Contest) lookups(e *Entrant, round int) error {
	hits, misses := c.Hits.part(c.Lookups, round), c.Misses.part(c.Lookups, round)
	start := time.Now()
	for left := min(max(e.Bytes/64, minLap), maxWarm); left > 0 && time.Since(start) < longWarm; left -= hits.Len() {
		e.Held.AskBatches(hits.Slice(0, min(left, hits.Len())), ContestBatch)
	}
	batches := func(to *Rounds, k KeySet, size int) {
		*to = append(*to, lap(k, func(k KeySet) { e.Held.AskBatches(k, size) }))
	}
	found := hits.Len()
	if c.Singles {
		e.Absent = append(e.Absent, lap(misses, func(k KeySet) { e.Held.Ask(k) }))
	}
	batches(&e.AbsentBatch, misses, ContestBatch)
	if c.Singles {
		e.Present = append(e.Present, lap(hits, func(k KeySet) { found = e.Held.Ask(k) }))
	}
	batches(&e.PresentBatch, hits, ContestBatch)
	if c.Small {
		batches(&e.AbsentSmall, misses, SmallBatch)
		batches(&e.PresentSmall, hits, SmallBatch)
	}
	return lost(e, found, hits.Len())
}

// lost is the error of an entrant that found fewer keys than it has.
func lost(e *Entrant, found, of int) error {
	if found >= of {
		return nil
	}
	return fmt.Errorf("%s: %w: %d of %d", e.Name, ErrLost, of-found, of)
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

// build times making the holder and inserting every key, several times where the keys are few.
func (c *Contest) build(ctx context.Context, e *Entrant) (err error) {
	e.Held = nil
	runtime.GC() // what was there before must not be collected on this one's time
	var made time.Duration
	var fill, last Lap
	for again := true; again; again = fill.Keys > 0 && fill.Keys < minLap && made+fill.Time < longLap {
		start := time.Now()
		if e.Held, err = e.Make(); err == nil {
			made += time.Since(start)
			err = c.fill(ctx, e.Held, &fill, &last)
		}
		if err != nil {
			e.Held = nil
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	if fill.Keys == 0 {
		e.Build = append(e.Build, float64(made))
		return nil
	}
	e.Fill, e.LastTenth = append(e.Fill, fill.PerKey()), append(e.LastTenth, last.PerKey())
	e.Build = append(e.Build, Lap{made + fill.Time, fill.Keys}.PerKey())
	return nil
}

// fill inserts every key and adds the laps of all and of the last tenth.
func (c *Contest) fill(ctx context.Context, h Holder, whole, last *Lap) error {
	const part = 1 << 20 // between looks at ctx
	n := c.Keys.Len()
	tenth := n - (n+9)/10
	for from := 0; from < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+part, n)
		if from < tenth {
			to = min(to, tenth)
		}
		start := time.Now()
		err := h.Insert(c.Keys.Slice(from, to))
		lap := LapSince(start, to-from)
		if err != nil {
			return err
		}
		whole.Add(lap)
		if from >= tenth {
			last.Add(lap)
		}
		from = to
	}
	return nil
}

// eachInsert times every insert by itself.
func (c *Contest) eachInsert(ctx context.Context, e *Entrant) error {
	h, err := e.Make()
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	if e.inserts == nil {
		e.inserts = slices.Repeat([]uint32{math.MaxUint32}, c.Keys.Len())
	}
	e.LongestInsert = 0
	before := time.Now()
	for i := range e.inserts {
		if err = h.Insert(c.Keys.Slice(i, i+1)); err == nil && i&0xffff == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		now := time.Now()
		e.inserts[i] = min(e.inserts[i], uint32(min(now.Sub(before), math.MaxUint32)))
		e.LongestInsert = max(e.LongestInsert, time.Duration(e.inserts[i]))
		before = now
	}
	return nil
}

// deletes times deletes of keys that are there, and inserts them again.
func (c *Contest) deletes(e *Entrant, round int) error {
	d, ok := e.Held.(Deleter)
	if !c.Deletes || !ok {
		return nil
	}
	n := min(c.Lookups, c.Keys.Len()/2+1)
	from := 0
	if rest := c.Keys.Len() - n; rest > 0 {
		from = round * n % rest
	}
	keys := c.Keys.Slice(from, from+n)
	start := time.Now()
	found, can := d.Delete(keys)
	if !can {
		return nil
	}
	e.Delete = append(e.Delete, LapSince(start, n).PerKey())
	if e.Held.Insert(keys) != nil {
		e.Held = nil // it was full before and is no longer: the next round builds it again
	}
	return lost(e, found, n)
}
