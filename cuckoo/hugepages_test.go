package cuckoo

import (
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

// TestHugePages_OfAGrowingFilter follows the choice of a growing filter through growth, Merge, Compact and files.
func TestHugePages_OfAGrowingFilter(t *testing.T) {
	config := ScalableConfig{HugePages: HugePagesOff}
	if read, err := ParseScalableConfig(config.String()); err != nil || config.String() != "hugepages=off" || read != config {
		t.Errorf("%q reads as %v: %v", config, read, err)
	}
	s := mustScalable[fingerprint.Bits12](t, config)
	holds := func(after string) {
		t.Helper()
		if s.Config().HugePages != HugePagesOff || s.shape.HugePages != HugePagesOff {
			t.Errorf("after %s: %v", after, s.Config())
		}
	}
	grow := func(seed uint64) {
		for _, h := range randomDigests(10_000, seed) {
			if err := s.InsertHash(h); err != nil {
				t.Fatal(err)
			}
		}
	}
	grow(1)
	holds("growth")
	other := s.Clone()
	other.config.HugePages = HugePagesOn
	if err := s.Merge(other); err != nil {
		t.Fatal(err)
	}
	holds("Merge")
	s.Compact()
	holds("Compact")
	if err := s.UnmarshalBinary(bytesOf(t, s)); err != nil {
		t.Fatal(err)
	}
	holds("UnmarshalBinary")
	grow(2)
	holds("growth of a filter that was read")
}
