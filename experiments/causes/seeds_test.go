package causes

import (
	"testing"

	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/hashing"
)

// Most seeds of multiply-shift spoil a filter of consecutive integers, and none of these of tabulation does. No key is ever lost.
func TestConsecutive_SeedsOfTwoFamilies(t *testing.T) {
	const seeds, slots, probes = 40, 1 << 14, 1 << 16
	odd := map[string]int{}
	for seed := range uint64(seeds) {
		for _, h := range integerhash.Families(seed) {
			r, err := Consecutive(h, slots, probes, hashing.Mix64(seed)>>16)
			if err != nil {
				t.Fatal(err)
			}
			if r.Lost > 0 {
				t.Errorf("%s: %d keys lost", h.Recipe(), r.Lost)
			}
			if !r.Refused && r.Stored != slots*95/100 {
				t.Errorf("%s: %d keys stored of %d", h.Recipe(), r.Stored, slots*95/100)
			}
			if r.Odd(4) {
				odd[h.Name()]++
			}
		}
	}
	if odd["tabulation"] > 0 || odd["multiply-shift"] < seeds/2 {
		t.Errorf("odd seeds of %d: %v", seeds, odd)
	}
}
