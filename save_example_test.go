package nest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
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
	if err := nest.Save(name, f); err != nil {
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

// Where others choose the keys, a filter is under a secret one. It is drawn when the filter is made, and brought when
// its file is opened.
func Example_untrustedKeys() {
	f, err := nest.New(nest.Spec{Capacity: 1000, FalsePositiveRate: 0.001, Hash: "siphash"})
	if err != nil {
		panic(err)
	}
	d := f.Digester()
	key := d.Hasher().(hashing.Keyed).Key() // keep it, in a safe place: the file does not have it
	if err := f.InsertString("pear"); err != nil {
		panic(err)
	}
	file, err := f.MarshalBinary()
	if err != nil {
		panic(err)
	}

	f, err = nest.Open(file, hashing.SipHash(key))
	if err != nil {
		panic(err)
	}
	_, err = nest.Open(file, secret.SipHash())
	fmt.Println(f.ContainsString("pear"), f.ContainsString("plum"), errors.Is(err, nest.ErrMismatch))
	// Output: true false true
}
