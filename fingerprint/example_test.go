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
