package fingerprint_test

import (
	"fmt"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// A digest is split into a bucket and a fingerprint.
func ExampleOf() {
	digest := hashing.Mix64(42)
	fmt.Println(fingerprint.Bucket(digest, 1000) < 1000, fingerprint.Of(digest, 12) > 0)
	// Output: true true
}

// Four fingerprints of 12 bits are compared with one in a handful of instructions.
func ExampleLanes() {
	four := fingerprint.NewLanes(12, 4)
	bucket := uint64(0x000_abc_123_abc) // slot 3 is empty
	fmt.Println("first equal:", four.First(four.Equal(bucket, 0xabc)))
	fmt.Println("first empty:", four.First(four.Zero(bucket)))
	// Output:
	// first equal: 0
	// first empty: 3
}
