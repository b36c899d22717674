// Package ours has the adapters that give filters of this module to the conformance suite of package filtertest, and
// to whatever else compares filters through it. Its tests have those of all others, and run the suite on every filter.
package ours

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
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
	Equal(T) bool
}

// bind returns the functions that all filters share. rate is the filter's, of itself or of its Stats, and wrap makes
// the rest of a filter's functions.
func bind[T filter[T]](f T, rate func() float64, hash hashing.Hasher,
	wrap func(T) *filtertest.Filter) *filtertest.Filter {
	return &filtertest.Filter{
		Contains:  f.Contains,
		Len:       f.Len,
		Rate:      rate,
		Slots:     f.Slots,
		SizeBytes: f.SizeBytes,
		State:     func() any { return f.Clone() },
		Reset:     f.Reset,
		Clone:     func() *filtertest.Filter { return wrap(f.Clone()) },
		Strings:   &filtertest.Strings{Contains: f.ContainsString},
		Hashes: &filtertest.Hashes{
			Digest:      hash.Sum64,
			Contains:    f.ContainsHash,
			ContainsAll: f.ContainsHashes,
		},
	}
}

// A deleter has the verbs of filters that can delete.
type deleter interface {
	Delete(key []byte) bool
	DeleteString(key string) bool
	DeleteHash(h uint64) bool
	DeleteHashes(hs []uint64) int
	Count(key []byte) int
	CountString(key string) int
}

// bindDeleter adds those verbs.
func bindDeleter(to *filtertest.Filter, f deleter) {
	to.Delete, to.Count = f.Delete, f.Count
	to.Strings.Delete, to.Strings.Count = f.DeleteString, f.CountString
	to.Hashes.Delete, to.Hashes.DeleteAll = f.DeleteHash, f.DeleteHashes
}

// A refuser has the insert verbs of filters that refuse a key when they are full. All of them can delete.
type refuser interface {
	deleter
	Insert(key []byte) error
	InsertString(key string) error
	InsertHash(h uint64) error
	InsertHashes(hs []uint64) (n int, err error)
}

// bindRefuser adds those verbs.
func bindRefuser(to *filtertest.Filter, f refuser) {
	bindDeleter(to, f)
	to.Insert = func(key []byte) bool { return f.Insert(key) == nil }
	to.Strings.Insert = func(key string) bool { return f.InsertString(key) == nil }
	to.Hashes.Insert = func(h uint64) bool { return f.InsertHash(h) == nil }
	to.Hashes.InsertAll = func(hs []uint64) int { n, _ := f.InsertHashes(hs); return n }
}

// An absorber has the insert verbs of filters that refuse nothing.
type absorber interface {
	Insert(key []byte)
	InsertString(key string)
	InsertHash(h uint64)
	InsertHashes(hs []uint64)
}

// bindAbsorber adds those verbs.
func bindAbsorber(to *filtertest.Filter, f absorber) {
	to.Insert = func(key []byte) bool { f.Insert(key); return true }
	to.Strings.Insert = func(key string) bool { f.InsertString(key); return true }
	to.Hashes.Insert = func(h uint64) bool { f.InsertHash(h); return true }
	to.Hashes.InsertAll = func(hs []uint64) int { f.InsertHashes(hs); return len(hs) }
}

// adapter returns the adapter of a filter that promises a rate. What wraps a filter is a function for each type,
// because a key on the stack escapes through a call of a type parameter's method.
func adapter[T filter[T]](
	name string, rate float64, full filtertest.Full, open func(capacity int) (T, error), wrap func(T) *filtertest.Filter,
) filtertest.Adapter {
	return filtertest.Adapter{
		Name: "filter=" + name, TargetRate: rate, Full: full, AllocFree: true,
		SameState: func(a, b any) bool { return a.(T).Equal(b.(T)) }, // the states that bind makes
		New: func(capacity int) (*filtertest.Filter, error) {
			f, err := open(capacity)
			if err != nil {
				return nil, err
			}
			return wrap(f), nil
		},
	}
}

// Cuckoo returns the adapter of a cuckoo filter of the configuration, whose Capacity and Buckets
// are those that the kit asks for. The claimed rate is that of a full table, 1-exp(-2*b/(2^f-1)).
//
// The promise of a capacity is strict for the default kick policy and MaxKicks, b of 4 or 8 and
// fingerprints of at least 8 bits; elsewhere a capacity is a target.
func Cuckoo[F fingerprint.Width](c cuckoo.Config) filtertest.Adapter {
	width := fingerprint.WidthOf[F]()
	b := c.BucketSize
	if b == 0 {
		b = 4
	}
	policy := c.Kick
	if policy == nil {
		policy = cuckoo.BreadthFirst
	}
	params := ""
	if c.Layout != cuckoo.Packed {
		params = "/layout=" + c.Layout.String()
	}
	strict := b >= 4 && width >= 8 && policy == cuckoo.BreadthFirst && c.MaxKicks == 0 && c.Placement != cuckoo.PlainXOR
	a := adapter(
		fmt.Sprintf("cuckoo/f=%d/b=%d%s/placement=%v/kick=%s", width, b, params, c.Placement, policy.Recipe()),
		-math.Expm1(-2*float64(b)/(math.Ldexp(1, int(width))-1)), filtertest.Refuses,
		func(capacity int) (*cuckoo.Filter[F], error) {
			c := c
			c.Capacity, c.Buckets = capacity, 0
			return cuckoo.New[F](c)
		}, wrapCuckoo[F])
	a.CapacityIsTarget = !strict
	return a
}

func wrapCuckoo[F fingerprint.Width](f *cuckoo.Filter[F]) *filtertest.Filter {
	to := bind(f, f.FalsePositiveRate, f.Config().Hash, wrapCuckoo[F])
	bindRefuser(to, f)
	to.OnStack = []filtertest.Call{
		{Name: "Insert", Do: func(key [16]byte) { _ = f.Insert(key[:]) }},
		{Name: "InsertUnique", Do: func(key [16]byte) { _, _ = f.InsertUnique(key[:]) }},
		{Name: "Contains", Do: func(key [16]byte) { f.Contains(key[:]) }},
		{Name: "Count", Do: func(key [16]byte) { f.Count(key[:]) }},
		{Name: "Delete", Do: func(key [16]byte) { f.Delete(key[:]) }},
	}
	return to
}

// bloomAdapter returns the adapter of one of the Bloom filters.
func bloomAdapter[F filter[F]](name string, rate float64, open func(bloom.Config) (F, error),
	wrap func(F) *filtertest.Filter) filtertest.Adapter {
	return adapter(fmt.Sprintf("%s/fpr=%v", name, rate), rate, filtertest.Absorbs, func(capacity int) (F, error) {
		return open(bloom.Config{Capacity: capacity, FalsePositiveRate: rate})
	}, wrap)
}

// Bloom returns the adapter of a classic Bloom filter with the claimed rate.
func Bloom(rate float64) filtertest.Adapter {
	return bloomAdapter("bloom", rate, bloom.New, wrapBloom)
}

func wrapBloom(f *bloom.Filter) *filtertest.Filter {
	to := bind(f, func() float64 { return f.Stats().FalsePositiveRate }, f.Config().Hash, wrapBloom)
	bindAbsorber(to, f)
	to.OnStack = []filtertest.Call{
		{Name: "Insert", Do: func(key [16]byte) { f.Insert(key[:]) }},
		{Name: "InsertUnique", Do: func(key [16]byte) { f.InsertUnique(key[:]) }},
		{Name: "Contains", Do: func(key [16]byte) { f.Contains(key[:]) }},
	}
	return to
}

// Blocked returns the adapter of a blocked Bloom filter with the claimed rate.
func Blocked(rate float64) filtertest.Adapter {
	return bloomAdapter("blocked", rate, bloom.NewBlocked, wrapBlocked)
}

func wrapBlocked(f *bloom.Blocked) *filtertest.Filter {
	to := bind(f, func() float64 { return f.Stats().FalsePositiveRate }, f.Config().Hash, wrapBlocked)
	bindAbsorber(to, f)
	to.OnStack = []filtertest.Call{
		{Name: "Insert", Do: func(key [16]byte) { f.Insert(key[:]) }},
		{Name: "InsertUnique", Do: func(key [16]byte) { f.InsertUnique(key[:]) }},
		{Name: "Contains", Do: func(key [16]byte) { f.Contains(key[:]) }},
	}
	return to
}

// Counting returns the adapter of a counting Bloom filter with the claimed rate and counters of 2,
// 4, 8 or 16 bits.
func Counting(rate float64, bits int) filtertest.Adapter {
	return adapter(fmt.Sprintf("counting/bits=%d/fpr=%v", bits, rate), rate, filtertest.Absorbs,
		func(capacity int) (*counting.Filter, error) {
			return counting.New(counting.Config{Capacity: capacity, FalsePositiveRate: rate, CounterBits: bits})
		}, wrapCounting)
}

func wrapCounting(f *counting.Filter) *filtertest.Filter {
	to := bind(f, func() float64 { return f.Stats().FalsePositiveRate }, f.Config().Hash, wrapCounting)
	bindAbsorber(to, f)
	bindDeleter(to, f)
	to.CountLimit = 1<<f.Config().CounterBits - 1
	to.OnStack = []filtertest.Call{
		{Name: "Insert", Do: func(key [16]byte) { f.Insert(key[:]) }},
		{Name: "InsertUnique", Do: func(key [16]byte) { f.InsertUnique(key[:]) }},
		{Name: "Contains", Do: func(key [16]byte) { f.Contains(key[:]) }},
		{Name: "Count", Do: func(key [16]byte) { f.Count(key[:]) }},
		{Name: "Delete", Do: func(key [16]byte) { f.Delete(key[:]) }},
	}
	return to
}
