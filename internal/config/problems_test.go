package config

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/internal/errs"
)

// TestProblems_NamesEveryField has each kind of field with values on both sides of what it admits.
func TestProblems_NamesEveryField(t *testing.T) {
	var n, size, limit int
	var rate, bits float64
	fields := []Field{
		Int("Hashes", "hashes", &n, 2, 64), OneOf("BucketSize", "b", &size, 2, 4, 8), Limit(&limit),
		Rate("FalsePositiveRate", "fpr", &rate), Float("BitsPerItem", "bitsperitem", &bits),
	}
	p := Problems{Package: "bloom"}
	for _, n = range []int{0, 2, 64} {
		for _, size = range []int{0, 2, 8} {
			for _, rate = range []float64{0, math.SmallestNonzeroFloat64, .5} {
				limit, bits = n, rate
				p.Check(fields)
			}
		}
	}
	p.Add(nil)
	if err := p.Err(); err != nil || !p.None() {
		t.Fatalf("good values: %v", err)
	}
	size = 0
	for _, n = range []int{-1, 1, 65} {
		p.Check(fields)
	}
	n, size, limit = 0, 3, -1
	for _, rate = range []float64{-.5, 1, math.NaN()} {
		p.Check(fields[1:4])
		size, limit = 0, 0
	}
	for _, bits = range []float64{-1, math.Inf(1)} {
		p.Check(fields[4:])
	}
	p.Wrong("Bits is %d of %s%[2]s", 7, "x")
	cause := errors.New("another: part")
	p.Add(cause)
	want := "Hashes is -1, want 2 to 64\nHashes is 1, want 2 to 64\nHashes is 65, want 2 to 64\n" +
		"BucketSize is 3, want 2, 4 or 8\nMaxBytes is -1, want at least 0\n" +
		"FalsePositiveRate is -0.5, want a number between 0 and 1\n" +
		"FalsePositiveRate is 1, want a number between 0 and 1\n" +
		"FalsePositiveRate is NaN, want a number between 0 and 1\n" +
		"BitsPerItem is -1, want a number above 0\nBitsPerItem is +Inf, want a number above 0\nBits is 7 of xx"
	const prefix = "bloom: invalid configuration: "
	want = prefix + strings.ReplaceAll(want, "\n", "\n"+prefix) + "\nanother: part"
	if err := p.Err(); err == nil || err.Error() != want || !errors.Is(err, errs.Config) || !errors.Is(err, cause) ||
		p.None() {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestPackage_Differ names the field and both values.
func TestPackage_Differ(t *testing.T) {
	err := Package("cuckoo").Differ("Buckets", 3, 4)
	if !errors.Is(err, errs.Mismatch) || err.Error() != "cuckoo: filters do not match: Buckets is 3 and 4" {
		t.Error(err)
	}
}

// TestMaxBytes_ZeroIsTheDefault has the default and limits on both sides of it.
func TestMaxBytes_ZeroIsTheDefault(t *testing.T) {
	if MaxBytes(0) != DefaultMaxBytes || MaxBytes(1) != 1 || MaxBytes(math.MaxInt) != math.MaxInt {
		t.Error(MaxBytes(0), MaxBytes(1), MaxBytes(math.MaxInt))
	}
	if want := 1 << 30; DefaultMaxBytes != want && math.MaxInt == math.MaxInt32 {
		t.Errorf("%d bytes where int has 32 bits", DefaultMaxBytes)
	}
}
