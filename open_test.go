package nest_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/hashing"
)

// stored visits a filled filter of every kind, and of cuckoo filters every width, bucket size and layout.
func stored(t testing.TB, visit func(name string, f nest.Filter)) {
	for _, s := range storedSpecs() {
		f, err := nest.New(s)
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		keys := uint64(f.Slots() / 40)
		if grows(f) {
			keys = 300
		}
		for k := range keys {
			if err := f.InsertHash(hashing.Mix64(k)); err != nil {
				break // narrow fingerprints end early
			}
		}
		visit(s.String(), f)
	}
}

// storedSpecs returns a Spec of every type of file there is, and of the parameters that change a layout.
func storedSpecs() (specs []nest.Spec) {
	for width := 1; width <= 32; width++ {
		specs = append(specs, nest.Spec{Kind: nest.Cuckoo, FingerprintBits: width, Slots: 160})
	}
	for _, b := range []int{1, 2, 8} {
		specs = append(specs, nest.Spec{Kind: nest.Cuckoo, FingerprintBits: 13, Slots: 21 * b, BucketSize: b})
	}
	for width := 5; width <= 32; width += 3 {
		specs = append(specs, nest.Spec{Kind: nest.Cuckoo, FingerprintBits: width, Slots: 120,
			Layout: cuckoo.SemiSorted})
		specs = append(specs, nest.Spec{Kind: nest.Cuckoo, FingerprintBits: width, Slots: 120,
			Layout: cuckoo.PairedSlots})
	}
	for width := 8; width <= 32; width += 3 {
		specs = append(specs, nest.Spec{Kind: nest.Cuckoo, FingerprintBits: width, Slots: 64 / width * 30,
			Layout: cuckoo.Words})
	}
	for _, p := range []cuckoo.Placement{cuckoo.XOR, cuckoo.PlainXOR} {
		specs = append(specs, nest.Spec{Kind: nest.Cuckoo, FingerprintBits: 12, Slots: 128, Placement: p,
			Kick: "look-ahead", Seed: 1 << 60})
	}
	for _, kind := range []nest.Kind{nest.Bloom, nest.BlockedBloom, nest.SplitBlock} {
		specs = append(specs, nest.Spec{Kind: kind, Slots: 1000, Hashes: 8, Hash: "metro64:1337"})
	}
	for _, width := range []int{2, 4, 8, 16} {
		specs = append(specs, nest.Spec{Kind: nest.Counting, Slots: 333, Hashes: 5, CounterBits: width})
	}
	for width := 8; width <= 32; width++ {
		specs = append(specs, nest.Spec{Kind: nest.Scalable, FingerprintBits: width, Capacity: 30,
			BucketSize: 4 << (width % 2), Hash: "metro64:1337"})
	}
	specs = append(specs, nest.Spec{Kind: nest.Scalable, FalsePositiveRate: .1, BucketSize: 8, Kick: "look-ahead",
		Seed: 1 << 60, MaxDoublings: 9})
	specs = append(specs, nest.Spec{Kind: nest.ConcurrentBloom, Slots: 5120, Hashes: 6})
	for _, width := range []int{8, 13, 32} {
		specs = append(specs, nest.Spec{Kind: nest.ConcurrentCuckoo, FingerprintBits: width, Slots: 64 / width * 300})
	}
	for _, width := range []int{4, 11, 32} {
		specs = append(specs, nest.Spec{Kind: nest.Window, Slots: 4 * 40, FingerprintBits: width})
		specs = append(specs, nest.Spec{Kind: nest.DLeft, Slots: 320, FingerprintBits: width, CounterBits: width / 2})
	}
	return specs
}

// TestOpen_RoundTrip writes every type and reads it back in every way, as the same filter.
func TestOpen_RoundTrip(t *testing.T) {
	stored(t, func(name string, f nest.Filter) {
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var w bytes.Buffer
		if n, err := f.WriteTo(&w); err != nil || n != int64(len(b)) || !bytes.Equal(w.Bytes(), b) {
			t.Errorf("%s: WriteTo wrote %d bytes, %v, other than MarshalBinary's %d", name, n, err, len(b))
		}
		opened, err := nest.Open(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		read, err := nest.Read(&w)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, g := range []nest.Filter{opened, read} {
			again, err := g.AppendBinary([]byte("front"))
			if err != nil || !bytes.Equal(again, append([]byte("front"), b...)) {
				t.Errorf("%s: stored again it differs: %v", name, err)
			}
			if got, want := fmt.Sprintf("%T %v %s", g.Unwrap(), g.Spec(), g),
				fmt.Sprintf("%T %v %s", f.Unwrap(), f.Spec(), f); got != want {
				t.Errorf("%s: is %s, want %s", name, got, want)
			}
			alike(t, name, g, f)
		}
		v, err := nest.OpenView(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := v.VerifyChecksum(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wantStats := f.ScanStats()
		wantStats.SizeBytes += padding(f)
		if got, want := fmt.Sprint(v.Spec(), v.Len(), v.Slots(), v.SizeBytes(), v.ScanStats()),
			fmt.Sprint(f.Spec(), f.Len(), f.Slots(), wantStats.SizeBytes, wantStats); got != want {
			t.Errorf("%s: the view is %s, want %s", name, got, want)
		}
		alike(t, name, v, f)
	})
}

// padding returns how much larger the table of a file is than that of the filter.
func padding(f nest.Filter) int {
	if f.Spec().Kind == nest.ConcurrentCuckoo {
		return 8
	}
	return 0
}

// alike compares what a filter or view answers with what the filter does.
func alike(t *testing.T, name string, got interface {
	ContainsHash(h uint64) bool
	ContainsHashes(hs []uint64, dst []bool)
	ContainsString(key string) bool
}, want nest.Filter) {
	t.Helper()
	hs := make([]uint64, 500)
	for k := range hs {
		hs[k] = hashing.Mix64(uint64(k))
		if key := fmt.Sprint(k); got.ContainsString(key) != want.ContainsString(key) ||
			got.ContainsHash(hs[k]) != want.ContainsHash(hs[k]) {
			t.Fatalf("%s: key %d is contained in one and not in the other", name, k)
		}
	}
	have, counts := got.(nest.Counter)
	wants, counted := want.(nest.Counter)
	if counts != counted {
		t.Fatalf("%s: Counter %v, of the filter %v", name, counts, counted)
	}
	for k := range hs {
		key := fmt.Sprint(k)
		if counts && (have.CountHash(hs[k]) != wants.CountHash(hs[k]) ||
			have.CountString(key) != wants.CountString(key) || have.Count([]byte(key)) != wants.Count([]byte(key))) {
			t.Fatalf("%s: key %d is counted otherwise", name, k)
		}
	}
	dst, wanted := make([]bool, len(hs)), make([]bool, len(hs))
	got.ContainsHashes(hs, dst)
	want.ContainsHashes(hs, wanted)
	if fmt.Sprint(dst) != fmt.Sprint(wanted) {
		t.Fatalf("%s: ContainsHashes differs", name)
	}
}
