package nest

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/internal/conftext"
)

// field is one field of a Spec in its two forms: conftext's for text, and for JSON a pointer to it.
type field struct {
	conftext.Field
	value any
}

// fields returns the fields of s with pointers into s, in the order in which they are written.
func (s *Spec) fields() []field {
	return []field{
		word("kind", &s.Kind),
		{conftext.Int("capacity", &s.Capacity), &s.Capacity},
		{conftext.Int("slots", &s.Slots), &s.Slots},
		{conftext.Float("fpr", &s.FalsePositiveRate), &s.FalsePositiveRate},
		{conftext.Float("bitsperitem", &s.BitsPerItem), &s.BitsPerItem},
		{conftext.Bool("mustdelete", &s.MustDelete), &s.MustDelete},
		{conftext.Bool("concurrent", &s.Concurrent), &s.Concurrent},
		{conftext.Int("f", &s.FingerprintBits), &s.FingerprintBits},
		{conftext.Int("b", &s.BucketSize), &s.BucketSize},
		choice("layout", &s.Layout),
		choice("placement", &s.Placement),
		word("kick", &s.Kick),
		{conftext.Int("maxkicks", &s.MaxKicks), &s.MaxKicks},
		{conftext.Uint64("seed", &s.Seed), &s.Seed},
		{conftext.Int("maxdoublings", &s.MaxDoublings), &s.MaxDoublings},
		{conftext.Int("hashes", &s.Hashes), &s.Hashes},
		{conftext.Int("counterbits", &s.CounterBits), &s.CounterBits},
		word("hash", &s.Hash),
		{conftext.Int("maxbytes", &s.MaxBytes), &s.MaxBytes},
	}
}

// word returns a field that is a name.
func word[T ~string](key string, v *T) field {
	return field{conftext.Field{
		Key:   key,
		Text:  func() string { return string(*v) },
		Parse: func(value string) error { *v = T(value); return nil },
	}, v}
}

// choice returns a field that is one of several names, which is not written where it is the default.
func choice[T interface {
	comparable
	fmt.Stringer
}, P interface {
	*T
	encoding.TextUnmarshaler
}](key string, v P) field {
	return field{conftext.Name(key, (*T)(v), func(name string) (read T, err error) {
		err = P(&read).UnmarshalText([]byte(name))
		return read, err
	}), v}
}

// written returns s with the recipes of its Hasher and KickPolicy as its Hash and Kick.
func (s Spec) written() Spec {
	if s.Hash == "" && s.Hasher != nil {
		s.Hash = s.Hasher.Recipe()
	}
	if s.Kick == "" && s.KickPolicy != nil {
		s.Kick = s.KickPolicy.Recipe()
	}
	return s
}

// String returns the fields that are set as key=value pairs joined by slashes, such as
//
//	kind=cuckoo/capacity=1000000/fpr=0.001/hash=xxh64:7
//
// [Spec.Set] reads it back.
func (s Spec) String() string {
	s = s.written()
	var text []conftext.Field
	for _, f := range s.fields() {
		text = append(text, f.Field)
	}
	return conftext.Text(text)
}

// Set sets the fields that text, in the form of [Spec.String], names; the others keep their values.
// So a Spec is a flag.Value. Its defaults are what it held before the flags were read. An error
// is [ErrConfig], names the key and leaves s as it was. The Spec is not validated.
func (s *Spec) Set(text string) error {
	read := *s
	var into []conftext.Field
	for _, f := range read.fields() {
		into = append(into, f.Field)
	}
	if err := conftext.Parse("nest", text, into); err != nil {
		return err
	}
	*s = read
	return nil
}

// MarshalText returns [Spec.String].
func (s Spec) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is [Spec.Set].
func (s *Spec) UnmarshalText(text []byte) error { return s.Set(string(text)) }

// MarshalJSON returns an object of the fields that are set. The error is that of a value that JSON
// has no form for, such as NaN.
func (s Spec) MarshalJSON() ([]byte, error) {
	s = s.written()
	out := []byte{'{'}
	for _, f := range s.fields() {
		if f.Text() == "" {
			continue
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, errorf(ErrConfig, "%s: %w", f.Key, err)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:%s", f.Key, value)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON sets the fields that the object names; the others keep their values, as package json
// does it. Keys are lower-case. An unknown key, one that comes twice and a value of the wrong type
// are [ErrConfig] and leave s as it was. The Spec is not validated.
func (s *Spec) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if string(data) == "null" {
		return nil
	}
	if !json.Valid(data) || data[0] != '{' {
		return errorf(ErrConfig, "want a JSON object with keys among %s", s.keys())
	}
	read := *s
	left := read.fields()
	d := json.NewDecoder(bytes.NewReader(data))
	d.Token() // the brace; the data is valid, so no token is an error
	for d.More() {
		token, _ := d.Token()
		key := token.(string)
		at := slices.IndexFunc(left, func(f field) bool { return f.Key == key })
		if at < 0 {
			return errorf(ErrConfig, "key %q is unknown or comes twice, want each at most once of %s", key, s.keys())
		}
		if err := d.Decode(left[at].value); err != nil {
			return errorf(ErrConfig, "%s: %w", key, err)
		}
		left = slices.Delete(left, at, at+1)
	}
	*s = read
	return nil
}

// keys returns the keys of all fields.
func (s *Spec) keys() string {
	var keys []string
	for _, f := range s.fields() {
		keys = append(keys, f.Key)
	}
	return strings.Join(keys, ", ")
}
