package foreign_test

import (
	"encoding/hex"
	"fmt"

	"github.com/nestfilter/nest/cuckoo/foreign"
)

// A dump of seiflotfy/cuckoofilter, which here comes from a string, is read, changed, and written back
// in the bytes that the other module reads.
func ExampleDecode() {
	dump, _ := hex.DecodeString("00000000d3000000ed00000084000000")
	f, err := foreign.Decode(dump, foreign.Config{Format: foreign.Seiflotfy})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Len(), f.ContainsString("hello"), f.ContainsString("absent")) // 3 true false

	f.DeleteString("a")
	if err := f.InsertString("new"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%x\n", f.Encode()) // what the other module decodes
	// Output:
	// 3 true false
	// 00000000d30000000000000084280000
}

// A filter that another program will read with panmari/cuckoofilter.
func ExampleNew() {
	f, err := foreign.New(foreign.Config{Format: foreign.Panmari, Capacity: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, key := range []string{"a", "hello", "cuckoo"} {
		if err := f.InsertString(key); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%x\n", f.Encode())
	// Output: 00000000000000000000000000000000000000000000000025d9bc4fbeba0000
}
