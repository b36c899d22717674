package bloomcore

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// A Field is one field of a configuration in its text form: its key and a pointer to it, which is
// an *int, a *float64 or a *hashing.Hasher.
type Field struct {
	Key string
	Var any
}

// recipeEscapes keeps a user's recipe from being taken for the fields around it.
var (
	recipeEscapes   = strings.NewReplacer("%", "%25", "/", "%2F", "=", "%3D", " ", "%20")
	recipeUnescapes = strings.NewReplacer("%25", "%", "%2F", "/", "%3D", "=", "%20", " ")
)

// Text returns the fields that are not zero as key=value pairs joined by slashes.
func Text(fields []Field) string {
	var parts []string
	for _, f := range fields {
		if value := f.text(); value != "" {
			parts = append(parts, f.Key+"="+value)
		}
	}
	return strings.Join(parts, "/")
}

// text returns the value of a field, or nothing if it is zero.
func (f Field) text() string {
	switch v := f.Var.(type) {
	case *int:
		if *v != 0 {
			return strconv.Itoa(*v)
		}
	case *float64:
		if *v != 0 {
			// Names that end in an exponent are cut short by parsers of benchmark results.
			return strconv.FormatFloat(*v, 'f', -1, 64)
		}
	case *hashing.Hasher:
		if *v != nil {
			return recipeEscapes.Replace((*v).Recipe())
		}
	}
	return ""
}

// ParseText sets the fields that s, written by [Text], names. Hashers are found by their recipe
// among known before hashing.Parse is asked.
func ParseText(pkg, s string, fields []Field, known []hashing.Hasher) error {
	if s == "" {
		return nil
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(s, "/") {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return fmt.Errorf("%s: %w: %q is not key=value", pkg, errs.Config, part)
		}
		err := errors.New("the key comes twice")
		if !seen[key] {
			err = set(fields, key, recipeUnescapes.Replace(value), known)
		}
		if err != nil {
			return fmt.Errorf("%s: %w: %s=%s: %w", pkg, errs.Config, key, value, err)
		}
		seen[key] = true
	}
	return nil
}

// set parses value into the field of that key.
func set(fields []Field, key, value string, known []hashing.Hasher) (err error) {
	var keys []string
	for _, f := range fields {
		keys = append(keys, f.Key)
		if f.Key != key {
			continue
		}
		switch v := f.Var.(type) {
		case *int:
			*v, err = strconv.Atoi(value)
		case *float64:
			*v, err = strconv.ParseFloat(value, 64)
		case *hashing.Hasher:
			*v, err = parseHash(value, known)
		}
		return err
	}
	return fmt.Errorf("unknown key, want one of %s", strings.Join(keys, ", "))
}

// parseHash returns the hasher of a recipe.
func parseHash(recipe string, known []hashing.Hasher) (hashing.Hasher, error) {
	for _, h := range known {
		if h.Recipe() == recipe {
			return h, nil
		}
	}
	return hashing.Parse(recipe)
}
