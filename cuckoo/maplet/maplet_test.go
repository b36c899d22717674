package maplet

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/kick"
)

// class is what a map tells apart: an unordered pair of buckets and a fingerprint.
type class struct{ low, high, fp uint64 }

// oracle is what a map stores, exactly: of each class, how often each value.
type oracle map[class]map[uint64]int

// classOf returns the class of a digest.
func (t *table) classOf(h uint64) class {
	fp, i, j := t.pair(h)
	return class{min(i, j), max(i, j), fp}
}

// stored returns the values of a class, sorted, each as often as it is stored.
func (o oracle) stored(c class) []uint64 {
	var all []uint64
	for v, n := range o[c] {
		all = append(all, slices.Repeat([]uint64{v}, n)...)
	}
	slices.Sort(all)
	return all
}

// add changes how often a pair is stored.
func (o oracle) add(c class, v uint64, n int) {
	if o[c] == nil {
		o[c] = map[uint64]int{}
	}
	o[c][v] += n
}

// ops runs a program of operations on a map beside the oracle and compares every answer.
func ops[F fingerprint.Width](t *testing.T, c Config, program []byte) {
	t.Helper()
	m, err := New[F](c)
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	o, stored := oracle{}, 0
	var kept []byte
	for n := 0; n+3 <= len(program); n += 3 {
		h := hashing.Mix64(uint64(program[n+1]))
		v, old := uint64(program[n+2])*0x9e3779b97f4a7c15>>8&m.values, uint64(program[n+2]/2)*0x9e3779b97f4a7c15>>8&m.values
		cl := m.classOf(h)
		switch program[n] % 5 {
		case 0, 1:
			kept = append(kept[:0], m.engine.Table.Data()...)
			if err := m.InsertHash(h, v); err == nil {
				o.add(cl, v, 1)
				stored++
			} else if !errors.Is(err, ErrFull) || !bytes.Equal(kept, m.engine.Table.Data()) {
				t.Fatalf("op %d: a refused insert: %v, or it changed the table", n, err)
			}
		case 2:
			if got, want := m.DeleteHash(h, v), o[cl][v] > 0; got != want {
				t.Fatalf("op %d: delete %v, want %v", n, got, want)
			} else if got {
				o.add(cl, v, -1)
				stored--
			}
		case 3:
			got, err := m.UpdateHash(h, old, v)
			if want := o[cl][old] > 0; got != want || err != nil {
				t.Fatalf("op %d: update %v, %v, want %v", n, got, err, want)
			} else if got {
				o.add(cl, old, -1)
				o.add(cl, v, 1)
			}
		}
		if got := slices.Sorted(m.LookupHash(h)); !slices.Equal(got, o.stored(cl)) || m.Len() != stored {
			t.Fatalf("op %d: lookup %v, want %v; Len %d, want %d", n, got, o.stored(cl), m.Len(), stored)
		}
		if got, want := m.ContainsHash(h), len(o.stored(cl)) > 0; got != want {
			t.Fatalf("op %d: contains %v, want %v", n, got, want)
		}
	}
	sameAs(t, m, o)
}

// sameAs compares what a map stores with the oracle, by batches and through a view of its file.
func sameAs[F fingerprint.Width](t *testing.T, m *Map[F], o oracle) {
	t.Helper()
	hs := make([]uint64, 256)
	for k := range hs {
		hs[k] = hashing.Mix64(uint64(k))
	}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	v, err := OpenView[F](b)
	if err != nil || v.VerifyChecksum() != nil || v.Len() != m.Len() {
		t.Fatalf("the view: %v", err)
	}
	got, viewed, has := map[int][]uint64{}, map[int][]uint64{}, make([]bool, len(hs))
	for k, value := range m.LookupHashes(hs) {
		got[k] = append(got[k], value)
	}
	for k, value := range v.LookupHashes(hs) {
		viewed[k] = append(viewed[k], value)
	}
	m.ContainsHashes(hs, has)
	for k, h := range hs {
		slices.Sort(got[k])
		if want := o.stored(m.classOf(h)); !slices.Equal(got[k], want) || has[k] != (len(want) > 0) {
			t.Fatalf("digest %d: %v, %v, want %v", k, got[k], has[k], want)
		}
		slices.Sort(viewed[k])
	}
	if !maps.EqualFunc(got, viewed, slices.Equal[[]uint64]) {
		t.Fatal("the view has other candidates than the map")
	}
}

// worlds runs a program on maps of many shapes.
func worlds(t *testing.T, program []byte) {
	for _, b := range []int{1, 2, 4, 8} {
		for _, m := range []int{1, 2, 3, 4, 37} {
			for _, v := range []int{1, 5, 20, 25} {
				ops[fingerprint.Bits2](t, Config{Buckets: m, BucketSize: b, ValueBits: v}, program)
				ops[fingerprint.Bits32](t, Config{Buckets: m, BucketSize: b, ValueBits: v}, program)
			}
			ops[fingerprint.Bits1](t, Config{Buckets: m, BucketSize: b, ValueBits: 1}, program)
			ops[fingerprint.Bits12](t, Config{Buckets: m, BucketSize: b, ValueBits: 36}, program)
			ops[fingerprint.Any](t, Config{Buckets: m, BucketSize: b, ValueBits: 40, FingerprintBits: 17}, program)
		}
	}
}

// TestMap_AgreesWithOracle runs a fixed random program on maps of many shapes. Tables of 1 to 4 buckets are full most of the time.
func TestMap_AgreesWithOracle(t *testing.T) {
	program := make([]byte, 3*1200)
	for n := range program {
		program[n] = byte(hashing.Mix64(uint64(n)) >> 32)
	}
	worlds(t, program)
}

// TestMap_AgreesWithOracleAtEveryWidth takes a short program through every lane that there is, at one size.
func TestMap_AgreesWithOracleAtEveryWidth(t *testing.T) {
	program := make([]byte, 3*300)
	for n := range program {
		program[n] = byte(hashing.Mix64(uint64(n)+7777) >> 32)
	}
	for f := 1; f <= fingerprint.MaxWidth; f++ {
		for v := 1; v <= maxValueBits && f+v <= 57; v++ {
			for _, b := range []int{1, 2, 4, 8} {
				ops[fingerprint.Any](t, Config{Buckets: 5, BucketSize: b, ValueBits: v, FingerprintBits: f}, program)
			}
		}
	}
}

func FuzzOps(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x00\x01\x02\x02\x01\x02\x03\x01\x01\x04\x09\x00"), uint8(0))
	f.Add(bytes.Repeat([]byte{0, 7, 9}, 40), uint8(77))
	f.Fuzz(func(t *testing.T, program []byte, shape uint8) {
		c := Config{Buckets: 1 + int(shape>>2)%9, BucketSize: 1 << (shape & 3), ValueBits: 1 + int(shape)%40, FingerprintBits: 1 + int(shape)%17}
		ops[fingerprint.Any](t, c, program)
	})
}

// TestMap_FillsToItsCapacity holds the promise of Capacity, and every key's value to be found in a table that kicks.
func TestMap_FillsToItsCapacity(t *testing.T) {
	const n = 50_000
	for _, b := range []int{2, 4, 8} {
		m, err := New[fingerprint.Bits12](Config{Capacity: n, BucketSize: b, ValueBits: 17})
		if err != nil {
			t.Fatal(err)
		}
		for k := range uint64(n) {
			if err := m.InsertHash(hashing.Mix64(k), k); err != nil {
				t.Fatalf("b = %d, pair %d: %v", b, k, err)
			}
		}
		extra := 0
		for k := range uint64(n) {
			all := slices.Collect(m.LookupHash(hashing.Mix64(k)))
			if !slices.Contains(all, k) {
				t.Fatalf("b = %d: pair %d is lost", b, k)
			}
			extra += len(all) - 1
		}
		want := m.FalsePositiveRate() * n // at most 6 deviations of a Poisson variable from it
		if diff := float64(extra) - want; diff*diff > 36*want {
			t.Errorf("b = %d: %d candidates of other keys, want %.0f", b, extra, want)
		}
		if m.Stats().Kicks == 0 || m.LoadFactor() < .9 && b > 2 {
			t.Errorf("b = %d: %v", b, m)
		}
	}
}

// TestMap_ValueTooWideIsRefused: nothing changes.
func TestMap_ValueTooWideIsRefused(t *testing.T) {
	m, _ := New[fingerprint.Bits8](Config{Buckets: 3, ValueBits: 4})
	if err := m.InsertString("a", 15); err != nil {
		t.Fatal(err)
	}
	before := m.Clone()
	_, updated := m.UpdateString("a", 15, 16)
	if err := m.InsertString("a", 16); !errors.Is(err, ErrValue) || !errors.Is(updated, ErrValue) {
		t.Errorf("%v, %v", err, updated)
	}
	if found, err := m.UpdateString("a", 31, 1); found || err != nil || m.DeleteString("a", 31) {
		t.Errorf("a value that no pair can have was found: %v", err)
	}
	if !m.Equal(before) {
		t.Error("a refused value changed the map")
	}
}

// TestMap_ClassIsFullAtAnyLoad: the pair after 2b of one class is refused with its own error.
func TestMap_ClassIsFullAtAnyLoad(t *testing.T) {
	m, _ := New[fingerprint.Bits16](Config{Buckets: 1000, ValueBits: 20})
	h, slots := hashing.Mix64(3), uint64(8)
	if _, i, j := m.pair(h); i == j {
		slots = 4
	}
	for v := range slots {
		if err := m.InsertHash(h, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.InsertHash(h, slots); !errors.Is(err, errClass) || m.Len() != int(slots) || m.Stats().Refusals != 1 {
		t.Errorf("%v, %v", err, m)
	}
	if got := slices.Sorted(m.LookupHash(h)); len(got) != int(slots) || got[slots-1] != slots-1 {
		t.Errorf("lookup: %v", got)
	}
	for v := range m.LookupHash(h) { // and ends when the loop does
		_ = v
		break
	}
	for range m.LookupHashes([]uint64{h, h}) {
		break
	}
}

// TestMap_Grow hands over all pairs, and keeps the map when that fails.
func TestMap_Grow(t *testing.T) {
	m, _ := New[fingerprint.Bits12](Config{Buckets: 8, ValueBits: 20})
	n := uint64(0)
	for ; m.InsertHash(hashing.Mix64(n), n) == nil; n++ {
	}
	again := func(insert func(h, v uint64) error) error {
		for k := range n {
			if err := insert(hashing.Mix64(k), k); err != nil {
				return err
			}
		}
		return nil
	}
	before := m.Clone()
	if err := m.Grow(1, again); !errors.Is(err, ErrFull) || !m.Equal(before) {
		t.Fatalf("grown into too little: %v", err)
	}
	if err := m.Grow(-1, again); !errors.Is(err, ErrConfig) || !m.Equal(before) {
		t.Fatalf("grown into nothing: %v", err)
	}
	if err := m.Grow(1000, again); err != nil || m.Len() != int(n) || m.Slots() < 1000 {
		t.Fatalf("%v: %v", m, err)
	}
	for k := range n {
		if !slices.Contains(slices.Collect(m.LookupHash(hashing.Mix64(k))), k) {
			t.Fatalf("pair %d is lost", k)
		}
	}
	for k := n; k < 1000; k++ {
		if err := m.InsertHash(hashing.Mix64(k), k); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMap_KeyFormsAgree: bytes, strings and digests are one key.
func TestMap_KeyFormsAgree(t *testing.T) {
	c := Config{Buckets: 9, ValueBits: 9, Hash: hashing.SipHash([16]byte{1})}
	m, _ := New[fingerprint.Bits12](c)
	for k, key := range []string{"", "a", strings.Repeat("long", 99)} {
		v := uint64(k)
		if err := m.Insert([]byte(key), v); err != nil {
			t.Fatal(err)
		}
		h := c.Hash.Sum64String(key)
		for _, got := range [][]uint64{
			slices.Collect(m.Lookup([]byte(key))), slices.Collect(m.LookupString(key)), slices.Collect(m.LookupHash(h)),
		} {
			if !slices.Equal(got, []uint64{v}) {
				t.Fatalf("%.9q: %v, want %d", key, got, v)
			}
		}
		if !m.Contains([]byte(key)) || !m.ContainsString(key) {
			t.Errorf("%.9q is not there", key)
		}
		b, _ := m.MarshalBinary()
		view, err := OpenView[fingerprint.Bits12](b, c.Hash)
		if err != nil || !view.Contains([]byte(key)) || !view.ContainsString(key) ||
			!slices.Equal(slices.Collect(view.Lookup([]byte(key))), []uint64{v}) || !slices.Equal(slices.Collect(view.LookupString(key)), []uint64{v}) {
			t.Errorf("%.9q in the view: %v", key, err)
		}
		if ok, err := m.Update([]byte(key), v, v+1); !ok || err != nil {
			t.Error(ok, err)
		}
		if ok, err := m.UpdateString(key, v+1, v+2); !ok || err != nil {
			t.Error(ok, err)
		}
		if !m.Delete([]byte(key), v+2) || m.DeleteString(key, v+2) || m.Len() != 0 {
			t.Errorf("%.9q: %v", key, m)
		}
	}
}

// TestMap_BatchesAreTheVerbs compares them in a table that is fetched ahead.
func TestMap_BatchesAreTheVerbs(t *testing.T) {
	const n = 400_000
	hs, vs := make([]uint64, n), make([]uint64, n)
	for k := range hs {
		hs[k], vs[k] = hashing.Mix64(uint64(k)), uint64(k)
	}
	c := Config{Capacity: n, ValueBits: 36}
	m, err := Build[fingerprint.Bits12](c, hs, vs)
	if err != nil || !kick.IsFar(m.SizeBytes()) && kickAhead {
		t.Fatal(err)
	}
	single, _ := New[fingerprint.Bits12](c)
	for k := range hs {
		if err := single.InsertHash(hs[k], vs[k]); err != nil {
			t.Fatal(err)
		}
	}
	if !m.Equal(single) {
		t.Error("Build made another table than inserts")
	}
	if n := m.DeleteHashes(hs[:1000], vs); n != 1000 || m.Len() != len(hs)-1000 {
		t.Errorf("deleted %d", n)
	}
	if _, err := m.InsertHashes(hs[:2], vs[:1]); !errors.Is(err, ErrConfig) {
		t.Errorf("of different lengths: %v", err)
	}
	if _, err := Build[fingerprint.Bits12](Config{Buckets: 2, ValueBits: 36}, hs, vs); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "of 400000") {
		t.Errorf("too many: %v", err)
	}
}

// TestMap_Zero: the zero Map is empty and takes nothing.
func TestMap_Zero(t *testing.T) {
	var m Map[fingerprint.Bits12]
	if m.ContainsHash(1) || m.DeleteHash(1, 0) || len(slices.Collect(m.LookupHash(1))) != 0 || m.LoadFactor() != 0 || m.FalsePositiveRate() != 0 {
		t.Error("the zero Map has something")
	}
	_, errUpdate := m.UpdateHash(1, 1, 1)
	for _, err := range []error{m.InsertHash(1, 0), m.InsertHash(1, 1), errUpdate, m.Grow(1, nil)} {
		if !errors.Is(err, ErrConfig) {
			t.Errorf("%v", err)
		}
	}
	if _, err := m.MarshalBinary(); !errors.Is(err, ErrConfig) {
		t.Errorf("%v", err)
	}
	m.Reset()
	if !m.Equal(m.Clone()) || !strings.Contains(m.String(), "len=0") {
		t.Error(m.String())
	}
}

// TestMap_ResetEmpties and goes on.
func TestMap_ResetEmpties(t *testing.T) {
	m, _ := New[fingerprint.Bits12](Config{Buckets: 4, ValueBits: 8})
	fresh := m.Clone()
	if err := m.InsertHash(5, 6); err != nil {
		t.Fatal(err)
	}
	if m.Reset(); !m.Equal(fresh) || m.ContainsHash(5) {
		t.Error("Reset left something")
	}
}

// TestAllocs_Zero holds the verbs to allocate nothing, loops over candidates included.
func TestAllocs_Zero(t *testing.T) {
	m, _ := New[fingerprint.Bits12](Config{Buckets: 100, ValueBits: 36})
	key, hs, vs, has := []byte("key"), []uint64{1, 2, 3}, []uint64{1, 2, 3}, make([]bool, 3)
	sum := uint64(0)
	b, _ := m.MarshalBinary()
	view, _ := OpenView[fingerprint.Bits12](b)
	if n := testing.AllocsPerRun(100, func() {
		m.Insert(key, 7)
		for v := range m.Lookup(key) {
			sum += v
		}
		for v := range m.LookupHash(77) {
			sum += v
		}
		for v := range view.LookupString("x") {
			sum += v
		}
		m.InsertHashes(hs, vs)
		for k, v := range m.LookupHashes(hs) {
			sum += uint64(k) + v
		}
		m.ContainsHashes(hs, has)
		m.Update(key, 7, 8)
		m.DeleteHashes(hs, vs)
		m.Delete(key, 8)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestConfig_Problems names each field that is wrong.
func TestConfig_Problems(t *testing.T) {
	for _, c := range []struct {
		Config
		want string
	}{
		{Config{ValueBits: 8}, "Capacity"},
		{Config{Buckets: 1}, "ValueBits is 0"},
		{Config{Buckets: 1, ValueBits: 41}, "ValueBits is 41"},
		{Config{Buckets: 1, ValueBits: 40, FingerprintBits: 18}, "58 bits"},
		{Config{Buckets: 1, ValueBits: 4, BucketSize: 3}, "BucketSize"},
		{Config{Buckets: 1, ValueBits: 4, MaxBytes: -1}, "MaxBytes"},
		{Config{Buckets: 1, ValueBits: 4, FingerprintBits: 11}, "FingerprintBits"},
	} {
		if _, err := New[fingerprint.Bits12](c.Config); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.Config, err)
		}
	}
	if _, err := New[fingerprint.Bits32](Config{Buckets: 1, ValueBits: 26}); !errors.Is(err, ErrConfig) {
		t.Errorf("58 bits: %v", err)
	}
	if _, err := New[fingerprint.Any](Config{Buckets: 1, ValueBits: 26}); !errors.Is(err, ErrConfig) {
		t.Errorf("no width: %v", err)
	}
	if _, err := New[fingerprint.Bits12](Config{Buckets: 1 << 20, ValueBits: 26, MaxBytes: 1 << 20}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("beyond MaxBytes: %v", err)
	}
	if _, err := New[fingerprint.Bits12](Config{Capacity: 1 << 30, BucketSize: 8, ValueBits: 36, MaxBytes: 1 << 20}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("beyond MaxBytes: %v", err)
	}
	for _, width := range []int{0, 33} {
		if _, _, err := Plan(Config{Buckets: 1, ValueBits: 1, FingerprintBits: width}); !errors.Is(err, ErrConfig) {
			t.Errorf("width %d: %v", width, err)
		}
	}
	if _, _, err := Plan(Config{Buckets: 1, FingerprintBits: 12}); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	if c, size, err := Plan(Config{Capacity: 10_000_000, ValueBits: 36, FingerprintBits: 12}); err != nil || c.Buckets*24+8 != size {
		t.Errorf("%v, %d bytes: %v", c, size, err)
	}
}

// TestConfig_Text round-trips.
func TestConfig_Text(t *testing.T) {
	c := Config{Capacity: 5, ValueBits: 36, FingerprintBits: 12, BucketSize: 8, Hash: hashing.Metro64(5), MaxBytes: 99}
	var back Config
	if err := back.UnmarshalText([]byte(c.String())); err != nil || back.String() != c.String() || back.ValueBits != 36 {
		t.Errorf("%v, %v: %v", c, back, err)
	}
	if err := new(Config).UnmarshalText([]byte("v=x")); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	m, _ := New[fingerprint.Any](Config{Capacity: 5, ValueBits: 36, FingerprintBits: 12})
	if n, err := New[fingerprint.Any](m.Config()); err != nil || !n.Equal(m) || !strings.Contains(n.GoString(), "v=36") {
		t.Errorf("%v: %v", n, err)
	}
}
