// Package catalogue is the one list of the filters that are timed: those of the paper's tables and figures, those of
// nest bench and of the league, those of the studies, and filters of one's own. An [Entry] has the name that a filter
// has in every table and chart, and opens its loops, which call the verbs directly: package measure times them.
//
// A new filter takes one entry in list.go, and a function for its loops in loops.go if its type is new.
package catalogue

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/measure"
)

// An Entry is a filter under measurement. With Params it is in nest bench and in the league, with a Kind in nest size,
// nest bench --keys and the map of winners, and with Items and what follows them in the figures of the paper.
type Entry struct {
	// Name is what a user and the paper call it: "cuckoo-xor", "ss-CF". Label is its name in charts: "cuckoo xor".
	Name, Label string
	// Made are the parameters, for a reader.
	Made string
	// Params is how it begins in names of benchmarks: "filter=cuckoo/f=12/b=4/placement=xor".
	Params string
	// Slots says that a load can be set: the filter has slots.
	Slots bool
	// MinSlots is the fewest slots that it comes in, 0 for any number.
	MinSlots int
	// League says that only the league times it, ByName that nest bench does where it is named, and Static that it is
	// built of all its keys at once and takes none later.
	League, ByName, Static bool
	Kind                   Kind
	Open                   opener

	// What follows is of the filters of the paper, and of one's own beside them. Items is the number of keys that the
	// filter of 2^q slots is given, or 0 where it is filled until it refuses one.
	Items func(q int) int
	// Predict is the false-positive rate to expect of so many items.
	Predict func(q, items int) float64
	// Own is set for a filter of one's own, which may refuse a key before it has its items.
	Own *ownTraits

	// fullest is the occupancy, in thousandths, to which it is filled step by step; those that refuse keys end before.
	fullest int
	keeps   bool                                     // it cannot delete
	trace   func(slots int, f *measure.Loops) tracer // of a filter of so many slots
}

// A Kind is a kind of package nest, or a layout of its cuckoo filters, and what readers are told of it.
type Kind struct {
	Name    string    // in tables and charts: "semi-sorted cuckoo"; empty for none
	Spec    nest.Spec // package nest makes it of this, and of what sizes it
	Buckets []int     // sizes that its buckets come in, nil for filters without buckets
	When    string    // when to take it in place of the recommended one
	Counts  string    // what it does besides lookups: it deletes, it counts
	Slower  string    // what it costs; it is recommended only where Flag, of nest size, asks for it
	Flag    string
}

// A Size says how large a filter is to be, and what its keys are.
type Size struct {
	// Slots is the number of slots, or of what others take for as many keys as so many slots hold at [FullLoad]. Keys, in
	// place of it, is the number of keys that the filter is made for.
	Slots, Keys int
	// Seed is that of its kicks, if it has any.
	Seed uint64
	// Digests says that keys are digests; else they are integers, which the loops hash.
	Digests bool
	// Unwritten leaves the memory of the table as the constructor made it, for what times the constructor too.
	Unwritten bool
}

// FullLoad is the load of a table that is filled to be timed, and the one that the authors' C++ code is measured at.
const FullLoad = 0.95

// KeysAt is the number of keys that fill n slots to a load.
func KeysAt(n int, load float64) int { return int(float64(n) * load) }

// keys is the number of keys.
func (s Size) keys() int {
	if s.Keys > 0 {
		return s.Keys
	}
	return KeysAt(s.Slots, FullLoad)
}

// ErrUnknown reports a name that is not in a list.
var ErrUnknown = errors.New("unknown")

// Names returns the names of entries.
func Names(entries []Entry) []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names
}

// Find returns the entry of that name.
func Find(name string) (Entry, bool) {
	at := slices.IndexFunc(list, func(e Entry) bool { return e.Name == name })
	if at < 0 {
		return Entry{}, false
	}
	return list[at], true
}

// Choose returns what has the given names, each once. The error is [ErrUnknown] with the list of the known names, or
// says that there is no name.
func Choose[T any](names []string, known []T, name func(T) string) (chosen []T, err error) {
	var all []string
	for _, k := range known {
		all = append(all, name(k))
	}
	for i, n := range names {
		at := slices.Index(all, n)
		if at < 0 {
			return nil, fmt.Errorf("%q is %w: want some of %s", n, ErrUnknown, strings.Join(all, ", "))
		}
		if !slices.Contains(names[:i], n) {
			chosen = append(chosen, known[at])
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no value is given: want some of %s", strings.Join(all, ", "))
	}
	return chosen, nil
}

// ChooseBench is [Choose] of the entries of [Bench].
func ChooseBench(names ...string) ([]Entry, error) {
	return Choose(names, Bench(), func(e Entry) string { return e.Name })
}

// Style is what the filter looks like in every chart.
func (e Entry) Style() chart.Style {
	switch {
	case e.Own != nil:
		return OwnStyle(e.Own.Number)
	case e.Name == BreadthFirstSeries:
		return chart.Numbered(4) // no filter of the paper has it
	}
	return chart.StyleFor(e.Label)
}

// UntilFull tells whether the filter is filled until it refuses a key.
func (e Entry) UntilFull() bool { return e.Items(PaperSlots) == 0 }

// TableBytes is the size of every filter of the paper.
func TableBytes(q int) int64 { return SlotBits * (int64(1) << q) / 8 }

// bytes is the size of an entry's table, of a filter of one's own roughly.
func (e Entry) bytes(q int) int64 {
	if e.Own != nil {
		return max(TableBytes(q), int64(e.Own.keys)*int64(e.Own.bits)/8)
	}
	return TableBytes(q)
}

// PanelWidth is the width of the fingerprints of the panels of space and of overload, and PanelRate
// the rate for which the other filters there are made: that of such a cuckoo filter at load .95, b = 4.
const (
	PanelWidth = 12
	PanelRate  = 0.001855
)

// MostKeys returns the largest Capacity of a cuckoo filter of so many slots, under XOR.
func MostKeys(slots int) (int, error) {
	var failed error
	n := sort.Search(slots, func(n int) bool {
		c, _, err := cuckoo.Plan(cuckoo.Config{Capacity: n + 1, FingerprintBits: PanelWidth, Placement: cuckoo.XOR})
		if err != nil {
			failed = err
		}
		return 4*c.Buckets > slots
	})
	return n, failed
}
