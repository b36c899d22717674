package catalogue

import (
	"fmt"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// Others returns filters of this module that [Subjects] leaves out: the cuckoo filter of 8 and 16 bits, those that grow, that
// goroutines share, and that count. They have no Build.
func Others() []Subject {
	cuckooParams := func(width int, kind string) string {
		return fmt.Sprintf("filter=%s/f=%d/b=4/placement=%v", kind, width, cuckoo.Additive)
	}
	counters := func(n, perKey int) int { return max(1, perKey*KeysAt(n, FullLoad)) }
	return []Subject{
		{Name: "cuckoo-8", Label: "cuckoo, 8 bits", Params: cuckooParams(8, "cuckoo"), Slots: true, New: func(n int) (*Loops, error) {
			return openCuckoo[fingerprint.Bits8](cuckoo.Config{Buckets: n / 4}, 0)
		}},
		{Name: "cuckoo-16", Label: "cuckoo, 16 bits", Params: cuckooParams(16, "cuckoo"), Slots: true, New: func(n int) (*Loops, error) {
			return openCuckoo[fingerprint.Bits16](cuckoo.Config{Buckets: n / 4}, 0)
		}},
		{Name: "concurrent-16", Label: "concurrent cuckoo, 16 bits", Params: cuckooParams(16, "concurrent"), Slots: true, New: openConcurrent},
		{Name: "scalable-16", Label: "growing cuckoo, 16 bits", Params: "filter=scalable/f=16/b=4", New: openScalable},
		{Name: "concurrent-bloom", Label: "concurrent bloom", Params: "filter=concurrent-bloom/bits=13/k=9", New: func(n int) (*Loops, error) {
			return openConcurrentBloom(bloom.Config{Bits: counters(n, BloomBits), Hashes: BloomHashes})
		}},
		{Name: "counting", Label: "counting bloom", Params: "filter=counting/counters=10/k=7/bits=4", New: func(n int) (*Loops, error) {
			return openCounting(counting.Config{Counters: counters(n, 10), Hashes: 7, CounterBits: countingCells})
		}},
		{Name: "dleft", Label: "d-left", Params: "filter=dleft/r=10/c=2", New: func(n int) (*Loops, error) {
			return openDLeft(counting.DLeftConfig{Capacity: KeysAt(n, FullLoad), RemainderBits: DLeftRemainder, CounterBits: DLeftCounter})
		}},
	}
}

// openConcurrent has the loops of a cuckoo filter that goroutines share, used by one.
func openConcurrent(n int) (*Loops, error) {
	f, err := cuckoo.NewConcurrent[fingerprint.Bits16](cuckoo.Config{Buckets: n / 4})
	if err != nil {
		return nil, err
	}
	return Loops{
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(h uint64) error { return f.InsertHash(h) })
		},
		Contains: func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.ContainsHash(h) }) },
		Remove:   func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.DeleteHash(h) }) },
	}.of(f, nil), nil
}

// openScalable has the loops of a cuckoo filter that grows from its smallest size: n is the size of others.
func openScalable(int) (*Loops, error) {
	f, err := cuckoo.NewScalable[fingerprint.Bits16](cuckoo.ScalableConfig{})
	if err != nil {
		return nil, err
	}
	s := Loops{
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(h uint64) error { return f.InsertHash(h) })
		},
		Contains: func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.ContainsHash(h) }) },
		Remove:   func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.DeleteHash(h) }) },
	}.of(f, nil)
	return s, nil
}

// openConcurrentBloom has the loops of a blocked Bloom filter that goroutines share, used by one.
func openConcurrentBloom(c bloom.Config) (*Loops, error) {
	f, err := bloom.NewConcurrent(c)
	if err != nil {
		return nil, err
	}
	return Loops{
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(h uint64) error { f.InsertHash(h); return nil })
		},
		Contains: func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.ContainsHash(h) }) },
	}.of(f, nil), nil
}
