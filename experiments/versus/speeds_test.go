package versus

import (
	"errors"

	"github.com/bits-and-blooms/bloom/v3"
	nestbloom "github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	parquet "github.com/parquet-go/parquet-go/bloom"
	peer "github.com/seiflotfy/cuckoofilter"
	"github.com/tylertreat/BoomFilters"
)

// lowRate is the other rate that Bloom filters are timed at, beside askedRate: just above that of our cuckoo
// filter with 12 bits, 0.00186 at load 0.95, so that ours has the lower one.
const lowRate = 0.002

// errRefused is the error of a filter that says no more than that a key was not inserted.
var errRefused = errors.New("a key is refused")

// speeds returns the filters that are timed against each other, all by keys of 16 bytes: those of other
// modules, then ours. n slots are a cuckoo filter's; Bloom filters are made for the keys of load 0.95. The loops are written for each
// type, whose verbs are then called directly.
func speeds() []rival {
	all := []rival{
		{"seiflotfy-cuckoo", timeSeiflotfy},
		{"boom-cuckoo", timeBoomCuckoo},
		{"boom-counting", func(n int) (*verbs, error) {
			f := boom.NewDefaultCountingBloomFilter(uint(keysOf(n)), askedRate)
			return timeBoom(f, func() { f.Reset() }), nil
		}},
		{"parquet-splitblock", timeParquet},
	}
	for _, low := range []struct {
		suffix string
		rate   float64
	}{{"", askedRate}, {"-low", lowRate}} {
		all = append(all,
			rival{"bits-bloom" + low.suffix, func(n int) (*verbs, error) { return timeBits(n, low.rate), nil }},
			rival{"boom-bloom" + low.suffix, func(n int) (*verbs, error) {
				f := boom.NewBloomFilter(uint(keysOf(n)), low.rate)
				return timeBoom(f, func() { f.Reset() }), nil
			}})
	}
	// Bits per key of our Bloom filters: what the reference measurements in C++ have.
	bits := func(n int, perKey float64) int { return int(float64(keysOf(n)) * perKey) }
	return append(all,
		rival{"nest-cuckoo-xor", timeCuckoo[fingerprint.Bits12](cuckoo.XOR)},
		rival{"nest-cuckoo-additive", timeCuckoo[fingerprint.Bits12](cuckoo.Additive)},
		rival{"nest-cuckoo8-xor", timeCuckoo[fingerprint.Bits8](cuckoo.XOR)},
		rival{"nest-bloom", func(n int) (*verbs, error) {
			return timeBloom(nestbloom.New(nestbloom.Config{Bits: bits(n, 13), Hashes: 9}))
		}},
		rival{"nest-blocked-bloom", func(n int) (*verbs, error) {
			return timeBloom(nestbloom.NewBlocked(nestbloom.Config{Bits: bits(n, 13), Hashes: 9}))
		}},
		rival{"nest-split-block-bloom", func(n int) (*verbs, error) {
			return timeBloom(nestbloom.NewSplitBlock(nestbloom.Config{Bits: bits(n, 32./3)}))
		}})
}

// timeCuckoo makes n slots. Its calls are direct, because each width is compiled by itself.
func timeCuckoo[F fingerprint.Width](p cuckoo.Placement) func(n int) (*verbs, error) {
	return func(n int) (*verbs, error) {
		f, err := cuckoo.New[F](cuckoo.Config{Buckets: n / 4, Placement: p})
		if err != nil {
			return nil, err
		}
		return &verbs{
			insert:   func(keys []byte) error { return insertEach(keys, func(key []byte) error { return f.Insert(key) }) },
			contains: func(keys []byte) int { return countEach(keys, func(key []byte) bool { return f.Contains(key) }) },
			reset:    f.Reset, sizeBytes: f.SizeBytes,
		}, nil
	}
}

// timeBloom has the loops of our Bloom filters: one set of loops, whose calls go through an interface, which a processor
// predicts.
func timeBloom[F interface {
	Insert(key []byte)
	Contains(key []byte) bool
	Reset()
	SizeBytes() int
}](f F, err error) (*verbs, error) {
	return &verbs{
		insert:   func(keys []byte) error { return insertEach(keys, func(key []byte) error { f.Insert(key); return nil }) },
		contains: func(keys []byte) int { return countEach(keys, func(key []byte) bool { return f.Contains(key) }) },
		reset:    func() { f.Reset() }, sizeBytes: func() int { return f.SizeBytes() },
	}, err
}

// timeSeiflotfy makes n slots of 8 bits, n being a power of two.
func timeSeiflotfy(n int) (*verbs, error) {
	f := peer.NewFilter(uint(n))
	return &verbs{
		insert: func(keys []byte) error {
			return insertEach(keys, func(key []byte) error {
				if !f.Insert(key) {
					return errRefused
				}
				return nil
			})
		},
		contains: func(keys []byte) int { return countEach(keys, func(key []byte) bool { return f.Lookup(key) }) },
		reset:    f.Reset, sizeBytes: func() int { return n },
	}, nil
}

// timeBoomCuckoo makes one for as many keys as n slots hold.
func timeBoomCuckoo(n int) (*verbs, error) {
	f := boom.NewCuckooFilter(uint(keysOf(n)), askedRate)
	return &verbs{
		insert:   func(keys []byte) error { return insertEach(keys, func(key []byte) error { return f.Add(key) }) },
		contains: func(keys []byte) int { return countEach(keys, func(key []byte) bool { return f.Test(key) }) },
		reset:    func() { f.Reset() },
	}, nil
}

// timeBoom has the loops of the filters that implement the interface of their module, as its own programs
// call them.
func timeBoom(f boom.Filter, reset func()) *verbs {
	return &verbs{
		insert: func(keys []byte) error {
			return insertEach(keys, func(key []byte) error { f.Add(key); return nil })
		},
		contains: func(keys []byte) int { return countEach(keys, func(key []byte) bool { return f.Test(key) }) },
		reset:    reset,
	}
}

func timeBits(n int, rate float64) *verbs {
	f := bloom.NewWithEstimates(uint(keysOf(n)), rate)
	return &verbs{
		insert: func(keys []byte) error {
			return insertEach(keys, func(key []byte) error { f.Add(key); return nil })
		},
		contains: func(keys []byte) int { return countEach(keys, func(key []byte) bool { return f.Test(key) }) },
		reset:    func() { f.ClearAll() }, sizeBytes: func() int { return int(f.Cap() / 8) },
	}
}

// timeParquet makes a split-block filter of 11 bits a key, rounded up from our 10.67.
func timeParquet(n int) (*verbs, error) {
	f, hash := make(parquet.SplitBlockFilter, parquet.NumSplitBlocksOf(int64(keysOf(n)), 11)), parquet.XXH64{}
	return &verbs{
		insert: func(keys []byte) error {
			return insertEach(keys, func(key []byte) error { f.Insert(hash.Sum64(key)); return nil })
		},
		contains: func(keys []byte) int {
			return countEach(keys, func(key []byte) bool { return f.Check(hash.Sum64(key)) })
		},
		reset: f.Reset, sizeBytes: func() int { return len(f.Bytes()) },
	}, nil
}
