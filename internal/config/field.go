package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/hashing"
)

// A Field is one field of a configuration.
type Field struct {
	// Name is that of the field in Go, Key that in text and JSON.
	Name, Key string
	// Pointer points to the value.
	Pointer any
	// Text returns the value, or nothing where it is zero and need not be written.
	Text func() string
	// Parse sets the value.
	Parse func(text string) error
	// wrong returns what is wrong with the value by itself, or nothing.
	wrong func() string
	// show returns the value.
	show func() any
}

// Set tells whether the value is not zero.
func (f Field) Set() bool { return f.Text() != "" }

// String returns the name and the value, for messages.
func (f Field) String() string { return fmt.Sprintf("%s %v", f.Name, f.show()) }

// field makes a Field of a value that is written unless it is zero.
func field[T comparable](name, key string, v *T, text func(T) string, parse func(string) (T, error)) Field {
	return Field{
		Name: name, Key: key, Pointer: v, show: func() any { return *v }, wrong: func() string { return "" },
		Text: func() string {
			var zero T
			if *v == zero {
				return ""
			}
			return text(*v)
		},
		Parse: func(value string) (err error) {
			*v, err = parse(value)
			return err
		},
	}
}

// Bool returns the field of a yes or no.
func Bool(name, key string, v *bool) Field {
	return field(name, key, v, strconv.FormatBool, strconv.ParseBool)
}

// Int returns the field of a whole number: 0, which stands for a default, or least to most.
func Int(name, key string, v *int, least int, most uint64) Field {
	f := field(name, key, v, strconv.Itoa, strconv.Atoi)
	f.wrong = func() string {
		switch {
		case *v == 0 || *v >= least && uint64(*v) <= most:
			return ""
		case most >= math.MaxInt:
			return "want at least " + strconv.Itoa(least)
		}
		return "want " + strconv.Itoa(least) + " to " + strconv.FormatUint(most, 10)
	}
	return f
}

// OneOf returns the field of a whole number: 0, which stands for a default, or one of several.
func OneOf(name, key string, v *int, of ...int) Field {
	f := field(name, key, v, strconv.Itoa, strconv.Atoi)
	f.wrong = func() string {
		if *v == 0 || slices.Contains(of, *v) {
			return ""
		}
		var list []string
		for _, n := range of {
			list = append(list, strconv.Itoa(n))
		}
		return "want " + orList(list)
	}
	return f
}

// orList joins words as in "2, 4 or 8".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Uint64 returns the field of a seed.
func Uint64(name, key string, v *uint64) Field {
	return field(name, key, v,
		func(x uint64) string { return strconv.FormatUint(x, 10) },
		func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })
}

// Float returns the field of a number that is 0, for none, or above 0. It is written without an exponent, because
// names that end in one are cut short by parsers of benchmark results.
func Float(name, key string, v *float64) Field {
	f := field(name, key, v,
		func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) },
		func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	f.wrong = func() string {
		if *v == 0 || *v > 0 && *v <= math.MaxFloat64 {
			return ""
		}
		return "want a number above 0"
	}
	return f
}

// Rate returns the field of a false-positive rate: 0, for none, or a number between 0 and 1.
func Rate(name, key string, v *float64) Field {
	f := Float(name, key, v)
	f.wrong = func() string {
		if IsRate(*v) {
			return ""
		}
		return "want a number between 0 and 1"
	}
	return f
}

// IsRate tells whether a number is a rate, or 0 for none.
func IsRate(v float64) bool { return v == 0 || v > 0 && v < 1 }

// Word returns the field of a name.
func Word[T ~string](name, key string, v *T) Field {
	return field(name, key, v, func(x T) string { return string(x) }, func(s string) (T, error) { return T(s), nil })
}

// Choice returns the field of one of several names, which is not written where it is the default. It is given the
// methods of the type, as a call of a method that is not known would keep all of that name in every program.
func Choice[T ~uint8](name, key string, v *T, marshal func(T) ([]byte, error), unmarshal func(*T, []byte) error) Field {
	text := func(x T) string {
		b, err := marshal(x)
		if err != nil {
			return strconv.Itoa(int(x))
		}
		return string(b)
	}
	f := field(name, key, v, text, func(text string) (read T, err error) {
		err = unmarshal(&read, []byte(text))
		return read, err
	})
	f.show = func() any { return text(*v) }
	f.wrong = func() string {
		if _, err := marshal(*v); err != nil {
			_, want, _ := strings.Cut(inner(err).Error(), ", ") // the value stands before
			return want
		}
		return ""
	}
	return f
}

// Part returns the field of a part that has a recipe: a hash or a policy. The part that the configuration has
// stays where the text is its recipe, and find returns any other.
func Part[T interface {
	comparable
	Recipe() string
}](name, key string, v *T, find func(recipe string) (T, error)) Field {
	return field(name, key, v, T.Recipe, func(recipe string) (T, error) {
		var none T
		if *v != none && (*v).Recipe() == recipe {
			return *v, nil
		}
		return find(recipe)
	})
}

// Hash returns the field of a hash family.
func Hash(v *hashing.Hasher) Field { return Part("Hash", "hash", v, hashing.Parse) }

// Limit returns the field MaxBytes.
func Limit(v *int) Field { return Int("MaxBytes", "maxbytes", v, 0, math.MaxInt) }

// Find returns the first of the known hashers, of which some may be nil, that has the recipe.
func Find(recipe string, known []hashing.Hasher) (found hashing.Hasher, ok bool) {
	for _, h := range known {
		if h != nil && h.Recipe() == recipe {
			return h, true
		}
	}
	return nil, false
}
