package files

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDigestSet_KeepsEachOnce holds the set against sorting everything, for digests spread over all parts and for
// those of a hash that puts all in one.
func TestDigestSet_KeepsEachOnce(t *testing.T) {
	for _, mask := range []uint64{1<<64 - 1, 0xff<<partShift | 0xfff, 1<<partShift - 1, 0xffff} {
		for _, copies := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(mask, 5))
			d := newDigestSet(copies)
			d.limit = 1000 // so that repeated ones are dropped several times
			var want, hs []uint64
			for range 300 {
				hs = hs[:0]
				for range rng.IntN(512) {
					hs = append(hs, rng.Uint64()&mask)
				}
				d.add(hs)
				want = append(want, hs...)
			}
			d.compact()
			slices.Sort(want)
			want = slices.Compact(want)
			got := slices.Concat(d.chunks()...)
			if d.n != len(want) || !slices.Equal(got, want) {
				t.Errorf("mask %x, copies %v: %d digests, %d in parts, want %d", mask, copies, d.n, len(got), len(want))
			}
		}
	}
}

func TestDigestSet_Copies(t *testing.T) {
	d := newDigestSet(true)
	d.limit = 10
	d.add([]uint64{7, 7, 1 << 63, 7, 5, 5, 5, 5})
	d.add([]uint64{1 << 63, 5, 5})
	if got := slices.Concat(d.chunks()...); d.n != 11 || !slices.Equal(got, []uint64{7, 7, 7, 5, 5, 5, 5, 5, 5, 1 << 63, 1 << 63}) {
		t.Errorf("%d digests, %d", d.n, got)
	}
}
