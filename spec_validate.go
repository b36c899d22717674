package nest

import (
	"errors"
	"slices"
	"strings"

	"github.com/nestfilter/nest/internal/config"
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
func (p *problems) clash(a, b config.Field) {
	if a.Set() && b.Set() {
		p.wrong("%v and %v are both set, want one of them", a, b)
	}
}

// Validate reports everything that is wrong with s, each problem on a line of its own that names the
// fields, or nil. All of it is [ErrConfig]. What only planning can find is reported by [Plans] and
// [New]: a rate that is out of reach and a table beyond MaxBytes.
func (s Spec) Validate() error {
	var p problems
	k, known := s.kind()
	if !known {
		p.wrong("Kind is %q, want one of %s", s.Kind, kindNames())
	}
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

// checkParts looks at each field by itself, and at the parts that are chosen by name.
func (s Spec) checkParts(p *problems) {
	ranges := config.Problems{Package: "nest"}
	ranges.Check(s.fields())
	p.add(ranges.Err())
	_, err := s.hasher()
	p.add(err)
	_, err = s.kickPolicy()
	p.add(err)
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
	s = s.written()
	for _, f := range s.fields() {
		if all := havers(f.Name); f.Set() && all != "" && !slices.Contains(k.fields, f.Name) {
			p.wrong("%v is set, which Kind %s does not have; it is for Kind %s", f, k.name, all)
		}
	}
	if k.check != nil {
		k.check(s, p)
	}
}

// checkSizing looks at the fields that decide the size of the table, as a whole.
func (s Spec) checkSizing(p *problems, k kind) {
	var (
		capacity = s.field("Capacity")
		slots    = s.field("Slots")
		rate     = s.field("FalsePositiveRate")
		bits     = s.field("BitsPerItem")
		width    = s.field("FingerprintBits")
		hashes   = s.field("Hashes")
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
	case !capacity.Set() && bits.Set() && k.name == Best:
		p.wrong("%v is set and Capacity is 0, want both, or FalsePositiveRate for a filter that grows", bits)
	case !capacity.Set() && !slots.Set() && k.name == Best && s.Concurrent:
		p.wrong("Capacity is 0 and Concurrent is set, want both: no kind for goroutines grows")
	case !capacity.Set() && !slots.Set() && k.name == Best:
		// A filter that grows, with a rate or without one.
	case !capacity.Set() && !slots.Set():
		p.wrong("Capacity and Slots are both 0, want one of them")
	case slots.Set() && k.name == Best:
		p.wrong("Slots %d is set and Kind is best, which needs Capacity", s.Slots)
	case slots.Set() && wide && !width.Set():
		p.wrong("Slots %d is set and FingerprintBits is 0, want both", s.Slots)
	case slots.Set() && !wide && !hashes.Set():
		p.wrong("Slots %d is set and Hashes is 0, want both", s.Slots)
	case capacity.Set() && !rate.Set() && !bits.Set() && wide && !width.Set():
		p.wrong("FalsePositiveRate, BitsPerItem and FingerprintBits are all 0, want one of them")
	case capacity.Set() && !rate.Set() && !bits.Set() && !wide:
		p.wrong("FalsePositiveRate and BitsPerItem are both 0, want one of them")
	}
}
