package counting

import "github.com/nestfilter/nest/bloom"

// HugePages says which tables ask the operating system for pages of 2 MiB, which make random accesses to
// large tables faster. It is advice: no answer depends on it. Only Linux is asked, and only in a build
// without the tag purego. As text it is auto, on or off.
type HugePages = bloom.HugePages

// The choices of [Config].HugePages and [DLeftConfig].HugePages.
const (
	// HugePagesAuto, the default, asks for tables of at least 8 MiB.
	HugePagesAuto = bloom.HugePagesAuto
	// HugePagesOn asks for every table of at least 2 MiB. Smaller ones cannot hold such a page.
	HugePagesOn = bloom.HugePagesOn
	// HugePagesOff never asks. The table then takes less memory where few keys of a large one are ever
	// touched, as the system gives small pages one by one when they are first written.
	HugePagesOff = bloom.HugePagesOff
)
