package fuse

import (
	"iter"
	"runtime"
	"slices"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// maxAttempts is how many seeds are tried. Each fails for fewer than half of all sets.
const maxAttempts = 200

// Build returns a filter of the digests hs. Digests that occur more than once count once. Which filter it is depends
// on the set of the digests alone, not on their order, the machine or GOMAXPROCS.
//
// Where there are 2^15 digests or more, two goroutines work if GOMAXPROCS admits them. Until it is done Build takes
// some 18 bytes of memory for each digest beside the table, and 8 more where digests repeat. It does not change hs.
//
// If the keys cannot all be taken away, it tries another seed; [Stats] says how many it took. Of 10^7 random sets of 0
// to 2000 digests none took more than 13. The error is [ErrTooLarge], and then no table was allocated, or [ErrConfig]:
// it names each field that is wrong, or says how many digests are left under each of 200 seeds.
func Build[F fingerprint.Width](c Config, hs []uint64) (*Filter[F], error) {
	c, err := c.resolve(fingerprint.WidthOf[F]())
	if err != nil {
		return nil, err
	}
	t, s, err := c.build(hs, maxAttempts)
	if err != nil {
		return nil, err
	}
	return &Filter[F]{reader[F]{t: t, hash: hashing.NewDigester(c.Hash), config: c, stats: s}}, nil
}

// BuildKeys is [Build] of byte or string keys, hashed by c.Hash. Of a slice take slices.Values(keys).
func BuildKeys[F fingerprint.Width, K string | []byte](c Config, keys iter.Seq[K]) (*Filter[F], error) {
	empty, err := Build[F](c, nil) // checks c before any key is read
	if err != nil {
		return nil, err
	}
	var hs []uint64
	for key := range keys {
		hs = append(hs, empty.hash.Sum64([]byte(key)))
	}
	return Build[F](c, hs)
}

// build returns the table of a resolved configuration for the digests hs.
func (c *Config) build(hs []uint64, attempts int) (t table, s Stats, err error) {
	if len(hs) == 0 {
		if t, err = c.table(0); err == nil {
			t.allocate() // some slots, so that it can be asked like any other
		}
		return t, s, err
	}
	var b builder
	if len(hs) >= splitKeys && runtime.GOMAXPROCS(0) > 1 {
		b.start()
		defer close(b.work)
	}
	for s.Attempts < attempts {
		if t, err = c.table(uint64(len(hs))); err != nil {
			return t, s, err
		}
		if s.Attempts%2 == 1 {
			t.shape = t.halved() // some sizes are just above a step of the formula, where segments are too long
		}
		t.seed = hashing.Mix64(uint64(s.Attempts))
		s.Attempts++
		left := b.attempt(&t, hs)
		if left == 0 {
			return t, s, nil
		}
		err = pkg.Errorf(ErrConfig, "of %d digests %d are left that have no slot alone, under each of %d seeds",
			len(hs), left, s.Attempts)
		if s.Repeated == 0 {
			distinct := slices.Clone(hs)
			slices.Sort(distinct)
			distinct = slices.Compact(distinct)
			s.Repeated, hs = len(hs)-len(distinct), distinct
		}
	}
	return t, s, err
}

// A builder is the memory of attempts. At first it has the hashes of all keys, by segments. In a cell for each slot
// it counts the keys that have the slot, and combines their hashes by exclusive or: where it counts one, the cell is
// that key's hash. A key that is taken away leaves its hash in the one cell that it was found in, and the number of
// the slot where a key's hash was.
type builder struct {
	*table
	pair
	hashes []uint64 // then the slots, in the order of taking away
	cells  []uint64 // then the fingerprints
	counts []uint8
	low    uint64 // keys with their first slot in these middle ones have slots in both halves
	mid    uint64 // the first slot of the upper half
}

// splitKeys is the number of keys from which on the halves of a table are worked on apart, by two goroutines if there
// are two processors.
const splitKeys = 1 << 15

// A pair is this goroutine and another one, for a half each. The zero pair is this one alone.
type pair struct {
	work chan func(half int)
	done chan struct{}
}

// start makes the other goroutine, which ends when work is closed.
func (p *pair) start() {
	p.work, p.done = make(chan func(int), 1), make(chan struct{}, 1)
	go func() {
		for f, ok := await(p.work); ok; f, ok = await(p.work) {
			f(1)
			p.done <- struct{}{}
		}
	}()
}

// both calls f for both halves, the lower one being 0.
func (p *pair) both(f func(half int)) {
	if p.work != nil {
		p.work <- f
		f(0)
		await(p.done)
		return
	}
	f(0)
	f(1)
}

// await receives from c. It does not sleep at once: to wake up takes 0.1 ms, as long as a step of a small table.
func await[T any](c chan T) (v T, ok bool) {
	for range 1000 {
		select {
		case v, ok = <-c:
			return v, ok
		default:
			runtime.Gosched()
		}
	}
	v, ok = <-c
	return v, ok
}

// attempt fills t with the fingerprints of the digests hs, and returns 0, or how many of them it could not take away.
func (b *builder) attempt(t *table, hs []uint64) (left int) {
	slots := t.slots()
	b.table, b.low, b.mid = t, slots, slots
	if len(hs) >= splitKeys {
		b.mid = slots / t.segment / 2 * t.segment
		b.low = b.mid - (t.arity()-1)*t.segment
	}
	b.hashes = zeros(b.hashes, uint64(len(hs)))
	b.cells = zeros(b.cells, slots)
	b.counts = zeros(b.counts, slots)
	lower, upper := b.sort(hs)
	n := len(hs)
	var over [2]bool
	b.both(func(half int) {
		over[half] = b.count([][]uint64{b.hashes[:lower], b.hashes[upper:]}[half])
	})
	if b.count(b.hashes[lower:upper]) || over[0] || over[1] {
		return n
	}
	waves := [...]wave{{step: 1}, {at: n - 1, step: -1}}
	b.both(func(half int) { b.peel(&waves[half], half) })
	rest := wave{at: waves[0].at, step: 1, stack: append(waves[0].rest, waves[1].rest...)}
	rest.top = len(rest.stack)
	b.low = slots // nothing is put off
	b.drain(&rest)
	if left = waves[1].at + 1 - rest.at; left > 0 {
		return left
	}
	t.allocate()
	b.assign(b.hashes[waves[0].at:rest.at], 1)
	b.both(func(half int) {
		if half == 0 {
			b.assign(b.hashes[:waves[0].at], 1)
		} else {
			b.assign(b.hashes[rest.at:], -1)
		}
	})
	half := slots / 2 &^ 7
	b.both(func(k int) { t.fill(b.cells, [...]uint64{0, half}[k], [...]uint64{half, slots}[k]) })
	return 0
}

// zeros returns n zeros, in s where they fit.
func zeros[T uint8 | uint64](s []T, n uint64) []T {
	if uint64(cap(s)) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
