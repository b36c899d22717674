package quotient_test

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest/experiments/quotient"
)

func Example() {
	f, err := quotient.New(quotient.Config{Capacity: 1000, FalsePositiveRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, key := range []string{"wren", "dunnock", "wren"} {
		if err := f.InsertString(key); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(f.ContainsString("wren"), f.CountString("wren"), f.ContainsString("cuckoo"))
	fmt.Println(f.DeleteString("wren"), f.CountString("wren"), f.Len())
	// Output:
	// true 2 false
	// true 1 2
}

// A full filter grows without its keys: one bit of each remainder becomes one of the quotient.
func ExampleFilter_Resize() {
	f, err := quotient.New(quotient.Config{QuotientBits: 2, RemainderBits: 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, key := range []string{"egg", "hatch", "nest", "fledge"} {
		err := f.InsertString(key)
		if errors.Is(err, quotient.ErrFull) {
			fmt.Printf("full with %d keys in %d slots\n", f.Len(), f.Slots())
			if err = f.Resize(f.QuotientBits() + 1); err == nil {
				err = f.InsertString(key)
			}
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(f.Len(), "keys,", f.Slots(), "slots,", f.RemainderBits(), "bits;", f.ContainsString("egg"))
	// Output:
	// full with 3 keys in 4 slots
	// 4 keys, 8 slots, 15 bits; true
}
