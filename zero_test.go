package nest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// TestZeroValues_SayWhatIsWrong: a filter that no constructor made is empty or panics with words of ours, and takes no key.
func TestZeroValues_SayWhatIsWrong(t *testing.T) {
	var (
		quad     cuckoo.Filter[fingerprint.Bits12]
		odd      cuckoo.Filter[fingerprint.Bits11]
		wide     cuckoo.Filter[fingerprint.Bits32]
		anyWidth cuckoo.Filter[fingerprint.Any]
		scalable cuckoo.Scalable[fingerprint.Bits12]
		dleft    counting.DLeft
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
	if quad.DeleteHash(h) || quad.CountHash(h) != 0 || !quad.Equal(&quad) || quad.Merge(&quad) != nil || quad.Clone().Len() != 0 {
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

// TestMappedFile_ClosedSaysSo: every query after Close panics with words of ours, and a zero MappedFile can be closed.
func TestMappedFile_ClosedSaysSo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.nest")
	if err := nest.Save(name, mustNew(t, nest.Spec{Kind: nest.DLeft, Slots: 64, FingerprintBits: 12})); err != nil {
		t.Fatal(err)
	}
	m, err := nest.MapFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, counts := m.View.(nest.Counter); !counts {
		t.Error("the View of a mapped filter that counts is no Counter")
	}
	var zero nest.MappedFile
	if err := errors.Join(m.Close(), m.Close(), zero.Close(), zero.Close()); err != nil {
		t.Error(err)
	}
	for _, m := range []*nest.MappedFile{m, &zero} {
		v := reflect.ValueOf(m.View)
		for i := range v.NumMethod() {
			in := make([]reflect.Value, v.Method(i).Type().NumIn())
			for n := range in {
				in[n] = reflect.Zero(v.Method(i).Type().In(n))
			}
			func() {
				defer func() {
					if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "nest: a MappedFile is asked after its Close") {
						t.Errorf("%s: panic %q", v.Type().Method(i).Name, text)
					}
				}()
				v.Method(i).Call(in)
			}()
		}
		if v.NumMethod() != 12 {
			t.Errorf("%d methods were called", v.NumMethod())
		}
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
