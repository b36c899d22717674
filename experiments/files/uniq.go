package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

const (
	// UniqCapacity is the number of lines of the first filter of a [Uniq] where none is announced.
	UniqCapacity = 1 << 20
	// UniqWindow is the number of lines in each window where none is announced.
	UniqWindow = 1_000_000
	// highest is the highest rate that is asked of a filter: that of 8 bits. With fewer the promise of
	// cuckoo.Filter.Capacity is a thousand times weaker.
	highest = 0.03
	// growKicks is MaxKicks of a filter that grows. It then doubles at a load of 93% instead of 96%, and does not
	// spend as much on the last 3% of its slots as on the 20% before them.
	growKicks = 64
)

// ErrCapacity reports a new line beyond the capacity of a Uniq that does not grow, or cannot.
var ErrCapacity = errors.New("the capacity is passed")

// UniqOptions says how a [Uniq] tells lines apart.
type UniqOptions struct {
	// FPR is the highest rate at which new lines may be dropped: above 0 and below 1. Rates above some
	// 3% are not reached; the filter is better than that.
	FPR float64
	// Capacity is the number of distinct lines of the first filter; 0 means UniqCapacity or UniqWindow.
	Capacity int
	// Grow makes the filter, a cuckoo.Scalable, grow beyond Capacity. Without it a new line beyond is ErrCapacity.
	Grow bool
	// Window is the time for which a line is remembered, and WindowKeys, in its place, the number of other lines. A
	// line that is forgotten is written again. Capacity is then the number of distinct lines in each window; a line
	// beyond it is written and not remembered. Neither grows.
	Window     time.Duration
	WindowKeys int
	// Sliding begins the time of a line anew whenever it comes.
	Sliding bool
	// Now tells the time, which Window needs.
	Now func() time.Time
	// Hash makes digests of lines; nil means hashing.XXH3(0). Whoever can choose lines and knows
	// the hash can have other lines dropped: hashing.SipHash with a random key prevents that.
	Hash hashing.Hasher
}

// A Uniq writes the lines that it sees for the first time, without keeping them: sort -u without sorting, in a few
// bytes of memory a line. No repeated line comes through. A new line is dropped wrongly if the filter takes it for one
// seen earlier. A Uniq is not safe for concurrent use.
//
// # How many lines are lost
//
// A filter with m buckets and fingerprints of f bits tells m*(2^f-1)/(2-1/m) classes of lines apart, and one that
// refuses what it contains holds each of them once: a new line finds its class taken at the rate p, the share
// of all classes that are taken. Each line kept stands for 1/(1-p) new ones on average, so the number of distinct lines
// dropped wrongly is expected to be
//
//	sum of p/(1-p) over the lines kept, p being the rate when the line came
//
// which [UniqStats] has. A line that was dropped wrongly is dropped each time it comes; it counts once.
type Uniq struct {
	filter   inserter
	capacity int     // the most that it takes
	lost     float64 // expected number of new lines that were dropped
	lines    int64
	kept     int64
	memory   *memory // of a filter that forgets
	out      output
	cutter   *cutter
	added    [batchSize]bool
}

// An inserter adds the digests that it does not contain and tells which, as the filters of package cuckoo do.
type inserter interface {
	nest.Filter
	InsertUniqueHashes(hs []uint64, added []bool) (n int, err error)
}

// NewUniq returns a Uniq that writes to out. The error names the option that is wrong, or says
// that the first filter is too large or its rate out of reach.
func NewUniq(o UniqOptions, out io.Writer) (*Uniq, error) {
	if !(o.FPR > 0 && o.FPR < 1) {
		return nil, fmt.Errorf("uniq: FPR is %v, want a number above 0 and below 1", o.FPR)
	}
	if o.Hash == nil {
		o.Hash = hashing.XXH3(0)
	}
	if err := checkHash(o.Hash); err != nil {
		return nil, fmt.Errorf("uniq: %w", err)
	}
	usual := UniqCapacity
	if o.forgets() {
		usual = cmp.Or(o.WindowKeys, UniqWindow)
	}
	o.Capacity = cmp.Or(o.Capacity, usual)
	s := nest.Spec{Kind: nest.Cuckoo, Capacity: o.Capacity, FalsePositiveRate: min(o.FPR, highest)}
	capacity := o.Capacity
	if o.Grow {
		s.Kind, s.MaxKicks, capacity = nest.Scalable, growKicks, math.MaxInt
	}
	if o.forgets() {
		s.Kind, s.Window, s.Keys = nest.Window, o.Window, o.WindowKeys
	}
	f, err := nest.New(s, o.Hash)
	if o.Grow && errors.Is(err, nest.ErrConfig) {
		s.FingerprintBits = fingerprint.MaxWidth // which keep the rate for a while, and then growth ends
		f, err = nest.New(s, o.Hash)
	}
	if err != nil {
		return nil, fmt.Errorf("uniq: no filter for %d lines reaches a rate of %.3g: %w", o.Capacity, o.FPR, err)
	}
	u := &Uniq{filter: f.(inserter), capacity: capacity, out: newOutput(out)}
	if o.forgets() {
		u.memory = newMemory(f, o)
	}
	u.cutter = newCutter(hashing.NewDigester(o.Hash), u.take, u.out.flush)
	return u, nil
}

// Read takes the lines of r up to its end and writes those that are new. What is kept is written
// before r is read again, so that a slow input is followed as it comes. It allocates
// nothing for a line, unless the line is longer than the buffer of 1 MiB.
//
// The error bears the name that r is given and, where there is one to blame, the number of the line: r
// cannot be read, [ErrCapacity], [ErrLineTooLong]. The lines kept before it are written.
func (u *Uniq) Read(r io.Reader, name string) error {
	if err := u.cutter.each(r, name); err != nil {
		return fmt.Errorf("uniq: %w", err)
	}
	return nil
}

// take writes those lines of a batch that are new.
func (u *Uniq) take(b *batch) (int, error) {
	insert := u.insert
	if u.memory != nil {
		insert = u.remember
	}
	n, err := insert(b.digests[:b.n], u.added[:])
	u.out.write(b, u.added[:n], "")
	u.lines += int64(n)
	for _, added := range u.added[:n] {
		if added {
			u.kept++
		}
	}
	return n, err
}

// rate returns the probability that a new digest is taken for a repeated one: the share of all classes that the
// filter holds. What it contains is never stored again, so no two digests share a class, and shares add up, where
// the prediction 1-exp(-sum) of the filter is for keys that may share one.
func (u *Uniq) rate() float64 { return -math.Log1p(-u.filter.ScanStats().FalsePositiveRate) }

// insert adds the digests that are not in the filter, in order, and tells of each whether it was
// added. The error says why hs[n] could not be added; it and those after it were not.
func (u *Uniq) insert(hs []uint64, added []bool) (n int, err error) {
	for n < len(hs) && err == nil {
		had, before := u.filter.Len(), u.rate()
		room := min(len(hs)-n, u.capacity-had)
		if room == 0 && !u.filter.ContainsHash(hs[n]) {
			return n, fmt.Errorf("%w: %d distinct lines are kept already", ErrCapacity, had)
		}
		room = max(room, 1) // one that is there is not added
		var done int
		done, err = u.filter.InsertUniqueHashes(hs[n:n+room], added[n:n+room])
		n += done
		u.lost += expectedLost(u.filter.Len()-had, before, u.rate())
	}
	if err != nil {
		err = fmt.Errorf("%w: %d distinct lines are kept: %w", ErrCapacity, u.filter.Len(), err)
	}
	return n, err
}

// expectedLost returns how many new digests are expectedly taken for repetitions while n are kept and the rate
// rises evenly between two: the sum of p/(1-p), p being what it was before each.
func expectedLost(n int, before, after float64) float64 {
	if n == 0 {
		return 0
	}
	last := after - (after-before)/float64(n)
	return float64(n) * (before/(1-before) + last/(1-last)) / 2
}

// UniqStats counts what a [Uniq] did.
type UniqStats struct {
	// Lines were read, of which Kept were written and Dropped were not.
	Lines, Kept, Dropped int64
	// ExpectedLost is the number of distinct lines among the dropped ones that are expected to have been new.
	ExpectedLost float64
	// FPR is the rate at which the next new line would be dropped.
	FPR float64
	// SizeBytes is the memory of the filter's table. Buffers, 1.5 MiB, are not part of it.
	SizeBytes int64
	// LoadFactor is the share of its slots that is used.
	LoadFactor float64
	// Forgets tells that lines are forgotten, and NotRemembered how many were written while the filter was full.
	Forgets       bool
	NotRemembered int64
}

// Stats returns the counts so far. It costs a few operations.
func (u *Uniq) Stats() UniqStats {
	st := UniqStats{
		Lines: u.lines, Kept: u.kept, Dropped: u.lines - u.kept, ExpectedLost: u.lost, FPR: u.rate(),
		SizeBytes: int64(u.filter.SizeBytes()), LoadFactor: u.filter.ScanStats().LoadFactor,
	}
	if u.memory != nil {
		st.Forgets, st.NotRemembered = true, u.memory.refused
	}
	return st
}

// String describes the counts in two lines.
func (st UniqStats) String() string {
	full := ""
	if st.NotRemembered > 0 {
		full = fmt.Sprintf("; it was full for %d lines, which were kept and are not remembered", st.NotRemembered)
	}
	return fmt.Sprintf(`%d lines read, %d kept, %d dropped; expected among the dropped: %s new ones
a filter of %s, load factor %.3f, false-positive rate now %s%s`,
		st.Lines, st.Kept, st.Dropped, claims.Digits(st.ExpectedLost, 3),
		claims.Bytes(int(st.SizeBytes)), st.LoadFactor, claims.RateText(st.FPR), full)
}
