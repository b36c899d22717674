package cuckoo

import (
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

// TestHugePages_OfEverySubFilter follows the choice of a growing filter through growth, Merge, Compact and files.
func TestHugePages_OfEverySubFilter(t *testing.T) {
	config := ScalableConfig{HugePages: HugePagesOff}
	if read, err := ParseScalableConfig(config.String()); err != nil || config.String() != "hugepages=off" || read != config {
		t.Errorf("%q reads as %v: %v", config, read, err)
	}
	s, err := NewScalable[fingerprint.Bits12](config)
	if err != nil {
		t.Fatal(err)
	}
	holds := func(after string) {
		t.Helper()
		if s.Config().HugePages != HugePagesOff || s.first.HugePages != HugePagesOff {
			t.Errorf("after %s: %v", after, s.Config())
		}
		for n := range s.levels {
			if got := s.levels[n].Config().HugePages; got != HugePagesOff {
				t.Errorf("after %s: sub-filter %d has %v", after, n, got)
			}
		}
	}
	grow := func() {
		for _, h := range randomDigests(10_000, 1) {
			if err := s.InsertHash(h); err != nil {
				t.Fatal(err)
			}
		}
	}
	grow()
	holds("growth")
	other := s.Clone()
	other.config.HugePages = HugePagesOn
	if err := s.Merge(other); err != nil {
		t.Fatal(err)
	}
	holds("Merge")
	s.Compact()
	holds("Compact")
	b, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	holds("UnmarshalBinary")
	grow()
	holds("growth of a filter that was read")
}
