package claims

import (
	"math"
	"strconv"
	"testing"

	"github.com/nestfilter/nest/bloom"
)

// patterns returns the bits of every key that there can be, each as a set.
func (b Block) patterns() []uint64 {
	var out []uint64
	set := func(first, step int) {
		s := uint64(0)
		b.pattern(first, step, func(bit int) { s |= 1 << bit })
		out = append(out, s)
	}
	for first := range b.Bits {
		for step := range b.Bits {
			if b.Hashing == AnyStep || step%2 == 1 {
				set(first, step)
			}
		}
	}
	if b.Hashing != NoStep {
		return out
	}
	out = []uint64{0}
	for range b.Hashes {
		var next []uint64
		for _, s := range out {
			for bit := range b.Bits {
				next = append(next, s|1<<bit)
			}
		}
		out = next
	}
	return out
}

// Every query to every filter of up to two keys, counted one by one.
func TestBlock_RateIsThatOfAllFilters(t *testing.T) {
	for _, b := range []Block{{8, 2, OddStep}, {8, 3, OddStep}, {8, 2, AnyStep}, {16, 3, AnyStep}, {4, 3, AnyStep}, {4, 2, NoStep}, {8, 2, NoStep}} {
		all := b.patterns()
		n := float64(len(all))
		found := [3]float64{}
		for _, query := range all {
			for _, one := range all {
				if query&^one == 0 {
					found[1] += 1 / n / n
				}
				for _, two := range all {
					if query&^(one|two) == 0 {
						found[2] += 1 / n / n / n
					}
				}
			}
		}
		// Of two blocks the query's holds 0, 1 or 2 of 2 keys with chances 1/4, 1/2, 1/4.
		for _, c := range []struct {
			blocks, keys int
			want         float64
		}{{1, 0, 0}, {1, 1, found[1]}, {1, 2, found[2]}, {2, 2, found[1]/2 + found[2]/4}} {
			if got := b.Rate(c.blocks, c.keys); math.Abs(got-c.want) > 1e-12 {
				t.Errorf("%+v: rate of %d keys in %d blocks is %.15f, want %.15f", b, c.keys, c.blocks, got, c.want)
			}
		}
	}
}

// Counts agree with the rate, by the scatter of filters.
func TestBlock_CountAgreesWithRate(t *testing.T) {
	const filters, blocks, probes = 24, 1 << 10, 1 << 16
	keys := blocks * 512 / 13
	for _, step := range []Hashing{OddStep, AnyStep, NoStep} {
		b := Block{512, 9, step}
		rates := make([]float64, filters)
		for i := range rates {
			rates[i] = float64(b.Count(blocks, keys, probes, uint64(i)<<40)) / probes
		}
		mean, err := meanAndError(rates)
		if want := b.Rate(blocks, keys); math.Abs(mean-want) > 4*err || err > 0.02*want {
			t.Errorf("%v: %.5f%%+-%.5f%%, want %.5f%%", step, 100*mean, 100*err, 100*want)
		}
	}
}

// The formula of independent bits is that of package bloom, which averages over the keys of a block.
func TestBlock_IndependentIsPackageBlooms(t *testing.T) {
	const blocks = 3 << 20
	for _, hashes := range []int{1, 5, 9, 12} {
		for _, bits := range []int{10, 13, 20} {
			keys := blocks * 512 / bits
			got, want := Block{512, hashes, NoStep}.Rate(blocks, keys), bloom.PredictBlockedRate(blocks*512, hashes, keys)
			if math.Abs(got/want-1) > 1e-4 {
				t.Errorf("%d hashes, %d bits a key: %.6g, by package bloom %.6g", hashes, bits, got, want)
			}
		}
	}
}

// The setting of the paper's Table 3, which prints 0.43%: of the three only an odd second hash gives that.
func TestBlock_PapersSetting(t *testing.T) {
	const blocks, keys = 192 << 20 / 64, 123_890_000
	for step, want := range map[Hashing]string{OddStep: "0.4340", AnyStep: "0.5543", NoStep: "0.2791"} {
		if got := strconv.FormatFloat(100*Block{512, 9, step}.Rate(blocks, keys), 'f', 4, 64); got != want {
			t.Errorf("%v: %s%%, want %s%%", step, got, want)
		}
	}
}
