// Package uniq drops the repeated lines of a stream without keeping them: sort -u without sorting, in a few bytes of
// memory a line. No repeated line comes through. A new line is dropped wrongly if the filter takes it for one seen
// earlier, at a rate that is chosen. Lines are those of package lines.
//
// A stream that grows keeps a cuckoo.Scalable.
//
// # How many lines are lost
//
// A filter with m buckets and fingerprints of f bits tells m*(2^f-1)/(2-1/m) classes of lines apart, and one that
// refuses what it contains holds each of them once: a new line finds its class taken at the rate p, the share
// of all classes that are taken. Each line kept stands for 1/(1-p) new ones on
// average, so the number of distinct lines dropped wrongly is expected to be
//
//	sum of p/(1-p) over the lines kept, p being the rate when the line came
//
// which [Stats] has. A line that was dropped wrongly is dropped each time it comes; it counts once.
package uniq

import (
	"bufio"
	"fmt"
	"io"

	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/keyfile"
	"github.com/nestfilter/nest/experiments/lines"
	"github.com/nestfilter/nest/hashing"
)

const (
	// DefaultCapacity is the number of lines of the first filter where none is announced.
	DefaultCapacity = 1 << 20
	// bufferSize is that of the buffer for writing.
	bufferSize = 256 << 10
)

// Options says how a stream tells lines apart.
type Options struct {
	// FPR is the highest rate at which new lines may be dropped: above 0 and below 1. Rates above some
	// 3% are not reached; the filter is better than that.
	FPR float64
	// Capacity is the number of distinct lines of the first filter; 0 means DefaultCapacity.
	Capacity int
	// Grow makes the filter grow beyond Capacity. Without it a new line beyond is ErrCapacity.
	Grow bool
	// Hash makes digests of lines; nil means hashing.XXH64(0). Whoever can choose lines and knows
	// the hash can have other lines dropped: hashing.SipHash with a random key prevents that.
	Hash hashing.Hasher
	// MaxLine is the longest line in bytes; 0 means keyfile.MaxLine.
	MaxLine int
}

// A Stream writes the lines that it sees for the first time. It is not safe for concurrent use.
type Stream struct {
	set    *set
	out    *bufio.Writer
	cutter *lines.Cutter
	lines  int64
	added  [lines.BatchSize]bool
}

// New returns a stream that writes to out. The error names the option that is wrong, or says
// that the first filter is too large or its rate out of reach.
func New(o Options, out io.Writer) (*Stream, error) {
	if !(o.FPR > 0 && o.FPR < 1) {
		return nil, fmt.Errorf("uniq: FPR is %v, want a number above 0 and below 1", o.FPR)
	}
	if o.Capacity < 0 || o.MaxLine < 0 {
		return nil, fmt.Errorf("uniq: Capacity is %d and MaxLine %d, want at least 0", o.Capacity, o.MaxLine)
	}
	if o.Hash == nil {
		o.Hash = hashing.XXH64(0)
	}
	if integerhash.Is(o.Hash) {
		return nil, fmt.Errorf("uniq: the hash family %s is for integers, not for lines", o.Hash.Name())
	}
	if o.Capacity == 0 {
		o.Capacity = DefaultCapacity
	}
	set, err := newSet(o)
	if err != nil {
		return nil, fmt.Errorf("uniq: %w", err)
	}
	return &Stream{
		set: set, out: bufio.NewWriterSize(out, bufferSize),
		cutter: lines.NewCutter(hashing.NewDigester(o.Hash), o.MaxLine),
	}, nil
}

// Read takes the lines of r up to its end and writes those that are new. What is kept is written
// before r is read again, so that a slow input is followed as it comes. It allocates
// nothing for a line, unless the line is longer than the buffer of 1 MiB.
//
// The error bears the name that r is given and, where there is one to blame, the number of the line: r
// cannot be read, [ErrCapacity], [keyfile.ErrLineTooLong]. The lines kept before it are written.
func (s *Stream) Read(r io.Reader, name string) error {
	if err := s.cutter.Each(r, name, sieve{s}); err != nil {
		return fmt.Errorf("uniq: %w", err)
	}
	return nil
}

type sieve struct{ *Stream }

// Take writes those lines of a batch that are new, runs of them in one piece. The writer keeps the first error
// for Flush.
func (s sieve) Take(b *lines.Batch) (int, error) {
	n, err := s.set.insert(b.Digests(), s.added[:])
	for i := 0; i < n; i++ {
		from := i
		for i < n && s.added[i] {
			i++
		}
		if from < i {
			s.out.Write(b.Run(from, i))
		}
	}
	s.lines += int64(n)
	return n, err
}

// Flush writes what was kept.
func (s sieve) Flush() error {
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", keyfile.Reason(err))
	}
	return nil
}
