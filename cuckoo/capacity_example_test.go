package cuckoo_test

import (
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// Small tables need room to spare, large ones little.
func ExampleFilter_Capacity() {
	for _, n := range []int{10, 100, 1000, 1_000_000} {
		f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Capacity: n})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d keys: %d slots, %.1f bits per item\n", n, f.Slots(), 12*float64(f.Slots())/float64(n))
	}
	// Output:
	// 10 keys: 40 slots, 48.0 bits per item
	// 100 keys: 164 slots, 19.7 bits per item
	// 1000 keys: 1092 slots, 13.1 bits per item
	// 1000000 keys: 1041676 slots, 12.5 bits per item
}
