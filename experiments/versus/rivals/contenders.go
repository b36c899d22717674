package rivals

import (
	"runtime"
	"slices"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
)

// A Group is where a filter comes from.
type Group int

// The groups, in the order of the tables.
const (
	Ours   Group = iota // this project
	Native              // the native twin
	Peer                // another Go module
)

// A Contender is a filter that takes part.
type Contender struct {
	_ struct{}

	Name   string // unique: "nest cuckoo-xor"
	Group  Group
	Module string // the path of that of a Peer
	Bytes  bool   // it takes keys of 16 bytes; the others take integers
	Kept   bool   // its laps are kept, and not of the run
	Static bool   // it is built of all keys at once and takes none later
	// Cores is how many cores build it of all keys at once, 0 for filters that take them one by one. Its lookups and
	// deletes are those of another contender, and are not timed.
	Cores int
	// MinSlots and MaxSlots bound the tables for which it is made, 0 for any.
	MinSlots, MaxSlots int
	Remark             string // what a reader of the table must know, or ""
	// New makes an empty filter of n slots, or one for as many keys as n slots hold at load 0.95. It is nil for the
	// native twin.
	New func(n int) (*measure.Loops, error)
}

// takes tells whether it comes in that many slots, on this machine.
func (c *Contender) takes(slots int) bool {
	return slots >= c.MinSlots && (c.MaxSlots == 0 || slots <= c.MaxSlots) && c.Cores <= runtime.NumCPU()
}

// atOnce tells that it is made of all keys at once.
func (c *Contender) atOnce() bool { return c.Static || c.Cores > 0 }

// The names of the filters that the ratios are about.
const (
	nativeBase  = "native cuckoo12"
	nativeBlock = "native split-block"
)

// natives are the filters of the native twin.
func natives() (all []Contender) {
	for _, n := range [][2]string{
		{"cuckoo8"}, {"cuckoo12"},
		{"cuckoo12-mix64", "hashes with SplitMix64, as hashing.Mix64 does; the other native ones with multiply-shift"},
		{"cuckoo12-huge", "asks for huge pages, as the filters in Go do"}, {"cuckoo16"}, {"split-block"},
	} {
		all = append(all, Contender{Name: "native " + n[0], Group: Native, Remark: n[1]})
	}
	return all
}

// Contenders returns all filters that this program can time: ours, the native twin, and those of other modules.
func Contenders() []Contender { return slices.Concat(ours(), natives(), peers()) }

// Choose returns the contenders of those names.
func Choose(names ...string) ([]Contender, error) {
	return catalogue.Choose(names, Contenders(), func(c Contender) string { return c.Name })
}
