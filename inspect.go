package nest

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/memory"
)

// FileInfo is what the file of a filter tells about the filter.
type FileInfo struct {
	// Spec is the filter's, with the recipes that are in the file: Hash of the hash and, of a cuckoo filter, Kick
	// of its kick policy, even where no hash or policy can be made of them.
	Spec Spec `json:"spec"`
	// Keyed tells that no hash can be made from the recipe: it has a secret key, belongs to another process or is of a
	// family that is not built in. To query such a filter, pass the hash to [Open] or [OpenView].
	Keyed bool `json:"keyed"`
	// Len is the filter's Len. It is 0 for filled filters that come from a format that does not store it.
	Len               int     `json:"keys"`
	Slots             int     `json:"slots"`               // of the table: fingerprints, bits or counters
	LoadFactor        float64 `json:"load_factor"`         // the used slots as a share of all, 0 to 1
	FalsePositiveRate float64 `json:"false_positive_rate"` // to expect now
	TableBytes        int     `json:"table_bytes"`         // the size of the table
	FileBytes         int     `json:"file_bytes"`          // of the table, the header and a checksum
	// Damage is nil if the table has the checksum that the file says, else an [ErrCorrupt]. Then LoadFactor and
	// FalsePositiveRate mean nothing.
	Damage error `json:"-"`
}

// Inspect describes the filter in b. It needs no key and no hasher. It answers no queries: [OpenView] does.
// It reads the whole table, for the checksum, and some tables once more for the load. The errors are those of
// [OpenView], but never [ErrMismatch].
func Inspect(b []byte) (FileInfo, error) {
	h, err := container.ParseHeader(b)
	if err != nil {
		return FileInfo{}, pkg.Wrap(err)
	}
	_, unknown := hashing.Parse(h.Hash)
	v, err := OpenView(b, nameless{hashing.DigestsOnly, h.Hash})
	if err != nil {
		return FileInfo{}, err
	}
	spec := v.Spec()
	if spec.Kind != ConcurrentCuckoo { // of which it is no choice
		spec.Kick = h.Kick
	}
	s := v.ScanStats()
	return FileInfo{
		Spec: spec, Keyed: unknown != nil, Len: s.Len, Slots: s.Slots,
		LoadFactor: s.LoadFactor, FalsePositiveRate: s.FalsePositiveRate,
		TableBytes: s.SizeBytes, FileBytes: len(b), Damage: v.VerifyChecksum(),
	}, nil
}

// InspectFile is [Inspect] of the file of that name, which it maps as [MapFile] does.
func InspectFile(name string) (info FileInfo, err error) {
	file, err := memory.OpenFile(name)
	if err != nil {
		return info, pkg.Wrap(err)
	}
	defer func() { err = errors.Join(err, pkg.Wrap(file.Close())) }()
	if info, err = Inspect(file.Bytes()); err != nil {
		return info, fmt.Errorf("%w (in %s)", err, name)
	}
	return info, nil
}

// nameless is a hasher of which only the recipe is known. It opens views that are not asked for a key.
type nameless struct {
	hashing.Hasher // panics
	recipe         string
}

func (h nameless) Recipe() string { return h.recipe }
