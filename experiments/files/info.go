package files

import (
	"errors"
	"fmt"
	"io"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/claims"
)

// Info is what nest filter info tells of a file, in the form that JSON gets.
type Info struct {
	File string `json:"file"`
	nest.FileInfo
	// BitsPerKey is the size of the table for each key, 0 where there is none.
	BitsPerKey float64 `json:"bits_per_key"`
	// Checksum is "right", or what is wrong with it.
	Checksum string `json:"checksum"`
}

// NewInfo returns what is told of the file of that name.
func NewInfo(name string, i nest.FileInfo) Info {
	info := Info{name, i, bitsPerKey(i.TableBytes, i.Len), "right"}
	if i.Damage != nil {
		info.Checksum = i.Damage.Error()
	}
	return info
}

// WriteText prints the information in lines of a name and a value. The error is w's.
func (i Info) WriteText(w io.Writer) error {
	keys := "not stored in the format that it came from"
	if i.Len > 0 || i.LoadFactor == 0 {
		keys = fmt.Sprint(i.Len)
	}
	size := fmt.Sprintf("%d bytes", i.TableBytes)
	if i.Len > 0 {
		size += fmt.Sprintf(", %s bits per key", claims.Digits(i.BitsPerKey, 3))
	}
	hash := i.Spec.Hash
	if i.Keyed {
		hash += ", which needs its key or its author's code"
	}
	_, err := fmt.Fprintf(w, `%s
  kind                 %s
  spec                 %s
  keys                 %s
  slots                %d, load factor %.3f
  false-positive rate  %s predicted
  table                %s
  file                 %d bytes
  hash                 %s
  checksum             %s
`, i.File, i.Spec.Kind, i.Spec, keys, i.Slots, i.LoadFactor, claims.RateText(i.FalsePositiveRate),
		size, i.FileBytes, hash, i.Checksum)
	return err
}

// Summary says in one line what a filter is like now. It reads the table of the kinds that nest.Stats names.
func Summary(f nest.Filter) string {
	s := f.ScanStats()
	text := fmt.Sprintf("%s filter of %d keys in %d bytes", f.Spec().Kind, s.Len, s.SizeBytes)
	if s.Len > 0 {
		text += fmt.Sprintf(", %s bits per key", claims.Digits(bitsPerKey(s.SizeBytes, s.Len), 3))
	}
	rate := claims.RateText(s.FalsePositiveRate)
	return text + fmt.Sprintf("; load factor %.3f, false-positive rate %s", s.LoadFactor, rate)
}

// bitsPerKey returns the size of a table for each key in bits, 0 for one without keys.
func bitsPerKey(tableBytes, keys int) float64 {
	if keys == 0 {
		return 0
	}
	return 8 * float64(tableBytes) / float64(keys)
}

// Merge returns the filter of the first name, with the keys of the others added: the multiset sum, so a key
// that several of them hold counts as often in kinds that count. open returns the filter of a name. One filter
// beside the sum is in memory at a time, and for some kinds a copy of the sum.
//
// The error is that of open, nest.ErrMismatch, naming two filters and a field in which they differ, or nest.ErrFull,
// naming the filter whose keys have no room.
func Merge(names []string, open func(name string) (nest.Filter, error)) (sum nest.Filter, err error) {
	for i, name := range names {
		f, err := open(name)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			sum = f
			continue
		}
		switch err := sum.Merge(f); {
		case errors.Is(err, nest.ErrFull):
			return nil, fmt.Errorf("merge: %s has no room for the %d keys of %s beside its %d: %w",
				names[0], f.Len(), name, sum.Len(), err)
		case err != nil:
			return nil, fmt.Errorf("merge: %s and %s: %w", names[0], name, err)
		}
	}
	return sum, nil
}
