// Package filterfile is what the commands nest build, query, info, convert and merge do with files: it builds
// filters from lines, asks them for lines, and combines and converts them. docs/FILES.md shows the commands.
//
// Lines are those of package lines, when a filter is built and when it is asked: any bytes, a carriage return
// included. So a line is found whichever program wrote it, as long as it is the same bytes.
package filterfile

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/hashing"
)

// Info is what nest info tells of a file, in the form that JSON gets.
type Info struct {
	File string `json:"file"`
	// Spec makes an empty filter that this one can be merged with.
	Spec  nest.Spec `json:"spec"`
	Keyed bool      `json:"keyed"`
	// Keys is the filter's Len. BitsPerKey is that of the table, 0 where Keys is.
	Keys              int     `json:"keys"`
	Slots             int     `json:"slots"`
	LoadFactor        float64 `json:"load_factor"`
	FalsePositiveRate float64 `json:"false_positive_rate"`
	TableBytes        int     `json:"table_bytes"`
	FileBytes         int     `json:"file_bytes"`
	BitsPerKey        float64 `json:"bits_per_key"`
	// Checksum is "right", or what is wrong with it.
	Checksum string `json:"checksum"`

	damage error
}

// right is the verdict on a table that has its checksum.
const right = "right"

// NewInfo returns what is told of the file of that name.
func NewInfo(name string, i nest.FileInfo) Info {
	info := Info{
		File: name, Spec: i.Spec, Keyed: i.Keyed, Keys: i.Len, Slots: i.Slots, LoadFactor: i.LoadFactor, FalsePositiveRate: i.FalsePositiveRate,
		TableBytes: i.TableBytes, FileBytes: i.FileBytes, BitsPerKey: bitsPerKey(i.TableBytes, i.Len), Checksum: right, damage: i.Damage,
	}
	if i.Damage != nil {
		info.Checksum = i.Damage.Error()
	}
	return info
}

// Damage returns nil if the checksum is right, else what is wrong.
func (i *Info) Damage() error { return i.damage }

// WriteText prints the information in lines of a name and a value. The error is w's.
func (i *Info) WriteText(w io.Writer) error {
	keys := "not stored in the format that it came from"
	if i.Keys > 0 || i.LoadFactor == 0 {
		keys = fmt.Sprint(i.Keys)
	}
	size := fmt.Sprintf("%d bytes", i.TableBytes)
	if i.Keys > 0 {
		size += fmt.Sprintf(", %s bits per key", stat.Digits(i.BitsPerKey, 3))
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
`, i.File, i.Spec.Kind, i.Spec, keys, i.Slots, i.LoadFactor, stat.RateText(i.FalsePositiveRate), size, i.FileBytes, hash, i.Checksum)
	return err
}

// WriteJSON prints the information as an object. The error is w's.
func (i *Info) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(i)
}

// maxKeyFile is the longest file of a key that is read: 32 digits and white space about them.
const maxKeyFile = 64

// errKey says what the file of a key holds. It shows nothing of what it does hold.
var errKey = errors.New("want a SipHash key: 16 bytes, or 32 hexadecimal digits and white space about them")

// ReadKey reads the secret key of a SipHash: 16 bytes as they are, or their 32 hexadecimal digits with white
// space about them. The error shows nothing of what was read but its length.
func ReadKey(r io.Reader) (key [16]byte, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxKeyFile+1))
	if err != nil {
		return key, err
	}
	if len(data) == len(key) {
		return [16]byte(data), nil
	}
	digits := bytes.TrimSpace(data)
	if len(data) > maxKeyFile || len(digits) != hex.EncodedLen(len(key)) {
		return key, fmt.Errorf("%w; it has %d bytes or more", errKey, len(data))
	}
	if _, err := hex.Decode(key[:], digits); err != nil {
		return [16]byte{}, fmt.Errorf("%w; of its 32 characters some are no digits", errKey)
	}
	return key, nil
}

// errKeys reports a filter that has no keys of the form of a line.
var errKeys = errors.New("it cannot be asked for lines")

// checkHash tells whether lines can be hashed so.
func checkHash(h hashing.Hasher) error {
	switch {
	case h == hashing.DigestsOnly:
		return fmt.Errorf("%w: it holds digests that were made elsewhere (hash %s)", errKeys, h.Recipe())
	case integerhash.Is(h):
		return fmt.Errorf("%w: the hash family %s is for integers", errKeys, h.Name())
	}
	return nil
}

// Summary says in one line what a filter is like now. It reads the table of the kinds that nest.Stats names.
func Summary(f nest.Filter) string {
	s := f.Stats()
	text := fmt.Sprintf("%s filter of %d keys in %d bytes", f.Spec().Kind, s.Len, s.SizeBytes)
	if s.Len > 0 {
		text += fmt.Sprintf(", %s bits per key", stat.Digits(bitsPerKey(s.SizeBytes, s.Len), 3))
	}
	return text + fmt.Sprintf("; load factor %.3f, false-positive rate %s", s.LoadFactor, stat.RateText(s.FalsePositiveRate))
}

// bitsPerKey returns the size of a table for each key in bits, 0 for one without keys.
func bitsPerKey(tableBytes, keys int) float64 {
	if keys == 0 {
		return 0
	}
	return 8 * float64(tableBytes) / float64(keys)
}
