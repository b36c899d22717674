package nest_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// De-duplicating a stream: a line is written where InsertUnique says that it is new. A share of
// the new lines, at most the false-positive rate, is taken for known.
func ExampleFilter_insertUnique() {
	seen, err := nest.New(nest.Spec{Capacity: 1_000_000, FalsePositiveRate: 0.0001})
	if err != nil {
		log.Fatal(err)
	}
	lines := bufio.NewScanner(strings.NewReader("ant\nbee\nant\ncat\nbee\nant\n"))
	for lines.Scan() {
		switch added, err := seen.InsertUnique(lines.Bytes()); {
		case err != nil: // ErrFull: more distinct lines than announced
			log.Fatal(err)
		case added:
			fmt.Println(lines.Text())
		}
	}
	if err := lines.Err(); err != nil { // a line longer than the scanner's limit, among others
		log.Fatal(err)
	}
	fmt.Printf("%d distinct lines in a filter of %d kB\n", seen.Len(), seen.SizeBytes()/1000)
	// Output:
	// ant
	// bee
	// cat
	// 3 distinct lines in a filter of 2213 kB
}

// A filter from a configuration file: the program does not know which kind it will be.
func ExampleNew_configFile() {
	file := `{
		"listen": ":8080",
		"blocklist": {"kind": "blocked-bloom", "capacity": 50000, "fpr": 0.01, "hash": "xxh64:7"}
	}`
	var config struct {
		Listen    string
		Blocklist nest.Spec
	}
	if err := json.Unmarshal([]byte(file), &config); err != nil {
		log.Fatal(err)
	}
	f, err := nest.New(config.Blocklist)
	if err != nil {
		log.Fatal(err)
	}
	if err := f.InsertString("192.0.2.7"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.ContainsString("192.0.2.7"), f.ContainsString("192.0.2.8"))
	fmt.Println(f.Spec())
	// Output:
	// true false
	// kind=blocked-bloom/slots=496128/hashes=6/hash=xxh64:7
}

// store stands for something slow: a disk, a service on the network.
type store struct {
	rows    map[string]string
	lookups int
}

func (s *store) get(key string) (string, bool) {
	s.lookups++
	value, ok := s.rows[key]
	return value, ok
}

// Guarding the lookups of a slow store, from which keys are deleted: what the filter does not
// contain is not in the store. A key goes into the filter before the store and out of it after.
func ExampleDeleter() {
	f, err := nest.New(nest.Spec{Capacity: 10_000, FalsePositiveRate: 0.001, MustDelete: true})
	if err != nil {
		log.Fatal(err)
	}
	guard := f.(nest.Deleter) // MustDelete promises it
	slow := &store{rows: map[string]string{}}

	put := func(key, value string) error {
		if _, known := slow.rows[key]; !known { // once for each key, so that one Delete is enough
			if err := guard.InsertString(key); err != nil {
				return err // ErrFull: time for a larger filter
			}
		}
		slow.rows[key] = value
		return nil
	}
	remove := func(key string) {
		if _, known := slow.rows[key]; known { // only what was inserted may be deleted
			delete(slow.rows, key)
			guard.DeleteString(key)
		}
	}
	get := func(key string) (string, bool) {
		if !guard.ContainsString(key) {
			return "", false
		}
		return slow.get(key)
	}

	if err := errors.Join(put("ada", "1815"), put("alan", "1912")); err != nil {
		log.Fatal(err)
	}
	remove("ada")
	for _, key := range []string{"ada", "alan", "grace", "edsger"} {
		value, ok := get(key)
		fmt.Println(key, value, ok)
	}
	fmt.Println("slow lookups:", slow.lookups)
	// Output:
	// ada  false
	// alan 1912 true
	// grace  false
	// edsger  false
	// slow lookups: 1
}

// A Spec is a flag, whose default is what it holds before.
func ExampleSpec_Set() {
	spec := nest.Spec{Capacity: 1000, FalsePositiveRate: 0.01}
	flags := flag.NewFlagSet("app", flag.ContinueOnError)
	flags.Var(&spec, "filter", "which filter to use")
	if err := flags.Parse([]string{"-filter", "kind=counting/capacity=5000"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(&spec)
	// Output:
	// kind=counting/capacity=5000/fpr=0.01
}

// Plans shows what Best chooses from, and why.
func ExamplePlans() {
	plans, err := nest.Plans(nest.Spec{Capacity: 1_000_000, FalsePositiveRate: 0.01, MustDelete: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range []nest.Plan{plans[0], plans[len(plans)-1]} {
		fmt.Printf("%s: %.2f bits per item, rate %.4f\n", p.Spec.Kind, 8*float64(p.SizeBytes)/1e6, p.FalsePositiveRate)
	}
	// Output:
	// cuckoo: 10.42 bits per item, rate 0.0075
	// counting: 38.37 bits per item, rate 0.0100
}

// Unknown names and contradictions are errors that say what would do.
func ExampleSpec_Validate() {
	fmt.Println(nest.Spec{Kind: nest.Bloom, Capacity: 1000, FalsePositiveRate: 0.01, MustDelete: true}.Validate())
	_, err := nest.New(nest.Spec{Kind: "quotient", Capacity: 1000, FalsePositiveRate: 0.01})
	fmt.Println(errors.Is(err, nest.ErrConfig))
	// Output:
	// nest: invalid configuration: Kind bloom cannot delete and MustDelete is set, want Kind cuckoo or counting or dleft or scalable or concurrent-cuckoo
	// true
}

// Whoever knows no number of keys says the rate alone and gets a filter that grows.
func ExampleNew_growing() {
	f, err := nest.New(nest.Spec{FalsePositiveRate: 0.001, MustDelete: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Spec().Kind, f.Spec().FingerprintBits, "bits,", f.SizeBytes(), "bytes")
	hs := make([]uint64, 1_000_000)
	for k := range hs {
		hs[k] = hashing.Mix64(uint64(k))
	}
	if _, err := f.InsertHashes(hs); err != nil {
		log.Fatal(err) // ErrFull: at MaxBytes, or keys that nobody would call random
	}
	g := f.(nest.Grower) // of this kind it is one
	fmt.Println(g.Doublings(), "doublings,", f.ScanStats().FalsePositiveRate < 0.001)
	g.(nest.Deleter).DeleteHashes(hs[:999_000])
	freed := g.Compact()
	fmt.Println(g.Doublings(), "doublings,", freed > 1_000_000, f.Len())
	// Output:
	// scalable 18 bits, 4616 bytes
	// 9 doublings, true
	// 0 doublings, true 1000
}

// The filter of the concrete type has what the interface has not. That of a cuckoo filter is of type Any, whatever its
// width; one whose width is a type is made of its file.
func ExampleFilter_unwrap() {
	f, err := nest.New(nest.Spec{Kind: nest.Cuckoo, Capacity: 1000, FingerprintBits: 12})
	if err != nil {
		log.Fatal(err)
	}
	if err := f.InsertString("ant"); err != nil {
		log.Fatal(err)
	}
	any := f.Unwrap().(*cuckoo.Filter[fingerprint.Any])
	fmt.Println(any.Config().FingerprintBits, "bits, room for", any.Capacity())

	file, err := any.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	typed, err := cuckoo.Decode[fingerprint.Bits12](file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(typed.ContainsString("ant"), typed.Len())
	// Output:
	// 12 bits, room for 1003
	// true 1
}
