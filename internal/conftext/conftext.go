// Package conftext is the text form of configurations: key=value pairs joined by slashes, as the
// names of benchmarks use them. Every filter package lists the fields of its Config with pointers
// into it and leaves the writing and the reading to this package.
package conftext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// A Field is one field of a configuration.
type Field struct {
	Key string
	// Text returns the field's value, or nothing where it is zero and need not be written.
	Text func() string
	// Parse sets the field.
	Parse func(value string) error
}

// escapes keeps a user's recipe from being taken for the fields around it.
var (
	escapes   = strings.NewReplacer("%", "%25", "/", "%2F", "=", "%3D", " ", "%20")
	unescapes = strings.NewReplacer("%25", "%", "%2F", "/", "%3D", "=", "%20", " ")
)

// number makes a Field of a value that is written unless it is zero.
func number[T comparable](key string, v *T, text func(T) string, parse func(string) (T, error)) Field {
	return Field{
		Key: key,
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
func Bool(key string, v *bool) Field { return number(key, v, strconv.FormatBool, strconv.ParseBool) }

// Int returns the field of a whole number.
func Int(key string, v *int) Field { return number(key, v, strconv.Itoa, strconv.Atoi) }

// Uint64 returns the field of a seed.
func Uint64(key string, v *uint64) Field {
	return number(key, v,
		func(x uint64) string { return strconv.FormatUint(x, 10) },
		func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })
}

// Float returns the field of a rate. It is written without an exponent, because names that end in
// one are cut short by parsers of benchmark results.
func Float(key string, v *float64) Field {
	return number(key, v,
		func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) },
		func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
}

// Name returns the field of a choice that has a name.
func Name[T interface {
	comparable
	fmt.Stringer
}](key string, v *T, parse func(string) (T, error)) Field {
	return number(key, v, T.String, parse)
}

// Hash returns the field of a hash family. Hashers are found by their recipe among known before
// hashing.Parse is asked.
func Hash(key string, v *hashing.Hasher, known []hashing.Hasher) Field {
	return Field{
		Key: key,
		Text: func() string {
			if *v == nil {
				return ""
			}
			return (*v).Recipe()
		},
		Parse: func(recipe string) (err error) {
			h, ok := Find(recipe, known)
			if !ok {
				h, err = hashing.Parse(recipe)
			}
			*v = h
			return err
		},
	}
}

// Find returns the first of the known hashers, of which some may be nil, that has the recipe.
func Find(recipe string, known []hashing.Hasher) (found hashing.Hasher, ok bool) {
	for _, h := range known {
		if h != nil && h.Recipe() == recipe {
			return h, true
		}
	}
	return nil, false
}

// Text returns the fields that are not zero as key=value pairs joined by slashes.
func Text(fields []Field) string {
	var pairs []string
	for _, f := range fields {
		if value := f.Text(); value != "" {
			pairs = append(pairs, f.Key+"="+escapes.Replace(value))
		}
	}
	return strings.Join(pairs, "/")
}

// Parse sets the fields that s, written by [Text], names. An error is errs.Config, begins with the
// name of the package and names the field.
func Parse(pkg, s string, fields []Field) error {
	if s == "" {
		return nil
	}
	seen := map[string]bool{}
	for pair := range strings.SplitSeq(s, "/") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("%s: %w: %q is not key=value", pkg, errs.Config, pair)
		}
		err := errors.New("the key comes twice")
		if !seen[key] {
			err = set(fields, key, unescapes.Replace(value))
		}
		if err != nil {
			return fmt.Errorf("%s: %w: %s=%s: %w", pkg, errs.Config, key, value, err)
		}
		seen[key] = true
	}
	return nil
}

// set parses value into the field of that key.
func set(fields []Field, key, value string) error {
	var keys []string
	for _, f := range fields {
		if f.Key == key {
			return f.Parse(value)
		}
		keys = append(keys, f.Key)
	}
	return fmt.Errorf("unknown key, want one of %s", strings.Join(keys, ", "))
}
