package catalogue

import (
	"sync"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// wakeTime is how long batches are asked of a tiny filter, untimed, before those that are timed. Some processors
// run the first 512-bit instructions behind others at half their speed, for about a millisecond: laps of that
// length then fell into two heaps, 89 slow ones of 120 without and 17 with a millisecond (Xeon, 2^21 slots). More
// did not help.
const wakeTime = time.Millisecond

// minute is a filter of 768 bytes, which takes no room in a cache worth speaking of.
var minute = sync.OnceValues(func() (*cuckoo.Filter[fingerprint.Bits12], error) {
	return cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: 1 << 7})
})

// wake asks for batches until the processor has its full speed for them.
func wake() error {
	f, err := minute()
	if err != nil {
		return err
	}
	hs, dst := make([]uint64, measure.Batch), make([]bool, measure.Batch)
	for i := range hs {
		hs[i] = hashing.Mix64(uint64(i))
	}
	for start := time.Now(); time.Since(start) < wakeTime; {
		f.ContainsHashes(hs, dst)
	}
	return nil
}
