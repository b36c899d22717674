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

// A Field is one field of a configuration: data, from which the functions of this package make texts and messages.
type Field struct {
	// Name is that of the field in Go, Key that in text and JSON.
	Name, Key string
	// Pointer points to the value.
	Pointer any

	rule rule
	of   []int // of aRange its least value, of aChoice all values
	most uint64

	// Of a value of any other type: its text and whether it is zero, how it is set, and what is wrong with it.
	text   func() (text string, zero bool)
	parse  func(text string) error
	misfit func() string
}

// A rule says which values a field may have beside its zero value, which stands for none or for a default.
type rule uint8

const (
	_       rule = iota
	aRange       // whole numbers from of[0] to most
	aChoice      // the whole numbers in of
	aNumber      // above 0
	aRate        // between 0 and 1
)

// Plain returns the field of a yes or no, a name or a seed.
func Plain[T bool | string | uint64](name, key string, v *T) Field {
	return Field{Name: name, Key: key, Pointer: v}
}

// Int returns the field of a whole number: 0, which stands for a default, or least to most.
func Int(name, key string, v *int, least int, most uint64) Field {
	return Field{Name: name, Key: key, Pointer: v, rule: aRange, of: []int{least}, most: most}
}

// OneOf returns the field of a whole number: 0, which stands for a default, or one of several.
func OneOf(name, key string, v *int, of ...int) Field {
	return Field{Name: name, Key: key, Pointer: v, rule: aChoice, of: of}
}

// Float returns the field of a number that is 0, for none, or above 0. It is written without an exponent, because
// names that end in one are cut short by parsers of benchmark results.
func Float(name, key string, v *float64) Field {
	return Field{Name: name, Key: key, Pointer: v, rule: aNumber}
}

// Rate returns the field of a false-positive rate: 0, for none, or a number between 0 and 1.
func Rate(name, key string, v *float64) Field {
	return Field{Name: name, Key: key, Pointer: v, rule: aRate}
}

// Period returns the field of a length of time: 0, for none, or at least least. Its text and JSON are as 10m0s.
func Period(name, key string, v *time.Duration, least time.Duration) Field {
	p := (*period)(v)
	return Field{Name: name, Key: key, Pointer: p,
		text:  func() (text string, zero bool) { return v.String(), *v == 0 },
		parse: func(text string) error { return p.UnmarshalText([]byte(text)) },
		misfit: func() string {
			if *v == 0 || *v >= least {
				return ""
			}
			return "want at least " + least.String()
		},
	}
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

// wrong returns what is wrong with the value by itself, or nothing.
func (f *Field) wrong() string {
	number, _ := f.Pointer.(*float64)
	whole, _ := f.Pointer.(*int)
	switch f.rule {
	case aRange:
		switch least := f.of[0]; {
		case *whole == 0 || *whole >= least && uint64(*whole) <= f.most:
			return ""
		case f.most >= math.MaxInt:
			return "want at least " + strconv.Itoa(least)
		default:
			return "want " + strconv.Itoa(least) + " to " + strconv.FormatUint(f.most, 10)
		}
	case aChoice:
		if *whole == 0 || slices.Contains(f.of, *whole) {
			return ""
		}
		list := make([]string, len(f.of))
		for k, n := range f.of {
			list[k] = strconv.Itoa(n)
		}
		return "want " + orList(list)
	case aNumber:
		if *number != 0 && !(*number > 0 && *number <= math.MaxFloat64) {
			return "want a number above 0"
		}
	case aRate:
		if *number != 0 && !(*number > 0 && *number < 1) {
			return "want a number between 0 and 1"
		}
	}
	if f.misfit != nil {
		return f.misfit()
	}
	return ""
}

// orList joins words as in "2, 4 or 8".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
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
