package nest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/hashing"
)

// TestInspect_TellsWhatAViewTells inspects a file of every type.
func TestInspect_TellsWhatAViewTells(t *testing.T) {
	stored(t, func(name string, f nest.Filter) {
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := nest.Inspect(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := f.ScanStats()
		want := nest.FileInfo{
			Spec: f.Spec(), Len: s.Len, Slots: s.Slots, LoadFactor: s.LoadFactor,
			FalsePositiveRate: s.FalsePositiveRate,
			TableBytes:        s.SizeBytes + padding(f), FileBytes: len(b),
		}
		want.Spec.MaxBytes = got.Spec.MaxBytes // not in a file
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	})
}

// TestInspect_NeedsNoKey inspects a file under a secret key, whose recipe is all that there is.
func TestInspect_NeedsNoKey(t *testing.T) {
	for _, kind := range []nest.Kind{nest.Cuckoo, nest.Bloom, nest.BlockedBloom, nest.SplitBlock, nest.Counting,
		nest.DLeft, nest.Scalable, nest.ConcurrentCuckoo, nest.ConcurrentBloom,
		nest.Window} {
		hash := hashing.SipHash([16]byte{1, 2, 3})
		f, err := nest.New(nest.Spec{Kind: kind, Capacity: 100, FalsePositiveRate: 0.01}, hash)
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := nest.OpenView(b); !errors.Is(err, nest.ErrMismatch) {
			t.Errorf("%s: opened without the key: %v", kind, err)
		}
		got, err := nest.Inspect(b)
		if err != nil || !got.Keyed || got.Spec.Hash != hash.Recipe() || got.Damage != nil {
			t.Errorf("%s: %+v, %v", kind, got, err)
		}
	}
}

func TestInspect_Damage(t *testing.T) {
	f, err := nest.New(nest.Spec{Kind: nest.Cuckoo, Capacity: 100, FalsePositiveRate: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "f.nest")
	inspect := func() (nest.FileInfo, error) {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return nest.InspectFile(name)
	}
	if got, err := inspect(); err != nil || got.Damage != nil {
		t.Errorf("whole: %+v, %v", got, err)
	}
	b[len(b)-20] ^= 1
	if got, err := inspect(); err != nil || !errors.Is(got.Damage, nest.ErrCorrupt) || got.Slots == 0 {
		t.Errorf("a bit of the table: %+v, %v", got, err)
	}
	b[20] ^= 1
	if got, err := inspect(); !errors.Is(err, nest.ErrCorrupt) || got != (nest.FileInfo{}) ||
		!strings.Contains(err.Error(), name) {
		t.Errorf("a bit of the header: %+v, %v", got, err)
	}
	b = nil
	if _, err := inspect(); !errors.Is(err, nest.ErrTooShort) {
		t.Errorf("empty: %v", err)
	}
	if _, err := nest.InspectFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// What a file tells about the filter in it, without its secret key.
func ExampleInspect() {
	f, err := nest.New(nest.Spec{Kind: nest.Cuckoo, Slots: 1000, FingerprintBits: 12}, hashing.SipHash([16]byte{1}))
	if err != nil {
		panic(err)
	}
	if err := f.InsertString("pear"); err != nil {
		panic(err)
	}
	data, err := f.MarshalBinary()
	if err != nil {
		panic(err)
	}

	info, err := nest.Inspect(data)
	if err != nil {
		panic(err)
	}
	fmt.Println(info.Spec.Kind, info.Spec.FingerprintBits, info.Len, info.TableBytes, info.Keyed)
	fmt.Println("whole:", info.Damage == nil)
	// Output:
	// cuckoo 12 1 1508 true
	// whole: true
}
