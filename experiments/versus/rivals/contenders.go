package rivals

import (
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

	Name     string // unique: "nest cuckoo-xor"
	Group    Group
	Module   string // the path of that of a Peer
	Bytes    bool   // it takes keys of 16 bytes; the others take integers
	Kept     string // of what version, day and machine its laps are, if they are kept and not of the run
	Static   bool   // it is built of all keys at once and takes none later
	MaxSlots int    // of the tables for which it is timed, 0 for any
	Remark   string // what a reader of the table must know, or ""
	// New makes an empty filter of n slots, or one for as many keys as n slots hold at load 0.95. It is nil for the
	// native twin.
	New func(n int) (*measure.Loops, error)
}

// takes tells whether it comes in that many slots.
func (c *Contender) takes(slots int) bool { return c.MaxSlots == 0 || slots <= c.MaxSlots }

// nativeBlock is the filter of the twin that deletes nothing.
const nativeBlock = "native split-block"

// natives are the filters of the native twin.
func natives() (all []Contender) {
	for _, n := range [][2]string{
		{"cuckoo12"},
		{"cuckoo12-mix64", "hashes with SplitMix64, as hashing.Mix64 does; the other native ones with multiply-shift"},
		{"cuckoo16"}, {"split-block"},
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
