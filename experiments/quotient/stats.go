package quotient

// Stats are the lengths that decide what verbs cost, in slots. A cluster begins with a remainder in
// its canonical slot and goes up to the next one or to a free slot: what a lookup walks over. A
// stretch lies between two free slots and is one or more clusters: what an insert pushes.
type Stats struct {
	// Len and Slots are those of the filter.
	Len, Slots int
	// Runs is the number of quotients that occur, and MaxRun the length of the longest run.
	Runs, MaxRun int
	// Clusters is their number, and MaxCluster the length of the longest.
	Clusters, MaxCluster int
	// MeanCluster is Len/Clusters, and 0 of an empty filter. alpha/((1-alpha)*(exp(alpha)-1)) is expected at load alpha.
	MeanCluster float64
	// KeyCluster is the mean length of the cluster in which a stored fingerprint is. It is longer, because
	// long clusters hold more of them.
	KeyCluster float64
	// Stretches is their number, and MaxStretch the length of the longest.
	Stretches, MaxStretch int
	// InsertReach is the mean number of slots from one to the next free slot, both included: what an
	// insert would read or write. (1+1/(1-alpha)^2)/2 is expected at load alpha. It is 0 in a full table.
	InsertReach float64
}

// Stats returns the lengths of runs, clusters and stretches. It reads the table about twice.
func (f *Filter) Stats() Stats {
	st := Stats{Len: f.Len(), Slots: f.Slots()}
	if f.len == 0 {
		st.InsertReach = 1
		return st
	}
	s := &f.slots
	// Begin where a stretch begins, or, in a full table, a cluster.
	start := uint64(0)
	for s.get(start)&shifted != 0 || f.len <= s.last && s.get((start-1)&s.last)&metadata != 0 {
		start = s.next(start)
	}
	var run, cluster, stretch int
	var squares, reach uint64
	for n := range s.last + 1 {
		x := s.get((start + n) & s.last)
		if x&metadata == 0 {
			stretch = 0
			reach++
			continue
		}
		if x&continuation == 0 {
			run = 0
			st.Runs++
		}
		if x&shifted == 0 {
			cluster = 0
			st.Clusters++
		}
		if stretch == 0 {
			st.Stretches++
		}
		run, cluster, stretch = run+1, cluster+1, stretch+1
		st.MaxRun = max(st.MaxRun, run)
		st.MaxCluster = max(st.MaxCluster, cluster)
		st.MaxStretch = max(st.MaxStretch, stretch)
		// The squares of lengths, and the sums of reaches, grow by differences as lengths grow by one.
		squares += 2*uint64(cluster) - 1
		reach += uint64(stretch) + 1
	}
	st.MeanCluster = float64(st.Len) / float64(st.Clusters)
	st.KeyCluster = float64(squares) / float64(st.Len)
	if f.len <= s.last {
		st.InsertReach = float64(reach) / float64(st.Slots)
	}
	return st
}
