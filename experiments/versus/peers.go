package versus

import (
	"slices"
	"strings"

	"github.com/bits-and-blooms/bloom/v3"
	nestcuckoo "github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/filtertest/ours"
	"github.com/nestfilter/nest/fingerprint"
	parquet "github.com/parquet-go/parquet-go/bloom"
	"github.com/seiflotfy/cuckoofilter"
	"github.com/tylertreat/BoomFilters"
)

// The paths of the modules compared: ours, and others as in go.mod.
const (
	OursModule      = "github.com/nestfilter/nest"
	SeiflotfyModule = "github.com/seiflotfy/cuckoofilter"
	BitsModule      = "github.com/bits-and-blooms/bloom/v3"
	BoomModule      = "github.com/tylertreat/BoomFilters"
	ParquetModule   = "github.com/parquet-go/parquet-go"
)

// askedRate is the false-positive rate that every filter is asked for that can be asked.
const askedRate = 0.01

// A Subject is one filter of one module, ready for the conformance kit.
type Subject struct {
	// Module is the path of the module that the filter comes from.
	Module string
	// Adapter is the filter. Its name need only be unique within the module.
	filtertest.Adapter
	// Remark is what a reader should know of the filter before the findings, "" for nothing.
	Remark string
}

// label names the module, shortened to its last telling part, and the filter.
func (r *Result) label() string {
	if r.Module == OursModule {
		return "nest " + r.Filter
	}
	return strings.Split(r.Module, "/")[1] + " " + r.Filter
}

// Subjects returns all filters: those of other modules first, then four of this one, at the same rate where a rate
// can be asked for.
func Subjects() []Subject {
	named := func(name, remark string, a filtertest.Adapter) Subject {
		a.Name = name
		return Subject{OursModule, a, remark}
	}
	return append(peers(),
		named("cuckoo", "12-bit fingerprints, 4 slots a bucket", ours.Cuckoo[fingerprint.Bits12](nestcuckoo.Config{Seed: 1})),
		named("counting", "4-bit counters", ours.Counting(askedRate, 4)),
		named("bloom", "", ours.Bloom(askedRate)),
		named("blocked", "", ours.Blocked(askedRate)))
}

// peers returns the filters of other modules.
func peers() []Subject {
	type opener = func(n uint) *filtertest.Filter
	of := func(module, name string, rate float64, full filtertest.Full, open opener, remark string) Subject {
		return Subject{module, filtertest.Adapter{
			Name: name, TargetRate: rate, Full: full,
			Random: full != filtertest.Absorbs, // kicks take the generator of the process
			New:    func(capacity int) (*filtertest.Filter, error) { return open(uint(capacity)), nil },
		}, remark}
	}
	return []Subject{
		// The README of seiflotfy/cuckoofilter: f >= log2(2b/r) bits, "expect r ~= 0.03" with f = 8 and b = 4.
		of(SeiflotfyModule, "cuckoo", 2*4.0/256, filtertest.Refuses, seiflotfyCuckoo,
			"8-bit fingerprints, 4 slots a bucket, a power of two of buckets; the rate is that of its README, 2b/2^f"),
		of(BoomModule, "cuckoo", askedRate, filtertest.MayRefuse, boomCuckoo,
			"its documentation says that an Add to a full filter removes another key; with 8 buckets of 4 slots or "+
				"more a key, four times the capacity does not fill it, and its rate is that of a sparse table"),
		of(BoomModule, "counting", askedRate, filtertest.Absorbs, boomCounting,
			"4-bit counters; the documentation of Test names a non-zero probability of false negatives"),
		of(BoomModule, "bloom", askedRate, filtertest.Absorbs, boomBloom, ""),
		of(BitsModule, "bloom", askedRate, filtertest.Absorbs, func(n uint) *filtertest.Filter {
			return wrapBits(bloom.NewWithEstimates(n, askedRate))
		}, ""),
		of(ParquetModule, "splitblock", 0, filtertest.Absorbs, parquetSplitBlock,
			"sized by 10 bits a key; no rate is claimed"),
	}
}

// absorbed makes a Filter.Insert of a verb that takes every key.
func absorbed[K, T any](add func(key K) T) func(key K) bool {
	return func(key K) bool { add(key); return true }
}

func seiflotfyCuckoo(n uint) *filtertest.Filter {
	f := cuckoo.NewFilter(n)
	bytes := func() int { return len(f.Encode()) } // a byte is a slot
	return &filtertest.Filter{
		Insert: f.Insert, Contains: f.Lookup, Delete: f.Delete, Reset: f.Reset,
		Len:   func() int { return int(f.Count()) },
		Slots: bytes, SizeBytes: bytes,
		State: func() ([]byte, error) { return f.Encode(), nil },
	}
}

func boomCuckoo(n uint) *filtertest.Filter {
	f := boom.NewCuckooFilter(n, askedRate)
	return &filtertest.Filter{
		Insert:   func(key []byte) bool { return f.Add(key) == nil },
		Contains: f.Test, Delete: f.TestAndRemove,
		Len:   func() int { return int(f.Count()) },
		Slots: func() int { return 4 * int(f.Buckets()) },
		Reset: func() { f.Reset() },
	}
}

func boomCounting(n uint) *filtertest.Filter {
	f := boom.NewDefaultCountingBloomFilter(n, askedRate)
	return &filtertest.Filter{
		Insert: absorbed(f.Add), Contains: f.Test, Delete: f.TestAndRemove,
		Len: func() int { return int(f.Count()) },
		State: func() ([]byte, error) {
			data, err := f.GobEncode()
			if err != nil {
				return nil, err
			}
			return data[8*(4+f.K()):], nil // behind four numbers and the scratch of the last delete
		},
		Reset: func() { f.Reset() },
	}
}

func boomBloom(n uint) *filtertest.Filter {
	f := boom.NewBloomFilter(n, askedRate)
	return &filtertest.Filter{
		Insert: absorbed(f.Add), Contains: f.Test,
		Len:   func() int { return int(f.Count()) },
		State: f.GobEncode,
		Reset: func() { f.Reset() },
	}
}

func wrapBits(f *bloom.BloomFilter) *filtertest.Filter {
	return &filtertest.Filter{
		Insert: absorbed(f.Add), Contains: f.Test,
		State:   f.MarshalBinary,
		Reset:   func() { f.ClearAll() },
		Clone:   func() *filtertest.Filter { return wrapBits(f.Copy()) },
		Strings: &filtertest.Strings{Insert: absorbed(f.AddString), Contains: f.TestString},
	}
}

func parquetSplitBlock(n uint) *filtertest.Filter {
	const bitsPerKey = 10
	f, hash := make(parquet.SplitBlockFilter, parquet.NumSplitBlocksOf(int64(n), bitsPerKey)), parquet.XXH64{}
	return &filtertest.Filter{
		Insert:   func(key []byte) bool { f.Insert(hash.Sum64(key)); return true },
		Contains: func(key []byte) bool { return f.Check(hash.Sum64(key)) },
		State:    func() ([]byte, error) { return slices.Clone(f.Bytes()), nil },
		Reset:    f.Reset,
	}
}
