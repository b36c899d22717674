package filterfile

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/stat"
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
