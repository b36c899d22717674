// Package ours has the adapters that give filters of this module to the conformance suite of package filtertest, and
// to whatever else compares filters through it. Its tests have those of all others, and run the suite on every filter.
package ours

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/window"
	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// A filter is what the filters of this module have in common; T is the filter itself.
type filter[T any] interface {
	Contains(key []byte) bool
	ContainsString(key string) bool
	ContainsHash(h uint64) bool
	ContainsHashes(hs []uint64, dst []bool)
	Len() int
	Slots() int
	SizeBytes() int
	Reset()
	Clone() T
	MarshalBinary() ([]byte, error)
}

// A refuser has the insert verbs of filters that refuse a key when they are full, an absorber those of filters that
// refuse nothing, a deleter the verbs of filters that can delete.
type (
	refuser interface {
		Insert(key []byte) error
		InsertString(key string) error
		InsertHash(h uint64) error
		InsertHashes(hs []uint64) (n int, err error)
	}
	absorber interface {
		Insert(key []byte)
		InsertString(key string)
		InsertHash(h uint64)
		InsertHashes(hs []uint64)
	}
	deleter interface {
		Delete(key []byte) bool
		DeleteString(key string) bool
		DeleteHash(h uint64) bool
		DeleteHashes(hs []uint64) int
		Count(key []byte) int
		CountString(key string) int
	}
)

// wrap returns the functions of a filter, which counts to a limit, 0 for none; predicted is its rate as it is.
func wrap[T filter[T]](f T, limit int, predicted func(T) float64) *filtertest.Filter {
	hash := hashing.NewDigester(nil)
	if _, ok := any(f).(*bloom.SplitBlock); ok {
		hash = hashing.NewDigester(hashing.XXH64(0)) // Parquet's, which is its default
	}
	to := &filtertest.Filter{
		Contains: f.Contains, Len: f.Len, Slots: f.Slots, SizeBytes: f.SizeBytes, State: f.MarshalBinary, Reset: f.Reset,
		Rate: func() float64 { return predicted(f) }, CountLimit: limit,
		Clone:   func() *filtertest.Filter { return wrap(f.Clone(), limit, predicted) },
		Strings: &filtertest.Strings{Contains: f.ContainsString},
		Hashes:  &filtertest.Hashes{Digest: hash.Sum64, Contains: f.ContainsHash, ContainsAll: f.ContainsHashes},
	}
	switch f := any(f).(type) {
	case refuser:
		to.Insert = func(key []byte) bool { return f.Insert(key) == nil }
		to.Strings.Insert = func(key string) bool { return f.InsertString(key) == nil }
		to.Hashes.Insert = func(h uint64) bool { return f.InsertHash(h) == nil }
		to.Hashes.InsertAll = func(hs []uint64) int { n, _ := f.InsertHashes(hs); return n }
	case absorber:
		to.Insert = func(key []byte) bool { f.Insert(key); return true }
		to.Strings.Insert = func(key string) bool { f.InsertString(key); return true }
		to.Hashes.Insert = func(h uint64) bool { f.InsertHash(h); return true }
		to.Hashes.InsertAll = func(hs []uint64) int { f.InsertHashes(hs); return len(hs) }
	}
	if f, ok := any(f).(deleter); ok {
		to.Delete, to.Strings.Delete, to.Hashes.Delete = f.Delete, f.DeleteString, f.DeleteHash
		to.Hashes.DeleteAll, to.Count, to.Strings.Count = f.DeleteHashes, f.Count, f.CountString
	}
	return to
}

// adapter returns the adapter of a filter that promises a rate.
func adapter[T filter[T]](name string, rate float64, limit int, predicted func(T) float64,
	open func(capacity int) (T, error)) filtertest.Adapter {
	a := filtertest.Adapter{Name: "filter=" + name, TargetRate: rate, Full: filtertest.Absorbs, AllocFree: true}
	if _, ok := any(*new(T)).(refuser); ok {
		a.Full = filtertest.Refuses
	}
	a.New = func(capacity int) (*filtertest.Filter, error) {
		f, err := open(capacity)
		if err != nil {
			return nil, err
		}
		return wrap(f, limit, predicted), nil
	}
	return a
}

// Cuckoo returns the adapter of a cuckoo filter of the configuration, whose Capacity and Buckets are those that the kit
// asks for and whose hash is the default. The claimed rate is that of a full table, 1-exp(-2*b/(2^f-1)).
//
// The promise of a capacity is strict for the default kick policy and MaxKicks, b of 4 or 8 and fingerprints of at
// least 8 bits; elsewhere a capacity is a target.
func Cuckoo[F fingerprint.Width](c cuckoo.Config) filtertest.Adapter {
	width, b := fingerprint.WidthOf[F](), cmp.Or(c.BucketSize, 4)
	policy := cmp.Or[cuckoo.KickPolicy](c.Kick, cuckoo.BreadthFirst)
	layout := ""
	if c.Layout != cuckoo.Packed {
		layout = "/layout=" + c.Layout.String()
	}
	name := fmt.Sprintf("cuckoo/f=%d/b=%d%s/placement=%v/kick=%s", width, b, layout, c.Placement, policy.Recipe())
	full := -math.Expm1(-2 * float64(b) / (math.Ldexp(1, int(width)) - 1))
	a := adapter(name, full, 0, (*cuckoo.Filter[F]).FalsePositiveRate, func(capacity int) (*cuckoo.Filter[F], error) {
		c := c
		c.Capacity, c.Buckets = capacity, 0
		return cuckoo.New[F](c)
	})
	a.CapacityIsTarget = b < 4 || width < 8 || policy != cuckoo.BreadthFirst || c.MaxKicks != 0 ||
		c.Placement == cuckoo.PlainXOR
	return a
}

// Window returns the adapter of a filter that forgets, in one generation: it is never told that time passes.
func Window[F fingerprint.Width](generations int) filtertest.Adapter {
	width := fingerprint.WidthOf[F]()
	full := -math.Expm1(-8 / (math.Ldexp(1, int(width)) - 1))
	a := adapter(fmt.Sprintf("window/f=%d/g=%d", width, generations), full, 0, (*window.Filter[F]).FalsePositiveRate,
		func(capacity int) (*window.Filter[F], error) {
			return window.New[F](window.Config{Capacity: capacity, Generations: generations})
		})
	a.Set = true
	return a
}

// bloomAdapter returns the adapter of one of the Bloom filters.
func bloomAdapter[F interface {
	filter[F]
	ScanStats() bloom.Stats
}](name string, rate float64, open func(bloom.Config) (F, error)) filtertest.Adapter {
	predicted := func(f F) float64 { return f.ScanStats().FalsePositiveRate }
	return adapter(fmt.Sprintf("%s/fpr=%v", name, rate), rate, 0, predicted, func(capacity int) (F, error) {
		return open(bloom.Config{Capacity: capacity, FalsePositiveRate: rate})
	})
}

// Bloom returns the adapter of a classic Bloom filter with the claimed rate.
func Bloom(rate float64) filtertest.Adapter { return bloomAdapter("bloom", rate, bloom.New) }

// Blocked returns the adapter of a blocked Bloom filter with the claimed rate.
func Blocked(rate float64) filtertest.Adapter { return bloomAdapter("blocked", rate, bloom.NewBlocked) }

// Counting returns the adapter of a counting Bloom filter with the claimed rate and counters of 2, 4, 8 or 16 bits.
func Counting(rate float64, bits int) filtertest.Adapter {
	predicted := func(f *counting.Filter) float64 { return f.ScanStats().FalsePositiveRate }
	name := fmt.Sprintf("counting/bits=%d/fpr=%v", bits, rate)
	return adapter(name, rate, 1<<bits-1, predicted, func(n int) (*counting.Filter, error) {
		return counting.New(counting.Config{Capacity: n, FalsePositiveRate: rate, CounterBits: bits})
	})
}
