package nest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/kick"
)

// fields returns the table of s, in the order of its texts. A field that a kind lists is not for kinds that do not.
func (s *Spec) fields() []config.Field {
	sizes := []int{1, 2, 4, 8}
	if s.Layout == cuckoo.Words {
		sizes = []int{1, 2, 3, 4, 5, 6, 7, 8}
	}
	return []config.Field{
		config.Plain("Kind", "kind", (*string)(&s.Kind)),
		config.Int("Capacity", "capacity", &s.Capacity, 1, math.MaxInt),
		config.Int("Slots", "slots", &s.Slots, 1, math.MaxInt),
		config.Rate("FalsePositiveRate", "fpr", &s.FalsePositiveRate),
		config.Float("BitsPerItem", "bitsperitem", &s.BitsPerItem),
		config.Plain("MustDelete", "mustdelete", &s.MustDelete),
		config.Plain("Concurrent", "concurrent", &s.Concurrent),
		config.Int("FingerprintBits", "f", &s.FingerprintBits, 1, fingerprint.MaxWidth),
		config.OneOf("BucketSize", "b", &s.BucketSize, sizes...),
		config.Choice("Layout", "layout", &s.Layout, cuckoo.Layout.MarshalText, (*cuckoo.Layout).UnmarshalText),
		config.Choice("Placement", "placement", &s.Placement,
			cuckoo.Placement.MarshalText, (*cuckoo.Placement).UnmarshalText),
		config.Plain("Kick", "kick", &s.Kick),
		config.Int("MaxKicks", "maxkicks", &s.MaxKicks, 1, kick.MaxLimit),
		config.Plain("Seed", "seed", &s.Seed),
		config.Int("MaxDoublings", "maxdoublings", &s.MaxDoublings, 1, math.MaxInt),
		config.Int("Generations", "generations", &s.Generations, 1, 14),
		config.Period("Window", "window", &s.Window, time.Millisecond),
		config.Int("Keys", "keys", &s.Keys, 1, math.MaxInt),
		config.Plain("ForgetEarly", "forgetearly", &s.ForgetEarly),
		config.OneOf("Segments", "segments", &s.Segments, 3, 4),
		config.Int("Hashes", "hashes", &s.Hashes, 1, bloom.MaxHashes),
		config.Int("CounterBits", "counterbits", &s.CounterBits, 1, 16),
		config.Plain("Hash", "hash", &s.Hash),
		config.Limit(&s.MaxBytes),
	}
}

// field returns the field of that name.
func (s Spec) field(name string) config.Field {
	fields := s.fields()
	return fields[slices.IndexFunc(fields, func(f config.Field) bool { return f.Name == name })]
}

// String returns the fields that are set as key=value pairs joined by slashes, such as
//
//	kind=cuckoo/capacity=1000000/fpr=0.001/hash=xxh64:7
//
// [Spec.Set] reads it back.
func (s Spec) String() string { return config.Text(s.fields()) }

// Set sets the fields that text, in the form of [Spec.String], names; the others keep their values.
// So a Spec is a flag.Value. Its defaults are what it held before the flags were read. An error
// is [ErrConfig], names the key and leaves s as it was. The Spec is not validated.
func (s *Spec) Set(text string) error { return config.Read(pkg, text, s, (*Spec).fields) }

// MarshalText returns [Spec.String].
func (s Spec) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is [Spec.Set].
func (s *Spec) UnmarshalText(text []byte) error { return s.Set(string(text)) }

// MarshalJSON returns an object of the fields that are set. The error is that of a value that JSON
// has no form for, such as NaN.
func (s Spec) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for _, f := range s.fields() {
		if !f.Set() {
			continue
		}
		value, err := json.Marshal(f.Pointer)
		if err != nil {
			return nil, pkg.Errorf(ErrConfig, "%s: %w", f.Key, err)
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
		return pkg.Errorf(ErrConfig, "want a JSON object with keys among %s", config.Keys(s.fields()))
	}
	read := *s
	left := read.fields()
	d := json.NewDecoder(bytes.NewReader(data))
	d.Token() // the brace; the data is valid, so no token is an error
	for d.More() {
		token, _ := d.Token()
		key := token.(string)
		at := slices.IndexFunc(left, func(f config.Field) bool { return f.Key == key })
		if at < 0 {
			return pkg.Errorf(ErrConfig, "key %q is unknown or comes twice, want each at most once of %s",
				key, config.Keys(s.fields()))
		}
		if err := d.Decode(left[at].Pointer); err != nil {
			return pkg.Errorf(ErrConfig, "%s: %w", key, err)
		}
		left = slices.Delete(left, at, at+1)
	}
	*s = read
	return nil
}
