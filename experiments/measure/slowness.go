package measure

import (
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/hashing"
)

// Slowness is how long this machine takes for a fixed piece of work, over what the machine took whose times
// experiments.Default announces. It takes some 30 milliseconds.
//
// The work is that of most trials: random digests are put into a filter of 2^18 slots until it is nearly full, and are
// looked up. The least of five times counts, as whatever disturbs the machine makes it slower.
func Slowness() float64 {
	const slots, reference = 1 << 18, 18.7 // nanoseconds for each key
	keys, least := slots*9/10, 0.0
	for range 5 {
		f, err := NewCuckoo(12, cuckoo.Config{Buckets: slots / 4}, 1)
		if err != nil {
			panic(err) // the configuration is right
		}
		lap := Timed(keys, func() {
			for i := range uint64(keys) {
				_ = f.InsertHash(hashing.Mix64(i)) // below the capacity
			}
			for i := range uint64(keys) {
				f.ContainsHash(hashing.Mix64(^i))
			}
		})
		if ns := lap.PerKey(); least == 0 || ns < least {
			least = ns
		}
	}
	return least / reference
}
