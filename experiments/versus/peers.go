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
	oursModule      = "github.com/nestfilter/nest"
	seiflotfyModule = "github.com/seiflotfy/cuckoofilter"
	bitsModule      = "github.com/bits-and-blooms/bloom/v3"
	boomModule      = "github.com/tylertreat/BoomFilters"
	parquetModule   = "github.com/parquet-go/parquet-go"
)

// askedRate is the false-positive rate that every filter is asked for that can be asked.
const askedRate = 0.01

// A Subject is one filter of one module, ready for the conformance kit.
type Subject struct {
	// Module is the path of the module that the filter comes from.
	Module string
	// Adapter is the filter. Its name need only be unique within the module.
	Adapter filtertest.Adapter
	// Remark is what a reader should know of the filter before the findings, "" for nothing.
	Remark string
}

// Ours reports whether the filter is one of this project.
func (s Subject) Ours() bool { return s.Module == oursModule }

// Label names the module, shortened to its last telling part, and the filter.
func (s Subject) Label() string {
	if s.Ours() {
		return "nest " + s.Adapter.Name
	}
	return strings.Split(s.Module, "/")[1] + " " + s.Adapter.Name
}

// Subjects returns all filters: those of other modules first, then four of this one, at the same rate where a rate
// can be asked for.
func Subjects() []Subject {
	named := func(name, remark string, a filtertest.Adapter) Subject {
		a.Name = name
		return Subject{Module: oursModule, Adapter: a, Remark: remark}
	}
	return slices.Concat(peers(), []Subject{
		named("cuckoo", "12-bit fingerprints, 4 slots a bucket", ours.Cuckoo[fingerprint.Bits12](nestcuckoo.Config{Seed: 1})),
		named("counting", "4-bit counters", ours.Counting(askedRate, 4)),
		named("bloom", "", ours.Bloom(askedRate)),
		named("blocked", "", ours.Blocked(askedRate)),
	})
}

// peers returns the filters of other modules.
func peers() []Subject {
	return []Subject{
		{Module: seiflotfyModule, Adapter: seiflotfyCuckoo,
			Remark: "8-bit fingerprints, 4 slots a bucket, a power of two of buckets; the rate is that of its README, 2b/2^f"},
		{Module: boomModule, Adapter: boomCuckoo,
			Remark: "its documentation says that an Add to a full filter removes another key; with 8 buckets of 4 slots or " +
				"more a key, four times the capacity does not fill it, and its rate is that of a sparse table"},
		{Module: boomModule, Adapter: boomCounting,
			Remark: "4-bit counters; the documentation of Test names a non-zero probability of false negatives"},
		{Module: boomModule, Adapter: boomBloom},
		{Module: bitsModule, Adapter: bitsBloom},
		{Module: parquetModule, Adapter: parquetSplitBlock, Remark: "sized by 10 bits a key; no rate is claimed"},
	}
}

var seiflotfyCuckoo = filtertest.Adapter{
	Name: "cuckoo",
	// Its README: f >= log2(2b/r) bits, "expect r ~= 0.03" with f = 8 and b = 4.
	TargetRate: 2 * 4.0 / 256,
	Full:       filtertest.Refuses,
	Random:     true, // kicks take the generator of the process
	New: func(capacity int) (*filtertest.Filter, error) {
		f := cuckoo.NewFilter(uint(capacity))
		bytes := func() int { return len(f.Encode()) } // a byte is a slot
		return &filtertest.Filter{
			Insert: f.Insert, Contains: f.Lookup, Delete: f.Delete, Reset: f.Reset,
			Len:   func() int { return int(f.Count()) },
			Slots: bytes, SizeBytes: bytes,
			State: func() any { return f.Encode() },
		}, nil
	},
}

var boomCuckoo = filtertest.Adapter{
	Name:       "cuckoo",
	TargetRate: askedRate,
	Random:     true, // kicks take the generator of the process
	New: func(capacity int) (*filtertest.Filter, error) {
		f := boom.NewCuckooFilter(uint(capacity), askedRate)
		return &filtertest.Filter{
			Insert:   func(key []byte) bool { return f.Add(key) == nil },
			Contains: f.Test, Delete: f.TestAndRemove,
			Len:   func() int { return int(f.Count()) },
			Slots: func() int { return 4 * int(f.Buckets()) },
			Reset: func() { f.Reset() },
		}, nil
	},
}

var boomCounting = filtertest.Adapter{
	Name:       "counting",
	TargetRate: askedRate,
	Full:       filtertest.Absorbs,
	New: func(capacity int) (*filtertest.Filter, error) {
		f := boom.NewDefaultCountingBloomFilter(uint(capacity), askedRate)
		return &filtertest.Filter{
			Insert:   func(key []byte) bool { f.Add(key); return true },
			Contains: f.Test, Delete: f.TestAndRemove,
			Len: func() int { return int(f.Count()) },
			State: func() any {
				data, err := f.GobEncode()
				if err != nil {
					return err.Error()
				}
				// Four numbers and the scratch of the last delete go before the counters.
				return data[8*(4+f.K()):]
			},
			Reset: func() { f.Reset() },
		}, nil
	},
}

var boomBloom = filtertest.Adapter{
	Name:       "bloom",
	TargetRate: askedRate,
	Full:       filtertest.Absorbs,
	New: func(capacity int) (*filtertest.Filter, error) {
		f := boom.NewBloomFilter(uint(capacity), askedRate)
		return &filtertest.Filter{
			Insert:   func(key []byte) bool { f.Add(key); return true },
			Contains: f.Test,
			Len:      func() int { return int(f.Count()) },
			State:    encoded(f.GobEncode),
			Reset:    func() { f.Reset() },
		}, nil
	},
}

var bitsBloom = filtertest.Adapter{
	Name:       "bloom",
	TargetRate: askedRate,
	Full:       filtertest.Absorbs,
	New: func(capacity int) (*filtertest.Filter, error) {
		return wrapBits(bloom.NewWithEstimates(uint(capacity), askedRate)), nil
	},
}

func wrapBits(f *bloom.BloomFilter) *filtertest.Filter {
	return &filtertest.Filter{
		Insert:   func(key []byte) bool { f.Add(key); return true },
		Contains: f.Test,
		State:    encoded(f.MarshalBinary),
		Reset:    func() { f.ClearAll() },
		Clone:    func() *filtertest.Filter { return wrapBits(f.Copy()) },
		Strings: &filtertest.Strings{
			Insert:   func(key string) bool { f.AddString(key); return true },
			Contains: f.TestString,
		},
	}
}

var parquetSplitBlock = filtertest.Adapter{
	Name: "splitblock",
	Full: filtertest.Absorbs,
	New: func(capacity int) (*filtertest.Filter, error) {
		const bitsPerKey = 10
		f := make(parquet.SplitBlockFilter, parquet.NumSplitBlocksOf(int64(capacity), bitsPerKey))
		digest := parquet.XXH64{}.Sum64
		return &filtertest.Filter{
			Insert:   func(key []byte) bool { f.Insert(digest(key)); return true },
			Contains: func(key []byte) bool { return f.Check(digest(key)) },
			State:    func() any { return append([]byte(nil), f.Bytes()...) },
			Reset:    f.Reset,
		}, nil
	},
}

// encoded makes a Filter.State of a method that encodes the filter. An error is part of the state.
func encoded(encode func() ([]byte, error)) func() any {
	return func() any {
		data, err := encode()
		if err != nil {
			return err.Error()
		}
		return data
	}
}
