// Package uniq drops the repeated lines of a stream without keeping them: a line goes through if a
// filter has not seen it. It is sort -u without sorting, in a few bytes of memory a line.
//
// No repeated line ever comes through. A new line is dropped wrongly if the filter takes it for one
// seen earlier, at a rate that is chosen.
//
// # Lines
//
// A line is what stands between two line feeds, whatever bytes it holds: as in coreutils an empty line
// is a line, a carriage return belongs to it, and a last line without a line feed is
// written with one. Lines of different inputs are never joined.
//
// # Growth
//
// A stream that grows keeps a cuckoo.Scalable: a cuckoo filter for C lines and, whenever it is full, one of twice the
// size. A line is repeated if any of them says so. Their fingerprints are so wide that as many as there can ever be
// stay below the rate together; the package of the filter has the law.
//
// (A chain of filters at fpr/2, fpr/4, fpr/8 and so on, each a bit wider than the one before, was as fast at ten million
// lines, 8% slower at one million, needed one filter more, and ended where fingerprints end, at 32 bits.)
//
// # How many lines are lost
//
// A filter with m buckets and fingerprints of f bits tells m*(2^f-1)/(2-1/m) classes of lines apart, and one that
// refuses what it contains holds each of them once: a new line finds its class taken at the rate p, the share
// of all classes that are taken, summed over the filters. Each line kept stands for 1/(1-p) new ones on
// average, so the number of distinct lines dropped wrongly is expected to be
//
//	sum of p/(1-p) over the lines kept, p being the rate when the line came
//
// which [Stats] has. A line that was dropped wrongly is dropped each time it comes; it counts once.
package uniq

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/nestfilter/nest/experiments/keyfile"
	"github.com/nestfilter/nest/hashing"
)

const (
	// DefaultCapacity is the number of lines of the first filter where none is announced.
	DefaultCapacity = 1 << 20
	// bufferSize is that of the buffers for reading and writing; a longer line makes the first grow.
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
	set      *set
	digester hashing.Digester
	out      *bufio.Writer
	maxLine  int
	buf      []byte
	lines    int64

	digests [batchSize]uint64
	ends    [batchSize]int // of lines in buf, behind the line feed
	added   [batchSize]bool
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
	if hashing.IntegersOnly(o.Hash) {
		return nil, fmt.Errorf("uniq: the hash family %s is for integers, not for lines", o.Hash.Name())
	}
	if o.Capacity == 0 {
		o.Capacity = DefaultCapacity
	}
	if o.MaxLine == 0 {
		o.MaxLine = keyfile.MaxLine
	}
	set, err := newSet(o)
	if err != nil {
		return nil, fmt.Errorf("uniq: %w", err)
	}
	return &Stream{
		set: set, digester: hashing.NewDigester(o.Hash), out: bufio.NewWriterSize(out, bufferSize),
		maxLine: o.MaxLine, buf: make([]byte, min(bufferSize, o.MaxLine+1)),
	}, nil
}

// Read takes the lines of r up to its end and writes those that are new. What is kept is written
// before r is read again, so that a slow input is followed as it comes. It allocates
// nothing for a line, unless the line is longer than the buffer of 256 KiB.
//
// The error bears the name that r is given and, where there is one to blame, the number of the line: r
// cannot be read, [ErrCapacity], [keyfile.ErrLineTooLong]. The lines kept before it are written.
func (s *Stream) Read(r io.Reader, name string) error {
	var end, idle int // buf[:end] is the beginning of a line
	var line int64    // complete lines of r
	for {
		n, readErr := r.Read(s.buf[end:])
		taken, rest, err := s.feed(end, end+n, readErr == io.EOF)
		line, end = line+taken, rest
		if flushErr := s.out.Flush(); flushErr != nil {
			return fmt.Errorf("uniq: standard output: %w", keyfile.Reason(flushErr))
		}
		if idle++; n > 0 {
			idle = 0
		}
		switch {
		case err != nil:
			return fmt.Errorf("uniq: %s:%d: %w", name, line+1, err)
		case readErr == io.EOF:
			return nil
		case readErr != nil:
			return fmt.Errorf("uniq: %s: %w", name, keyfile.Reason(readErr))
		case idle == 100:
			return fmt.Errorf("uniq: %s: %w", name, io.ErrNoProgress)
		}
	}
}

// feed takes the lines of buf[:end], where no line feed is before from, and the last one even without a
// line feed if it is final. It moves the beginning of a line that remains to buf[:rest] and sees to it that
// there is room behind it.
func (s *Stream) feed(from, end int, final bool) (taken int64, rest int, err error) {
	fed, taken, err := s.take(from, end)
	if err != nil {
		return taken, 0, err
	}
	rest = end - fed
	if fed > 0 { // else a long line that comes in small pieces would be copied for each
		copy(s.buf, s.buf[fed:end])
	}
	if rest == len(s.buf) {
		if err := s.enlarge(); err != nil {
			return taken, rest, err
		}
	}
	if !final || rest == 0 {
		return taken, rest, nil
	}
	s.buf[rest] = '\n'
	_, last, err := s.take(rest, rest+1)
	return taken + last, 0, err
}

// enlarge makes room for the rest of a line that fills the buffer.
func (s *Stream) enlarge() error {
	if len(s.buf) > s.maxLine {
		return fmt.Errorf("%w: more than %d bytes", keyfile.ErrLineTooLong, s.maxLine)
	}
	larger := make([]byte, min(2*len(s.buf), s.maxLine+1))
	copy(larger, s.buf)
	s.buf = larger
	return nil
}

// take passes on the complete lines of buf[:end], where no line feed is before from. It returns how
// many bytes and lines it took.
func (s *Stream) take(from, end int) (fed int, lines int64, err error) {
	for {
		n := 0
		for pos := fed; n < batchSize; n++ {
			search := max(pos, from)
			i := bytes.IndexByte(s.buf[search:end], '\n')
			if i < 0 {
				break
			}
			i += search
			s.digests[n] = s.digester.Sum64(s.buf[pos:i])
			s.ends[n] = i + 1
			pos = i + 1
		}
		if n == 0 {
			return fed, lines, nil
		}
		done, err := s.set.insert(s.digests[:n], s.added[:])
		s.write(fed, done)
		s.lines += int64(done)
		lines += int64(done)
		if err != nil {
			return fed, lines, err
		}
		fed = s.ends[n-1]
	}
}

// write writes those of the first n lines of a batch that begins at buf[start] that were added, runs
// of them in one piece. The writer keeps the first error for Flush.
func (s *Stream) write(start, n int) {
	for i := 0; i < n; i++ {
		first := i
		for i < n && s.added[i] {
			i++
		}
		if first < i {
			s.out.Write(s.buf[start:s.ends[i-1]])
		}
		if i < n {
			start = s.ends[i]
		}
	}
}
