package lab

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/hashing"
)

// Parts are filters, hash families and kick policies of one's own, measured beside the built-in ones.
type Parts struct {
	// Filters are in figures 3 and 4, and the first setting in Table 3, figures 5 to 8, space and overload.
	Filters []Filter
	// Families are in figure 3, b = 4 on consecutive integer keys, and in cost and rate; for others see [UnderHash].
	Families []hashing.Hasher
	// Policies are a line in each panel of figure 2, and in load by bucket size and by policy, copies and insert cost.
	Policies []Policy
}

// A Filter is a kind of filter, measured at several settings.
type Filter struct {
	Name     string // its label in the chart: printable ASCII, and no name that a series of an experiment has already
	Settings []Setting
}

// A Setting is one point of a filter.
type Setting struct {
	// Bits is the number that the CSV shows: fingerprint bits or bits per item. Estimates of memory follow from it.
	Bits int
	// OneIn is about how many absent keys bring one false positive: it decides the number of probes.
	OneIn int
	// New returns an empty filter for n keys. It is filled with n digests or until one is refused. In figures 3 and 4 n
	// is the number of slots of the cuckoo filters there; in Table 3 and figures 5 to 8 it is the Capacity that
	// cuckoo.Config promises for the slots of the paper's filter, 12 bits each; in the panels it is the number of keys
	// on the axis. To learn which verbs a filter has, it is called before a run too, with a small n.
	New func(n int, seed uint64) (Instance, error)
}

// An Instance is one filter under measurement, used by one goroutine at a time. Every cuckoo.Filter is one; [Adapt]
// makes one of two functions.
//
// Table 3 and figures 5 to 8 time inserts and lookups one by one, by the verbs of [Single]; of an Instance without them
// by slices of one digest, which the captions say. Figure 8 has the filters that are a [Deleter]. A filter that has a
// method Reset is reset before it is timed, which for filters of this module touches every page of the table. Each call
// of an Instance goes through an interface, and the six filters of the paper are called directly: what that costs is
// the distance between the line CF and that of a Filter that is made as CF is.
type Instance interface {
	// InsertHashes inserts digests in order until one is refused and returns how many it took. An error that wraps
	// cuckoo.ErrFull ends the filling; another ends the experiment.
	InsertHashes(hs []uint64) (n int, err error)
	// ContainsHashes writes to dst[i] whether the filter reports hs[i].
	ContainsHashes(hs []uint64, dst []bool)
	// SizeBytes is the size of the table, once it is filled.
	SizeBytes() int
}

// A Single is an [Instance] that takes one digest at a time.
type Single interface {
	// InsertHash inserts a digest. Its errors are those of InsertHashes.
	InsertHash(h uint64) error
	// ContainsHash tells whether the filter reports h.
	ContainsHash(h uint64) bool
}

// A Deleter is an [Instance] that deletes.
type Deleter interface {
	// DeleteHash deletes a digest and tells whether it was found.
	DeleteHash(h uint64) bool
}

// A Policy is a kick policy. It runs under the placements of the policies beside it: in figure 2 and insert cost XOR.
// Figures about whole filters, such as Table 3, take it inside a [Filter] whose New makes a cuckoo filter with it.
type Policy struct {
	Name string // its label in the chart: printable ASCII
	Kick cuckoo.KickPolicy
}

// Adapt makes an Instance of a filter that takes one digest at a time. It is a [Single].
func Adapt(insert func(digest uint64) error, contains func(digest uint64) bool, sizeBytes int) Instance {
	return adapted{insert, contains, sizeBytes}
}

type adapted struct {
	insert   func(uint64) error
	contains func(uint64) bool
	size     int
}

func (a adapted) InsertHashes(hs []uint64) (int, error) {
	for i, h := range hs {
		if err := a.insert(h); err != nil {
			return i, err
		}
	}
	return len(hs), nil
}

func (a adapted) ContainsHashes(hs []uint64, dst []bool) {
	for i, h := range hs {
		dst[i] = a.contains(h)
	}
}

func (a adapted) InsertHash(h uint64) error { return a.insert(h) }

func (a adapted) ContainsHash(h uint64) bool { return a.contains(h) }

func (a adapted) SizeBytes() int { return a.size }

// UnderHash returns f with another hash family: each digest that an experiment offers is the integer key of 8 bytes
// whose digest under h the filter gets. So a family comes into every figure that a [Filter] is in. The result is a
// [Single], and a [Deleter] if f is one. The experiments' own hash of a key, hashing.Mix64, is timed besides; and since
// its results look random, a family that is weak on integers in sequence does not show it here, but in figure 3.
func UnderHash(h hashing.Hasher, f Instance) Instance {
	b := &hashed{Instance: f, hash: h}
	b.single, _ = f.(Single)
	if d, ok := f.(Deleter); ok {
		return hashedDeleter{b, d}
	}
	return b
}

// hashed is a filter whose digests are hashed again.
type hashed struct {
	Instance
	hash   hashing.Hasher
	single Single // nil where f has batches alone
	buf    []uint64
	answer [1]bool
}

func (b *hashed) digests(hs ...uint64) []uint64 {
	b.buf = slices.Grow(b.buf[:0], len(hs))[:len(hs)]
	for i, h := range hs {
		b.buf[i] = b.hash.Sum64Uint64(h)
	}
	return b.buf
}

func (b *hashed) InsertHashes(hs []uint64) (int, error) {
	return b.Instance.InsertHashes(b.digests(hs...))
}

func (b *hashed) ContainsHashes(hs []uint64, dst []bool) {
	b.Instance.ContainsHashes(b.digests(hs...), dst)
}

func (b *hashed) InsertHash(h uint64) error {
	if b.single != nil {
		return b.single.InsertHash(b.hash.Sum64Uint64(h))
	}
	_, err := b.InsertHashes([]uint64{h})
	return err
}

func (b *hashed) ContainsHash(h uint64) bool {
	if b.single != nil {
		return b.single.ContainsHash(b.hash.Sum64Uint64(h))
	}
	b.ContainsHashes([]uint64{h}, b.answer[:])
	return b.answer[0]
}

// Reset resets the filter, if it can be.
func (b *hashed) Reset() {
	if r, ok := b.Instance.(interface{ Reset() }); ok {
		r.Reset()
	}
}

type hashedDeleter struct {
	*hashed
	of Deleter
}

func (d hashedDeleter) DeleteHash(h uint64) bool { return d.of.DeleteHash(d.hash.Sum64Uint64(h)) }

// Number is the place of the filter of one's own that a series is of, -1 if it is of none.
func (p Parts) Number(series string) int {
	return slices.IndexFunc(p.Filters, func(f Filter) bool { return f.Name == series })
}

// names are those of the parts, and the recipes of policies and families.
func (p Parts) names() string {
	var all []string
	for _, v := range Join(OwnFilters, OwnFamilies, OwnPolicies)(Cell{Setup: Setup{Own: p}}) {
		all = append(all, v.own)
	}
	return strings.Join(all, "; ")
}

// Checked returns the parts as experiments get them: a New that fails, or returns nothing, is an error that says of
// which filter.
func (p Parts) Checked() Parts {
	p.Filters = slices.Clone(p.Filters)
	for i := range p.Filters {
		f := &p.Filters[i]
		f.Settings = slices.Clone(f.Settings)
		for j := range f.Settings {
			f.Settings[j].New = checkedNew(f.Name, j, f.Settings[j].New)
		}
	}
	return p
}

func checkedNew(filter string, setting int, empty func(int, uint64) (Instance, error)) (
	checked func(int, uint64) (Instance, error),
) {
	return func(n int, seed uint64) (Instance, error) {
		f, err := empty(n, seed)
		if err == nil && f == nil {
			err = errors.New("its New returned neither a filter nor an error")
		}
		if err != nil {
			return nil, fmt.Errorf("filter %q, setting %d, %d keys: %w", filter, setting, n, err)
		}
		return f, nil
	}
}

// ErrPanic is wrapped by errors about code that panicked in a trial, or in what an experiment made of the trials: of a
// part of one's own, in all likelihood. What was measured by then is in the store.
var ErrPanic = errors.New("panic")

// Recovered makes an error of a panic, with the place in the code: it wraps [ErrPanic]. It is to be deferred.
func Recovered(err *error) {
	if r := recover(); r != nil {
		*err = panicked(r)
	}
}

func panicked(r any) error {
	return fmt.Errorf("%w: %v\n%s", ErrPanic, r, bytes.TrimSpace(debug.Stack()))
}
