package limits

import (
	"errors"
	"math"
	"testing"

	"github.com/nestfilter/nest/internal/errs"
)

// TestProblems_NamesEveryField has each check with values on both sides of what it admits.
func TestProblems_NamesEveryField(t *testing.T) {
	p := Problems{Package: "bloom"}
	p.AtLeast0("Bits", 0)
	p.Add(nil)
	for _, rate := range []float64{0, math.SmallestNonzeroFloat64, .5} {
		if !p.Rate("FalsePositiveRate", rate) {
			t.Errorf("rate %v is refused", rate)
		}
	}
	if err := p.Err(); err != nil || !p.None() {
		t.Fatalf("good values: %v", err)
	}
	p.AtLeast0("Bits", -1)
	for _, rate := range []float64{-.5, 1, math.NaN()} {
		if p.Rate("FalsePositiveRate", rate) {
			t.Errorf("rate %v is taken", rate)
		}
	}
	p.Wrong("Bits is %d of %s%[2]s", 7, "x")
	cause := errors.New("another: part")
	p.Add(cause)
	const want = "bloom: invalid configuration: Bits is -1, want at least 0\n" +
		"bloom: invalid configuration: FalsePositiveRate is -0.5, want a number between 0 and 1\n" +
		"bloom: invalid configuration: FalsePositiveRate is 1, want a number between 0 and 1\n" +
		"bloom: invalid configuration: FalsePositiveRate is NaN, want a number between 0 and 1\n" +
		"bloom: invalid configuration: Bits is 7 of xx\n" +
		"another: part"
	if err := p.Err(); err == nil || err.Error() != want || !errors.Is(err, errs.Config) || !errors.Is(err, cause) || p.None() {
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
