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
	const want = "cuckoo: 1 of 6 slots used\n" +
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
	if got := fmt.Sprintf("%#v", sorted); !strings.HasSuffix(got, "3 of 4 slots used\n0 |   . 020 100 1e0") {
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
	const want = "cuckoo: 1 of 128 slots used\n" + " 0 |   .   .   .   .\n 1 |   .   .   .   .\n 2 |   .   .   .   .\n 3 | 26b   .   .   .\n"
	if got := fmt.Sprintf("%#v", s); !strings.HasPrefix(s.String(), "cuckoo.Scalable{capacity=1/") || !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
