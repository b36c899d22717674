package bloom

import (
	"fmt"

	"github.com/nestfilter/nest/internal/hugepage"
)

// HugePages says which tables ask the operating system for pages of 2 MiB, which make random accesses to
// large tables faster. It is advice: a table that gets no such pages works as well, and no answer
// depends on them. Only Linux is asked, and only in a build without the tag purego. As text it is auto,
// on or off.
type HugePages uint8 // the numbers are those of hugepage.Mode

// The choices of [Config].HugePages.
const (
	// HugePagesAuto, the default, asks for tables of at least 8 MiB.
	HugePagesAuto HugePages = iota
	// HugePagesOn asks for every table of at least 2 MiB. Smaller ones cannot hold such a page.
	HugePagesOn
	// HugePagesOff never asks. The table then takes less memory where few keys of a large one are ever
	// touched, as the system gives small pages one by one when they are first written.
	HugePagesOff
)

// String returns auto, on or off.
func (p HugePages) String() string {
	if mode := hugepage.Mode(p); mode.Valid() {
		return mode.String()
	}
	return fmt.Sprintf("HugePages(%d)", uint8(p))
}

// MarshalText returns auto, on or off. Any other value is [ErrConfig].
func (p HugePages) MarshalText() ([]byte, error) {
	if !hugepage.Mode(p).Valid() {
		return nil, fmt.Errorf("bloom: %w: unknown choice of huge pages %d", ErrConfig, uint8(p))
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads auto, on or off. Other text is [ErrConfig] and leaves p as it was.
func (p *HugePages) UnmarshalText(text []byte) error {
	mode, err := hugepage.Parse(string(text))
	if err != nil {
		return fmt.Errorf("bloom: %w: huge pages %q: %w", ErrConfig, text, err)
	}
	*p = HugePages(mode)
	return nil
}

// parseHugePages returns the choice of that name.
func parseHugePages(name string) (HugePages, error) {
	mode, err := hugepage.Parse(name)
	return HugePages(mode), err
}
