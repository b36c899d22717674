package cli

import (
	"sync"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/widths"
	"github.com/nestfilter/nest/hashing"
)

const (
	// calibrationSlots make a table of 192 KiB, which the second-level cache holds as it does those of most trials.
	calibrationSlots = 1 << 17
	// calibrationFills is how often a worker fills its table.
	calibrationFills = 20
	// calibrationTakes is how long that takes where trials take what the plan counts for them: a core of an AMD EPYC takes
	// 62 ms of processor time, and for figures 2 to 4 and the policies 1.6 times what is planned.
	calibrationTakes = 39 * time.Millisecond
)

// calibrated returns how long this machine will take, as busy as it is now, for what is planned to take that long. It
// measures for a tenth of a second, on as many cores as the run will use.
func calibrated(expected time.Duration, workers int) time.Duration {
	workers = max(workers, 1)
	took := make([]time.Duration, workers)
	var wg sync.WaitGroup
	for i := range took {
		wg.Go(func() { took[i] = calibrate() })
	}
	wg.Wait()
	sum := time.Duration(0)
	for _, t := range took {
		sum += t
	}
	return time.Duration(float64(expected) * float64(sum) / float64(workers) / float64(calibrationTakes))
}

// calibrate fills a table again and again and asks it, as trials do.
func calibrate() time.Duration {
	f, err := widths.New(12, cuckoo.Config{Buckets: calibrationSlots / 4})
	if err != nil {
		panic(err) // the configuration is right
	}
	hs, dst := make([]uint64, calibrationSlots), make([]bool, calibrationSlots)
	start := time.Now()
	for round := range uint64(calibrationFills) {
		f.Reset()
		for i := range hs {
			hs[i] = hashing.Mix64(round<<32 + uint64(i))
		}
		if _, err := f.InsertHashes(hs[:calibrationSlots*95/100]); err != nil {
			panic(err) // a load of .95 is promised
		}
		f.ContainsHashes(hs, dst)
	}
	return time.Since(start)
}
