package window

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/filetest"
)

func must[F fingerprint.Width](t testing.TB, c Config) *Filter[F] {
	t.Helper()
	f, err := New[F](c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFilter_ForgetsInTime: with touches, silences and a clock that goes back, no key is denied within the window, and
// none is remembered a generation later.
func TestFilter_ForgetsInTime(t *testing.T) {
	for _, g := range []int{1, 2, 6, 14} {
		f := must[fingerprint.Bits32](t, Config{Capacity: 50_000, Generations: g, Window: 10 * time.Minute})
		touched := map[uint64]time.Time{}
		latest, oldest := time.Unix(1_700_000_000, 0), time.Duration(0)
		f.AdvanceTo(latest)
		for k := range uint64(60_000) {
			clock := latest.Add(time.Duration(hashing.Mix64(k)%400) * time.Millisecond)
			switch {
			case k%5000 == 4999:
				clock = latest.Add(time.Duration(k/5000) * 3 * time.Minute)
			case k%700 == 1:
				clock = latest.Add(-time.Hour)
			}
			f.AdvanceTo(clock)
			if clock.After(latest) {
				latest = clock
			}
			h := hashing.Mix64(hashing.Mix64(k) % 500)
			if k%3 != 0 {
				h = hashing.Mix64(^k)
			}
			if at, ok := touched[h]; ok || k%10 == 0 {
				age := latest.Sub(at)
				switch is := f.ContainsHash(h); {
				case ok && !is && age <= 10*time.Minute:
					t.Fatalf("g=%d: denied after %v", g, age)
				case is && age > 10*time.Minute+10*time.Minute/time.Duration(g)+time.Second:
					t.Fatalf("g=%d: remembered after %v", g, age)
				case is && ok:
					oldest = max(oldest, age)
				}
			}
			if _, err := f.TouchHash(h); err != nil {
				t.Fatal(err)
			}
			touched[h] = latest
		}
		if most := 10*time.Minute + 10*time.Minute/time.Duration(g); oldest > most+time.Millisecond ||
			oldest < 9*time.Minute {
			t.Errorf("g=%d: the oldest yes was of a key of %v", g, oldest)
		}
	}
}

// TestFilter_TouchAndInsertUnique: a touch makes the time of a key begin anew, and InsertUnique does not.
func TestFilter_TouchAndInsertUnique(t *testing.T) {
	for verb, want := range map[string]bool{"touch": true, "first": false} {
		f := must[fingerprint.Bits16](t, Config{Capacity: 100, Generations: 3})
		for range 4 {
			insert := f.InsertUniqueString
			if verb == "touch" {
				insert = f.TouchString
			}
			added, err := insert("key")
			if err != nil || added != (f.Generation() == 0) {
				t.Error(verb, added, err)
			}
			f.Advance()
		}
		if got := f.ContainsString("key"); got != want {
			t.Error(verb, got, f.Ages())
		}
	}
}

// TestFilter_Keys: a key is not denied before as many others were touched, is forgotten soon after, and nothing is
// refused.
func TestFilter_Keys(t *testing.T) {
	for _, g := range []int{1, 4, 14} {
		const keys = 10_000
		f := must[fingerprint.Bits32](t, Config{Keys: keys, Generations: g}) // at 2e-9
		for k := range uint64(10 * keys) {
			if _, err := f.TouchHash(hashing.Mix64(k)); err != nil {
				t.Fatal(err)
			}
			if k >= keys && !f.ContainsHash(hashing.Mix64(k-keys+1)) {
				t.Fatalf("g=%d: key %d is denied after %d others", g, k-keys+1, keys-1)
			}
			if gone := k - keys - keys/uint64(g) - 20; k > 3*keys && f.ContainsHash(hashing.Mix64(gone)) {
				t.Fatalf("g=%d: key %d is remembered after %d others", g, gone, k-gone)
			}
		}
		if most := f.quota * (g + 1); f.Len() > most || f.Capacity() < most {
			t.Errorf("g=%d: Len %d, Capacity %d, want at most %d", g, f.Len(), f.Capacity(), most)
		}
	}
}

// TestFilter_Full: a refused key changes no key and no age, ForgetEarly refuses none, and what was refused is cheap to
// refuse again.
func TestFilter_Full(t *testing.T) {
	fill := func(f *Filter[fingerprint.Bits12]) (refused int) {
		for k := range uint64(4 * f.Slots()) {
			if k%uint64(f.Slots()/5) == 0 && f.Generation() < 4 {
				f.Advance()
			}
			ages := f.Ages()
			if _, err := f.TouchHash(hashing.Mix64(k)); err == nil {
				continue
			} else if !errors.Is(err, ErrFull) || !slices.Equal(ages, f.Ages()) || f.ContainsHash(hashing.Mix64(k)) {
				t.Fatal(err, ages, f.Ages())
			}
			refused++
		}
		return refused
	}
	c := Config{Capacity: 4000, Generations: 14}
	f := must[fingerprint.Bits12](t, c)
	if n := fill(f); n == 0 || f.Len() < f.Capacity() || f.Stats().Forgotten != 0 || f.Stats().Refusals != uint64(n) {
		t.Error(n, f, f.Stats())
	}
	if !f.full {
		t.Error("searches are as long as before")
	}
	c.ForgetEarly = true
	f = must[fingerprint.Bits12](t, c)
	// In the end one generation alone is too much, and there is nothing to forget.
	if n := fill(f); f.Stats().Forgotten == 0 || f.Ages()[14] != 0 || n == 0 {
		t.Error(n, f, f.Stats())
	}
	small := must[fingerprint.Bits12](t, Config{Buckets: 1000, ForgetEarly: true})
	small.InsertHash(1)
	small.Advance()
	var err error
	for k := uint64(0); err == nil && k < 100; k++ { // as somebody does who knows the hash
		err = small.InsertHash(k<<20 | 1)
	}
	if !small.ContainsHash(1) {
		t.Error("keys that were chosen emptied the filter")
	}
}

// TestFilter_Merge: a class has the younger of its ages, the filter that is behind advances, and an error changes
// nothing.
func TestFilter_Merge(t *testing.T) {
	for seed := range uint64(300) {
		c := Config{Buckets: 40, Generations: 1 + int(seed%14)}
		f, g := must[fingerprint.Bits10](t, c), must[fingerprint.Bits10](t, c)
		last := map[uint64]int64{}
		r := func(n uint64) uint64 { seed = hashing.Mix64(seed); return seed % n }
		for range 150 {
			x := f
			if r(2) == 0 {
				x = g
			}
			if r(8) == 0 {
				x.Advance()
			}
			h := hashing.Mix64(r(200))
			if _, err := x.TouchHash(h); err != nil {
				t.Fatal(err)
			}
			last[h] = max(last[h], x.Generation())
		}
		before := f.Clone()
		if err := f.Merge(g); err != nil {
			if !errors.Is(err, ErrFull) || !f.Equal(before) || f.Len() != before.Len() {
				t.Fatal(err)
			}
			continue
		}
		if f.Generation() != max(before.Generation(), g.Generation()) {
			t.Fatal(f, before, g)
		}
		n := int64(0)
		for _, count := range f.Ages() {
			n += int64(count)
		}
		for h, at := range last {
			if age := f.Generation() - at; age <= int64(c.Generations) && !f.ContainsHash(h) {
				t.Fatalf("denied: touched in %d, now %d", at, f.Generation())
			}
		}
		if int(n) != f.Len() || f.Len() > before.Len()+g.Len() {
			t.Fatal(f.Ages(), f.Len())
		}
	}
}

// TestFilter_MergeRefuses: an error changes nothing. Filters that count Keys keep the ages of both.
func TestFilter_MergeRefuses(t *testing.T) {
	f := must[fingerprint.Bits12](t, Config{Capacity: 10})
	for _, c := range []Config{{Capacity: 1000}, {Capacity: 10, Generations: 3},
		{Capacity: 10, Hash: hashing.FNV1a(1)}, {Capacity: 10, Window: time.Hour}} {
		if err := f.Merge(must[fingerprint.Bits12](t, c)); !errors.Is(err, ErrMismatch) {
			t.Error(c, err)
		}
	}
	k, into := must[fingerprint.Bits12](t, Config{Keys: 1000}), must[fingerprint.Bits12](t, Config{Keys: 1000})
	for h := range uint64(1500) {
		k.InsertHash(hashing.Mix64(h))
	}
	if err := into.Merge(k); err != nil || into.Len() != k.Len() || !slices.Equal(into.Ages(), k.Ages()) ||
		into.Generation() != 0 {
		t.Error(err, into, k)
	}
	if err := into.Merge(into); err != nil || into.Len() != k.Len() {
		t.Error(err)
	}
	full, other := must[fingerprint.Bits12](t, Config{Buckets: 2}), must[fingerprint.Bits12](t, Config{Buckets: 2})
	for h := range uint64(8) {
		full.InsertHash(hashing.Mix64(h))
		other.InsertHash(hashing.Mix64(h + 100))
	}
	other.Advance()
	before := full.Clone()
	if err := full.Merge(other); !errors.Is(err, ErrFull) || !full.Equal(before) || full.Generation() != 0 {
		t.Error(err, full)
	}
}

// TestFilter_Clock: what AdvanceTo does with times that are no use.
func TestFilter_Clock(t *testing.T) {
	f := must[fingerprint.Bits12](t, Config{Capacity: 10, Window: 14 * time.Millisecond})
	f.AdvanceTo(time.UnixMilli(1000))
	f.Insert(nil)
	for _, at := range []time.Time{{}, time.UnixMilli(999), time.Unix(1<<40, 0), time.Unix(-1<<40, 0),
		time.UnixMilli(-5)} {
		if f.AdvanceTo(at); f.Generation() != 1000 || !f.Contains(nil) {
			t.Error(at, f)
		}
	}
	f.AdvanceTo(time.UnixMilli(1000 + 14))
	if !f.Contains(nil) {
		t.Error("denied within the window")
	}
	f.AdvanceTo(time.UnixMilli(1000 + 15))
	if f.Contains(nil) || f.Len() != 0 {
		t.Error(f)
	}
	f.Reset()
	if f.AdvanceTo(time.UnixMilli(7)); f.Generation() != 7 {
		t.Error(f)
	}
	still := must[fingerprint.Bits12](t, Config{Capacity: 10})
	if still.AdvanceTo(time.Now()); still.Generation() != 0 {
		t.Error(still)
	}
	still.advanceBy(1 << 62)
	still.Advance()
	if b, err := still.MarshalBinary(); err != nil || still.UnmarshalBinary(b) != nil || still.Generation() != 1<<62 {
		t.Error(still, err)
	}
}

// TestFilter_Sweep: answers, Len and room are the same whether all is swept or nothing.
func TestFilter_Sweep(t *testing.T) {
	f := must[fingerprint.Bits12](t, Config{Capacity: 1000, Generations: 1})
	for h := range uint64(1000) {
		f.InsertHash(hashing.Mix64(h))
	}
	f.Advance()
	f.Advance()
	swept := f.Clone()
	if f.expired < 990 || f.Sweep(-1) || f.Sweep(3) || !swept.Sweep(1<<20) || f.Len() != 0 ||
		!f.Equal(swept) || !swept.Equal(f) {
		t.Error(f.expired, swept.expired, f, swept)
	}
	b, err := f.MarshalBinary()
	read, err2 := Decode[fingerprint.Bits12](b)
	if err != nil || err2 != nil || read.expired != f.expired || !read.Equal(f) {
		t.Error(err, err2)
	}
}

// TestFilter_Batches: batches say what the verbs of one digest do, and stop at a refusal.
func TestFilter_Batches(t *testing.T) {
	hs := make([]uint64, 3000)
	for k := range hs {
		hs[k] = hashing.Mix64(uint64(k % 2000))
	}
	for _, c := range []Config{{Buckets: 1000}, {Buckets: 300}, {Buckets: 150, BucketSize: 8},
		{Buckets: 400_000, BucketSize: 8}} {
		f, g := must[fingerprint.Bits13](t, c), must[fingerprint.Bits13](t, c)
		added, n, want := make([]bool, len(hs)), 0, error(nil)
		got, err := f.InsertUniqueHashes(hs, added)
		for ; n < len(hs); n++ {
			is, failed := g.InsertUniqueHash(hs[n])
			if want = failed; failed != nil {
				break
			}
			if is != added[n] {
				t.Fatalf("%v: digest %d: %v", c, n, is)
			}
		}
		if got != n || !errors.Is(err, want) || !f.Equal(g) || slices.Contains(added[n:], true) {
			t.Errorf("%v: %d, %v, want %d, %v", c, got, err, n, want)
		}
		f.Advance()
		if n, err := f.TouchHashes(hs[:got], added); n != got || err != nil || slices.Contains(added, true) ||
			f.Ages()[0] != f.Len() {
			t.Error(n, err)
		}
		if n, err := f.InsertHashes(hs[:got]); n != got || err != nil {
			t.Error(n, err)
		}
	}
}

// TestConfig_Problems names the field that is wrong.
func TestConfig_Problems(t *testing.T) {
	for text, want := range map[string]string{
		"f=12":                                  "Capacity and Buckets",
		"f=12/capacity=5/perwindow=7":           "PerWindow 7, Capacity 5",
		"f=12/capacity=5/buckets=7":             "both set",
		"capacity=5":                            "FingerprintBits is 0",
		"f=12/capacity=5/generations=15":        "Generations is 15",
		"f=12/capacity=5/window=1us":            "Window is 1µs, want at least 1ms",
		"f=12/capacity=5/window=1m/keys=7":      "Window 1m0s and Keys 7",
		"f=12/capacity=5/keys=-7":               "Keys is -7",
		"f=33/capacity=5":                       "FingerprintBits is 33",
		"f=12/capacity=5/b=3":                   "BucketSize is 3",
		"f=12/capacity=1000/maxbytes=100":       "MaxBytes is 100",
		"f=12/keys=2000000000/maxbytes=1000":    "MaxBytes",
		"f=12/capacity=1000000/maxbytes=100000": "slots of 16 bits",
	} {
		var c Config
		if err := c.UnmarshalText([]byte(text)); err != nil {
			t.Error(text, err)
		}
		if _, _, err := Plan(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := New[fingerprint.Bits12](Config{Capacity: 5, FingerprintBits: 13}); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	for f, g := range map[int]int{8: 14, 9: 6, 10: 14, 11: 6, 12: 14, 13: 6, 14: 14, 16: 14} {
		c, size, err := Plan(Config{Capacity: 1000, FingerprintBits: f})
		if err != nil || c.Generations != g || size != c.Buckets*c.BucketSize*int(c.lane())/8+8 {
			t.Error(f, c, size, err)
		}
	}
	stream, _, err := Plan(Config{PerWindow: 1000, FingerprintBits: 12})
	same, _, err2 := Plan(Config{Capacity: 1080, FingerprintBits: 12}) // 15 generations of 72
	if err != nil || err2 != nil || stream.String() != same.String() {
		t.Error(stream, same, err, err2)
	}
	var c Config
	if err := c.UnmarshalText([]byte("window=x")); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	all := "perwindow=9/capacity=7/buckets=7/f=3/b=4/generations=2/window=10m0s/keys=4/" +
		"forgetearly=true/hash=xxh3:0/maxbytes=9"
	if err := c.UnmarshalText([]byte(all)); err != nil || fmt.Sprint(c) != all {
		t.Error(c, err)
	}
}

// TestFilter_RateIsPredicted measures a rate and holds it to the prediction, in a filter with as many expired lanes as
// live ones.
func TestFilter_RateIsPredicted(t *testing.T) {
	f := must[fingerprint.Bits10](t, Config{Buckets: 1 << 13, Generations: 1})
	for h := range uint64(f.Slots() * 19 / 10) {
		if h == uint64(f.Slots()*95/100) {
			f.Advance()
			f.Advance()
		}
		if err := f.InsertHash(hashing.Mix64(h)); err != nil {
			t.Fatal(err)
		}
	}
	yes, asked := 0, 1<<20
	for h := range asked {
		if f.ContainsHash(hashing.Mix64(uint64(h) << 32)) {
			yes++
		}
	}
	// Of 7800 expected, 5 standard deviations.
	if got, want := float64(yes)/float64(asked), f.FalsePositiveRate(); got < want-.00042 || got > want+.00042 {
		t.Errorf("%.5f, predicted %.5f", got, want)
	}
}

// TestAllocs_Zero holds all verbs to allocate nothing, at a load at which they kick, and in refusals.
func TestAllocs_Zero(t *testing.T) {
	f := must[fingerprint.Bits12](t, Config{Buckets: 300, Generations: 2})
	k := uint64(0)
	if n := testing.AllocsPerRun(20_000, func() {
		k++
		if k%400 == 0 {
			f.Advance()
		}
		var key [8]byte
		key[0], key[1] = byte(k), byte(k>>8)
		_, _ = f.Touch(key[:])
		_, _ = f.InsertUniqueHash(hashing.Mix64(k))
		_ = f.InsertString("key")
		_ = f.Contains(key[:])
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if f.Stats().Refusals == 0 || f.Stats().Kicks == 0 {
		t.Error("too few keys")
	}
}

// TestZero_ValuesAnswer calls every method of the zero Filter and View. None panics, none says NaN, and none finds
// anything: two zero filters are equal, and nothing is left to sweep.
func TestZero_ValuesAnswer(t *testing.T) {
	empty := func(self reflect.Value, in, out []reflect.Value) string {
		for _, result := range out {
			switch got := result.Interface().(type) {
			case float64:
				if got != 0 {
					return fmt.Sprint(got)
				}
			case bool:
				swept := len(in) == 1 && in[0].Kind() == reflect.Int
				if got != (len(in) == 1 && in[0] == self || swept) {
					return fmt.Sprint(got)
				}
			}
		}
		return ""
	}
	for _, wrong := range filetest.CallZero(empty, new(Filter[fingerprint.Bits12]), new(Filter[fingerprint.Any]),
		new(View[fingerprint.Bits12]), new(Config)) {
		t.Error(wrong)
	}
}
