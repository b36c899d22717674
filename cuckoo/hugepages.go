package cuckoo

import (
	"fmt"

	"github.com/nestfilter/nest/internal/hugepage"
)

// HugePages says which tables ask the operating system for pages of 2 MiB. Only Linux is asked. It is advice:
// a table that gets no such pages works as well, and no answer depends on them. As text it is auto, on or off.
type HugePages uint8 // the numbers are those of hugepage.Mode

// The choices of [Config].HugePages and [ScalableConfig].HugePages.
const (
	// HugePagesAuto (the default) asks for tables of at least 8 MiB.
	HugePagesAuto HugePages = iota
	// HugePagesOn asks for every table of at least 2 MiB. Smaller ones cannot hold such a page.
	HugePagesOn
	// HugePagesOff never asks. The table then takes less memory where few of its buckets are ever used, as
	// the system gives small pages one by one when they are first written.
	HugePagesOff
)

// valid tells whether p is one of the choices.
func (p HugePages) valid() bool { return hugepage.Mode(p).Valid() }

// String returns auto, on or off.
func (p HugePages) String() string {
	if !p.valid() {
		return fmt.Sprintf("HugePages(%d)", uint8(p))
	}
	return hugepage.Mode(p).String()
}

// MarshalText returns auto, on or off. Any other value is [ErrConfig].
func (p HugePages) MarshalText() ([]byte, error) {
	if !p.valid() {
		return nil, fmt.Errorf("cuckoo: %w: unknown choice of huge pages %d", ErrConfig, uint8(p))
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads auto, on or off. Other text is [ErrConfig] and leaves p as it was.
func (p *HugePages) UnmarshalText(text []byte) error {
	read, err := parseHugePages(string(text))
	if err != nil {
		return fmt.Errorf("cuckoo: %w: huge pages %q: %w", ErrConfig, text, err)
	}
	*p = read
	return nil
}

// parseHugePages returns the choice of that name.
func parseHugePages(name string) (HugePages, error) {
	mode, err := hugepage.Parse(name)
	return HugePages(mode), err
}
