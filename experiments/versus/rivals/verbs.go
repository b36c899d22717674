package rivals

import (
	"encoding/binary"
	"errors"
	"time"
)

// ErrRefused reports a filter that says no more than that a key was not inserted.
var ErrRefused = errors.New("a key is refused")

// Verbs are loops over the verbs of a filter. A loop is written where the type is known, so that the calls in it are those
// that a user's program makes.
type Verbs struct {
	// Insert inserts keys and returns how many it took. A filter that is built gets all keys by one call.
	Insert func(keys []uint64) (int, error)
	// Contains looks keys up one by one and returns how many are reported as present.
	Contains func(keys []uint64) int
	// Batch does so many at a time; nil where the filter cannot.
	Batch func(keys []uint64) int
	// Remove deletes keys and returns how many were there; nil where the filter cannot.
	Remove func(keys []uint64) int
	// RemoveBatch does so many at a time; nil where the filter cannot.
	RemoveBatch func(keys []uint64) int
	// Bytes is the size of the filter as it is; nil where it does not tell. The growth of the heap is then taken.
	Bytes func() int
}

// Each and Count are the loops of filters that take integers. They are small enough to be inlined, and so is a function literal
// that they are given: what it calls is called directly.
func Each(keys []uint64, insert func(key uint64) error) (int, error) {
	for i, key := range keys {
		if err := insert(key); err != nil {
			return i, err
		}
	}
	return len(keys), nil
}

// Count counts the keys that a verb says yes to.
func Count(keys []uint64, verb func(key uint64) bool) (n int) {
	for _, key := range keys {
		if verb(key) {
			n++
		}
	}
	return n
}

// KeyBytes is the length of a key for filters that take bytes.
const KeyBytes = 16

// EachBytes and CountBytes are the loops of filters that take bytes: the integer and its complement. The slice is the same for
// every key.
func EachBytes(keys []uint64, insert func(key []byte) error) (int, error) {
	buffer := make([]byte, KeyBytes)
	for i, key := range keys {
		binary.LittleEndian.PutUint64(buffer, key)
		binary.LittleEndian.PutUint64(buffer[8:], ^key)
		if err := insert(buffer); err != nil {
			return i, err
		}
	}
	return len(keys), nil
}

// CountBytes counts the keys that a verb says yes to.
func CountBytes(keys []uint64, verb func(key []byte) bool) (n int) {
	buffer := make([]byte, KeyBytes)
	for _, key := range keys {
		binary.LittleEndian.PutUint64(buffer, key)
		binary.LittleEndian.PutUint64(buffer[8:], ^key)
		if verb(buffer) {
			n++
		}
	}
	return n
}

// Refusal makes the error of an insert that returns whether it took the key.
func Refusal(took bool) error {
	if !took {
		return ErrRefused
	}
	return nil
}

// A probing times n lookups of a round, a share of 100 of them for present keys, and returns how many those are and how many were
// reported as present.
type probing func(share, n, held, round int) (took time.Duration, hits, yes int, err error)

// A player is what a turn needs of a filter: its verbs by the numbers of keys.
type player interface {
	// insert inserts keys and returns how many it took; the error is that of the first that it refused.
	insert(from, to int) (time.Duration, int, error)
	find(share, n, held, round int) (took time.Duration, hits, yes int, err error)
	batch() probing // nil where the filter has none
	ask(from, to int) (yes int, err error)
	remove(from, to int) (time.Duration, int, error)
	removeBatch() removing // nil where the filter has none
}

// A removing deletes the keys of the numbers from one to before another and returns how many were there.
type removing func(from, to int) (took time.Duration, removed int, err error)

// A goPlayer is a filter in Go.
type goPlayer struct {
	*Verbs
	seed   uint64
	atOnce bool // it takes all keys by one call
	buffer []uint64
}

// partKeys is how many keys are made at a time, outside the time.
const partKeys = 4096

// parts calls a loop with the keys of the numbers and sums its times and results.
func (p *goPlayer) parts(from, to int, loop func(keys []uint64) (int, error)) (took time.Duration, n int, err error) {
	size := partKeys
	if p.atOnce {
		size = to - from
	}
	for ; from < to && err == nil; from += size {
		p.buffer = appendKeys(p.buffer[:0], p.seed, from, min(to, from+size))
		start := time.Now()
		var m int
		m, err = loop(p.buffer)
		took += time.Since(start)
		n += m
	}
	return took, n, err
}

func (p *goPlayer) insert(from, to int) (time.Duration, int, error) {
	return p.parts(from, to, p.Insert)
}

// always makes a loop of a verb that cannot fail.
func always(verb func(keys []uint64) int) func(keys []uint64) (int, error) {
	return func(keys []uint64) (int, error) { return verb(keys), nil }
}

func (p *goPlayer) ask(from, to int) (int, error) {
	_, n, err := p.parts(from, to, always(p.Contains))
	return n, err
}

func (p *goPlayer) remove(from, to int) (time.Duration, int, error) {
	return p.parts(from, to, always(p.Remove))
}

func (p *goPlayer) removeBatch() removing {
	if p.RemoveBatch == nil {
		return nil
	}
	return func(from, to int) (time.Duration, int, error) { return p.parts(from, to, always(p.RemoveBatch)) }
}

func (p *goPlayer) find(share, n, held, round int) (time.Duration, int, int, error) {
	return p.timed(p.Contains)(share, n, held, round)
}

func (p *goPlayer) batch() probing {
	if p.Batch == nil {
		return nil
	}
	return p.timed(p.Batch)
}

func (p *goPlayer) timed(loop func([]uint64) int) probing {
	return func(share, n, held, round int) (time.Duration, int, int, error) {
		keys, hits := probes(p.seed, share, n, held, round)
		start := time.Now()
		yes := loop(keys)
		return time.Since(start), hits, yes, nil
	}
}
