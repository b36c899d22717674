package nest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/window"
	"github.com/nestfilter/nest/fingerprint"
)

// TestZeroValues_SayWhatIsWrong: a filter that no constructor made is empty or panics with words of ours, and takes no
// key.
func TestZeroValues_SayWhatIsWrong(t *testing.T) {
	var (
		quad     cuckoo.Filter[fingerprint.Bits12]
		odd      cuckoo.Filter[fingerprint.Bits11]
		wide     cuckoo.Filter[fingerprint.Bits32]
		anyWidth cuckoo.Filter[fingerprint.Any]
		scalable cuckoo.Scalable[fingerprint.Bits12]
		dleft    counting.DLeft
		forgets  window.Filter[fingerprint.Bits12]
	)
	const h = 1<<50 + 7
	for name, f := range map[string]struct {
		insert   func(uint64) error
		contains func(uint64) bool
		batch    func([]uint64, []bool)
	}{
		"cuckoo, 12 bits": {quad.InsertHash, quad.ContainsHash, quad.ContainsHashes},
		"cuckoo, 11 bits": {odd.InsertHash, odd.ContainsHash, odd.ContainsHashes},
		"cuckoo, 32 bits": {wide.InsertHash, wide.ContainsHash, wide.ContainsHashes},
		"cuckoo, any":     {anyWidth.InsertHash, anyWidth.ContainsHash, anyWidth.ContainsHashes},
		"scalable":        {scalable.InsertHash, scalable.ContainsHash, scalable.ContainsHashes},
		"window":          {forgets.InsertHash, forgets.ContainsHash, forgets.ContainsHashes},
		"dleft":           {dleft.InsertHash, dleft.ContainsHash, dleft.ContainsHashes},
	} {
		said := func(call func() (fine bool)) {
			t.Helper()
			defer func() {
				if text := fmt.Sprint(recover()); text != "<nil>" && !strings.Contains(text, "make one with") {
					t.Errorf("%s: panic %q", name, text)
				}
			}()
			if !call() {
				t.Errorf("%s: the zero value takes a key, or has one", name)
			}
		}
		said(func() bool { return errors.Is(f.insert(h), nest.ErrConfig) })
		said(func() bool { return !f.contains(h) })
		said(func() bool {
			dst := make([]bool, 20)
			f.batch(make([]uint64, 20), dst)
			return dst == nil || !dst[0] && !dst[19]
		})
	}
	if quad.DeleteHash(h) || quad.CountHash(h) != 0 || !quad.Equal(&quad) || quad.Merge(&quad) != nil ||
		quad.Clone().Len() != 0 {
		t.Error("a zero cuckoo.Filter is not empty")
	}
	quad.Reset()
	scalable.Reset()
	if scalable.DeleteHash(h) || scalable.Compact() != 0 || !errors.Is(scalable.Merge(&scalable), nest.ErrMismatch) {
		t.Error("a zero cuckoo.Scalable is not empty")
	}
	if _, err := scalable.InsertHashes([]uint64{h}); !errors.Is(err, nest.ErrConfig) {
		t.Error(err)
	}
}

// TestMapFile_ClosedPanics: a query after Close panics, and does not fault, or answer.
func TestMapFile_ClosedPanics(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.nest")
	for _, s := range []nest.Spec{{Kind: nest.DLeft, Slots: 64, FingerprintBits: 12},
		{Kind: nest.Bloom, Slots: 64, Hashes: 2}} {
		if err := nest.Save(name, mustNew(t, s)); err != nil {
			t.Fatal(err)
		}
		v, err := nest.MapFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, counts := v.(nest.Counter); counts != (s.Kind == nest.DLeft) {
			t.Errorf("%v: Counter %v", s, counts)
		}
		if err := errors.Join(v.Close(), v.Close()); err != nil {
			t.Error(err)
		}
		dst := make([]bool, 1)
		queries := []func(){
			func() { v.Contains(nil) }, func() { v.ContainsString("") }, func() { v.ContainsHash(1) },
			func() { v.ContainsHashes([]uint64{1}, dst) }, func() { v.Len() }, func() { v.Slots() },
			func() { v.SizeBytes() },
			func() { v.ScanStats() }, func() { _ = v.VerifyChecksum() },
		}
		if c, ok := v.(nest.Counter); ok {
			queries = append(queries, func() { c.Count(nil) }, func() { c.CountString("") }, func() { c.CountHash(1) })
		}
		for n, query := range queries {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%v: query %d is answered after Close", s, n)
					}
				}()
				query()
			}()
		}
	}
	b, err := mustNew(t, nest.Spec{Kind: nest.Bloom, Slots: 64, Hashes: 2}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if v, err := nest.OpenView(b); err != nil || v.Close() != nil || v.ContainsHash(1) {
		t.Errorf("a view of bytes: %v", err)
	}
}

// TestZeroValues_OfTheFront: those of the types of package nest do not panic.
func TestZeroValues_OfTheFront(t *testing.T) {
	var s nest.Spec
	var plan nest.Plan
	var info nest.FileInfo
	if f := mustNew(t, plan.Spec); f.Spec().Kind != nest.Scalable || s.String() != "" || s.Validate() != nil ||
		info.Spec != s {
		t.Errorf("the zero Spec is %v", f)
	}
	if text, err := s.MarshalJSON(); err != nil || string(text) != "{}" || s.UnmarshalJSON(nil) == nil ||
		s.UnmarshalText(nil) != nil {
		t.Errorf("%s, %v", text, err)
	}
	if s.Kind = "?"; s.Validate() == nil {
		t.Error("an unknown kind is valid")
	}
}

// TestSave_NilIsAnError, and leaves no file.
func TestSave_NilIsAnError(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.nest")
	if err := nest.Save(name, nil); !errors.Is(err, nest.ErrConfig) {
		t.Error(err)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("a file was written")
	}
}
