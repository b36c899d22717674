package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

const (
	// calibrationSlots make a table of 192 KiB, which the second-level cache holds as it does those of most trials.
	calibrationSlots = 1 << 17
	// calibrationRounds is how often a worker fills its table.
	calibrationRounds = 30
	// calibrationTakes is the time of the fastest round where trials take what is planned for them: on a core of an
	// idle AMD EPYC.
	calibrationTakes = 3100 * time.Microsecond
)

// announced says how long what is planned to take so long will take on this machine.
func announced(planned time.Duration, workers int) string {
	expected, precision := calibrated(planned, workers), time.Second
	if expected < 10*time.Second {
		precision /= 10
	}
	return fmt.Sprintf("%v on an idle machine", expected.Round(precision))
}

// calibrated returns how long this machine takes for what is planned to take so long. It measures for a tenth of a
// second, on as many cores as the run will use.
func calibrated(planned time.Duration, workers int) time.Duration {
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
	return time.Duration(float64(planned) * float64(sum) / float64(workers) / float64(calibrationTakes))
}

// calibrate fills a table again and again and asks it, as trials do, and returns the time of the fastest round, on
// which what else runs has the least part.
func calibrate() time.Duration {
	f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: calibrationSlots / 4})
	if err != nil {
		panic(err) // the configuration is right
	}
	hs, dst := make([]uint64, calibrationSlots), make([]bool, calibrationSlots)
	fastest := time.Hour
	for round := range uint64(calibrationRounds) {
		start := time.Now()
		f.Reset()
		for i := range hs {
			hs[i] = hashing.Mix64(round<<32 + uint64(i))
		}
		if _, err := f.InsertHashes(hs[:calibrationSlots*95/100]); err != nil {
			panic(err) // a load of .95 is promised
		}
		f.ContainsHashes(hs, dst)
		fastest = min(fastest, time.Since(start))
	}
	return fastest
}
