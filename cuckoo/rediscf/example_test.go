package rediscf_test

import (
	"fmt"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// A filter answers as the server does, and its dump is what the server's would be.
func Example() {
	f, err := rediscf.New(rediscf.Config{Capacity: 1_000_000, BucketSize: 4, MaxIterations: 500})
	if err != nil {
		panic(err)
	}
	for _, key := range []string{"alice", "bob", "bob"} {
		if err := f.AddString(key); err != nil {
			panic(err)
		}
	}
	fmt.Println(f.ExistsString("alice"), f.ExistsString("carol"), f.CountString("bob"))
	fmt.Println(f.Info())
	for position, chunk := range f.Scan() {
		fmt.Printf("CF.LOADCHUNK people %d, %d bytes\n", position, len(chunk))
	}
	// Output:
	// true false 2
	// bktsize:4 buckets:262144 items:3 deletes:0 filters:1 max_iterations:500 expansion:1
	// CF.LOADCHUNK people 1, 38 bytes
	// CF.LOADCHUNK people 1048577, 1048576 bytes
}

// Chunks are loaded with the positions that CF.SCANDUMP returned with them, in any order after the
// header; a dump that is not whole makes no filter.
func ExampleLoader() {
	server, err := rediscf.New(rediscf.Config{Capacity: 64, Expansion: 2})
	if err != nil {
		panic(err)
	}
	for k := range 200 {
		if err := server.AddString(fmt.Sprint("key ", k)); err != nil {
			panic(err)
		}
	}

	loader := rediscf.Loader{Limits: rediscf.Limits{Bytes: 1 << 20}}
	for position := int64(0); ; {
		next, chunk, err := server.ScanDump(position) // CF.SCANDUMP key position
		if err != nil {
			panic(err)
		}
		if chunk == nil {
			break
		}
		if err := loader.Load(next, chunk); err != nil {
			panic(err)
		}
		if position == 0 {
			_, err := loader.Filter()
			fmt.Println(err)
		}
		position = next
	}
	f, err := loader.Filter()
	if err != nil {
		panic(err)
	}
	fmt.Println(f.Len(), f.ExistsString("key 7"), f.ExistsString("key 1234"))
	// Output:
	// rediscf: load: dump incomplete: byte 0 of the 64 of sub-filter 0, byte 0 of all, is missing
	// 200 true false
}

// A dump, byte by byte: the header and the table, a byte for each slot.
func ExampleFilter_Scan() {
	f, err := rediscf.New(rediscf.Config{Capacity: 8})
	if err != nil {
		panic(err)
	}
	for _, key := range []string{"a", "b", "b"} {
		if err := f.AddString(key); err != nil {
			panic(err)
		}
	}
	for position, chunk := range f.Scan() {
		fmt.Printf("%d: %x\n", position, chunk)
	}
	for _, key := range []string{"a", "b"} {
		h := rediscf.DigestString(key)
		fmt.Printf("%s: digest %016x, fingerprint %02x, primary bucket %d\n", key, h, h%255+1, h%4)
	}
	// Output:
	// 1: 0300000000000000040000000000000000000000000000000100000000000000020014000100
	// 9: 0000c40000001010
	// a: digest 071717d2d36b6b11, fingerprint c4, primary bucket 1
	// b: digest ea8bfc7d922a2a37, fingerprint 10, primary bucket 3
}

// An insert of many has a result for each key. Without growth a key for which there is no slot is
// refused, and the others are added.
func ExampleFilter_InsertStrings() {
	f, err := rediscf.New(rediscf.Config{Capacity: 64, Expansion: rediscf.NoGrowth})
	if err != nil {
		panic(err)
	}
	keys := []string{"hot", "hot", "hot", "hot", "hot", "cold"}
	results := make([]rediscf.Result, len(keys))
	n, err := f.InsertStrings(keys, results, rediscf.InsertOptions{})
	fmt.Println(n, err, results)
	fmt.Println(f.AddString("hot"))
	// Output:
	// 6 <nil> [1 1 1 1 -1 1]
	// rediscf: filter is full: no free slot within MaxIterations, and the filter does not grow
}

// Limits end what repeated keys or a header could ask for.
func ExampleLimits() {
	f, err := rediscf.New(rediscf.Config{Capacity: 1000, Expansion: 4, Limits: rediscf.Limits{Bytes: 1 << 20}})
	if err != nil {
		panic(err)
	}
	for err == nil {
		err = f.AddString("the same key")
	}
	fmt.Println(err)
	fmt.Println(f.Len(), f.AddString("another key"))
	// Output:
	// rediscf: table too large: sub-filter 5 of 524288 buckets of 2 slots after 352064 bytes, Limits.Bytes is 1048576
	// 20 <nil>
}
