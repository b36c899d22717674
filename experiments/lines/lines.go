// Package lines cuts a stream into lines, many at a time, for programs that put each through a filter.
//
// A line is what stands between two line feeds, whatever bytes it holds: as in coreutils an empty line is a
// line, a carriage return belongs to it, and so does a byte order mark. The last line needs no line feed. Lines
// of different streams are never joined.
package lines

import (
	"bytes"
	"fmt"
	"io"

	"github.com/nestfilter/nest/experiments/keyfile"
	"github.com/nestfilter/nest/hashing"
)

const (
	// BatchSize is the largest number of lines of a [Batch]: enough for the cache misses of their
	// lookups to overlap. From 128 to 2048 the throughput of package uniq's BenchmarkStream differed by no more
	// than the noise of a shared 2-core machine.
	BatchSize = 512
	// bufferSize is that of the buffer for reading; a longer line makes it grow.
	bufferSize = 256 << 10
	// maxIdle is how many reads in a row may bring nothing.
	maxIdle = 100
)

// A Batch is some lines in a row, one at least, valid until the call that got it returns.
type Batch struct {
	text    []byte // every line with its line feed
	ends    []int  // of lines in text, behind the line feed
	digests []uint64
}

// Len returns the number of lines.
func (b *Batch) Len() int { return len(b.ends) }

// Digests returns the digests of the lines, for the taker to use as it likes.
func (b *Batch) Digests() []uint64 { return b.digests }

// Line returns line i, from 0 on, without its line feed.
func (b *Batch) Line(i int) []byte { return b.text[b.start(i) : b.ends[i]-1] }

// Run returns the lines from, from+1 and so on up to, not including, to, each with a line feed.
func (b *Batch) Run(from, to int) []byte { return b.text[b.start(from):b.start(to)] }

func (b *Batch) start(i int) int {
	if i == 0 {
		return 0
	}
	return b.ends[i-1]
}

// A Sink takes lines.
type Sink interface {
	// Take is called with the lines in order. With an error comes the number of lines of the batch before
	// the one to blame.
	Take(b *Batch) (int, error)
	// Flush is called before more input is waited for, and at its end.
	Flush() error
}

// A Cutter reads streams, one after the other. It allocates nothing for a line, unless the line is
// longer than its buffer of 256 KiB.
type Cutter struct {
	digester hashing.Digester
	maxLine  int
	buf      []byte
	ends     [BatchSize]int
	digests  [BatchSize]uint64
	batch    Batch // here because what goes through an interface is allocated
}

// NewCutter returns a Cutter that takes lines of up to maxLine bytes, and makes their digests; 0 means
// keyfile.MaxLine.
func NewCutter(d hashing.Digester, maxLine int) *Cutter {
	if maxLine <= 0 {
		maxLine = keyfile.MaxLine
	}
	return &Cutter{digester: d, maxLine: maxLine, buf: make([]byte, min(bufferSize, maxLine+1))}
}

// Each passes the lines of r to the sink, up to the end of r. What the sink is given was all there was when r
// was last read, so that a slow input is followed as it comes.
//
// The error begins with the name that r is given and, where there is a line to blame, its number: r cannot
// be read, keyfile.ErrLineTooLong, an error of Take. An error of Flush is returned as it is. The lines before
// the error were taken and flushed.
func (c *Cutter) Each(r io.Reader, name string, to Sink) error {
	var end, idle, line int // buf[:end] is the beginning of a line, and so many complete lines came before
	for {
		n, readErr := r.Read(c.buf[end:])
		taken, rest, err := c.feed(end, end+n, readErr == io.EOF, to)
		line, end = line+taken, rest
		if flushErr := to.Flush(); flushErr != nil {
			return flushErr
		}
		if idle++; n > 0 {
			idle = 0
		}
		switch {
		case err != nil:
			return fmt.Errorf("%s:%d: %w", name, line+1, err)
		case readErr == io.EOF:
			return nil
		case readErr != nil:
			return fmt.Errorf("%s: %w", name, keyfile.Reason(readErr))
		case idle == maxIdle:
			return fmt.Errorf("%s: %w", name, io.ErrNoProgress)
		}
	}
}

// feed passes on the lines of buf[:end], where no line feed is before from, and the last one even without
// a line feed if it is final. It moves the beginning of a line that remains to buf[:rest] and sees to it
// that there is room behind it.
func (c *Cutter) feed(from, end int, final bool, to Sink) (taken, rest int, err error) {
	fed, taken, err := c.pass(from, end, to)
	if err != nil {
		return taken, 0, err
	}
	rest = end - fed
	if fed > 0 { // else a long line that comes in small pieces would be copied for each
		copy(c.buf, c.buf[fed:end])
	}
	if rest == len(c.buf) {
		if err := c.enlarge(); err != nil {
			return taken, rest, err
		}
	}
	if !final || rest == 0 {
		return taken, rest, nil
	}
	c.buf[rest] = '\n'
	_, last, err := c.pass(rest, rest+1, to)
	return taken + last, 0, err
}

// enlarge makes room for the rest of a line that fills the buffer.
func (c *Cutter) enlarge() error {
	if len(c.buf) > c.maxLine {
		return fmt.Errorf("%w: more than %d bytes", keyfile.ErrLineTooLong, c.maxLine)
	}
	larger := make([]byte, min(2*len(c.buf), c.maxLine+1))
	copy(larger, c.buf)
	c.buf = larger
	return nil
}

// pass passes on the complete lines of buf[:end], where no line feed is before from. It returns how many
// bytes and lines that were.
func (c *Cutter) pass(from, end int, to Sink) (fed, taken int, err error) {
	for {
		text := c.buf[fed:end]
		n := c.cut(text, max(0, from-fed))
		if n == 0 {
			return fed, taken, nil
		}
		c.batch = Batch{text: text, ends: c.ends[:n], digests: c.digests[:n]}
		done, err := to.Take(&c.batch)
		if err != nil {
			return fed, taken + done, err
		}
		fed, taken = fed+c.ends[n-1], taken+n
	}
}

// cut finds the ends of the first lines of a text, where no line feed is before from, and returns how many. It
// makes their digests on the way: each search has to wait for the one before it, and digests fill the time. Two
// loops instead made nest uniq 5% slower.
func (c *Cutter) cut(text []byte, from int) int {
	start := 0
	for n := range c.ends {
		i := bytes.IndexByte(text[from:], '\n')
		if i < 0 {
			return n
		}
		from += i
		c.digests[n] = c.digester.Sum64(text[start:from])
		from++
		c.ends[n], start = from, from
	}
	return BatchSize
}
