package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// ErrLost reports keys that were inserted and not found: a defect of the filter.
var ErrLost = errors.New("inserted keys are not found")

// A Lap is what some keys took.
type Lap struct {
	Time time.Duration
	Keys int
	// Hits is how many of the keys are in the filter, Found how many answered yes, were inserted or were deleted.
	Hits, Found int
	// Uneven is, of lookups that a turn times alone, the median time of a chunk over that of a fast one.
	Uneven float64
}

// PerKey returns the nanoseconds of one key.
func (l Lap) PerKey() float64 { return float64(l.Time) / float64(l.Keys) }

// Add adds another lap of the same thing.
func (l *Lap) Add(m Lap) {
	l.Time, l.Keys, l.Hits, l.Found = l.Time+m.Time, l.Keys+m.Keys, l.Hits+m.Hits, l.Found+m.Found
}

// Timed is the lap of what is done with so many keys.
func Timed(keys int, do func()) Lap {
	start := time.Now()
	do()
	return Lap{Time: time.Since(start), Keys: keys}
}

// Chunk is how many keys are timed at a time unless a turn says otherwise: they take 16 KiB.
const Chunk = 1 << 11

var began = time.Now()

// onTheWall is the time since the program began.
func onTheWall() time.Duration { return time.Since(began) }

// A Turn is one filter in one round: what is timed of it is a script over these methods. Keys are made outside the
// time, a chunk at a time. Those that are in are those of the places 0 to Stored-1.
type Turn struct {
	*Loops
	// Key is the key at a place.
	Key func(place uint64) uint64
	// Chunk is how many keys are timed at a time.
	Chunk int
	// Alone says that the loops run on the thread that calls them: its own time counts, not that on the wall, without
	// that of chunks that were disturbed.
	Alone bool
	// Wakes says that batches are asked of a tiny filter, untimed, before batches.
	Wakes bool

	Stored  int
	Refused bool          // a key was refused
	Spent   time.Duration // on inserts

	ctx     context.Context
	keys    []uint64
	took    []time.Duration
	batches map[int]func([]uint64) int
}

// NewTurn begins one. The filter is empty. Without a function a key is its place.
func NewTurn(ctx context.Context, l *Loops, key func(place uint64) uint64) *Turn {
	if key == nil {
		key = func(place uint64) uint64 { return place }
	}
	return &Turn{Loops: l, Key: key, Chunk: Chunk, ctx: ctx, batches: map[int]func([]uint64) int{}}
}

// Context is that of the turn.
func (t *Turn) Context() context.Context { return t.ctx }

// A course is how the time of a key changes in the course of a lap.
type course int

const (
	steady course = iota
	rising
	falling
)

// calm takes the disturbances out of the times of chunks of equal size: whoever takes the processor for a while leaves
// its caches empty, and the next ten chunks pay for that. Where all keys cost the same, a chunk that an eighth of them
// undercut counts for all. In a filter that is filled none took longer than a later one of the lap, in one that is
// emptied none longer than an earlier one.
func (c course) calm(took []time.Duration) (uneven float64) {
	switch c {
	case steady:
		slices.Sort(took)
		fast := took[len(took)/8]
		uneven = float64(took[len(took)/2]) / float64(fast)
		for i := range took {
			took[i] = fast
		}
	case rising:
		slices.Reverse(took)
	}
	for i := 1; i < len(took); i++ {
		took[i] = min(took[i], took[i-1])
	}
	return uneven
}

// each times do with n keys; next makes those from a number on and says how many of them are hits. It ends with the
// error of do, or when the context does.
func (t *Turn) each(
	n int, c course, next func(at int, keys []uint64) int, do func(keys []uint64) (int, error),
) (l Lap, err error) {
	size := max(1, min(t.Chunk, n))
	if len(t.keys) < size {
		t.keys = make([]uint64, size)
	}
	now := onTheWall
	t.took = t.took[:0]
	if t.Alone {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		now = ofThread
	}
	for l.Keys < n && err == nil {
		if t.ctx.Err() != nil {
			return l, context.Cause(t.ctx)
		}
		part := t.keys[:min(size, n-l.Keys)]
		l.Hits += next(l.Keys, part)
		var found int
		start := now()
		found, err = do(part)
		t.took = append(t.took, now()-start)
		l.Keys, l.Found = l.Keys+len(part), l.Found+found
	}
	whole := n / size
	if err != nil {
		whole = len(t.took) - 1
	}
	if t.Alone && whole > 0 {
		l.Uneven = c.calm(t.took[:whole])
	}
	for _, took := range t.took {
		l.Time += took
	}
	return l, err
}

// at makes the keys of places.
func (t *Turn) at(place func(i int) uint64) func(at int, keys []uint64) int {
	return func(at int, keys []uint64) int {
		for i := range keys {
			keys[i] = t.Key(place(at + i))
		}
		return len(keys)
	}
}

// From makes the keys of the places from one on.
func (t *Turn) From(place int) func(at int, keys []uint64) int {
	return t.at(func(i int) uint64 { return uint64(place + i) })
}

// sure makes a loop of a verb that cannot fail.
func sure(verb func(keys []uint64) int) func(keys []uint64) (int, error) {
	return func(keys []uint64) (int, error) { return verb(keys), nil }
}

// Fill inserts keys until so many are in or one is refused, with the error of the refusal. The keys of the lap are
// those that are in. After a refusal it does nothing.
func (t *Turn) Fill(keys int) (Lap, error) {
	if t.Refused || keys <= t.Stored {
		return Lap{}, nil
	}
	l, err := t.each(keys-t.Stored, rising, t.From(t.Stored), t.Insert)
	t.Refused = errors.Is(err, errs.Full)
	l.Keys, t.Stored, t.Spent = l.Found, t.Stored+l.Found, t.Spent+l.Time
	return l, err
}

// Unfilled is an error of Fill but that of a refusal.
func Unfilled(err error) error {
	if errors.Is(err, errs.Full) {
		return nil
	}
	return err
}

// What is too short to be timed is repeated: until it had minLap keys or took longLap.
const (
	minLap  = 1 << 15
	longLap = 10 * time.Millisecond
)

// long repeats what is too short to be timed, and returns all of it as one lap.
func long(do func() (Lap, error)) (all Lap, err error) {
	for passes := 1; ; passes *= 2 {
		for range passes {
			l, err := do()
			all.Add(l)
			if err != nil || l.Keys == 0 {
				return all, err
			}
		}
		if all.Keys >= minLap || all.Time >= longLap {
			return all, nil
		}
	}
}

// Fills fills a filter that open makes, or empties, stretch by stretch up to the last stop, again and again while the
// keys are fewer than least and it has not taken 10 ms. It returns the laps of the stretches and that of open.
func (t *Turn) Fills(open func() (*Loops, error), least int, stops ...int) (laps []Lap, opened Lap, err error) {
	laps = make([]Lap, len(stops))
	for all := opened; ; {
		var failed error
		made := Timed(0, func() { t.Loops, failed = open() })
		if failed != nil {
			return laps, opened, failed
		}
		opened.Add(made)
		all.Add(made)
		t.Stored, t.Refused = 0, false
		clear(t.batches)
		for i, stop := range stops {
			l, err := t.Fill(stop)
			laps[i].Add(l)
			all.Add(l)
			if err != nil {
				return laps, opened, err
			}
		}
		if all.Keys == 0 || all.Keys >= least || all.Time >= longLap {
			return laps, opened, nil
		}
	}
}

// Probes are the keys of timed lookups.
type Probes struct {
	N int
	// Next makes the probes from a number on and says how many of them are stored keys.
	Next func(at int, keys []uint64) (hits int)
}

// Ask times lookups: one by one if batch is 0, else so many at a time. The error is [ErrLost] if fewer are found than
// are in the filter.
func (t *Turn) Ask(p Probes, batch int) (Lap, error) {
	if batch > 0 && t.Wakes {
		wake()()
	}
	l, err := t.each(p.N, steady, p.Next, sure(t.verb(batch)))
	if err == nil {
		err = l.lost()
	}
	return l, err
}

// verb is the loop of lookups of a batch size, 0 for one by one.
func (t *Turn) verb(batch int) func(keys []uint64) int {
	if batch == 0 || t.Loops.Batches == nil {
		return t.Contains
	}
	if t.batches[batch] == nil {
		t.batches[batch] = t.Loops.Batches(batch)
	}
	return t.batches[batch]
}

// lost is the error of a lap that found fewer keys than there are.
func (l Lap) lost() error {
	if l.Found >= l.Hits {
		return nil
	}
	return fmt.Errorf("%w: %d of %d", ErrLost, l.Hits-l.Found, l.Hits)
}

// Delete deletes n keys one by one: those at the places that place gives, nil for the order of their insertion. The
// error is [ErrLost] if one was not found. What is left is no longer in one piece.
func (t *Turn) Delete(n int, place func(i int) uint64) (Lap, error) {
	next := t.From(0)
	if place != nil {
		next = t.at(place)
	}
	l, err := t.each(n, falling, next, sure(t.Remove))
	t.Stored -= l.Keys
	if err == nil {
		err = l.lost()
	}
	return l, err
}

// Turns yields the numbers 0 to n-1 of what is timed in a round, beginning with another one in each round, so that
// whatever disturbs the machine disturbs all of them. It collects garbage before each turn: what the last one left
// behind must not be collected on the next one's time.
func Turns(round, n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			runtime.GC()
			if !yield((round + i) % n) {
				return
			}
		}
	}
}

// wakeTime is how long batches are asked of a tiny filter before those that are timed. Some processors run the first
// 512-bit instructions behind others at half their speed, for about a millisecond: laps of that length then fell into
// two heaps, 89 slow ones of 120 without and 17 with a millisecond (Xeon, 2^21 slots). More did not help.
const wakeTime = time.Millisecond

// wake asks for batches until the processor has its full speed for them: of a filter of 768 bytes, which takes no room
// in a cache worth speaking of.
var wake = sync.OnceValue(func() func() {
	f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: 1 << 7})
	hs, dst := make([]uint64, Batch), make([]bool, Batch)
	hashing.MixAll(hs, hs)
	return func() {
		for start := time.Now(); err == nil && time.Since(start) < wakeTime; {
			f.ContainsHashes(hs, dst)
		}
	}
})
