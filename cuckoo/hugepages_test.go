package cuckoo

import (
	"errors"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

func TestHugePages_Text(t *testing.T) {
	for p, name := range []string{"auto", "on", "off"} {
		text, err := HugePages(p).MarshalText()
		read := HugePages(p) + 1
		if err != nil || string(text) != name || HugePages(p).String() != name || read.UnmarshalText(text) != nil || read != HugePages(p) {
			t.Errorf("choice %d: %q, %v, read as %v", p, text, err, read)
		}
	}
	bad := HugePagesOff + 1
	if _, err := bad.MarshalText(); !errors.Is(err, ErrConfig) || bad.String() != "HugePages(3)" {
		t.Errorf("%v: %v", bad, err)
	}
	p := HugePagesOff
	for _, text := range []string{"", "AUTO", "always", "HugePages(3)"} {
		err := p.UnmarshalText([]byte(text))
		if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "want auto, on or off") || p != HugePagesOff {
			t.Errorf("%q: read as %v, %v", text, p, err)
		}
	}
}

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
