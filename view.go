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
	// ScanStats is [Filter.ScanStats].
	ScanStats() Stats

	// Digester is [Filter.Digester].
	Digester() hashing.Digester
	// Spec is [Filter.Spec]. Its Kick is empty where the file's kick policy is not built in.
	Spec() Spec
	// Unwrap returns the view as its concrete type, which is documented with the filter's [Kind].
	Unwrap() any
	// VerifyChecksum reads the whole table and returns an [ErrCorrupt] unless it has the checksum that the
	// file says.
	VerifyChecksum() error
	// Close gives back the memory that [MapFile] mapped; of a view that [OpenView] returned it does nothing. No query may
	// be running, and one that comes later panics. A second Close does nothing.
	Close() error
}

// OpenView returns a view of the filter in b, of any kind and width. The file's hash must be built in or among known,
// as [Open] says. Its kick policy may be any.
//
// It checks the header, and that b has the length that the header says. It does not read the table, except the first
// bytes of that of a Scalable, so it takes some microseconds whatever the size. [View.VerifyChecksum] checks the table.
// A damaged table makes answers wrong, but never makes a query panic. The errors are those of [Open].
func OpenView(b []byte, known ...hashing.Hasher) (View, error) {
	k, err := kindOf(container.Announced(b))
	if err != nil {
		if _, wrong := container.NewView(b); wrong != nil {
			return nil, front.Wrap(wrong)
		}
		return nil, err
	}
	v, err := k.view(b, known)
	if err != nil {
		return nil, front.Wrap(err)
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
	file     *memory.File // nil unless MapFile made the view
}

// A countingView is a view of a filter that counts.
type countingView struct {
	view
	Counter
}

func newView[V concrete](v V, rates func(V) (load, rate float64), s Spec, h hashing.Hasher) View {
	plain := view{v, func() (load, rate float64) { return rates(v) }, s, hashing.NewDigester(h), nil}
	if c, ok := any(v).(Counter); ok {
		return &countingView{plain, c}
	}
	return &plain
}

// Digester is [View.Digester].
func (v *view) Digester() hashing.Digester { return v.digester }

// ScanStats is [View.ScanStats]. The concrete view may have a method of this name, which is another.
func (v *view) ScanStats() Stats {
	load, rate := v.rates()
	return statsOf(v.concrete, load, rate)
}

// Spec is [View.Spec].
func (v *view) Spec() Spec { return v.spec }

// Unwrap is [View.Unwrap].
func (v *view) Unwrap() any { return v.concrete }

// of makes v, which is new, the view of a file that Close gives back.
func (v *view) of(file *memory.File) { v.file = file }

// Close is [View.Close].
func (v *view) Close() error {
	if v.file == nil {
		return nil
	}
	v.concrete = nil // so that a query panics and touches no memory that is not there
	v.rates = nil
	return front.Wrap(v.file.Close())
}

// Close is [View.Close].
func (v *countingView) Close() error {
	if v.file != nil {
		v.Counter = nil
	}
	return v.view.Close()
}

// MapFile opens a view of the file of that name. The system reads what queries touch, when they touch it,
// and shares it between processes. Where files cannot be mapped, on systems other than Linux, MapFile reads
// the file. Close the view when no query runs any more.
//
// [Save] replaces a file as a whole, so a view of the old one stays as it was. But if another program makes the
// file shorter while it is mapped, the next query of the missing bytes ends this program with a fault (SIGBUS), which
// cannot be caught. Map only files that are replaced, never files that are rewritten in place.
//
// The errors are those of [OpenView] and of the system.
func MapFile(name string, known ...hashing.Hasher) (View, error) {
	file, err := memory.OpenFile(name)
	if err != nil {
		return nil, front.Wrap(err)
	}
	v, err := OpenView(file.Bytes(), known...)
	if err != nil {
		_ = file.Close() // what is wrong with the filter is the better news
		return nil, fmt.Errorf("%w (in %s)", err, name)
	}
	v.(interface{ of(*memory.File) }).of(file)
	return v, nil
}
