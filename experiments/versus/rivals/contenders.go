package rivals

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
)

// A Group is where a filter comes from.
type Group string

// The groups, in the order of the tables.
const (
	Ours   Group = "nest"   // this project
	Native Group = "native" // the native twin
	Peer   Group = "go"     // another Go module
)

var groups = []Group{Ours, Native, Peer}

// A Contender is a filter that takes part.
type Contender struct {
	_ struct{}

	// Name is unique: "nest cuckoo-xor".
	Name string
	// Group and Module say where it comes from; Module is a path, "" for the native twin.
	Group  Group
	Module string
	// Bytes tells that it takes keys of 16 bytes; the others take integers.
	Bytes bool
	// Static tells that it is built of all keys at once and takes none later.
	Static bool
	// Cores is how many cores build it of all keys at once, 0 for filters that take them one by one. Its lookups and
	// deletes are those of another contender, and are not timed.
	Cores int
	// MinSlots and MaxSlots bound the tables for which it is made, 0 for any.
	MinSlots, MaxSlots int
	// Remark is what a reader of the table must know, or "".
	Remark string
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
	remarks := map[string]string{
		"cuckoo12-huge":  "asks for huge pages, as the filters in Go do",
		"cuckoo12-mix64": "hashes with SplitMix64, as hashing.Mix64 does; the other native ones with multiply-shift",
	}
	for _, name := range []string{"cuckoo8", "cuckoo12", "cuckoo12-mix64", "cuckoo12-huge", "cuckoo16", "split-block"} {
		all = append(all, Contender{Name: "native " + name, Group: Native, Remark: remarks[name]})
	}
	return all
}

// Contenders returns all filters that this program can time: ours, the native twin, and those of other modules.
func Contenders() []Contender { return slices.Concat(ours(), natives(), peers()) }

// Choose returns the contenders of those names, or all for none.
func Choose(names ...string) ([]Contender, error) {
	if len(names) == 0 {
		return Contenders(), nil
	}
	return catalogue.Choose(names, Contenders(), func(c Contender) string { return c.Name })
}

// order sorts rows as the tables list them: by size, by group, and within one as the contenders are listed, kept ones
// last.
func order(a, b *Row) int {
	return cmp.Or(a.Slots-b.Slots, slices.Index(groups, a.Group)-slices.Index(groups, b.Group), a.place-b.place,
		strings.Compare(a.Name, b.Name))
}
