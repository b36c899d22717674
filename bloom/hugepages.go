package bloom

import "github.com/nestfilter/nest/internal/hugepage"

// HugePages says which tables ask the operating system for pages of 2 MiB, which make random accesses to
// large tables faster. It is advice: a table that gets no such pages works as well, and no answer depends on
// them. Only Linux is asked, and only in a build without the tag purego. As text it is auto, on or off.
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
func (p HugePages) String() string { return hugepage.Mode(p).String() }
