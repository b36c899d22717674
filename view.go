package nest

import (
	"fmt"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/memory"
)

// View answers queries from the bytes of a filter's file, where they are: a mapped file, an embedded
// asset. It copies nothing, except tables of bits and counters in builds that cannot read bytes as words:
// bloom.View says which. [OpenView] and [MapFile] make one. The view of a filter that counts is a [Counter].
//
// A query allocates nothing by itself; what [Filter] says of keys on the caller's stack holds here too.
// Any number of goroutines may query a View at once. Its bytes must not change as long as it is
// used: its answers would change with them.
type View interface {
	// Contains is [Filter.Contains].
	Contains(key []byte) bool
	// ContainsString is [Filter.ContainsString].
	ContainsString(key string) bool
	// ContainsHash is [Filter.ContainsHash].
	ContainsHash(h uint64) bool
	// ContainsHashes is [Filter.ContainsHashes].
	ContainsHashes(hs []uint64, dst []bool)

	// Len returns the filter's Len, as the file says it.
	Len() int
	// Slots is [Filter.Slots].
	Slots() int
	// SizeBytes is [Filter.SizeBytes].
	SizeBytes() int
	// Stats is [Filter.Stats].
	Stats() Stats

	// Digester is [Filter.Digester].
	Digester() hashing.Digester
	// Spec is [Filter.Spec]. Its Kick is empty, and KickPolicy nil, where the file's kick policy is not built in.
	Spec() Spec
	// Unwrap returns the view as its concrete type, which is documented with the filter's [Kind].
	Unwrap() any
	// VerifyChecksum reads the whole table and returns an [ErrCorrupt] unless it has the checksum that the
	// file says.
	VerifyChecksum() error
}

// OpenView returns a view of the filter in b, of any kind and width. The file's hash must be built in or among known, as
// [Open] says. Its kick policy may be any.
//
// It checks the header, and that b has the length that the header says. It does not read the table, except the first
// bytes of that of a Scalable, so it takes some microseconds whatever the size. [View.VerifyChecksum] checks the table. A
// damaged table makes answers wrong, but never makes a query panic. The errors are those of [Open].
func OpenView(b []byte, known ...hashing.Hasher) (View, error) {
	k, err := kindOf(container.Announced(b))
	if err != nil {
		if _, wrong := container.NewView(b); wrong != nil {
			return nil, fmt.Errorf("nest: %w", wrong)
		}
		return nil, err
	}
	v, err := k.view(b, known)
	if err != nil {
		return nil, fmt.Errorf("nest: %w", err)
	}
	return v, nil
}

// A concrete view is what the packages below offer.
type concrete interface {
	Contains(key []byte) bool
	ContainsString(key string) bool
	ContainsHash(h uint64) bool
	ContainsHashes(hs []uint64, dst []bool)
	Len() int
	Slots() int
	SizeBytes() int
	VerifyChecksum() error
}

// view makes a View of a concrete one.
type view struct {
	concrete
	rates    func() (load, rate float64)
	spec     Spec
	digester hashing.Digester
}

// A countingView is a view of a filter that counts.
type countingView struct {
	view
	Counter
}

func newView[V concrete](v V, rates func(V) (load, rate float64), s Spec, h hashing.Hasher) View {
	plain := view{v, func() (load, rate float64) { return rates(v) }, s, hashing.NewDigester(h)}
	if c, ok := any(v).(Counter); ok {
		return &countingView{plain, c}
	}
	return &plain
}

// Digester is [View.Digester].
func (v *view) Digester() hashing.Digester { return v.digester }

// Stats is [View.Stats]. The concrete view may have a method of this name, which is another.
func (v *view) Stats() Stats { return statsOf(v.concrete, v.rates) }

// Spec is [View.Spec].
func (v *view) Spec() Spec { return v.spec }

// Unwrap is [View.Unwrap].
func (v *view) Unwrap() any { return v.concrete }

// MappedFile is a [View] of a file that was mapped into memory. Its field View is a [Counter] where the filter counts.
// Close it when no query runs any more.
type MappedFile struct {
	View
	file *memory.File
}

// MapFile opens a view of the file of that name. The system reads what queries touch, when they touch it,
// and shares it between processes. Where files cannot be mapped, on systems other than Linux, MapFile reads
// the file.
//
// [Save] replaces a file as a whole, so a view of the old one stays as it was. But if another program makes the
// file shorter while it is mapped, the next query of the missing bytes ends this program with a fault (SIGBUS), which
// cannot be caught. Map only files that are replaced, never files that are rewritten in place.
//
// The errors are those of [OpenView] and of the system.
func MapFile(name string, known ...hashing.Hasher) (*MappedFile, error) {
	file, err := memory.OpenFile(name)
	if err != nil {
		return nil, fmt.Errorf("nest: %w", err)
	}
	v, err := OpenView(file.Bytes(), known...)
	if err != nil {
		_ = file.Close() // what is wrong with the filter is the better news
		return nil, fmt.Errorf("%w (in %s)", err, name)
	}
	return &MappedFile{v, file}, nil
}

// Close gives the mapping back. No query may be running, and one that comes later panics. A second Close
// does nothing.
func (m *MappedFile) Close() error {
	m.View = closed{}
	if m.file == nil { // a zero MappedFile
		return nil
	}
	if err := m.file.Close(); err != nil {
		return fmt.Errorf("nest: %w", err)
	}
	return nil
}

// closed is the View of a MappedFile after Close.
type closed struct{}

// isClosed is what its methods panic with.
const isClosed = "nest: a MappedFile is asked after its Close"

func (closed) Contains([]byte) bool            { panic(isClosed) }
func (closed) ContainsString(string) bool      { panic(isClosed) }
func (closed) ContainsHash(uint64) bool        { panic(isClosed) }
func (closed) ContainsHashes([]uint64, []bool) { panic(isClosed) }
func (closed) Len() int                        { panic(isClosed) }
func (closed) Slots() int                      { panic(isClosed) }
func (closed) SizeBytes() int                  { panic(isClosed) }
func (closed) Stats() Stats                    { panic(isClosed) }
func (closed) Digester() hashing.Digester      { panic(isClosed) }
func (closed) Spec() Spec                      { panic(isClosed) }
func (closed) Unwrap() any                     { panic(isClosed) }
func (closed) VerifyChecksum() error           { panic(isClosed) }
