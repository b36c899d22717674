package counting_test

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest/counting"
)

func ExampleNewDLeft() {
	f, err := counting.NewDLeft(counting.DLeftConfig{Capacity: 1_000_000, FalsePositiveRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		if err := f.InsertString("alice"); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(f.CountString("alice"), f.CountString("bob"))
	fmt.Println(f.DeleteString("alice"), f.DeleteString("alice"), f.DeleteString("alice"))
	fmt.Printf("%.1f bits per key\n", float64(f.SizeBytes())*8/1_000_000)
	// Output:
	// 2 0
	// true true false
	// 17.8 bits per key
}

// A full filter refuses a key and stays as it was.
func ExampleDLeft_InsertHash_full() {
	f, _ := counting.NewDLeft(counting.DLeftConfig{Capacity: 16, FalsePositiveRate: 0.0001})
	n, err := f.InsertHashes(digests(0, 100))
	fmt.Println(n, errors.Is(err, counting.ErrFull), f.Len(), f.LoadFactor())
	// Output:
	// 16 true 16 1
}
