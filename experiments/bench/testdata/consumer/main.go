// Command consumer instantiates a filter outside the packages that define it, so that a test can
// read the machine code of its verbs.
package main

import (
	"fmt"
	"os"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// mixed is what a program with integer keys does to them.
//
//go:noinline
func mixed(key int32) uint64 { return hashing.Mix(key) }

func main() {
	f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Capacity: 1000})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	h := mixed(int32(len(os.Args)))
	ok, err := f.InsertUniqueHash(h)
	fmt.Println(f.InsertHash(h), ok, err, f.ContainsHash(h), f.CountHash(h), f.DeleteHash(h))
	dst := make([]bool, 1)
	f.ContainsHashes([]uint64{h}, dst)
	fmt.Println(dst, f.Contains([]byte("key")))

	g, err := cuckoo.New[fingerprint.Any](cuckoo.Config{Capacity: 1000, FingerprintBits: 12})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ok, err = g.InsertUniqueHash(h)
	fmt.Println(g.InsertHash(h), ok, err, g.ContainsHash(h), g.CountHash(h), g.DeleteHash(h))
	g.ContainsHashes([]uint64{h}, dst)
}
