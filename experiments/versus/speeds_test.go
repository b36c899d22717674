package versus

import (
	"errors"

	"github.com/bits-and-blooms/bloom/v3"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/speed"
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
func speeds() []speed.Subject {
	subjects := []speed.Subject{
		{Name: "seiflotfy-cuckoo", New: timeSeiflotfy},
		{Name: "boom-cuckoo", New: timeBoomCuckoo},
		{Name: "boom-counting", New: func(n int) (*speed.Filter, error) {
			f := boom.NewDefaultCountingBloomFilter(uint(speed.Keys(n)), askedRate)
			return timeBoom(f, func() { f.Reset() }), nil
		}},
		{Name: "parquet-splitblock", New: timeParquet},
	}
	for _, low := range []struct {
		suffix string
		rate   float64
	}{{"", askedRate}, {"-low", lowRate}} {
		subjects = append(subjects,
			speed.Subject{Name: "bits-bloom" + low.suffix, New: func(n int) (*speed.Filter, error) { return timeBits(n, low.rate), nil }},
			speed.Subject{Name: "boom-bloom" + low.suffix, New: func(n int) (*speed.Filter, error) {
				f := boom.NewBloomFilter(uint(speed.Keys(n)), low.rate)
				return timeBoom(f, func() { f.Reset() }), nil
			}})
	}
	ours := append([]speed.Subject{
		speed.Cuckoo(cuckoo.XOR, nil),
		speed.Cuckoo(cuckoo.Additive, nil),
		speed.CuckooOf[fingerprint.Bits8]("cuckoo8-xor", cuckoo.Config{Placement: cuckoo.XOR}),
	}, speed.Blooms()...)
	for _, s := range ours {
		s.Name = "nest-" + s.Name
		subjects = append(subjects, s)
	}
	for i := range subjects {
		subjects[i].Params = "filter=" + subjects[i].Name
	}
	return subjects
}

// timeSeiflotfy makes n slots of 8 bits, n being a power of two.
func timeSeiflotfy(n int) (*speed.Filter, error) {
	f := peer.NewFilter(uint(n))
	return &speed.Filter{
		FillBytes: func(keys []byte) error {
			return speed.InsertBytes(keys, func(key []byte) error {
				if !f.Insert(key) {
					return errRefused
				}
				return nil
			})
		},
		ContainsBytes: func(keys []byte) int { return speed.CountBytes(keys, func(key []byte) bool { return f.Lookup(key) }) },
		Reset:         f.Reset, SizeBytes: func() int { return n },
	}, nil
}

// timeBoomCuckoo makes one for as many keys as n slots hold.
func timeBoomCuckoo(n int) (*speed.Filter, error) {
	f := boom.NewCuckooFilter(uint(speed.Keys(n)), askedRate)
	return &speed.Filter{
		FillBytes:     func(keys []byte) error { return speed.InsertBytes(keys, func(key []byte) error { return f.Add(key) }) },
		ContainsBytes: func(keys []byte) int { return speed.CountBytes(keys, func(key []byte) bool { return f.Test(key) }) },
		Reset:         func() { f.Reset() },
	}, nil
}

// timeBoom has the loops of the filters that implement the interface of their module, as its own programs
// call them.
func timeBoom(f boom.Filter, reset func()) *speed.Filter {
	return &speed.Filter{
		FillBytes: func(keys []byte) error {
			return speed.InsertBytes(keys, func(key []byte) error { f.Add(key); return nil })
		},
		ContainsBytes: func(keys []byte) int { return speed.CountBytes(keys, func(key []byte) bool { return f.Test(key) }) },
		Reset:         reset,
	}
}

func timeBits(n int, rate float64) *speed.Filter {
	f := bloom.NewWithEstimates(uint(speed.Keys(n)), rate)
	return &speed.Filter{
		FillBytes: func(keys []byte) error {
			return speed.InsertBytes(keys, func(key []byte) error { f.Add(key); return nil })
		},
		ContainsBytes: func(keys []byte) int { return speed.CountBytes(keys, func(key []byte) bool { return f.Test(key) }) },
		Reset:         func() { f.ClearAll() }, SizeBytes: func() int { return int(f.Cap() / 8) },
	}
}

// timeParquet makes a split-block filter of 11 bits a key, rounded up from our 10.67.
func timeParquet(n int) (*speed.Filter, error) {
	f, hash := make(parquet.SplitBlockFilter, parquet.NumSplitBlocksOf(int64(speed.Keys(n)), 11)), parquet.XXH64{}
	return &speed.Filter{
		FillBytes: func(keys []byte) error {
			return speed.InsertBytes(keys, func(key []byte) error { f.Insert(hash.Sum64(key)); return nil })
		},
		ContainsBytes: func(keys []byte) int {
			return speed.CountBytes(keys, func(key []byte) bool { return f.Check(hash.Sum64(key)) })
		},
		Reset: f.Reset, SizeBytes: func() int { return len(f.Bytes()) },
	}, nil
}
