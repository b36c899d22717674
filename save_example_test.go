package nest_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nestfilter/nest"
)

// A filter is built once, saved, and asked where it lies.
func ExampleSave() {
	folder, err := os.MkdirTemp("", "nest")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "fruit.nest")

	f, err := nest.New(nest.Spec{Kind: nest.Cuckoo, Capacity: 1000, FalsePositiveRate: 0.001})
	if err != nil {
		panic(err)
	}
	for _, key := range []string{"apple", "pear"} {
		if err := f.InsertString(key); err != nil {
			panic(err)
		}
	}
	if err := nest.Save(name, f.(nest.Storer)); err != nil {
		panic(err)
	}

	v, err := nest.MapFile(name)
	if err != nil {
		panic(err)
	}
	defer v.Close()
	fmt.Println(v.Len(), v.ContainsString("pear"), v.ContainsString("plum"))
	// Output: 2 true false
}
