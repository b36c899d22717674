package packed

import (
	"math/rand/v2"
	"testing"
)

// TestAged_IsWhatEachLaneSays holds the arithmetic of words, in tables of one group and of several, to that of lanes.
func TestAged_IsWhatEachLaneSays(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 1))
	for range 3000 {
		width, age, lanes := uint(1+r.IntN(20)), uint(1+r.IntN(4)), uint(1+r.IntN(8))
		table := Plain.New(width+age, lanes, 5)
		p := Aged{Tagged: NewTagged(&table, width)}
		dead := r.Uint64N(1 << age)
		p.Dead = p.Low * (dead << width)
		for bucket := range table.Buckets() {
			for lane := range lanes {
				if fp := r.Uint64N(min(uint64(1)<<width, 4)); fp != 0 {
					table.Set(bucket, lane, fp|r.Uint64N(1<<age)<<width)
				}
			}
		}
		expired := 0
		for bucket := range table.Buckets() {
			first := func(yes func(fp, age uint64) bool) (int, bool) {
				for lane := range lanes {
					if x := table.Get(bucket, lane); yes(x&(1<<width-1), x>>width) {
						return int(lane), true
					}
				}
				return 0, false
			}
			same := func(what string, lane uint, ok bool, yes func(fp, age uint64) bool) {
				if wantLane, want := first(yes); ok != want || int(lane) != wantLane {
					t.Fatalf("%s in %d lanes of %d+%d bits: %d, %v, want %d, %v",
						what, lanes, width, age, lane, ok, wantLane, want)
				}
			}
			lane, ok := p.FindFree(&table, bucket)
			same("free", lane, ok, func(fp, age uint64) bool { return fp == 0 || age == dead })
			lane, ok = p.FindLive(&table, bucket, 1)
			same("live", lane, ok, func(fp, age uint64) bool { return fp == 1 && age != dead })
			for lane := range lanes {
				if x := table.Get(bucket, lane); bucket > 0 && bucket < 4 && x != 0 && x>>width == dead {
					expired++
				}
			}
		}
		before := table.Clone()
		if n := p.Drop(&table, 1, 4); n != expired {
			t.Fatalf("%d lanes dropped, want %d", n, expired)
		}
		for bucket := range table.Buckets() {
			for lane := range lanes {
				want := before.Get(bucket, lane)
				if bucket > 0 && bucket < 4 && want>>width == dead {
					want = 0
				}
				if got := table.Get(bucket, lane); got != want {
					t.Fatalf("after Drop bucket %d, lane %d is %x, want %x", bucket, lane, got, want)
				}
			}
		}
	}
}
