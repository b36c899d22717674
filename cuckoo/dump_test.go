package cuckoo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

// TestGoString_DrawsTheTable checks the picture of a small table and that a large one is cut.
func TestGoString_DrawsTheTable(t *testing.T) {
	f := mustNew(t, 12, Config{Buckets: 3, BucketSize: 2})
	if err := f.InsertHash(1<<63 | 0x800000); err != nil {
		t.Fatal(err)
	}
	const want = "cuckoo.Filter[Bits12]{buckets=3/b=2/hash=xxh64:0/kick=breadth-first/maxkicks=700 len=1 load=0.1667}\n" +
		"0 |   .   .\n1 | 008   .\n2 |   .   ."
	if got := fmt.Sprintf("%#v", f); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	sorted := mustNew(t, 9, Config{Buckets: 1, Layout: SemiSorted})
	for _, h := range []uint64{0xf0000000, 0x10000000, 0x80000000} {
		if err := sorted.InsertHash(h); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprintf("%#v", sorted); !strings.HasSuffix(got, "b=4/layout=semisorted/hash=xxh64:0/kick=breadth-first/maxkicks=700 len=3 load=0.7500}\n0 |   . 020 100 1e0") {
		t.Errorf("a semi-sorted bucket: %s", got)
	}
	large := fmt.Sprintf("%#v", mustNew(t, 5, Config{Buckets: 1000}))
	if lines := strings.Count(large, "\n"); lines != dumpBuckets+1 || !strings.HasSuffix(large, "\n... 968 more") {
		t.Errorf("a table of 1000 buckets is drawn in %d lines", lines)
	}
}

// TestGoString_DrawsEverySubFilter checks the picture of a growing filter.
func TestGoString_DrawsEverySubFilter(t *testing.T) {
	s, err := NewScalable[fingerprint.Bits12](ScalableConfig{Capacity: 2, BucketSize: 2})
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; s.SubFilters() < 2; n++ {
		if err := s.InsertHash(1<<32 | uint64(n)<<28); err != nil {
			t.Fatal(err)
		}
	}
	const want = " subfilters=2 len=3 load=0.5000}\n" +
		"sub-filter 0 of 1 buckets, len=2 load=1.0000\n0 | 001 100\n" +
		"sub-filter 1 of 2 buckets, len=1 load=0.2500\n0 |   .   .\n1 | 200   ."
	if got := fmt.Sprintf("%#v", s); !strings.HasPrefix(got, "cuckoo.Scalable[Bits12]{capacity=2/") || !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant the end\n%s", got, want)
	}
}
