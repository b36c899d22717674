package advice

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

// TestUnknown_IsWhatGrows grows the filter and compares it with what was said of it.
func TestUnknown_IsWhatGrows(t *testing.T) {
	for _, fpr := range []float64{0.05, 0.001} {
		g, f := must.Get(Unknown(fpr))(t), must.Get(nest.New(nest.Spec{FalsePositiveRate: fpr}))(t)
		if f.Spec().FingerprintBits != int(g.Width) || f.SizeBytes() != g.FirstBytes || g.Spec.FalsePositiveRate > fpr {
			t.Errorf("%v is %v", g, f)
		}
		k := uint64(0)
		for _, row := range g.Rows[:4] {
			for ; k < uint64(row.Keys); k++ {
				if err := f.InsertHash(hashing.Mix64(k)); err != nil {
					t.Fatal(err)
				}
			}
			if f.(nest.Grower).Doublings() != row.Doublings || f.SizeBytes() != row.Bytes || f.ScanStats().FalsePositiveRate > fpr {
				t.Errorf("rate %v: %v of %d bytes, want %+v", fpr, f, f.SizeBytes(), row)
			}
		}
	}
}

func TestUnknown_Prints(t *testing.T) {
	g := must.Get(Unknown(0.001))(t)
	out := written(t, g)
	for _, want := range []string{
		"any number of keys", "Take cuckoo.Scalable f=18", "18.8 bits per item just before a growth and 37.5 just after",
		"touches two cache lines", `s.Set("kind=scalable/fpr=0.001")`,
	} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	// A rate that has room for exactly as many as there can be: 2^9 to 2^32 buckets.
	if g, err := Unknown(0.000763); err != nil || g.Spec.MaxDoublings != 23 ||
		!strings.Contains(g.Reasons[0], "up to 23 doublings, and never makes more") {
		t.Errorf("%+v, %v", g, err)
	}
	for _, r := range g.Rows {
		if r.BitsPerItem < 0.99*g.BitsBefore || r.RightBits >= r.BitsPerItem {
			t.Errorf("%+v", r)
		}
	}
}

func TestUnknown_BadRates(t *testing.T) {
	for _, fpr := range []float64{0, 1, -1, math.NaN(), 1e-12} {
		if g, err := Unknown(fpr); !errors.Is(err, ErrSpec) || g != nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want one line of ErrSpec", fpr, err)
		}
	}
}
