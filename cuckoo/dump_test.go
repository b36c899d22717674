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
	const want = "cuckoo.Filter[Bits12]{buckets=3/b=2/hash=xxh3:0/kick=breadth-first/maxkicks=700 len=1 load=0.1667}\n" +
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
	if got := fmt.Sprintf("%#v", sorted); !strings.HasSuffix(got, "b=4/layout=semisorted/hash=xxh3:0/kick=breadth-first/maxkicks=700 len=3 load=0.7500}\n0 |   . 020 100 1e0") {
		t.Errorf("a semi-sorted bucket: %s", got)
	}
	large := fmt.Sprintf("%#v", mustNew(t, 5, Config{Buckets: 1000}))
	if lines := strings.Count(large, "\n"); lines != dumpBuckets+1 || !strings.HasSuffix(large, "\n... 968 more") {
		t.Errorf("a table of 1000 buckets is drawn in %d lines", lines)
	}
}

// TestGoString_DrawsAGrowingFilter checks the picture of a growing filter: the buckets of side 0 come first.
func TestGoString_DrawsAGrowingFilter(t *testing.T) {
	s := mustScalable[fingerprint.Bits12](t, ScalableConfig{Capacity: 1})
	if err := s.InsertHash(3<<60 | 0x15<<55 | 9); err != nil {
		t.Fatal(err)
	}
	const want = " doublings=0 len=1 load=0.0078}\n" + " 0 |   .   .   .   .\n 1 |   .   .   .   .\n 2 |   .   .   .   .\n 3 | 26b   .   .   .\n"
	if got := fmt.Sprintf("%#v", s); !strings.HasPrefix(got, "cuckoo.Scalable[Bits12]{capacity=1/") || !strings.Contains(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
