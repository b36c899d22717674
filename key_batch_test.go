package nest_test

import (
	"fmt"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/fuse"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/window"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// keyed is what the filters of all packages have for lookups of keys.
type keyed interface {
	ContainsString(key string) bool
	ContainsKeys(keys [][]byte, dst []bool)
	ContainsStrings(keys []string, dst []bool)
}

// keyedFilters are one of each type that has lookups of many keys, empty but for fuse, which has the keys.
func keyedFilters(t *testing.T, keys []string) (all []keyed) {
	t.Helper()
	add := func(f keyed, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	const n, rate = 1000, 0.01
	c := cuckoo.Config{Capacity: n}
	grows, err := cuckoo.NewScalable[fingerprint.Bits12](cuckoo.ScalableConfig{Capacity: 10})
	add(grows, err)
	plain, err := cuckoo.New[fingerprint.Bits8](c)
	add(plain, err)
	shared, err := cuckoo.NewConcurrent[fingerprint.Bits8](c)
	add(shared, err)
	forgets, err := window.New[fingerprint.Bits8](window.Config{Capacity: n})
	add(forgets, err)
	b := bloom.Config{Capacity: n, FalsePositiveRate: rate}
	classic, err := bloom.New(b)
	add(classic, err)
	split, err := bloom.NewSplitBlock(b)
	add(split, err)
	counted, err := counting.New(counting.Config{Capacity: n, FalsePositiveRate: rate})
	add(counted, err)
	dleft, err := counting.NewDLeft(counting.DLeftConfig{Capacity: n, FalsePositiveRate: rate})
	add(dleft, err)
	d, hs := hashing.Digester{}, make([]uint64, len(keys)+1)
	if got := d.SumAllStrings(keys, hs); got != len(keys) {
		t.Fatalf("%d digests of %d keys", got, len(keys))
	}
	static, err := fuse.Build[fingerprint.Bits8](fuse.Config{}, hs[:len(keys)])
	add(static, err)
	return all
}

func TestContainsStrings_IsContainsString(t *testing.T) {
	var keys []string
	var slices [][]byte
	for i := range 700 {
		keys = append(keys, fmt.Sprintf("%0*d", i%40, i))
		slices = append(slices, []byte(keys[i]))
	}
	for _, f := range keyedFilters(t, keys[:300]) {
		for _, key := range keys[:300] {
			switch f := f.(type) {
			case interface{ InsertString(key string) error }:
				if err := f.InsertString(key); err != nil {
					t.Fatal(err)
				}
			case interface{ InsertString(key string) }:
				f.InsertString(key)
			}
		}
		found, again := make([]bool, len(keys)), make([]bool, len(keys)+1)
		f.ContainsStrings(keys, found)
		f.ContainsKeys(slices, again)
		for i, key := range keys {
			if want := f.ContainsString(key); found[i] != want || again[i] != want || i < 300 && !want {
				t.Fatalf("%T: %q is found by itself: %t, among strings: %t, among bytes: %t", f, key, want, found[i],
					again[i])
			}
		}
		if n := testing.AllocsPerRun(10, func() {
			f.ContainsStrings(keys, found)
			f.ContainsKeys(slices,
				found)
		}); n != 0 {
			t.Errorf("%T: %v allocations", f, n)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T: no panic for a slice that is too short", f)
				}
			}()
			f.ContainsStrings(keys, found[:len(keys)-1])
		}()
		f.ContainsKeys(nil, nil)
	}
}
