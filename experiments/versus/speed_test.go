package versus

import (
	"strconv"
	"testing"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/speed"
)

// eachSpeed runs a benchmark for every filter at 124,518 and 996,147 keys. Names differ between filters in
// nothing but filter, so that benchstat -col /filter puts them side by side.
func eachSpeed(b *testing.B, rest string, run func(b *testing.B, bed *speed.KeyBed)) {
	for _, n := range []int{1 << 17, 1 << 20} {
		for _, s := range speeds() {
			var bed *speed.KeyBed // filled when a benchmark of it runs
			b.Run(s.Params+"/n="+strconv.Itoa(n)+"/load=0.95"+rest+"/key=bytes", func(b *testing.B) {
				if bed == nil {
					var err error
					if bed, err = speed.NewKeyBed(s, n); err != nil {
						b.Fatal(err)
					}
				}
				run(b, bed)
				if bits := bed.BitsPerItem(); bits > 0 {
					b.ReportMetric(bits, "bits/item")
				}
			})
		}
	}
}

// BenchmarkContains looks up keys of 16 bytes one a time, all absent or all present.
func BenchmarkContains(b *testing.B) {
	for hit, rest := range []string{"/hit=0", "/hit=1"} {
		eachSpeed(b, rest, func(b *testing.B, bed *speed.KeyBed) {
			speed.Time(b, func() (measure.Lap, error) { return bed.Contains(hit == 1, speed.Bytes) })
			reported, probes := bed.FalsePositives()
			b.ReportMetric(float64(reported)/float64(probes), "fpr")
		})
	}
}

// BenchmarkInsert fills filters with keys of 16 bytes one a time.
func BenchmarkInsert(b *testing.B) {
	eachSpeed(b, "", func(b *testing.B, bed *speed.KeyBed) { speed.Time(b, bed.Refill) })
}

// Every filter is timed at a small size, loses no key, and has about the rate that it is compared at.
func TestSpeeds_RunSmall(t *testing.T) {
	const n = 1 << 14
	names := map[string]bool{}
	for _, s := range speeds() {
		if names[s.Name] || s.Params != "filter="+s.Name {
			t.Errorf("%q is there twice, or its parameters are %q", s.Name, s.Params)
		}
		names[s.Name] = true
		bed, err := speed.NewKeyBed(s, n)
		if err != nil {
			t.Error(err)
			continue
		}
		if lap, err := bed.Refill(); err != nil || lap.Keys != speed.Keys(n) {
			t.Errorf("%s: %d keys, %v", s.Name, lap.Keys, err)
		}
		for _, present := range []bool{false, true} {
			if lap, err := bed.Contains(present, speed.Bytes); err != nil || lap.Keys < speed.Keys(n) {
				t.Errorf("%s: %d keys, %v", s.Name, lap.Keys, err)
			}
		}
		if reported, probes := bed.FalsePositives(); reported == 0 && s.Name != "boom-cuckoo" || reported > probes/20 {
			t.Errorf("%s: %d false positives in %d probes", s.Name, reported, probes)
		}
	}
}
