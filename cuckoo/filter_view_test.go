package cuckoo

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

// TestView_HasWhatItsFilterHas lists the verbs of a filter that its view lacks: those that change, copy, compare or
// write a filter, and Stats, which no file has.
func TestView_HasWhatItsFilterHas(t *testing.T) {
	const want = "AppendBinary Clone Concurrent Delete DeleteHash DeleteHashes DeleteString Equal Insert InsertHash InsertHashes " +
		"InsertString InsertUnique InsertUniqueHash InsertUniqueHashes InsertUniqueString MarshalBinary Merge ReadFrom Reset UnmarshalBinary WriteTo"
	plain := lacks(reflect.TypeFor[*Filter[fingerprint.Any]](), reflect.TypeFor[*View[fingerprint.Any]]())
	if plain != want {
		t.Errorf("View lacks %s\nwant %s", plain, want)
	}
	growing := lacks(reflect.TypeFor[*Scalable[fingerprint.Any]](), reflect.TypeFor[*ScalableView[fingerprint.Any]]())
	if growing = strings.Replace(growing, "Compact ", "Concurrent ", 1); growing != want {
		t.Errorf("ScalableView lacks %s\nwant %s", growing, want)
	}
}

// lacks returns the methods of a filter that a view has not, or not with the same arguments and results.
func lacks(filter, view reflect.Type) string {
	var names []string
	for n := range filter.NumMethod() {
		own := filter.Method(n)
		if other, ok := view.MethodByName(own.Name); !ok || signature(other.Type) != signature(own.Type) {
			names = append(names, own.Name)
		}
	}
	return strings.Join(names, " ")
}

// signature returns the type of a method without its receiver.
func signature(method reflect.Type) string {
	var b strings.Builder
	for n := 1; n < method.NumIn(); n++ {
		fmt.Fprintf(&b, "%v,", method.In(n))
	}
	for n := range method.NumOut() {
		fmt.Fprintf(&b, " %v", method.Out(n))
	}
	return b.String()
}

// TestView_AnswersAsTheFilter compares all that both have, digests that were never inserted among others.
func TestView_AnswersAsTheFilter(t *testing.T) {
	for _, c := range []Config{{Buckets: 40}, {Buckets: 64, Placement: XOR, BucketSize: 2}, {Buckets: 40, Layout: SemiSorted}, {Buckets: 40, Layout: PairedSlots}} {
		f, err := New[fingerprint.Bits12](c)
		if err != nil {
			t.Fatal(err)
		}
		hs := randomDigests(2*f.Capacity(), 3)
		if _, err := f.InsertHashes(hs[:f.Capacity()]); err != nil {
			t.Fatal(err)
		}
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		v, err := OpenView[fingerprint.Bits12](b)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(v.Len(), v.Slots(), v.Capacity(), v.LoadFactor(), v.SizeBytes(), v.FalsePositiveRate(), v.Config()),
			fmt.Sprint(f.Len(), f.Slots(), f.Capacity(), f.LoadFactor(), f.SizeBytes(), f.FalsePositiveRate(), f.Config()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got, want := fmt.Sprintf("%v\n%#v", v, v), fmt.Sprintf("%v\n%#v", f, f); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		dst, want := make([]bool, len(hs)), make([]bool, len(hs))
		v.ContainsHashes(hs, dst)
		f.ContainsHashes(hs, want)
		for i, h := range hs {
			key := fmt.Sprint(h)
			if v.ContainsHash(h) != f.ContainsHash(h) || v.CountHash(h) != f.CountHash(h) || dst[i] != want[i] ||
				v.Contains([]byte(key)) != f.Contains([]byte(key)) || v.ContainsString(key) != f.ContainsString(key) ||
				v.Count([]byte(key)) != f.Count([]byte(key)) || v.CountString(key) != f.CountString(key) {
				t.Fatalf("%v: digest %#x: the view differs", f, h)
			}
		}
	}
}

// TestView_NoAllocs asks a view with keys on the stack.
func TestView_NoAllocs(t *testing.T) {
	_, b := encoded[fingerprint.Bits12](t, Config{Buckets: 80})
	v, err := OpenView[fingerprint.Bits12](b)
	if err != nil {
		t.Fatal(err)
	}
	n := byte(0)
	allocs := testing.AllocsPerRun(100, func() {
		n++
		key := [9]byte{n, 2, 3}
		var dst [4]bool
		v.Contains(key[:])
		v.ContainsString("hello")
		v.Count(key[1:])
		v.ContainsHashes([]uint64{1, 2, 3, uint64(n)}, dst[:])
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
