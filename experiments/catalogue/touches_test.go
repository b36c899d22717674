package catalogue

import (
	"math"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
)

// What tables 1 and 2 of the paper say of space and references follows from how the filters are laid out.
func TestTouches_FollowFromTheLayout(t *testing.T) {
	size := FillSize{Q: 16, Probes: 1 << 10, Traced: 1 << 13}
	const one, h = 1.0, float64(BloomHashes)
	negative := (1 - math.Exp2(-h)) / (1 - 0.5) // cells that are read up to the first zero, half of all being zero
	for name, want := range map[string]struct {
		bits, positive, absent float64 // bits an item, references; 0 where the fill or the data decide
		low, high              float64 // cache lines of a key that is there
	}{
		"BF":     {BloomBits, h, negative, h - 0.05, h}, // two words may lie in one line
		"blk-BF": {BloomBits, one, one, one, one},
		"CBF":    {4 * BloomBits, h, negative, h - 0.05, h},
		"dl-CBF": {0, 4, 4, 4, 4.6}, // a word of a bucket of 40 bits may cross the end of a line
		"QF":     {12 / 0.9, 0, 0, 1, 4},
		"CF":     {0, 2, 2, 1.99, 2.3}, // both buckets may be one
		"ss-CF":  {0, 2, 2, 1.99, 2.3},
	} {
		k := mustFind(name)
		_, c, err := k.Touches(t.Context(), size, testSeed)
		if err != nil {
			t.Fatal(err)
		}
		traced := float64(c[5])
		refs, lines, absent := float64(c[6])/traced, float64(c[7])/traced, float64(c[8])/traced
		if bits := lab.Quotient(8*c[1], c[0]); want.bits > 0 && math.Abs(bits/want.bits-1) > 0.002 {
			t.Errorf("%s: %.3f bits an item, want %.3f", name, bits, want.bits)
		}
		if want.positive > 0 && refs != want.positive {
			t.Errorf("%s: %.4f references for a key that is there, want %g", name, refs, want.positive)
		}
		scatter := 0.0
		if want.absent == negative {
			scatter = 0.01 + 4*math.Sqrt(2/traced)
		}
		if want.absent > 0 && math.Abs(absent-want.absent) > scatter {
			t.Errorf("%s: %.4f references for an absent key, want %.4f", name, absent, want.absent)
		}
		if lines < want.low || lines > want.high {
			t.Errorf("%s: %.4f lines, want %g to %g", name, lines, want.low, want.high)
		}
	}
	// The best number of hashes at 13 bits is 13 ln 2 = 9.01, so that the Bloom filter is one of its rate.
	bf := mustFind("BF")
	if over := BloomBits / claims.BloomBits(bf.Predict(PaperSlots, bf.Items(PaperSlots))); math.Abs(over-1) > 0.001 {
		t.Errorf("the Bloom filter takes %.4f times the space of the best of its rate", over)
	}
}

// Four sorted prefixes of 4 bits take 3876 values, which 12 bits hold: a fingerprint of 13 bits takes 12.
func TestSemiSorting_SavesABit(t *testing.T) {
	values := 0
	for a := range 16 {
		for b := range a + 1 {
			for c := range b + 1 {
				values += c + 1 // as many for the fourth
			}
		}
	}
	f := Must(mustFind("ss-CF").Open(Size{Slots: 1 << testSlots, Seed: testSeed}))(t)
	if spare := f.SizeBytes() - SlotBits<<testSlots/8; values != 3876 || values > 1<<12 || spare < 0 || spare > 64 {
		t.Errorf("%d values, %d bytes beyond 12 bits a slot", values, spare)
	}
}
