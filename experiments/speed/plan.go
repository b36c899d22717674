package speed

import "time"

// What a turn takes, in nanoseconds a key: filling, deleting and building, and a lookup one by one and one
// in a batch. Rounded up from a run of tables up to 8 million slots on two cores of a Xeon at 2.7 GHz; larger
// tables take up to twice as long. They only serve to say beforehand how long a run will take, and to
// move the progress bar evenly.
const (
	costFill   = 50
	costBuild  = 25
	costLookup = 12
)

// turnNanos is the expected time of one turn of a filter.
func turnNanos(n int, sweep bool) float64 {
	keys := float64(keysAt(n, FullLoad))
	probes := min(max(keys, minProbes), maxProbes)
	total := costFill*max(keys, minFill) + costBuild*keys + 3*costLookup*probes
	if sweep {
		total += costFill*keys + float64(2*len(Loads())-2)*costLookup*probes
	}
	return total
}

// Turns is the number of turns of a run, if no filter is left out at any size.
func (o Options) Turns() int { return o.Rounds * len(o.Filters) * len(o.Sizes) }

// Expected is about how long the run of resolved options takes on an idle core.
func (o Options) Expected() time.Duration {
	total := 0.
	for _, n := range o.Sizes {
		total += float64(o.Rounds*len(o.Filters)) * turnNanos(n, n == o.sweepSize())
	}
	return time.Duration(total)
}

// tableBytes bounds the size of one table: 16 bits a slot.
const tableBytes = 2

// MemoryNeeded bounds the memory that resolved options take: at every size, the tables of all filters, the
// array of the gather limit, and for bulk building the digests of the keys, a second table and the
// digests in another order.
func (o Options) MemoryNeeded() uint64 {
	need := uint64(1 << 27) // probes and what the program itself takes
	for _, n := range o.Sizes {
		need += uint64(n) * (tableBytes*uint64(len(o.Filters)+2) + 8 + 8)
	}
	return need
}
