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

func ExampleScalableWidth() {
	for _, rate := range []float64{0.01, 0.001} {
		c := cuckoo.ScalableConfig{FalsePositiveRate: rate}
		width, err := cuckoo.ScalableWidth(c)
		fmt.Println(width, "bits for", rate, err)
	}
	c, err := cuckoo.PlanScalable(cuckoo.ScalableConfig{}, 16)
	fmt.Printf("%d doublings of 16 bits: %.3g %v\n", c.MaxDoublings, c.FalsePositiveRate, err)
	// Output:
	// 15 bits for 0.01 <nil>
	// 18 bits for 0.001 <nil>
	// 23 doublings of 16 bits: 0.00305 <nil>
}
