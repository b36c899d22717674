package trace_test

import (
	"os"

	"github.com/nestfilter/nest/experiments/trace"
)

// Two keys in a table of one bucket, and one more than fits.
func ExampleRun() {
	r, err := trace.Run(trace.Options{Buckets: 1, BucketSize: 1, Width: 8, Keys: []string{"egg", "another egg"}})
	if err != nil {
		panic(err)
	}
	if err := r.WriteText(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// cuckoo.Filter[Any]{buckets=1 f=8 b=1 hash=xxh64:0 kick=breadth-first
	// maxkicks=700 len=0 load=0.0000}
	// 0 |  .
	//
	// 1. insert "egg"
	//    digest       0xecd5f52795a38b4b
	//    fingerprint  96 of 8 bits
	//    buckets      0, primary and alternate: they coincide
	//    stored       bucket 0 slot 0, which was free
	// 1 of 1 slot in use
	// 0 | 96
	//
	// 2. insert "another egg"
	//    digest       0xd5657f605d6d66d4
	//    fingerprint  5e of 8 bits
	//    buckets      0, primary and alternate: they coincide
	//    refused      cuckoo: filter is full: no cuckoo path to a free slot within MaxKicks
	//                 nothing changed
}
