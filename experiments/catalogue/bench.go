package catalogue

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// FullLoad is the load of a table that is filled to be timed, and the one that the authors' C++ code is measured at.
const FullLoad = 0.95

// ErrUnknown reports a name that is not in a list.
var ErrUnknown = errors.New("unknown")

// A Subject is a filter that comes in any number of slots, to be timed. The kinds of this package are those of the
// paper, which come in its sizes.
type Subject struct {
	// Name is what a user calls it: "cuckoo-xor". Label is its name in charts: "cuckoo xor".
	Name, Label string
	// Params is how it begins in names of benchmarks: "filter=cuckoo/f=12/b=4/placement=xor".
	Params string
	// Slots says that a load can be set: the filter has slots.
	Slots bool
	// New makes an empty one of n slots, or for as many keys as n slots hold at FullLoad.
	New func(n int) (*Loops, error)
}

// KeysAt is the number of keys that fill n slots to a load.
func KeysAt(n int, load float64) int { return int(float64(n) * load) }

// Cuckoo returns the cuckoo filter with 12-bit fingerprints and 4 slots a bucket, as the paper's, under a
// placement and a kick policy; nil is the default policy, breadth-first.
func Cuckoo(p cuckoo.Placement, kick cuckoo.KickPolicy) Subject {
	s := Subject{
		Name: "cuckoo-" + p.String(), Label: "cuckoo " + p.String(), Slots: true,
		Params: "filter=cuckoo/f=12/b=4/placement=" + p.String(),
		New: func(n int) (*Loops, error) {
			return openCuckoo[fingerprint.Bits12](cuckoo.Config{Buckets: n / 4, Placement: p, Kick: kick}, 0)
		},
	}
	if kick != nil && kick.Recipe() != cuckoo.BreadthFirst.Recipe() {
		s.Name += "-" + kick.Recipe()
		s.Label += ", " + kick.Recipe()
		s.Params += "/kick=" + kick.Recipe()
	}
	return s
}

// Placements returns every placement of package cuckoo.
func Placements() (all []cuckoo.Placement) {
	for p := cuckoo.Placement(0); ; p++ {
		if _, err := p.MarshalText(); err != nil {
			return all
		}
		all = append(all, p)
	}
}

// Policies returns every built-in kick policy of package cuckoo.
func Policies() (all []cuckoo.KickPolicy) {
	for k := cuckoo.BreadthFirst; (cuckoo.Config{Buckets: 1, Kick: k}).Validate() == nil; k++ {
		all = append(all, k)
	}
	return all
}

// Layouts returns the cuckoo filters of every layout but the packed one, in the bucket sizes that suit it, under additive
// placement: each of the width at which its rate is that of 12 bits packed, at b = 4.
func Layouts() []Subject {
	params := func(width, b int, l cuckoo.Layout) string {
		return fmt.Sprintf("filter=cuckoo/f=%d/b=%d/placement=%v/layout=%v", width, b, cuckoo.Additive, l)
	}
	all := []Subject{{
		Name: "cuckoo-" + cuckoo.SemiSorted.String(), Label: "semi-sorted cuckoo", Slots: true, Params: params(12, 4, cuckoo.SemiSorted),
		New: func(n int) (*Loops, error) {
			return openCuckoo[fingerprint.Bits12](cuckoo.Config{Buckets: n / 4, Layout: cuckoo.SemiSorted}, 0)
		},
	}}
	for _, b := range []int{4, 8} {
		name := cuckoo.PairedSlots.String() + "-" + strconv.Itoa(b)
		all = append(all, Subject{
			Name: "cuckoo-" + name, Label: fmt.Sprintf("paired cuckoo b=%d", b), Slots: true, Params: params(11, b, cuckoo.PairedSlots),
			New: func(n int) (*Loops, error) {
				return openCuckoo[fingerprint.Bits11](cuckoo.Config{Buckets: n / b, BucketSize: b, Layout: cuckoo.PairedSlots}, 0)
			},
		})
	}
	return all
}

// splitBlockBits are bits per key at FullLoad, as the reference measurements in C++ have them.
const splitBlockBits = 32. / 3

// Blooms returns the Bloom filters: of 13 bits and 9 hashes a key, in one piece and in cache lines, and
// the split-block filter of 10.67 bits a key.
func Blooms() (all []Subject) {
	for _, b := range []struct {
		name, label, params string
		bits                float64
		hashes              int
		open                func(bloom.Config) (*Loops, error)
	}{
		{"bloom", "bloom", "bits=13/k=9", BloomBits, BloomHashes, openBloom},
		{"blocked-bloom", "blocked bloom", "bits=13/k=9", BloomBits, BloomHashes, openBlocked},
		{"split-block-bloom", "split-block bloom", "bits=10.67", splitBlockBits, 0, openSplitBlock},
	} {
		all = append(all, Subject{Name: b.name, Label: b.label, Params: "filter=" + b.name + "/" + b.params, New: func(n int) (*Loops, error) {
			return b.open(bloom.Config{Bits: max(1, int(float64(KeysAt(n, FullLoad))*b.bits)), Hashes: b.hashes})
		}})
	}
	return all
}

// Subjects returns all that have a name: the cuckoo filter under every placement and in every layout, and the Bloom filters.
func Subjects() (all []Subject) {
	for _, p := range Placements() {
		all = append(all, Cuckoo(p, nil))
	}
	return slices.Concat(all, Layouts(), Blooms())
}

// DefaultSubjects returns those that are timed unless others are named: all but the other layouts and the placement that is
// there as a warning.
func DefaultSubjects() []Subject {
	others := append(Names(Layouts()), Cuckoo(cuckoo.PlainXOR, nil).Name)
	return slices.DeleteFunc(Subjects(), func(s Subject) bool { return slices.Contains(others, s.Name) })
}

// Names returns the names of subjects.
func Names(subjects []Subject) []string {
	names := make([]string, len(subjects))
	for i, s := range subjects {
		names[i] = s.Name
	}
	return names
}

// FindSubjects is [Choose] of the subjects.
func FindSubjects(names ...string) ([]Subject, error) {
	return Choose(names, Subjects(), func(s Subject) string { return s.Name })
}

// Choose returns what has the given names, each once. The error is [ErrUnknown] with the list of the known names, or says
// that there is no name.
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
