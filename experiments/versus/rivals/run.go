package rivals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/versus/native"
	"github.com/nestfilter/nest/hashing"
)

// MinSlots and MaxSlots bound the size of a table.
const (
	MinSlots = 1 << 10
	MaxSlots = 1 << 28
)

// DefaultSizes are the numbers of slots of a run that names none, DefaultRounds its rounds.
var (
	DefaultSizes  = []int{1 << 16, 1 << 20, 1 << 24}
	DefaultRounds = 5
)

// ErrOptions reports options that cannot be run.
var ErrOptions = errors.New("invalid options")

// Options say what to run.
type Options struct {
	_ struct{}

	// Laps is the file of laps, "" for none. What it holds is not measured again.
	Laps string
	// Contenders take part; nil is all of them.
	Contenders []Contender
	// Sizes are the numbers of slots, powers of two.
	Sizes []int
	// Rounds is how often everything is timed.
	Rounds int
	// Seed chooses the keys. The default is 1.
	Seed uint64
	// For ends the run after the turn in which so much time has passed, 0 never.
	For time.Duration
	// Source says what else is to be told of the laps: what of a module that is kept.
	Source Source
	// Progress is called before every turn; nil for nobody.
	Progress func(filter string, slots, round int)
}

func (o *Options) resolve() error {
	if o.Contenders == nil {
		o.Contenders = Contenders()
	}
	if len(o.Sizes) == 0 {
		o.Sizes = DefaultSizes
	}
	o.Rounds, o.Seed = cmp.Or(o.Rounds, DefaultRounds), cmp.Or(o.Seed, 1)
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if o.Rounds < 1 || o.Rounds > 1000 {
		return fmt.Errorf("rivals: %w: %d rounds: want 1 to 1000", ErrOptions, o.Rounds)
	}
	for _, n := range o.Sizes {
		if n < MinSlots || n > MaxSlots || n&(n-1) != 0 {
			return fmt.Errorf("rivals: %w: %d slots: want a power of two from 2^10 to 2^28", ErrOptions, n)
		}
	}
	return nil
}

// A race is a run under way.
type race struct {
	Options
	twin *native.Twin // nil without a compiler
	laps *lapFile
}

// Run takes every turn that the file of laps lacks, and returns all laps of the options, whether they are complete, and why the native
// twin did not take part, "" if it did. The error is [ErrOptions], that of ctx, of a filter that cannot be made, or of the file.
func Run(ctx context.Context, o Options) (l *Laps, complete bool, note string, err error) {
	if err := o.resolve(); err != nil {
		return nil, false, "", err
	}
	r := &race{Options: o}
	if r.needsTwin() {
		r.twin, err = native.Start(ctx)
		switch {
		case errors.Is(err, native.ErrNoCompiler):
			note = "The native twin did not take part: " + native.ErrNoCompiler.Error() + "."
			err = nil
		case err != nil:
			return nil, false, "", err
		default:
			defer func() { err = errors.Join(err, r.twin.Close()) }()
		}
	}
	source := o.Source
	source.Level, source.Profile = buildSettings()
	source.Seed, source.Machine, source.Go, source.Measured = o.Seed, report.ThisMachine().String(), runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH, time.Now().Format(time.DateOnly)
	if r.twin != nil {
		source.Compiler = r.twin.Compiler + ", " + native.Flags
	}
	if o.Laps == "" {
		r.laps = &lapFile{Laps: Laps{Source: source}}
	} else if r.laps, err = openLaps(o.Laps, source); err != nil {
		return nil, false, "", err
	} else {
		defer r.laps.f.Close()
	}
	complete, err = r.run(ctx)
	return &r.laps.Laps, complete, note, err
}

func (r *race) needsTwin() bool {
	for i := range r.Contenders {
		if r.Contenders[i].Group == Native {
			return true
		}
	}
	return false
}

// run takes the turns, and returns false if the time ended before.
func (r *race) run(ctx context.Context) (bool, error) {
	start := time.Now()
	for round := range r.Rounds {
		for _, n := range r.Sizes {
			for i := range measure.Turns(round, len(r.Contenders)) {
				c := &r.Contenders[i]
				if r.laps.has(c.Name, n, round) || c.Group == Native && r.twin == nil || !c.takes(n) {
					continue
				}
				if err := ctx.Err(); err != nil {
					return false, err
				}
				if r.For > 0 && time.Since(start) > r.For {
					return false, nil
				}
				r.Progress(c.Name, n, round)
				lap, err := r.turn(c, n, round)
				if err != nil {
					return false, fmt.Errorf("rivals: %s of %d slots: %w", c.Name, n, err)
				}
				if r.laps.f == nil {
					r.laps.All = append(r.laps.All, lap)
				} else if err := r.laps.add(lap); err != nil {
					return false, err
				}
			}
		}
	}
	return true, nil
}

// A turn is one filter of one size in one round.
type turn struct {
	player
	lap Lap
	v   *Verbs // nil for the native twin
}

// turn makes a filter and measures it.
func (r *race) turn(c *Contender, n, round int) (Lap, error) {
	t := turn{lap: Lap{Filter: c.Name, Slots: n, Round: round, Keys: KeysOf(n)}}
	seed := hashing.Mix64(r.Seed<<32 + uint64(round)) // other keys in every round
	buffer := make([]uint64, 0, partKeys)             // not a part of what the heap grows by
	before := heapBytes()
	if c.Group == Native {
		bytes, err := r.twin.Make(c.Name[len("native "):], n, seed)
		if err != nil {
			return t.lap, err
		}
		t.player, t.lap.Bytes = nativePlayer{r.twin}, bytes
	} else {
		v, err := c.New(n)
		if err != nil {
			return t.lap, err
		}
		t.v, t.player = v, &goPlayer{Verbs: v, seed: seed, atOnce: c.atOnce(), buffer: buffer}
	}
	if refused, err := t.fill(c); refused || err != nil {
		return t.lap, err
	}
	if t.v != nil && t.v.Bytes != nil {
		t.lap.Bytes = t.v.Bytes()
	} else if t.v != nil {
		t.lap.Bytes = max(1, heapBytes()-before)
	}
	runtime.KeepAlive(t.player)
	if err := t.ask(round); err != nil || c.Cores > 0 {
		return t.lap, err
	}
	return t.lap, errors.Join(t.find(round), t.delete(c.Static))
}

func heapBytes() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// fill inserts the keys, the last ones apart, and tells whether one was refused.
func (t *turn) fill(c *Contender) (refused bool, err error) {
	keys := t.lap.Keys
	first := keys - keys/19 // up to load 0.90 of 0.95
	if c.atOnce() {
		first = keys
	}
	if c.Cores > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.Cores))
	}
	took, n, err := t.insert(0, first)
	var last time.Duration
	if err == nil && first < keys {
		var more int
		last, more, err = t.insert(first, keys)
		n += more
		t.lap.Last = float64(last) / float64(keys-first)
	}
	if err != nil && n > 0 && n < keys {
		t.lap.Refused, t.lap.Last = n, 0
		return true, nil
	}
	t.lap.Add = float64(took+last) / float64(keys)
	return false, err
}

// ask counts lost keys and false positives.
func (t *turn) ask(round int) error {
	held, err := t.player.ask(0, t.lap.Keys)
	if err != nil {
		return err
	}
	t.lap.Lost, t.lap.Asked = t.lap.Keys-held, 1<<20
	far := 1<<40 + round*t.lap.Asked // away from the keys and the probes
	t.lap.False, err = t.player.ask(far, far+t.lap.Asked)
	return err
}

// find times lookups. The first ones bring the filter into the caches and are not counted.
func (t *turn) find(round int) error {
	keys := t.lap.Keys
	n := probeCount(keys)
	if _, _, _, err := t.player.find(50, n, keys, round+1); err != nil {
		return err
	}
	for i, share := range Shares {
		took, hits, yes, err := t.player.find(share, n, keys, round)
		if err != nil {
			return err
		}
		t.lap.Find[i] = float64(took) / float64(n)
		if yes < hits && t.lap.Lost == 0 {
			return fmt.Errorf("%d of %d probes of keys are denied, and none of all keys was before", hits-yes, hits)
		}
	}
	if batch := t.player.batch(); batch != nil {
		t.lap.Batch = new([2]float64)
		for i, share := range []int{0, 100} {
			took, hits, yes, err := batch(share, n, keys, round)
			if err != nil {
				return err
			}
			t.lap.Batch[i] = float64(took) / float64(n)
			if yes < hits {
				return fmt.Errorf("%d of %d keys are denied in batches", hits-yes, hits)
			}
		}
	}
	return nil
}

// delete times deletes of a quarter of the keys, and of another quarter in batches, and counts which of the others are lost by them.
func (t *turn) delete(static bool) error {
	if static || t.v != nil && t.v.Remove == nil || t.lap.Filter == nativeBlock {
		return nil
	}
	n := min(t.lap.Keys/4, 1<<20)
	took, removed, err := t.remove(0, n)
	if err != nil {
		return err
	}
	t.lap.Remove = float64(took) / float64(n)
	gone := n
	if batch := t.player.removeBatch(); batch != nil {
		took, more, err := batch(n, 2*n)
		if err != nil {
			return err
		}
		t.lap.RemoveBatch = float64(took) / float64(n)
		gone, removed = 2*n, removed+more
	}
	left, err := t.player.ask(gone, gone+n)
	// What the fill lost already is not found here either.
	t.lap.Lost += max(0, n-left, gone-removed)
	return err
}

// A nativePlayer is a filter of the native twin.
type nativePlayer struct{ twin *native.Twin }

func (p nativePlayer) insert(from, to int) (time.Duration, int, error) {
	took, err := p.twin.Insert(from, to)
	return took, to - from, err
}

func (p nativePlayer) find(share, n, held, round int) (time.Duration, int, int, error) {
	return p.twin.Find(share, n, held, round)
}
func (p nativePlayer) batch() probing                { return p.twin.Batch }
func (p nativePlayer) ask(from, to int) (int, error) { return p.twin.Ask(from, to) }
func (p nativePlayer) remove(from, to int) (time.Duration, int, error) {
	return p.twin.Remove(from, to)
}
func (p nativePlayer) removeBatch() removing { return nil }
