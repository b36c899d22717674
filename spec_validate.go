package nest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// problems collects what is wrong with a Spec.
type problems struct{ list []error }

func (p *problems) wrong(format string, args ...any) {
	p.list = append(p.list, errorf(ErrConfig, format, args...))
}

// add appends an error that is not nil.
func (p *problems) add(err error) {
	if err != nil {
		p.list = append(p.list, err)
	}
}

// clash reports two fields that must not be set together.
func (p *problems) clash(a, b value) {
	if a.set && b.set {
		p.wrong("%v and %v are both set, want one of them", a, b)
	}
}

// A value is a field of a Spec as errors show it.
type value struct {
	name string
	v    any
	set  bool
}

func valueOf[T comparable](name string, v T) value {
	var zero T
	return value{name, v, v != zero}
}

func (v value) String() string { return fmt.Sprintf("%s %v", v.name, v.v) }

// Validate reports everything that is wrong with s, each problem on a line of its own that names the
// fields, or nil. All of it is [ErrConfig]. What only planning can find is reported by [Plans] and
// [New]: a rate that is out of reach and a table beyond MaxBytes.
func (s Spec) Validate() error {
	var p problems
	k, known := s.kind()
	if !known {
		p.wrong("Kind is %q, want one of %s", s.Kind, kindNames())
	}
	s.checkRanges(&p)
	s.checkParts(&p)
	if known {
		s.checkKind(&p, k)
		s.checkSizing(&p, k)
	}
	if len(p.list) == 0 && k.validate != nil {
		p.add(k.validate(s))
	}
	return errors.Join(p.list...)
}

// checkRanges looks at each number by itself.
func (s Spec) checkRanges(p *problems) {
	for _, f := range []struct {
		name    string
		v, most int
	}{
		{"Capacity", s.Capacity, math.MaxInt}, {"Slots", s.Slots, math.MaxInt}, {"MaxBytes", s.MaxBytes, math.MaxInt},
		{"FingerprintBits", s.FingerprintBits, fingerprint.MaxWidth}, {"Hashes", s.Hashes, bloom.MaxHashes},
		{"MaxKicks", s.MaxKicks, kick.MaxLimit}, {"MaxDoublings", s.MaxDoublings, math.MaxInt},
	} {
		switch {
		case f.v < 0:
			p.wrong("%s is %d, want at least 0", f.name, f.v)
		case f.v > f.most:
			p.wrong("%s is %d, want at most %d", f.name, f.v, f.most)
		}
	}
	if s.FalsePositiveRate != 0 && !(s.FalsePositiveRate > 0 && s.FalsePositiveRate < 1) {
		p.wrong("FalsePositiveRate is %v, want a number between 0 and 1", s.FalsePositiveRate)
	}
	if s.BitsPerItem != 0 && !(s.BitsPerItem > 0 && s.BitsPerItem <= math.MaxFloat64) {
		p.wrong("BitsPerItem is %v, want a number above 0", s.BitsPerItem)
	}
	if !slices.Contains([]int{0, 1, 2, 4, 8}, s.BucketSize) && !(s.Layout == cuckoo.Words && s.BucketSize > 2 && s.BucketSize < 8) {
		p.wrong("BucketSize is %d, want 1, 2, 4 or 8", s.BucketSize)
	}
}

// checkParts looks at what is chosen by name.
func (s Spec) checkParts(p *problems) {
	_, err := s.hasher()
	p.add(err)
	_, err = s.kickPolicy()
	p.add(err)
	if _, err := s.Layout.MarshalText(); err != nil {
		p.wrong("Layout is %d: %v", uint8(s.Layout), err)
	}
	if _, err := s.Placement.MarshalText(); err != nil {
		p.wrong("Placement is %d: %v", uint8(s.Placement), err)
	}
}

// checkKind reports fields that the kind does not have.
func (s Spec) checkKind(p *problems, k kind) {
	if s.MustDelete && !k.deletes {
		var can []string
		for _, other := range kinds {
			if other.deletes {
				can = append(can, string(other.name))
			}
		}
		p.wrong("Kind %s cannot delete and MustDelete is set, want Kind %s", k.name, strings.Join(can, " or "))
	}
	if s.Concurrent && !k.concurrent && k.name != Best {
		var can []string
		for _, other := range kinds {
			if other.concurrent {
				can = append(can, string(other.name))
			}
		}
		p.wrong("Kind %s is not for goroutines that change it at once and Concurrent is set, want Kind %s", k.name, strings.Join(can, " or "))
	}
	for _, v := range []value{
		valueOf("FingerprintBits", s.FingerprintBits), valueOf("BucketSize", s.BucketSize),
		valueOf("Layout", s.Layout), valueOf("Placement", s.Placement), valueOf("Kick", s.written().Kick), valueOf("MaxKicks", s.MaxKicks),
		valueOf("Seed", s.Seed), valueOf("MaxDoublings", s.MaxDoublings), valueOf("Hashes", s.Hashes), valueOf("CounterBits", s.CounterBits),
	} {
		if v.set && !slices.Contains(k.fields, v.name) {
			p.wrong("%v is set, which Kind %s does not have; it is for Kind %s", v, k.name, havers(v.name))
		}
	}
	if k.check != nil {
		k.check(s, p)
	}
}

// checkSizing looks at the fields that decide the size of the table, as a whole.
func (s Spec) checkSizing(p *problems, k kind) {
	var (
		capacity = valueOf("Capacity", s.Capacity)
		slots    = valueOf("Slots", s.Slots)
		rate     = valueOf("FalsePositiveRate", s.FalsePositiveRate)
		bits     = valueOf("BitsPerItem", s.BitsPerItem)
		width    = valueOf("FingerprintBits", s.FingerprintBits)
		hashes   = valueOf("Hashes", s.Hashes)
	)
	p.clash(capacity, slots)
	p.clash(rate, bits)
	p.clash(bits, width)
	if k.grows {
		return // a width and a rate are no contradiction, and the rest is for the kind's check
	}
	p.clash(rate, width)
	p.clash(slots, rate)
	p.clash(slots, bits)
	p.clash(capacity, hashes)
	wide := slices.Contains(k.fields, "FingerprintBits")
	switch {
	case !capacity.set && bits.set && k.name == Best:
		p.wrong("%v is set and Capacity is 0, want both, or FalsePositiveRate for a filter that grows", bits)
	case !capacity.set && !slots.set && k.name == Best && s.Concurrent:
		p.wrong("Capacity is 0 and Concurrent is set, want both: no kind for goroutines grows")
	case !capacity.set && !slots.set && k.name == Best:
		// A filter that grows, with a rate or without one.
	case !capacity.set && !slots.set:
		p.wrong("Capacity and Slots are both 0, want one of them")
	case slots.set && k.name == Best:
		p.wrong("Slots %d is set and Kind is best, which needs Capacity", s.Slots)
	case slots.set && wide && !width.set:
		p.wrong("Slots %d is set and FingerprintBits is 0, want both", s.Slots)
	case slots.set && !wide && !hashes.set:
		p.wrong("Slots %d is set and Hashes is 0, want both", s.Slots)
	case capacity.set && !rate.set && !bits.set && wide && !width.set:
		p.wrong("FalsePositiveRate, BitsPerItem and FingerprintBits are all 0, want one of them")
	case capacity.set && !rate.set && !bits.set && !wide:
		p.wrong("FalsePositiveRate and BitsPerItem are both 0, want one of them")
	}
}
