package uniq

import (
	"fmt"

	"github.com/nestfilter/nest"
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
	// Filters is the number of filters, and SizeBytes the memory of their tables. Buffers, half a MiB, are not
	// part of it.
	Filters   int
	SizeBytes int64
	// LoadFactor is the share of their slots that is used.
	LoadFactor float64
}

// Stats returns the counts so far. It costs a few operations for each filter.
func (s *Stream) Stats() Stats {
	f := s.set.filter
	st := Stats{
		Lines: s.lines, Kept: int64(f.Len()), ExpectedLost: s.set.lost, FPR: s.set.rate(),
		Filters: 1, SizeBytes: int64(f.SizeBytes()), LoadFactor: f.Stats().LoadFactor,
	}
	if g, ok := f.(nest.Grower); ok {
		st.Filters = g.SubFilters()
	}
	st.Dropped = st.Lines - st.Kept
	return st
}

// String describes the counts in two lines.
func (st Stats) String() string {
	filters := "1 filter"
	if st.Filters > 1 {
		filters = fmt.Sprintf("%d filters", st.Filters)
	}
	return fmt.Sprintf(`%d lines read, %d kept, %d dropped; expected among the dropped: %s new ones
%s in %s, load factor %.3f, false-positive rate now %s`,
		st.Lines, st.Kept, st.Dropped, stat.Digits(st.ExpectedLost, 3),
		stat.Bytes(int(st.SizeBytes)), filters, st.LoadFactor, stat.RateText(st.FPR))
}
