package rivals

import (
	"unsafe"

	"github.com/FastFilter/xorfilter"
	"github.com/bits-and-blooms/bloom/v3"
	"github.com/decred/dcrd/container/apbf"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/versus"
	parquet "github.com/parquet-go/parquet-go/bloom"
	cuckoo "github.com/seiflotfy/cuckoofilter"
	boom "github.com/tylertreat/BoomFilters"
)

// The rates that Bloom filters are made for: the common one, and one just above that of a cuckoo filter of 12 bits,
// which is 0.00186 at load 0.95.
const (
	highRate = 0.01
	lowRate  = 0.002
)

// splitBits are the bits a key of the split-block filters by bytes.
const splitBits = 11

// isStatic is the remark of those that are built of all keys at once.
const isStatic = "static: built of all keys at once, takes and deletes none later; add is the time of the build"

// peers are the filters of other modules that go.mod has. What makes one must not be inlined, see package catalogue.
func peers() []Contender {
	fuse := Contender{Group: Peer, Module: "github.com/FastFilter/xorfilter", Static: true, Remark: isStatic}
	fuse8, fuse16 := fuse, fuse
	fuse8.Name, fuse8.New = "xorfilter binary-fuse-8", newFuse[uint8]
	fuse16.Name, fuse16.New = "xorfilter binary-fuse-16", newFuse[uint16]
	of := func(module, name, remark string, open func(n int) (*measure.Loops, error)) Contender {
		return Contender{Name: name, Group: Peer, Module: module, Bytes: true, Remark: remark, New: open}
	}
	upTo := func(slots int, c Contender) Contender { c.MaxSlots = slots; return c }
	return []Contender{
		fuse8, fuse16,
		of(versus.SeiflotfyModule, "seiflotfy cuckoo", "8-bit fingerprints", newSeiflotfy),
		upTo(smallSlots, of(versus.BitsModule, "bits-and-blooms bloom 1%", "", newBits(highRate))),
		of(versus.BitsModule, "bits-and-blooms bloom 0.2%", "", newBits(lowRate)),
		upTo(smallSlots, of(versus.BoomModule, "BoomFilters bloom 1%", "", newBoomBloom)),
		upTo(smallSlots, of(versus.BoomModule, "BoomFilters counting 1%", "", newBoomCounting)),
		of("github.com/decred/dcrd/container/apbf", "dcrd age-partitioned bloom 1%",
			"forgets keys once as many others have come as it is made for; locks a mutex", newAging),
		of(versus.ParquetModule, "parquet-go split-block", "11 bits a key, hashed by xxh64", newParquet),
	}
}

func newFuse[T xorfilter.Unsigned](int) (*measure.Loops, error) {
	f := new(xorfilter.BinaryFuse[T])
	return &measure.Loops{
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
			return measure.Count(keys, func(key uint64) bool { return f.Contains(key) })
		},
		SizeBytes: func() int { return len(f.Fingerprints) * int(unsafe.Sizeof(*new(T))) },
	}, nil
}

// newSeiflotfy makes n slots of a byte, n being a power of two.
func newSeiflotfy(n int) (*measure.Loops, error) {
	f := cuckoo.NewFilter(uint(n))
	l := byBytes(func(key []byte) error {
		if !f.Insert(key) {
			return ErrRefused
		}
		return nil
	}, func(key []byte) bool { return f.Lookup(key) }, func() int { return n })
	l.Remove = removing(func(key []byte) bool { return f.Delete(key) })
	return l, nil
}

//go:noinline
func newBits(rate float64) func(n int) (*measure.Loops, error) {
	return func(n int) (*measure.Loops, error) {
		f := bloom.NewWithEstimates(uint(KeysOf(n)), rate)
		return byBytes(func(key []byte) error { f.Add(key); return nil },
			func(key []byte) bool { return f.Test(key) }, func() int { return int(f.Cap() / 8) }), nil
	}
}

// boomVerbs are the loops of the filters that implement the interface of their module, as its own programs call them.
func boomVerbs(f boom.Filter, bytes func() int) *measure.Loops {
	return byBytes(func(key []byte) error { f.Add(key); return nil }, func(key []byte) bool { return f.Test(key) }, bytes)
}

func newBoomBloom(n int) (*measure.Loops, error) {
	f := boom.NewBloomFilter(uint(KeysOf(n)), highRate)
	return boomVerbs(f, func() int { return int(f.Capacity() / 8) }), nil
}

// newBoomCounting makes one with counters of 4 bits.
func newBoomCounting(n int) (*measure.Loops, error) {
	f := boom.NewDefaultCountingBloomFilter(uint(KeysOf(n)), highRate)
	l := boomVerbs(f, func() int { return int(f.Capacity() / 2) })
	l.Remove = removing(func(key []byte) bool { return f.TestAndRemove(key) })
	return l, nil
}

// newAging makes a filter that forgets no key before as many as n slots hold have come.
func newAging(n int) (*measure.Loops, error) {
	f := apbf.NewFilter(uint32(KeysOf(n)), highRate)
	return byBytes(func(key []byte) error { f.Add(key); return nil },
		func(key []byte) bool { return f.Contains(key) }, f.Size), nil
}

// newParquet makes a split-block filter.
func newParquet(n int) (*measure.Loops, error) {
	f, hash := make(parquet.SplitBlockFilter, parquet.NumSplitBlocksOf(int64(KeysOf(n)), splitBits)), parquet.XXH64{}
	return byBytes(func(key []byte) error { f.Insert(hash.Sum64(key)); return nil },
		func(key []byte) bool { return f.Check(hash.Sum64(key)) }, func() int { return len(f.Bytes()) }), nil
}
