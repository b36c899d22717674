package quotient

import (
	"errors"
	"strings"
	"testing"

	"github.com/nestfilter/nest/hashing"
)

func TestConfig_ReportsEveryProblem(t *testing.T) {
	c := Config{Capacity: -1, QuotientBits: 64, FalsePositiveRate: 1, RemainderBits: 62, MaxLoad: 1.5, MaxBytes: -1}
	_, err := New(c)
	if !errors.Is(err, ErrConfig) {
		t.Fatalf("New: %v", err)
	}
	for _, field := range []string{"Capacity", "QuotientBits", "FalsePositiveRate", "RemainderBits", "MaxLoad", "MaxBytes"} {
		if !strings.Contains(err.Error(), "quotient: invalid configuration: "+field+" is ") {
			t.Errorf("nothing about %s in %q", field, err)
		}
	}
}

func TestNew_Errors(t *testing.T) {
	for _, k := range []struct {
		c    Config
		want error
	}{
		{Config{}, ErrConfig},
		{Config{Capacity: 10}, ErrConfig},
		{Config{RemainderBits: 10}, ErrConfig},
		{Config{Capacity: 10, QuotientBits: 4, RemainderBits: 8}, ErrConfig},
		{Config{Capacity: 10, RemainderBits: 8, FalsePositiveRate: 0.1}, ErrConfig},
		{Config{QuotientBits: 4, RemainderBits: 61}, ErrConfig},
		{Config{Capacity: 10, FalsePositiveRate: 1e-30}, ErrConfig},
		{Config{QuotientBits: 62, RemainderBits: 2}, ErrTooLarge},
		{Config{QuotientBits: 50, RemainderBits: 2}, ErrTooLarge},
		{Config{QuotientBits: 10, RemainderBits: 5, MaxBytes: 1024}, ErrTooLarge},
	} {
		if f, err := New(k.c); f != nil || !errors.Is(err, k.want) {
			t.Errorf("New(%v): %v, want %v", k.c, err, k.want)
		}
	}
}

// TestPlan_IsWhatNewMakes also holds the two numbers of the paper's Table 3: 2^27 slots with remainders
// of 9 bits are 192 MiB, one word more here, and take 120.80 million keys at 90%.
func TestPlan_IsWhatNewMakes(t *testing.T) {
	resolved, size, err := Plan(Config{Capacity: 120_790_000, FalsePositiveRate: 0.0018})
	if err != nil || resolved.QuotientBits != 27 || resolved.RemainderBits != 9 || size != 192<<20+8 {
		t.Errorf("the paper's filter: %v, %d bytes, %v", resolved, size, err)
	}
	if n := limitOf(27, DefaultMaxLoad); n != 120_795_955 {
		t.Errorf("the paper's filter takes %d keys", n)
	}
	for n := 1; n < 3000; n += 1 + n/7 {
		c := Config{Capacity: n, FalsePositiveRate: 0.01}
		resolved, size, err := Plan(c)
		if err != nil {
			t.Fatal(err)
		}
		f := mustNew(t, c)
		if f.Config() != resolved || f.SizeBytes() != size || f.Capacity() < n || f.Slots() > 2 && limitOf(f.QuotientBits()-1, DefaultMaxLoad) >= uint64(n) {
			t.Errorf("capacity %d: %v, planned %v of %d bytes", n, f, resolved, size)
		}
		r := f.RemainderBits()
		if predict(uint64(n), f.QuotientBits()+r) > 0.01 || r > 1 && predict(uint64(n), f.QuotientBits()+r-1) <= 0.01 {
			t.Errorf("capacity %d: remainders of %d bits", n, r)
		}
	}
}

func TestConfig_TextNamesWhatIsSet(t *testing.T) {
	for want, c := range map[string]Config{
		"capacity=1000/fpr=0.01/maxload=0.95":                             {Capacity: 1000, FalsePositiveRate: 0.01, MaxLoad: 0.95},
		"quotientbits=10/remainderbits=9/hash=metro64:7/maxbytes=1048576": {QuotientBits: 10, RemainderBits: 9, Hash: hashing.Metro64(7), MaxBytes: 1 << 20},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAllocs_Zero(t *testing.T) {
	f := mustNew(t, Config{Capacity: 1000, FalsePositiveRate: 0.01})
	full := mustNew(t, Config{QuotientBits: 1, RemainderBits: 8})
	if err := full.InsertHash(1); err != nil {
		t.Fatal(err)
	}
	text := "a key of a string"
	hs, dst := []uint64{1, 2, 3}, make([]bool, 3)
	for name, verb := range map[string]func(key []byte){
		"Insert":     func(key []byte) { _ = f.Insert(key); _ = f.InsertString(text); f.Delete(key); f.DeleteString(text) },
		"Contains":   func(key []byte) { f.Contains(key); f.ContainsString(text); f.ContainsHashes(hs, dst) },
		"Count":      func(key []byte) { f.Count(key); f.CountString(text) },
		"Unique":     func(key []byte) { _, _ = f.InsertUnique(key) },
		"batches":    func([]byte) { _, _ = f.InsertHashes(hs); f.DeleteHashes(hs) },
		"refusals":   func(key []byte) { _ = full.Insert(key); _, _ = full.InsertUnique(key) },
		"statistics": func([]byte) { f.Stats(); f.LoadFactor(); f.FalsePositiveRate() },
	} {
		key := []byte("key")
		if n := testing.AllocsPerRun(100, func() { verb(key) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		var key [16]byte
		key[3] = 7
		if f.Insert(key[:]) != nil || !f.Contains(key[:]) || f.Count(key[:]) == 0 || !f.Delete(key[:]) {
			t.Error("a key on the stack is lost")
		}
		if !f.Contains([]byte(text)) && f.Insert([]byte(text)) != nil {
			t.Error("a string is lost")
		}
	}); n != 0 {
		t.Errorf("keys on the stack: %v allocations", n)
	}
}

// TestContainsHashes_ShortDstPanics gives a dst that has capacity behind it, which is somebody else's.
func TestContainsHashes_ShortDstPanics(t *testing.T) {
	f := mustNew(t, Config{Capacity: 1000, FalsePositiveRate: 0.01})
	behind := []bool{true, true, true}
	defer func() {
		if recover() == nil || !behind[2] {
			t.Errorf("3 digests fit into 2 places: %v", behind)
		}
	}()
	f.ContainsHashes(make([]uint64, 3), behind[:2])
}
