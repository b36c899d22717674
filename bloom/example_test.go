package bloom_test

import (
	"fmt"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
)

func ExampleNew() {
	f, err := bloom.New(bloom.Config{Capacity: 1_000_000, FalsePositiveRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.InsertString("alice@example.com")
	f.Insert([]byte("bob@example.com"))
	fmt.Println(f.ContainsString("alice@example.com"), f.ContainsString("carol@example.com"))
	fmt.Println(f)
	// Output:
	// true false
	// bloom.Filter{slots=9592957/hashes=7/hash=xxh3:0, len 2, 1199120 bytes}
}

func ExampleNewBlocked() {
	f, err := bloom.NewBlocked(bloom.Config{Capacity: 1000, FalsePositiveRate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	digests := make([]uint64, 1000)
	for i := range digests {
		digests[i] = hashing.Mix64(uint64(i))
	}
	f.InsertHashes(digests)

	found := make([]bool, 3)
	f.ContainsHashes([]uint64{digests[0], digests[999], hashing.Mix64(1000)}, found)
	fmt.Println(found)
	fmt.Printf("%.1f bits per key, rate %.5f\n", float64(f.Slots())/1000, f.ScanStats().FalsePositiveRate)
	// Output:
	// [true true false]
	// 15.9 bits per key, rate 0.00082
}

// What a Parquet writer stores beside a column, and what its reader makes of it.
func ExampleNewSplitBlock() {
	f, err := bloom.NewSplitBlock(bloom.Config{Capacity: 1000, FalsePositiveRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.InsertString("alice@example.com")
	bitset := f.Bitset() // Parquet's bytes

	g, err := bloom.SplitBlockFromBitset(bitset, bloom.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.ContainsString("alice@example.com"), g.ContainsString("carol@example.com"))
	fmt.Println(len(bitset), "bytes,", g)
	// Output:
	// true false
	// 1344 bytes, bloom.SplitBlock{slots=10752/hashes=8/hash=xxh64:0, len 0, 1344 bytes}
}

// An impossible configuration is one error with a line for each field.
func ExampleConfig_Validate() {
	err := bloom.Config{Capacity: -1, FalsePositiveRate: 1.5}.Validate()
	fmt.Println(err)
	// Output:
	// bloom: invalid configuration: Capacity is -1, want at least 1
	// bloom: invalid configuration: FalsePositiveRate is 1.5, want a number between 0 and 1
}

func ExampleConfig_UnmarshalText() {
	var c bloom.Config
	err := c.UnmarshalText([]byte("capacity=1000000/fpr=0.01/hash=xxh64:7"))
	fmt.Println(c.Capacity, c.FalsePositiveRate, c.Hash.Recipe(), err)
	fmt.Println(c)
	// Output:
	// 1000000 0.01 xxh64:7 <nil>
	// capacity=1000000/fpr=0.01/hash=xxh64:7
}

// Two halves of a data set, summarized on two machines, become one filter.
func ExampleFilter_Merge() {
	c := bloom.Config{Capacity: 1000, FalsePositiveRate: 0.01}
	monday, _ := bloom.New(c)
	tuesday, _ := bloom.New(c)
	monday.InsertString("alice")
	monday.InsertString("bob")
	tuesday.InsertString("bob")
	tuesday.InsertString("carol")
	if err := monday.Merge(tuesday); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(monday.ContainsString("carol"))
	fmt.Println(monday.Len(), "inserts")
	// Output:
	// true
	// 4 inserts
}

// What a million keys cost in either kind, before there is a filter.
func ExamplePlan() {
	const n = 1_000_000
	for _, rate := range []float64{0.01, 0.001} {
		c := bloom.Config{Capacity: n, FalsePositiveRate: rate}
		classic, _, _ := bloom.Plan(c)
		blocked, _, _ := bloom.PlanBlocked(c)
		fmt.Printf("%v: %.2f or %.2f bits per key, %d or %d hashes\n",
			rate, float64(classic.Slots)/n, float64(blocked.Slots)/n, classic.Hashes, blocked.Hashes)
	}
	// Output:
	// 0.01: 9.59 or 9.92 bits per key, 7 or 6 hashes
	// 0.001: 14.38 or 15.55 bits per key, 10 or 9 hashes
}
