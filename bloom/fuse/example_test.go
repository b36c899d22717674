package fuse_test

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/bloom/fuse"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

func ExampleBuild() {
	digests := make([]uint64, 1_000_000)
	for i := range digests {
		digests[i] = hashing.Mix64(uint64(i))
	}
	f, err := fuse.Build[fingerprint.Bits8](fuse.Config{}, digests)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.ContainsHash(hashing.Mix64(7)), f.ContainsHash(hashing.Mix64(7_000_000)))
	fmt.Printf("%.2f bits a key, rate %.2f%%\n", float64(f.SizeBytes())*8/1_000_000, 100*f.FalsePositiveRate())
	// Output:
	// true false
	// 8.62 bits a key, rate 0.39%
}

func ExampleBuildKeys() {
	f, err := fuse.BuildKeys[fingerprint.Any](fuse.Config{FalsePositiveRate: 0.001}, slices.Values([]string{"ant",
		"bee"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.ContainsString("ant"), f.ContainsString("cat"), f.Config())
	// Output: true false f=10/segments=4/hash=xxh3:0
}
