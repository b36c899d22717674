package rivals

import (
	"context"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/versus/native"
)

type (
	// A finding times n lookups, a share of 100 of them for the first held keys. Those of another round are others.
	finding = func(share, n, held, round int) (measure.Lap, error)
	// A span does something to the keys of the numbers from one to before another.
	span = func(from, to int) (measure.Lap, error)
)

// A player is a filter in its turn. What it cannot is nil.
type player struct {
	fill                func(keys int) (measure.Lap, error) // until so many are in; the error is that of a refusal
	find, batch         finding
	ask                 span // lookups that nobody times
	remove, removeBatch span
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
			t.Chunk = n // timed as a whole, as the twin times them
			defer func() { t.Chunk = measure.Chunk }()
			return t.Ask(probes(seed, share, n, held, round), batch)
		}
	}
	deletes := func(t *measure.Turn) span {
		return func(from, to int) (measure.Lap, error) {
			return t.Delete(to-from, func(i int) uint64 { return uint64(from + i) })
		}
	}
	p := &player{bytes: loops.SizeBytes, find: probes(0), fill: func(keys int) (measure.Lap, error) {
		if c.Static {
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

// twinPlayer makes a filter of the native twin, which times itself. It asks for huge pages, as large tables in Go do.
func twinPlayer(twin *native.Twin, name string, slots int, seed uint64) (*player, error) {
	made, err := twin.Do("make %s-huge %d %d", name, slots, seed)
	over := func(verb string) span {
		return func(from, to int) (measure.Lap, error) { return twin.Do("%s %d %d", verb, from, to) }
	}
	probes := func(verb string) finding {
		return func(share, n, held, round int) (measure.Lap, error) {
			return twin.Do("%s %d %d %d %d", verb, share, n, held, round)
		}
	}
	stored := 0
	p := &player{ask: over("ask"), find: probes("find"), batch: probes("batch"), bytes: func() int { return made.Found }}
	p.fill = func(keys int) (measure.Lap, error) {
		l, err := over("insert")(stored, keys)
		if stored = keys; err == nil && l.Found < l.Hits {
			err = ErrRefused
		}
		return l, err
	}
	if "native "+name != nativeBlock {
		p.remove = over("remove")
	}
	return p, err
}
