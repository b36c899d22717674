package secret_test

import (
	"fmt"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
)

// Keys that others choose are hashed under a secret key, which is drawn once and kept.
func ExampleSipHash() {
	drawn := secret.SipHash()
	key := drawn.Key() // keep it: a filter under it answers nobody else

	again := hashing.SipHash(key)
	fmt.Println(again.Sum64String("a key") == drawn.Sum64String("a key"), again.Recipe() == drawn.Recipe())
	// Output: true true
}
