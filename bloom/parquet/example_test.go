package parquet_test

import (
	"bytes"
	"fmt"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/parquet"
)

// The Bloom filter of a column of strings as it stands in a Parquet file.
func ExampleEncode() {
	f, err := bloom.NewSplitBlock(bloom.Config{Capacity: 1000, FalsePositiveRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.InsertString("Zürich")
	data, err := parquet.Encode(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("header %x, %d bytes in all\n", data[:len(data)-f.SizeBytes()], len(data))
	// Output: header 1580151c1c00001c1c00001c1c000000, 1360 bytes in all
}

// A filter is read from the offset that the metadata of its column chunk names.
func ExampleDecodeAt() {
	const offset = 4 // behind the magic bytes of this file, which has nothing else
	file := bytes.NewReader([]byte("PAR1\x15\x40\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x00" +
		"\x20\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x00\x00\x80\x00\x00\x00\x08\x00\x00\x00\x80\x00\x00\x00\x04\x00\x00\x00\x00\x04"))
	f, err := parquet.DecodeAt(file, offset, bloom.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.SizeBytes(), f.ContainsString("Zürich"), f.ContainsString("Genf")) // 32 true false
	// Output: 32 true false
}
