package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nestfilter/nest/internal/errs"
)

// A Package is the name that the errors of a package begin with.
type Package string

// Errorf returns an error of the given kind, one of package errs.
func (p Package) Errorf(kind error, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %w", string(p), kind, fmt.Errorf(format, args...))
}

// Wrap puts the name in front of an error, if there is one.
func (p Package) Wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", string(p), err)
}

// Differ returns the errs.Mismatch of two configurations that have different values in a field.
func (p Package) Differ(field string, a, b any) error {
	return p.Errorf(errs.Mismatch, "%s is %v and %v", field, a, b)
}

// DifferIn is Differ for the first field of two tables whose values are not equal, but for those that are left out by
// name, or nil.
func (p Package) DifferIn(a, b []Field, but ...string) error {
	for k := range a {
		x, _ := a[k].value()
		if y, _ := b[k].value(); x != y && !slices.Contains(but, a[k].Name) {
			return p.Differ(a[k].Name, x, y)
		}
	}
	return nil
}

// Problems collects what is wrong with one configuration. The zero Problems of a Package has none.
type Problems struct {
	Package Package
	all     []error
}

// Wrong adds a problem. The text names the field and its value.
func (p *Problems) Wrong(format string, args ...any) {
	p.all = append(p.all, p.Package.Errorf(errs.Config, format, args...))
}

// Add adds the problems of a part, which say their package themselves. A nil error is none.
func (p *Problems) Add(err error) {
	if err != nil {
		p.all = append(p.all, err)
	}
}

// Check adds what is wrong with the value of each field by itself.
func (p *Problems) Check(fields []Field) {
	for _, f := range fields {
		if f.misfit == nil {
			continue
		}
		if wrong := f.misfit(); wrong != "" {
			value, _ := f.value()
			p.Wrong("%s is %s, %s", f.Name, value, wrong)
		}
	}
}

// Width sets bits, the width of fingerprints, to that of their type, or adds a problem. The width of fingerprint.Any is
// 0: it is what the configuration says or, where it has a rate, what follows from that.
func (p *Problems) Width(bits *int, ofType uint, rate *float64) {
	switch {
	case ofType != 0 && *bits != 0 && *bits != int(ofType):
		p.Wrong("FingerprintBits is %d, and the fingerprints have %d bits", *bits, ofType)
	case ofType != 0:
		*bits = int(ofType)
	case *bits == 0 && rate == nil:
		p.Wrong("FingerprintBits is 0, want 1 to 32 for fingerprint.Any")
	case *bits == 0 && *rate == 0:
		p.Wrong("FingerprintBits and FalsePositiveRate are both 0, want one of them for fingerprint.Any")
	}
}

// None tells whether nothing is wrong so far.
func (p *Problems) None() bool { return len(p.all) == 0 }

// Err returns all problems, each on a line of its own, or nil.
func (p *Problems) Err() error { return errors.Join(p.all...) }
