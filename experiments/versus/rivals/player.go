package rivals

import (
	"context"
	"time"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/versus/native"
)

// A finding times n lookups, a share of 100 of them for the first held keys. Those of another round are others.
type finding = func(share, n, held, round int) (measure.Lap, error)

// A player is a filter in its turn: its verbs by the numbers of keys, from one to before another. What it cannot is
// nil.
type player struct {
	fill                func(keys int) (measure.Lap, error) // until so many are in; the error is that of a refusal
	find, batch         finding
	ask                 func(from, to int) (measure.Lap, error) // lookups that nobody times
	remove, removeBatch func(from, to int) (measure.Lap, error)
	bytes               func() int
}

// player makes the filter.
func (c *Contender) player(ctx context.Context, twin *native.Twin, slots int, seed uint64) (*player, error) {
	if c.Group == Native {
		return twinPlayer(twin, c.Name[len("native "):], slots, seed)
	}
	loops, err := c.New(slots)
	if err != nil {
		return nil, err
	}
	t := measure.NewTurn(ctx, loops, func(place uint64) uint64 { return keyOf(seed, place) })
	probes := func(batch int) finding {
		return func(share, n, held, round int) (measure.Lap, error) {
			return t.Ask(probes(seed, share, n, held, round), batch)
		}
	}
	deletes := func(t *measure.Turn) func(from, to int) (measure.Lap, error) {
		return func(from, to int) (measure.Lap, error) {
			return t.Delete(to-from, func(i int) uint64 { return uint64(from + i) })
		}
	}
	p := &player{bytes: loops.SizeBytes, find: probes(0), fill: func(keys int) (measure.Lap, error) {
		if c.atOnce() {
			t.Chunk = keys
			defer func() { t.Chunk = measure.Chunk }()
		}
		return t.Fill(keys)
	}}
	p.ask = func(from, to int) (measure.Lap, error) {
		next := t.From(from)
		return t.Ask(measure.Probes{N: to - from, Next: func(at int, keys []uint64) int { next(at, keys); return 0 }}, 0)
	}
	if loops.Batches != nil {
		p.batch = probes(measure.ContestBatch)
	}
	if loops.Remove != nil {
		p.remove = deletes(t)
	}
	if loops.RemoveBatches != nil {
		some, batches := *t, *loops
		batches.Remove = loops.RemoveBatches(measure.ContestBatch)
		some.Loops = &batches
		p.removeBatch = deletes(&some)
	}
	return p, nil
}

// twinPlayer makes a filter of the native twin, which times itself.
func twinPlayer(twin *native.Twin, name string, slots int, seed uint64) (*player, error) {
	size, err := twin.Make(name, slots, seed)
	run := func(do func(from, to int) (time.Duration, int, error)) func(from, to int) (measure.Lap, error) {
		return func(from, to int) (measure.Lap, error) {
			took, n, err := do(from, to)
			return measure.Lap{Time: took, Keys: to - from, Found: n}, err
		}
	}
	found := func(took time.Duration, hits, yes int, err error) (measure.Lap, error) {
		return measure.Lap{Time: took, Hits: hits, Found: yes}, err
	}
	stored, insert := 0, run(twin.Insert)
	p := &player{
		fill: func(keys int) (measure.Lap, error) {
			from := stored
			stored = keys
			return insert(from, keys)
		},
		ask: run(twin.Ask), bytes: func() int { return size },
		find:  func(share, n, held, round int) (measure.Lap, error) { return found(twin.Find(share, n, held, round)) },
		batch: func(share, n, held, round int) (measure.Lap, error) { return found(twin.Batch(share, n, held, round)) },
	}
	if "native "+name != nativeBlock {
		p.remove = run(twin.Remove)
	}
	return p, err
}
