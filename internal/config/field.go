package config

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nestfilter/nest/hashing"
)

// A Field is one field of a configuration, from which the functions of this package make texts and messages.
type Field struct {
	// Name is that of the field in Go, Key that in text and JSON.
	Name, Key string
	// Pointer points to the value.
	Pointer any

	// misfit returns what is wrong with the value by itself, or nothing. It is nil if nothing can be.
	misfit func() string
	// Of a value of a type that this package does not know: its text and whether it is zero, and how it is set.
	text  func() (text string, zero bool)
	parse func(text string) error
}

// Plain returns the field of a yes or no, a name or a seed.
func Plain[T bool | string | uint64](name, key string, v *T) Field {
	return Field{Name: name, Key: key, Pointer: v}
}

// Int returns the field of a whole number: 0, which stands for a default, or least to most.
func Int(name, key string, v *int, least int, most uint64) Field {
	return Field{Name: name, Key: key, Pointer: v, misfit: func() string {
		switch {
		case *v == 0 || *v >= least && uint64(*v) <= most:
			return ""
		case most >= math.MaxInt:
			return "want at least " + strconv.Itoa(least)
		}
		return "want " + strconv.Itoa(least) + " to " + strconv.FormatUint(most, 10)
	}}
}

// OneOf returns the field of a whole number: 0, which stands for a default, or one of several.
func OneOf(name, key string, v *int, of ...int) Field {
	return Field{Name: name, Key: key, Pointer: v, misfit: func() string {
		if *v == 0 || slices.Contains(of, *v) {
			return ""
		}
		list := make([]string, len(of))
		for k, n := range of {
			list[k] = strconv.Itoa(n)
		}
		return "want " + orList(list)
	}}
}

// orList joins words as in "2, 4 or 8".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Float returns the field of a number that is 0, for none, or above 0. It is written without an exponent, because
// names that end in one are cut short by parsers of benchmark results.
func Float(name, key string, v *float64) Field {
	return Field{Name: name, Key: key, Pointer: v, misfit: func() string {
		return unless(*v == 0 || *v > 0 && *v <= math.MaxFloat64, "want a number above 0")
	}}
}

// Rate returns the field of a false-positive rate: 0, for none, or a number between 0 and 1.
func Rate(name, key string, v *float64) Field {
	return Field{Name: name, Key: key, Pointer: v, misfit: func() string {
		return unless(*v == 0 || *v > 0 && *v < 1, "want a number between 0 and 1")
	}}
}

// Period returns the field of a length of time: 0, for none, or at least least. Its text and JSON are as 10m0s.
func Period(name, key string, v *time.Duration, least time.Duration) Field {
	p := (*period)(v)
	return Field{Name: name, Key: key, Pointer: p,
		text:   func() (text string, zero bool) { return v.String(), *v == 0 },
		parse:  func(text string) error { return p.UnmarshalText([]byte(text)) },
		misfit: func() string { return unless(*v == 0 || *v >= least, "want at least "+least.String()) },
	}
}

// unless returns what is wanted if that is not so, and else nothing.
func unless(ok bool, want string) string {
	if ok {
		return ""
	}
	return want
}

// A period is a time.Duration that is text in JSON too.
type period time.Duration

// MarshalText returns a text such as 10m0s.
func (p period) MarshalText() ([]byte, error) { return []byte(time.Duration(p).String()), nil }

// UnmarshalText reads it.
func (p *period) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err == nil {
		*p = period(d)
	}
	return err
}

// Limit returns the field MaxBytes.
func Limit(v *int) Field { return Int("MaxBytes", "maxbytes", v, 0, math.MaxInt) }

// DefaultMaxBytes is the largest table where a configuration sets no MaxBytes: 16 GiB, or 1 GiB where
// that does not fit into an int.
const DefaultMaxBytes = 1 << (30 + 4*(bits.UintSize/64))

// MaxBytes returns the limit that a configuration sets, 0 standing for the default.
func MaxBytes(set int) int { return cmp.Or(set, DefaultMaxBytes) }

// Set tells whether the value is not zero.
func (f *Field) Set() bool { return f.Text() != "" }

// String returns the name and the value, for messages.
func (f Field) String() string {
	text, _ := f.value()
	return f.Name + " " + text
}

// Text returns the value, or nothing where it is zero and need not be written.
func (f *Field) Text() string {
	text, zero := f.value()
	if zero {
		return ""
	}
	if v, ok := f.Pointer.(*float64); ok {
		return strconv.FormatFloat(*v, 'f', -1, 64)
	}
	return text
}

// value returns the value as text, and whether it is zero.
func (f *Field) value() (text string, zero bool) {
	switch v := f.Pointer.(type) {
	case *bool:
		return strconv.FormatBool(*v), !*v
	case *int:
		return strconv.Itoa(*v), *v == 0
	case *uint64:
		return strconv.FormatUint(*v, 10), *v == 0
	case *float64:
		return fmt.Sprint(*v), *v == 0
	case *string:
		return *v, *v == ""
	}
	return f.text()
}

// Parse sets the value.
func (f *Field) Parse(text string) (err error) {
	switch v := f.Pointer.(type) {
	case *bool:
		*v, err = strconv.ParseBool(text)
	case *int:
		*v, err = strconv.Atoi(text)
	case *uint64:
		*v, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		*v, err = strconv.ParseFloat(text, 64)
	case *string:
		*v = text
	default:
		return f.parse(text)
	}
	return err
}

// Choice returns the field of one of several names, which is not written where it is the default. It is given the
// methods of the type, as a call of a method that is not known would keep all of that name in every program.
func Choice[T ~uint8](name, key string, v *T, marshal func(T) ([]byte, error), unmarshal func(*T, []byte) error) Field {
	return Field{Name: name, Key: key, Pointer: v,
		text: func() (text string, zero bool) {
			b, err := marshal(*v)
			if err != nil {
				return strconv.Itoa(int(*v)), false
			}
			return string(b), *v == 0
		},
		parse: func(text string) error { return unmarshal(v, []byte(text)) },
		misfit: func() (want string) {
			if _, err := marshal(*v); err != nil {
				_, want, _ = strings.Cut(inner(err).Error(), ", ") // the value stands before
			}
			return want
		},
	}
}

// Part returns the field of a part that has a recipe: a hash or a policy. The part that the configuration has
// stays where the text is its recipe, and find returns any other.
func Part[T interface {
	comparable
	Recipe() string
}](name, key string, v *T, find func(recipe string) (T, error)) Field {
	var none T
	return Field{Name: name, Key: key, Pointer: v,
		text: func() (recipe string, zero bool) {
			if *v == none {
				return "", true
			}
			return (*v).Recipe(), false
		},
		parse: func(recipe string) (err error) {
			if *v == none || (*v).Recipe() != recipe {
				*v, err = find(recipe)
			}
			return err
		},
	}
}

// Hash returns the field of a hash family.
func Hash(v *hashing.Hasher) Field { return Part("Hash", "hash", v, hashing.Parse) }

// Find returns the first of the known hashers, of which some may be nil, that has the recipe.
func Find(recipe string, known []hashing.Hasher) (found hashing.Hasher, ok bool) {
	for _, h := range known {
		if h != nil && h.Recipe() == recipe {
			return h, true
		}
	}
	return nil, false
}
