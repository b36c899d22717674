// Package config is what all configurations have in common. A configuration lists its fields once, as a table of
// [Field]: the name, the key, a pointer to the value and the values that it may have. From that table follow the
// text form, key=value pairs joined by slashes as the names of benchmarks use them, the JSON form, and what is
// said of a wrong value.
//
// An error reads "bloom: invalid configuration: Bits is -1, want at least 0": the package, the kind of error, the
// field and its value.
package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nestfilter/nest/internal/errs"
)

// escapes keeps a user's recipe from being taken for the fields around it.
var (
	escapes   = strings.NewReplacer("%", "%25", "/", "%2F", "=", "%3D", " ", "%20")
	unescapes = strings.NewReplacer("%25", "%", "%2F", "/", "%3D", "=", "%20", " ")
)

// Text returns the fields that are set as key=value pairs joined by slashes.
func Text(fields []Field) string {
	var pairs []string
	for _, f := range fields {
		if value := f.Text(); value != "" {
			pairs = append(pairs, f.Key+"="+escapes.Replace(value))
		}
	}
	return strings.Join(pairs, "/")
}

// Read sets the fields of c that the text names; the others keep their values. An error is errs.Config, begins
// with the name of the package and names the key, and leaves c as it was.
func Read[C any](p Package, text string, c *C, fields func(*C) []Field) error {
	read := *c
	if err := parse(p, text, fields(&read)); err != nil {
		return err
	}
	*c = read
	return nil
}

// parse sets the fields that the text names.
func parse(p Package, text string, fields []Field) error {
	if text == "" {
		return nil
	}
	seen := map[string]bool{}
	for pair := range strings.SplitSeq(text, "/") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return p.Errorf(errs.Config, "%q is not key=value", pair)
		}
		err := errors.New("the key comes twice")
		if !seen[key] {
			err = set(fields, key, unescapes.Replace(value))
		}
		if err != nil {
			return p.Errorf(errs.Config, "%s=%s: %w", key, value, err)
		}
		seen[key] = true
	}
	return nil
}

// set parses value into the field of that key.
func set(fields []Field, key, value string) error {
	for _, f := range fields {
		if f.Key == key {
			return inner(f.Parse(value))
		}
	}
	return fmt.Errorf("unknown key, want one of %s", Keys(fields))
}

// Keys returns the keys of all fields, for messages.
func Keys(fields []Field) string {
	var keys []string
	for _, f := range fields {
		keys = append(keys, f.Key)
	}
	return strings.Join(keys, ", ")
}

// inner returns what an error of [Package.Errorf] says behind its package and its kind, and any other error as it is.
func inner(err error) error {
	if both, ok := err.(interface{ Unwrap() []error }); ok {
		if all := both.Unwrap(); len(all) == 2 && all[0] == errs.Config {
			return all[1]
		}
	}
	return err
}
