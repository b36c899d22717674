package cuckoo_test

import (
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

func ExampleScalable() {
	f, err := cuckoo.NewScalable[fingerprint.Bits16](cuckoo.ScalableConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for k := range uint64(100_000) {
		if err := f.InsertHash(hashing.Mix64(k)); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(f.Doublings(), "doublings")
	fmt.Printf("rate now %.2g, at most %.2g\n", f.FalsePositiveRate(), f.Config().FalsePositiveRate)
	for k := range uint64(99_000) {
		f.DeleteHash(hashing.Mix64(k))
	}
	fmt.Println(f.Compact() > 0, f.Doublings(), f.ContainsHash(hashing.Mix64(99_999)))
	// Output:
	// 6 doublings
	// rate now 0.00089, at most 0.003
	// true 0 true
}

func ExamplePlanScalable() {
	for _, rate := range []float64{0.01, 0.001} {
		c, size, err := cuckoo.PlanScalable(cuckoo.ScalableConfig{FalsePositiveRate: rate})
		fmt.Println(c.FingerprintBits, "bits for", rate, "and", size, "bytes at first,", err)
	}
	c, _, err := cuckoo.PlanScalable(cuckoo.ScalableConfig{FingerprintBits: 16})
	fmt.Printf("%d doublings of 16 bits: %.3g %v\n", c.MaxDoublings, c.FalsePositiveRate, err)
	// Output:
	// 15 bits for 0.01 and 3848 bytes at first, <nil>
	// 18 bits for 0.001 and 4616 bytes at first, <nil>
	// 23 doublings of 16 bits: 0.00305 <nil>
}
