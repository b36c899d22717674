// Package filterfile is what the commands nest build, query, info, convert and merge do with files: it builds
// filters from lines, asks them for lines, and combines and converts them. docs/FILES.md shows the commands.
//
// Lines are those of package lines, when a filter is built and when it is asked: any bytes, a carriage return
// included. So a line is found whichever program wrote it, as long as it is the same bytes.
package filterfile

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/hashing"
)

// errKeys reports a filter that has no keys of the form of a line.
var errKeys = errors.New("it cannot be asked for lines")

// checkHash tells whether lines can be hashed so.
func checkHash(h hashing.Hasher) error {
	switch {
	case h == hashing.DigestsOnly:
		return fmt.Errorf("%w: it holds digests that were made elsewhere (hash %s)", errKeys, h.Recipe())
	case integerhash.Is(h):
		return fmt.Errorf("%w: the hash family %s is for integers", errKeys, h.Name())
	}
	return nil
}

// Summary says in one line what a filter is like now. It reads the table of the kinds that nest.Stats names.
func Summary(f nest.Filter) string {
	s := f.Stats()
	text := fmt.Sprintf("%s filter of %d keys in %d bytes", f.Spec().Kind, s.Len, s.SizeBytes)
	if s.Len > 0 {
		text += fmt.Sprintf(", %s bits per key", stat.Digits(bitsPerKey(s.SizeBytes, s.Len), 3))
	}
	return text + fmt.Sprintf("; load factor %.3f, false-positive rate %s", s.LoadFactor, stat.RateText(s.FalsePositiveRate))
}

// bitsPerKey returns the size of a table for each key in bits, 0 for one without keys.
func bitsPerKey(tableBytes, keys int) float64 {
	if keys == 0 {
		return 0
	}
	return 8 * float64(tableBytes) / float64(keys)
}
