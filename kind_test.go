package nest

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/container"
)

// TestKinds_OpenEveryFileType: each type of files that a header may have has one kind, which loads and views it. Type 7
// is not used.
func TestKinds_OpenEveryFileType(t *testing.T) {
	const last = container.Window
	for types := container.Type(1); types <= last; types++ {
		if types == 7 {
			continue
		}
		at := slices.IndexFunc(kinds, func(k kind) bool { return k.file == types && !k.concurrent })
		if at < 0 || kinds[at].load == nil || kinds[at].view == nil {
			t.Errorf("no kind opens files of type %d, a %v", types, types)
		}
	}
	// Those for goroutines write files of other kinds' types, which say so.
	stored := slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return k.concurrent })
	if len(stored) != int(last)-1 || !strings.HasPrefix((last+1).String(), "filter of type") {
		t.Errorf("%d kinds for %d types", len(stored), last)
	}
}

// TestOpen_RefusesAMaplet: a file of another package is said to be one, and does not panic.
func TestOpen_RefusesAMaplet(t *testing.T) {
	m, err := maplet.New[fingerprint.Bits12](maplet.Config{Buckets: 3, ValueBits: 9})
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	_, opened := Open(b)
	_, viewed := OpenView(b)
	_, read := Read(bytes.NewReader(b))
	for _, err := range []error{opened, viewed, read} {
		if !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "maplet") {
			t.Errorf("%v", err)
		}
	}
}
