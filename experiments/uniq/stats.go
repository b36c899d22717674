package uniq

import (
	"fmt"

	"github.com/nestfilter/nest/experiments/stat"
)

// Stats counts what a stream did.
type Stats struct {
	// Lines were read, of which Kept were written and Dropped were not.
	Lines, Kept, Dropped int64
	// ExpectedLost is the number of distinct lines among the dropped ones that were new, as it is to be
	// expected from the lines kept. The package documentation has the formula.
	ExpectedLost float64
	// FPR is the rate at which the next new line would be dropped.
	FPR float64
	// SizeBytes is the memory of the filter's table. Buffers, 1.5 MiB, are not part of it.
	SizeBytes int64
	// LoadFactor is the share of its slots that is used.
	LoadFactor float64
}

// Stats returns the counts so far. It costs a few operations.
func (s *Stream) Stats() Stats {
	f := s.set.filter
	st := Stats{
		Lines: s.lines, Kept: int64(f.Len()), ExpectedLost: s.set.lost, FPR: s.set.rate(),
		SizeBytes: int64(f.SizeBytes()), LoadFactor: f.Stats().LoadFactor,
	}
	st.Dropped = st.Lines - st.Kept
	return st
}

// String describes the counts in two lines.
func (st Stats) String() string {
	return fmt.Sprintf(`%d lines read, %d kept, %d dropped; expected among the dropped: %s new ones
a filter of %s, load factor %.3f, false-positive rate now %s`,
		st.Lines, st.Kept, st.Dropped, stat.Digits(st.ExpectedLost, 3),
		stat.Bytes(int(st.SizeBytes)), st.LoadFactor, stat.RateText(st.FPR))
}
