package nest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
)

// Validate reports everything that is wrong with s for [New] with the same known hashers, each problem on a line of its
// own that names the fields, or nil. All of it is [ErrConfig]. What only planning can find is reported by [Plans] and
// New: a rate that is out of reach and a table beyond MaxBytes.
func (s Spec) Validate(known ...hashing.Hasher) error {
	p := config.Problems{Package: pkg}
	k, exists := s.kind()
	if !exists {
		p.Wrong("Kind is %q, want one of %s", s.Kind, namesOf(Kinds(), ", "))
	}
	p.Check(s.fields())
	_, err := s.hasher(known)
	p.Add(err)
	_, err = s.policy()
	p.Add(err)
	if exists {
		s.checkKind(&p, k)
		s.checkSizing(&p, k)
	}
	if p.None() && k.validate != nil {
		p.Add(k.validate(s))
	}
	return p.Err()
}

// checkKind reports fields that the kind does not have.
func (s Spec) checkKind(p *config.Problems, k kind) {
	if s.MustDelete && !k.deletes {
		can := kindsThat(func(k kind) bool { return k.deletes })
		p.Wrong("Kind %s cannot delete and MustDelete is set, want Kind %s", k.name, namesOf(can, " or "))
	}
	if s.Concurrent && !k.concurrent && k.name != Best {
		can := kindsThat(func(k kind) bool { return k.concurrent })
		p.Wrong("Kind %s is not for goroutines that change it at once and Concurrent is set, want Kind %s",
			k.name, namesOf(can, " or "))
	}
	for _, f := range s.fields() {
		has := func(k kind) bool { return slices.Contains(k.fields, f.Name) }
		if all := kindsThat(has); f.Set() && len(all) > 0 && !has(k) {
			p.Wrong("%v is set, which Kind %s does not have; it is for Kind %s", f, k.name, namesOf(all, ", "))
		}
	}
	if k.check != nil {
		k.check(s, p)
	}
}

// kindsThat lists the kinds of which yes says yes.
func kindsThat(yes func(kind) bool) (names []Kind) {
	for _, k := range kinds {
		if yes(k) {
			names = append(names, k.name)
		}
	}
	return names
}

// namesOf joins the names of kinds.
func namesOf(kinds []Kind, by string) string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, by)
}

// checkSizing looks at the fields that decide the size of the table, as a whole.
func (s Spec) checkSizing(p *config.Problems, k kind) {
	clashes := [][2]string{
		{"Capacity", "Slots"}, {"FalsePositiveRate", "BitsPerItem"}, {"BitsPerItem", "FingerprintBits"},
		{"FalsePositiveRate", "FingerprintBits"}, {"Slots", "FalsePositiveRate"}, {"Slots", "BitsPerItem"},
		{"Capacity", "Hashes"},
	}
	if k.grows {
		clashes = clashes[:3] // a width and a rate are no contradiction, and the rest is for the kind's check
	}
	for _, c := range clashes {
		if a, b := s.field(c[0]), s.field(c[1]); a.Set() && b.Set() {
			p.Wrong("%v and %v are both set, want one of them", a, b)
		}
	}
	if k.grows {
		return
	}
	if s.Keys != 0 && s.Slots == 0 {
		s.Capacity = cmp.Or(s.Capacity, s.Keys) // it follows
	}
	wide := slices.Contains(k.fields, "FingerprintBits")
	sized := s.FalsePositiveRate != 0 || s.BitsPerItem != 0
	switch {
	case s.Capacity == 0 && s.BitsPerItem != 0 && k.name == Best:
		p.Wrong("%v is set and Capacity is 0, want both, or FalsePositiveRate for a filter that grows",
			s.field("BitsPerItem"))
	case s.Capacity == 0 && s.Slots == 0 && k.name == Best && s.Concurrent:
		p.Wrong("Capacity is 0 and Concurrent is set, want both: no kind for goroutines grows")
	case s.Capacity == 0 && s.Slots == 0 && k.name == Best:
		// A filter that grows, with a rate or without one.
	case s.Capacity == 0 && s.Slots == 0:
		p.Wrong("Capacity and Slots are both 0, want one of them")
	case s.Slots != 0 && k.name == Best:
		p.Wrong("Slots %d is set and Kind is best, which needs Capacity", s.Slots)
	case s.Slots != 0 && wide && s.FingerprintBits == 0:
		p.Wrong("Slots %d is set and FingerprintBits is 0, want both", s.Slots)
	case s.Slots != 0 && !wide && s.Hashes == 0:
		p.Wrong("Slots %d is set and Hashes is 0, want both", s.Slots)
	case s.Capacity != 0 && !sized && wide && s.FingerprintBits == 0:
		p.Wrong("FalsePositiveRate, BitsPerItem and FingerprintBits are all 0, want one of them")
	case s.Capacity != 0 && !sized && !wide:
		p.Wrong("FalsePositiveRate and BitsPerItem are both 0, want one of them")
	}
}
