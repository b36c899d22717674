package versus

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// keyBytes is the length of a key.
const keyBytes = 16

// A rival is a filter that is timed against others, made for the keys that n slots hold at load 0.95.
type rival struct {
	name string
	make func(n int) (*verbs, error)
}

// verbs are loops over the verbs of a filter. A loop is written where the type is known, so that the calls in it are those
// that a user's program makes.
type verbs struct {
	insert    func(keys []byte) error
	contains  func(keys []byte) int
	reset     func()
	sizeBytes func() int // nil where the filter does not tell
}

// keysOf is the number of keys that n slots hold.
func keysOf(n int) int { return catalogue.KeysAt(n, catalogue.FullLoad) }

// insertEach and countEach are small enough to be inlined, and so is a function literal that they are given: what it
// calls is called directly.
func insertEach(keys []byte, insert func(key []byte) error) error {
	for ; len(keys) >= keyBytes; keys = keys[keyBytes:] {
		if err := insert(keys[:keyBytes]); err != nil {
			return err
		}
	}
	return nil
}

func countEach(keys []byte, contains func(key []byte) bool) (found int) {
	for ; len(keys) >= keyBytes; keys = keys[keyBytes:] {
		if contains(keys[:keyBytes]) {
			found++
		}
	}
	return found
}

// appendKeys appends the bytes of n keys from a number on: two integers each that look random.
func appendKeys(keys []byte, from, n int) []byte {
	for i := range n {
		k := uint64(from + i)
		keys = binary.LittleEndian.AppendUint64(keys, hashing.Mix64(k))
		keys = binary.LittleEndian.AppendUint64(keys, hashing.Mix64(^k))
	}
	return keys
}

// A keyBed is a rival that holds its keys, and probes that are in the filter and others that are not.
type keyBed struct {
	*verbs
	held            int
	present, absent []byte
}

// newKeyBed makes a filled bed.
func newKeyBed(r rival, n int) (*keyBed, error) {
	v, err := r.make(n)
	if err != nil {
		return nil, fmt.Errorf("%s of %d slots: %w", r.name, n, err)
	}
	b := &keyBed{verbs: v, held: keysOf(n)}
	// A MiB for a million keys, so that reading the probes does not push the table out of the cache.
	probes := max(b.held/16, 1<<16)
	b.absent = appendKeys(nil, b.held, probes)
	b.present = appendKeys(nil, 0, min(probes, b.held))
	for len(b.present) < len(b.absent) {
		b.present = append(b.present, b.present[:min(len(b.present), len(b.absent)-len(b.present))]...)
	}
	_, err = b.refill()
	return b, err
}

// refill empties the filter and inserts its keys one by one. Their bytes are made a chunk at a time, outside the lap.
func (b *keyBed) refill() (lap measure.Lap, err error) {
	const chunk = 1 << 12
	b.reset()
	for k := 0; k < b.held && err == nil; k += chunk {
		keys := appendKeys(nil, k, min(chunk, b.held-k))
		start := time.Now()
		err = b.insert(keys)
		lap.Add(measure.LapSince(start, len(keys)/keyBytes))
	}
	return lap, err
}

// ask looks up keys that are all in the filter, or all absent, one by one.
func (b *keyBed) ask(present bool) (measure.Lap, error) {
	keys := b.absent
	if present {
		keys = b.present
	}
	start := time.Now()
	found := b.contains(keys)
	lap := measure.LapSince(start, len(keys)/keyBytes)
	if present && found < lap.Keys {
		return lap, fmt.Errorf("%w: %d of %d", measure.ErrLost, lap.Keys-found, lap.Keys)
	}
	return lap, nil
}

// falsePositives counts the absent probes that are reported as present, and all absent probes.
func (b *keyBed) falsePositives() (reported, probes int) {
	return b.contains(b.absent), len(b.absent) / keyBytes
}

// timed runs a benchmark of laps and reports the nanoseconds per key as ns/op, in place of those of one lap.
// What the lap does outside its own time is not counted.
func timed(b *testing.B, lap func() (measure.Lap, error)) {
	b.Helper()
	var total measure.Lap
	for b.Loop() {
		l, err := lap()
		if err != nil {
			b.Fatal(err)
		}
		total.Add(l)
	}
	b.ReportMetric(total.PerKey(), "ns/op")
}

// A filter that forgets is found out.
func TestKeyBed_LostKeysAreErrors(t *testing.T) {
	forgetful := rival{"forgetful", func(int) (*verbs, error) {
		return &verbs{insert: func([]byte) error { return nil }, contains: func([]byte) int { return 0 }, reset: func() {}}, nil
	}}
	b, err := newKeyBed(forgetful, 1<<10)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.ask(true); err == nil {
		t.Error("lost keys are no error")
	}
	if lap, err := b.ask(false); err != nil || lap.Keys != 1<<16 {
		t.Errorf("%v, %v", lap, err)
	}
}
