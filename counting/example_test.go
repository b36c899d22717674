package counting_test

import (
	"fmt"

	"github.com/nestfilter/nest/counting"
)

func ExampleNew() {
	f, err := counting.New(counting.Config{Capacity: 1000, FalsePositiveRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.InsertString("alice")
	f.InsertString("alice")
	fmt.Println(f.CountString("alice"), f.CountString("bob"))
	fmt.Println(f.DeleteString("alice"), f.DeleteString("alice"), f.DeleteString("alice"))
	fmt.Println(f.ContainsString("alice"))
	// Output:
	// 2 0
	// true true false
	// false
}

// A counter of 4 bits forgets what is above 15, and then stays: a present key is never lost.
func ExampleFilter_DeleteHash_saturated() {
	f, _ := counting.New(counting.Config{Capacity: 1000, FalsePositiveRate: 0.01})
	for range 20 {
		f.InsertString("popular")
	}
	for range 15 {
		f.DeleteString("popular")
	}
	fmt.Println(f.ContainsString("popular"), f.CountString("popular"), f.Len())
	fmt.Println(f.ScanStats().Saturated, "saturated counters")
	// Output:
	// true 15 5
	// 7 saturated counters
}
