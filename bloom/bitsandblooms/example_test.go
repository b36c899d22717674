package bitsandblooms_test

import (
	"encoding/hex"
	"fmt"

	"github.com/nestfilter/nest/bloom/bitsandblooms"
)

// Bytes of WriteTo of bits-and-blooms/bloom, which here come from a string, are read, changed, and written
// back for that module's ReadFrom.
func ExampleDecode() {
	data, _ := hex.DecodeString("00000000000000640000000000000003000000000000006400002400000020620000000400010000")
	f, err := bitsandblooms.Decode(data, bitsandblooms.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Slots(), f.Config().Hashes, f.ContainsString("hello"), f.ContainsString("absent")) // 100 3 true false

	f.InsertString("new")
	fmt.Printf("%x\n", f.Encode()) // what ReadFrom of the other module reads
	// Output:
	// 100 3 true false
	// 00000000000000640000000000000003000000000000006400202400000028620000000400018000
}
