package versus

import (
	"strconv"
	"testing"

	"github.com/nestfilter/nest/experiments/measure"
)

// eachSpeed runs a benchmark for every filter at 124,518 and 996,147 keys. Names differ between filters in
// nothing but filter, so that benchstat -col /filter puts them side by side.
func eachSpeed(b *testing.B, rest string, run func(b *testing.B, bed *keyBed)) {
	for _, n := range []int{1 << 17, 1 << 20} {
		for _, s := range speeds() {
			var bed *keyBed // filled when a benchmark of it runs
			b.Run("filter="+s.name+"/n="+strconv.Itoa(n)+"/load=0.95"+rest+"/key=bytes", func(b *testing.B) {
				if bed == nil {
					var err error
					if bed, err = newKeyBed(s, n); err != nil {
						b.Fatal(err)
					}
				}
				run(b, bed)
				if bed.sizeBytes != nil {
					b.ReportMetric(8*float64(bed.sizeBytes())/float64(bed.held), "bits/item")
				}
			})
		}
	}
}

// BenchmarkContains looks up keys of 16 bytes one a time, all absent or all present.
func BenchmarkContains(b *testing.B) {
	for hit, rest := range []string{"/hit=0", "/hit=1"} {
		eachSpeed(b, rest, func(b *testing.B, bed *keyBed) {
			timed(b, func() (measure.Lap, error) { return bed.ask(hit == 1) })
			reported, probes := bed.falsePositives()
			b.ReportMetric(float64(reported)/float64(probes), "fpr")
		})
	}
}

// BenchmarkInsert fills filters with keys of 16 bytes one a time.
func BenchmarkInsert(b *testing.B) {
	eachSpeed(b, "", func(b *testing.B, bed *keyBed) { timed(b, bed.refill) })
}

// Every filter is timed at a small size, loses no key, and has about the rate that it is compared at.
func TestSpeeds_RunSmall(t *testing.T) {
	const n = 1 << 14
	names := map[string]bool{}
	for _, s := range speeds() {
		if names[s.name] {
			t.Errorf("%q is there twice", s.name)
		}
		names[s.name] = true
		bed, err := newKeyBed(s, n)
		if err != nil {
			t.Error(err)
			continue
		}
		if lap, err := bed.refill(); err != nil || lap.Keys != keysOf(n) {
			t.Errorf("%s: %d keys, %v", s.name, lap.Keys, err)
		}
		for _, present := range []bool{false, true} {
			if lap, err := bed.ask(present); err != nil || lap.Keys < keysOf(n) {
				t.Errorf("%s: %d keys, %v", s.name, lap.Keys, err)
			}
		}
		if reported, probes := bed.falsePositives(); reported == 0 && s.name != "boom-cuckoo" || reported > probes/20 {
			t.Errorf("%s: %d false positives in %d probes", s.name, reported, probes)
		}
	}
}
