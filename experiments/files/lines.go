// Package files is what the commands nest uniq and nest filter do with files: it cuts streams into lines, drops
// repeated lines, builds filters of lines and asks them, and merges and converts filters. docs/FILES.md shows the
// commands.
//
// A line is what stands between two line feeds, whatever bytes it holds: as in coreutils an empty line is a line, a
// carriage return belongs to it, and so does a byte order mark. The last line needs no line feed. Lines of
// different streams are never joined. The keys of [ParseKeys] alone are text, whose line endings do not count.
package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/nestfilter/nest/hashing"
)

const (
	// MaxLine is the longest line in bytes, 64 MiB. It stops at a file without lines before that fills the memory.
	MaxLine = 64 << 20
	// Stdin is the file name that stands for standard input.
	Stdin = "-"
	// batchSize is the largest number of lines of a batch: enough for the cache misses of their lookups to overlap, and
	// for handing them to another goroutine to cost little.
	batchSize = 2048
	// readSize is that of the buffer for reading; a longer line makes it grow.
	readSize = 1 << 20
	// writeSize is that of the buffer for writing.
	writeSize = 256 << 10
	// maxIdle is how many reads in a row may bring nothing.
	maxIdle = 100
)

// ErrLineTooLong reports a line of more bytes than permitted.
var ErrLineTooLong = errors.New("line too long")

// Reason returns the cause inside the path error of a file, for errors that bear the name of the file
// already; other errors it returns as they are.
func Reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// A batch is the first n of some lines in a row, one at least, valid until the call that got it returns.
type batch struct {
	n       int
	text    []byte         // every line with its line feed
	ends    [batchSize]int // of lines in text, after the line feed
	digests [batchSize]uint64
}

// run returns the lines from, from+1 and so on up to, not including, to, each with a line feed.
func (b *batch) run(from, to int) []byte { return b.text[b.start(from):b.start(to)] }

func (b *batch) start(i int) int {
	if i == 0 {
		return 0
	}
	return b.ends[i-1]
}

// An output writes selected lines. It keeps the first error for flush.
type output struct{ *bufio.Writer }

func newOutput(w io.Writer) output { return output{bufio.NewWriterSize(w, writeSize)} }

func (o output) flush() error {
	if err := o.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", Reason(err))
	}
	return nil
}

// A cutter reads streams, one after the other. It allocates nothing for a line, unless the line is longer than its
// buffer. Another goroutine cuts lines and makes their digests while those before them are taken. It ends before more
// is read and before each returns.
type cutter struct {
	digester hashing.Digester
	// take is called with the lines in order. With an error comes the number of lines of the batch before the one to
	// blame.
	take func(b *batch) (int, error)
	// flush is called before more input is waited for, and at its end; nil has nothing to do.
	flush   func() error
	maxLine int
	buf     []byte

	batches   [2]batch
	cut, free chan *batch
}

// newCutter returns a cutter of lines of up to [MaxLine] bytes, which makes their digests.
func newCutter(d hashing.Digester, take func(b *batch) (int, error), flush func() error) *cutter {
	c := &cutter{
		digester: d, take: take, flush: flush, maxLine: MaxLine, buf: make([]byte, readSize),
		cut: make(chan *batch, 2), free: make(chan *batch, 2),
	}
	c.free <- &c.batches[0]
	c.free <- &c.batches[1]
	return c
}

// limit makes n bytes the longest line.
func (c *cutter) limit(n int) { c.maxLine, c.buf = n, c.buf[:min(len(c.buf), n+1)] }

// each takes the lines of r, up to the end of r. What is taken was all there was when r was last read, so that a slow
// input is followed as it comes.
//
// The error begins with the name that r is given and, where there is a line to blame, its number: r cannot
// be read, ErrLineTooLong, an error of take. An error of flush is returned as it is. The lines before
// the error were taken and flushed.
func (c *cutter) each(r io.Reader, name string) error {
	var end, idle, line int // buf[:end] is the beginning of a line, and so many complete lines came before
	for {
		n, readErr := r.Read(c.buf[end:])
		taken, rest, err := c.feed(end, end+n, readErr == io.EOF)
		line, end = line+taken, rest
		if c.flush != nil {
			if flushErr := c.flush(); flushErr != nil {
				return flushErr
			}
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
			return fmt.Errorf("%s: %w", name, Reason(readErr))
		case idle == maxIdle:
			return fmt.Errorf("%s: %w", name, io.ErrNoProgress)
		}
	}
}

// feed passes on the lines of buf[:end], where no line feed is before from, and the last one even without
// a line feed if it is final. It moves the beginning of a line that remains to buf[:rest], and makes room after it.
func (c *cutter) feed(from, end int, final bool) (taken, rest int, err error) {
	fed, taken, err := c.pass(from, end)
	if err != nil {
		return taken, 0, err
	}
	rest = end - fed
	if fed > 0 { // else a long line that comes in small pieces would be copied for each
		copy(c.buf, c.buf[fed:end])
	}
	if rest == len(c.buf) {
		if rest > c.maxLine {
			return taken, rest, fmt.Errorf("%w: more than %d bytes", ErrLineTooLong, c.maxLine)
		}
		c.buf = append(make([]byte, 0, min(2*rest, c.maxLine+1)), c.buf...)
		c.buf = c.buf[:cap(c.buf)]
	}
	if !final || rest == 0 {
		return taken, rest, nil
	}
	c.buf[rest] = '\n'
	_, last, err := c.pass(rest, rest+1)
	return taken + last, 0, err
}

// pass passes on the complete lines of buf[:end], where no line feed is before from. It returns how many
// bytes and lines that were. After an error cutting goes on to the end.
func (c *cutter) pass(from, end int) (fed, taken int, err error) {
	if bytes.IndexByte(c.buf[from:end], '\n') < 0 {
		return 0, 0, nil
	}
	go c.cutAll(c.buf[:end], from)
	for {
		b := <-c.cut
		n := b.n
		if n > 0 && err == nil {
			var done int
			done, err = c.take(b)
			fed, taken = fed+b.ends[n-1], taken+done
		}
		c.free <- b
		if n == 0 {
			return fed, taken, err
		}
	}
}

// cutAll cuts the lines of a text, where no line feed is before from, and then a batch without lines.
func (c *cutter) cutAll(text []byte, from int) {
	for {
		b := <-c.free
		b.fill(&c.digester, text, from)
		n := b.n
		if n > 0 {
			text, from = text[b.ends[n-1]:], 0
		}
		c.cut <- b // and it is the receiver's
		if n == 0 {
			return
		}
	}
}

// fill finds the ends of the first lines of a text, where no line feed is before from. It makes their digests on the
// way, as each search has to wait for the one before it.
func (b *batch) fill(d *hashing.Digester, text []byte, from int) {
	b.n, b.text = 0, text
	for start := 0; b.n < batchSize; b.n++ {
		i := bytes.IndexByte(text[from:], '\n')
		if i < 0 {
			return
		}
		from += i
		b.digests[b.n] = d.Sum64(text[start:from])
		from++
		b.ends[b.n], start = from, from
	}
}
