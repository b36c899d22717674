package speed

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// FullLoad is the load that a filled table has in this package, and the one that the authors' C++ code
// is measured at.
const FullLoad = 0.95

// ErrUnknown reports the name of a filter that this package does not have.
var ErrUnknown = errors.New("unknown filter")

// A Subject is a kind of filter with its parameters.
type Subject struct {
	// Name is what a user calls it: "cuckoo-xor".
	Name string
	// Label is its name in charts: "cuckoo xor".
	Label string
	// Params is how it begins in names of benchmarks: "filter=cuckoo/f=12/b=4/placement=xor".
	Params string
	// Slots says that a load can be set: the filter has slots.
	Slots bool
	// New makes an empty one of n slots, or for as many keys as 0.95 n.
	New func(n int) (*Filter, error)
}

// Keys is the number of keys that n slots hold at load 0.95.
func Keys(n int) int { return keysAt(n, FullLoad) }

// keysAt is the number of keys that fill n slots to a load.
func keysAt(n int, load float64) int { return int(float64(n) * load) }

// Cuckoo returns the cuckoo filter with 12-bit fingerprints and 4 slots a bucket, as the paper's, under a
// placement and a kick policy; nil is the default policy, breadth-first.
func Cuckoo(p cuckoo.Placement, kick cuckoo.KickPolicy) Subject {
	s := CuckooOf[fingerprint.Bits12]("cuckoo-"+p.String(), cuckoo.Config{Placement: p, Kick: kick})
	s.Label = "cuckoo " + p.String()
	if kick != nil && kick.Recipe() != cuckoo.BreadthFirst.Recipe() {
		s.Name += "-" + kick.Recipe()
		s.Label += ", " + kick.Recipe()
		s.Params += "/kick=" + kick.Recipe()
	}
	return s
}

// CuckooOf returns the cuckoo filter of any width with 4 slots a bucket under that name, configured by c,
// whose number of buckets is set.
func CuckooOf[F fingerprint.Width](name string, c cuckoo.Config) Subject {
	return Subject{
		Name: name, Label: name, Slots: true,
		Params: fmt.Sprintf("filter=cuckoo/f=%d/b=4/placement=%v", fingerprint.WidthOf[F](), c.Placement),
		New: func(n int) (*Filter, error) {
			c.Buckets = n / 4
			return cuckooFilter[F](c)
		},
	}
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

// Bits per key of the Bloom filters, at the load of 0.95: what the reference measurements in C++ have.
const (
	bloomBits      = 13
	bloomHashes    = 9
	splitBlockBits = 32. / 3
)

// Blooms returns the Bloom filters: of 13 bits and 9 hashes a key, in one piece and in cache lines, and
// the split-block filter of 10.67 bits a key.
func Blooms() []Subject {
	return []Subject{
		bloomSubject("bloom", "bloom", "bits=13/k=9", bloomBits, bloomHashes, bloom.New),
		bloomSubject("blocked-bloom", "blocked bloom", "bits=13/k=9", bloomBits, bloomHashes, bloom.NewBlocked),
		bloomSubject("split-block-bloom", "split-block bloom", "bits=10.67", splitBlockBits, 0, bloom.NewSplitBlock),
	}
}

func bloomSubject[F bloomVerbs](name, label, params string, bits float64, hashes int, open func(bloom.Config) (F, error)) Subject {
	return Subject{Name: name, Label: label, Params: "filter=" + name + "/" + params, New: func(n int) (*Filter, error) {
		f, err := open(bloom.Config{Bits: max(1, int(float64(Keys(n))*bits)), Hashes: hashes})
		if err != nil {
			return nil, err
		}
		return bloomFilter(f), nil
	}}
}

// Subjects returns all filters that have a name: the cuckoo filter under every placement, and the Bloom
// filters.
func Subjects() (all []Subject) {
	for _, p := range Placements() {
		all = append(all, Cuckoo(p, nil))
	}
	return append(all, Blooms()...)
}

// Names returns the names of the given subjects.
func Names(subjects []Subject) []string {
	names := make([]string, len(subjects))
	for i, s := range subjects {
		names[i] = s.Name
	}
	return names
}

// Find returns the subjects of the given names, each once. The error is [ErrUnknown] with the list of the
// known ones.
func Find(names ...string) (found []Subject, err error) {
	all := Subjects()
	for _, name := range names {
		named := func(s Subject) bool { return s.Name == name }
		i := slices.IndexFunc(all, named)
		if i < 0 {
			return nil, fmt.Errorf("speed: %w %q: want one of %s", ErrUnknown, name, strings.Join(Names(all), ", "))
		}
		if !slices.ContainsFunc(found, named) {
			found = append(found, all[i])
		}
	}
	return found, nil
}

// Default returns the subjects that are measured unless others are named: all but the placement that is
// there as a warning.
func Default() []Subject {
	return slices.DeleteFunc(Subjects(), func(s Subject) bool { return s.Name == Cuckoo(cuckoo.PlainXOR, nil).Name })
}

// Digests returns the digests of the keys that fill n slots to load 0.95.
func Digests(n int) []uint64 { return digests(keysAt(n, FullLoad)) }

// digests returns the digests of the integers 0 to n-1.
func digests(n int) []uint64 {
	hs := make([]uint64, n)
	for k := range hs {
		hs[k] = hashing.Mix64(uint64(k))
	}
	return hs
}
