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
	Querier
	// VerifyChecksum reads the whole table and returns an [ErrCorrupt] unless it has the checksum that the file says.
	VerifyChecksum() error
	// Close gives back the memory that [MapFile] mapped; of a view that [OpenView] returned it does nothing. No query
	// may be running, and one that comes later panics. A second Close does nothing.
	Close() error
}

// OpenView returns a view of the filter in b, of any kind and width. The file's hash must be built in or among known,
// as [Open] says. Its kick policy may be any.
//
// It checks the header, and that b has the length that the header says. It does not read the table, except the first
// bytes of that of a Scalable, so it takes some microseconds whatever the size. [View.VerifyChecksum] checks the table.
// A damaged table makes answers wrong, but never makes a query panic. The errors are those of [Open].
func OpenView(b []byte, known ...hashing.Hasher) (View, error) { return openView(b, nil, known) }

// openView is OpenView of a file that Close gives back, which is nil where b is not of a file that MapFile mapped.
func openView(b []byte, file *memory.File, known []hashing.Hasher) (View, error) {
	h, err := container.ParseHeader(b)
	if err != nil {
		return nil, pkg.Wrap(err)
	}
	k, err := kindOf(h.Type, h.Concurrent)
	if err != nil {
		return nil, err
	}
	v, err := k.view(b, known)
	if err != nil {
		return nil, err
	}
	v.file = file
	if c, ok := v.concrete.(Counter); ok {
		return &countingView{v, c}, nil
	}
	return &v, nil
}

// A concrete view is what the packages below offer.
type concrete interface {
	sized
	Contains(key []byte) bool
	ContainsString(key string) bool
	ContainsHash(h uint64) bool
	ContainsHashes(hs []uint64, dst []bool)
	VerifyChecksum() error
}

// view makes a View of a concrete one, of which ScanStats is another.
type view struct {
	concrete
	spec     Spec
	digester hashing.Digester
	file     *memory.File
}

func (v *view) Digester() hashing.Digester { return v.digester }
func (v *view) ScanStats() Stats           { return statsOf(v.concrete) }
func (v *view) Spec() Spec                 { return v.spec }
func (v *view) Unwrap() any                { return v.concrete }

func (v *view) Close() error {
	if v.file == nil {
		return nil
	}
	v.concrete = nil // so that a query panics and touches no memory that is not there
	return pkg.Wrap(v.file.Close())
}

// A countingView is a view of a filter that counts.
type countingView struct {
	view
	Counter
}

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
		return nil, pkg.Wrap(err)
	}
	v, err := openView(file.Bytes(), file, known)
	if err != nil {
		_ = file.Close() // what is wrong with the filter is the better news
		return nil, fmt.Errorf("%w (in %s)", err, name)
	}
	return v, nil
}
