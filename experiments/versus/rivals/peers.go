package rivals

import (
	"unsafe"

	"github.com/FastFilter/xorfilter"
	"github.com/bits-and-blooms/bloom/v3"
	parquet "github.com/parquet-go/parquet-go/bloom"
	"github.com/seiflotfy/cuckoofilter"
	"github.com/tylertreat/BoomFilters"
)

// The paths of the modules, as in go.mod.
const (
	xorModule       = "github.com/FastFilter/xorfilter"
	seiflotfyModule = "github.com/seiflotfy/cuckoofilter"
	bitsModule      = "github.com/bits-and-blooms/bloom/v3"
	boomModule      = "github.com/tylertreat/BoomFilters"
	parquetModule   = "github.com/parquet-go/parquet-go"
)

// The rates that Bloom filters are made for: the common one, and one just above that of a cuckoo filter of 12 bits, which is 0.00186 at
// load 0.95.
const (
	highRate = 0.01
	lowRate  = 0.002
)

// peers are the filters of other modules that go.mod has.
func peers() []Contender {
	static := "static: built of all keys at once, takes and deletes none later; add is the time of the build"
	return []Contender{
		{Name: "xorfilter binary-fuse-8", Group: Peer, Module: xorModule, Static: true, Remark: static, New: newFuse[uint8]},
		{Name: "xorfilter binary-fuse-16", Group: Peer, Module: xorModule, Static: true, Remark: static, New: newFuse[uint16]},
		{Name: "seiflotfy cuckoo", Group: Peer, Module: seiflotfyModule, Bytes: true, Remark: "8-bit fingerprints", New: newSeiflotfy},
		{Name: "bits-and-blooms bloom 1%", Group: Peer, Module: bitsModule, Bytes: true, New: newBits(highRate)},
		{Name: "bits-and-blooms bloom 0.2%", Group: Peer, Module: bitsModule, Bytes: true, New: newBits(lowRate)},
		{Name: "BoomFilters bloom 1%", Group: Peer, Module: boomModule, Bytes: true, New: newBoomBloom(highRate)},
		{Name: "BoomFilters bloom 0.2%", Group: Peer, Module: boomModule, Bytes: true, New: newBoomBloom(lowRate)},
		{Name: "BoomFilters counting 1%", Group: Peer, Module: boomModule, Bytes: true, New: newBoomCounting},
		{Name: "BoomFilters cuckoo 1%", Group: Peer, Module: boomModule, Bytes: true, MaxSlots: 1 << 20, New: newBoomCuckoo,
			Remark: "bits are the growth of the heap; a table of 2^24 slots would take 25 GB, and is left out"},
		{Name: "parquet-go split-block", Group: Peer, Module: parquetModule, Bytes: true, Remark: "11 bits a key, hashed by xxh64", New: newParquet},
	}
}

func newFuse[T xorfilter.Unsigned](int) (*Verbs, error) {
	f := new(xorfilter.BinaryFuse[T])
	return &Verbs{
		Insert: func(keys []uint64) (int, error) {
			built, err := xorfilter.NewBinaryFuse[T](keys)
			if err != nil {
				return 0, err
			}
			f = built
			return len(keys), nil
		},
		Contains: func(keys []uint64) int {
			f := f // as a user's local variable
			return Count(keys, func(key uint64) bool { return f.Contains(key) })
		},
		Bytes: func() int { return len(f.Fingerprints) * int(unsafe.Sizeof(*new(T))) },
	}, nil
}

// newSeiflotfy makes n slots of a byte, n being a power of two.
func newSeiflotfy(n int) (*Verbs, error) {
	f := cuckoo.NewFilter(uint(n))
	return &Verbs{
		Insert: func(keys []uint64) (int, error) {
			return EachBytes(keys, func(key []byte) error { return Refusal(f.Insert(key)) })
		},
		Contains: func(keys []uint64) int { return CountBytes(keys, func(key []byte) bool { return f.Lookup(key) }) },
		Remove:   func(keys []uint64) int { return CountBytes(keys, func(key []byte) bool { return f.Delete(key) }) },
		Bytes:    func() int { return n },
	}, nil
}

func newBits(rate float64) func(n int) (*Verbs, error) {
	return func(n int) (*Verbs, error) {
		f := bloom.NewWithEstimates(uint(KeysOf(n)), rate)
		return &Verbs{
			Insert: func(keys []uint64) (int, error) {
				return EachBytes(keys, func(key []byte) error { f.Add(key); return nil })
			},
			Contains: func(keys []uint64) int { return CountBytes(keys, func(key []byte) bool { return f.Test(key) }) },
			Bytes:    func() int { return int(f.Cap() / 8) },
		}, nil
	}
}

// boomVerbs are the loops of the filters that implement the interface of their module, as its own programs call them.
func boomVerbs(f boom.Filter, bytes func() int) *Verbs {
	return &Verbs{
		Insert: func(keys []uint64) (int, error) {
			return EachBytes(keys, func(key []byte) error { f.Add(key); return nil })
		},
		Contains: func(keys []uint64) int { return CountBytes(keys, func(key []byte) bool { return f.Test(key) }) },
		Bytes:    bytes,
	}
}

func newBoomBloom(rate float64) func(n int) (*Verbs, error) {
	return func(n int) (*Verbs, error) {
		f := boom.NewBloomFilter(uint(KeysOf(n)), rate)
		return boomVerbs(f, func() int { return int(f.Capacity() / 8) }), nil
	}
}

// newBoomCounting makes one with counters of 4 bits.
func newBoomCounting(n int) (*Verbs, error) {
	f := boom.NewDefaultCountingBloomFilter(uint(KeysOf(n)), highRate)
	v := boomVerbs(f, func() int { return int(f.Capacity() / 2) })
	v.Remove = func(keys []uint64) int {
		return CountBytes(keys, func(key []byte) bool { return f.TestAndRemove(key) })
	}
	return v, nil
}

func newBoomCuckoo(n int) (*Verbs, error) {
	f := boom.NewCuckooFilter(uint(KeysOf(n)), highRate)
	return &Verbs{
		Insert:   func(keys []uint64) (int, error) { return EachBytes(keys, func(key []byte) error { return f.Add(key) }) },
		Contains: func(keys []uint64) int { return CountBytes(keys, func(key []byte) bool { return f.Test(key) }) },
		Remove: func(keys []uint64) int {
			return CountBytes(keys, func(key []byte) bool { return f.TestAndRemove(key) })
		},
	}, nil
}

// newParquet makes a split-block filter of 11 bits a key, rounded up from our 10.67.
func newParquet(n int) (*Verbs, error) {
	f, hash := make(parquet.SplitBlockFilter, parquet.NumSplitBlocksOf(int64(KeysOf(n)), 11)), parquet.XXH64{}
	return &Verbs{
		Insert: func(keys []uint64) (int, error) {
			return EachBytes(keys, func(key []byte) error { f.Insert(hash.Sum64(key)); return nil })
		},
		Contains: func(keys []uint64) int {
			return CountBytes(keys, func(key []byte) bool { return f.Check(hash.Sum64(key)) })
		},
		Bytes: func() int { return len(f.Bytes()) },
	}, nil
}
