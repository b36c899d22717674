// Package files is what the commands nest uniq and nest filter do with files: it cuts streams into lines, drops
// repeated lines, builds filters of lines and asks them, and merges and converts filters. docs/COMMANDS.md shows the
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
	// batchSize is the largest number of lines of a batch: enough for the cache misses of their lookups to overlap.
	batchSize = 512
	// readSize is that of the buffer for reading; a longer line makes it grow.
	readSize = 1 << 20
	// writeSize is that of the buffer for writing.
	writeSize = 256 << 10
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

// fill takes the first lines of a text, each with its line feed, and makes their digests on the way, as each search for
// a line feed has to wait for the one before it.
func (b *batch) fill(d *hashing.Digester, text []byte) {
	b.n, b.text = 0, text
	for start := 0; b.n < batchSize && start < len(text); b.n++ {
		end := start + bytes.IndexByte(text[start:], '\n')
		b.digests[b.n] = d.Sum64(text[start:end])
		start = end + 1
		b.ends[b.n] = start
	}
}

// An output writes selected lines. It keeps the first error for flush.
type output struct{ *bufio.Writer }

func newOutput(w io.Writer) output { return output{bufio.NewWriterSize(w, writeSize)} }

// write writes the first lines of a batch that are selected: runs of them in one piece, or each behind a prefix. It
// returns how many that were.
func (o output) write(b *batch, selected []bool, prefix string) (n int) {
	for from := 0; from < len(selected); {
		to := from
		for to < len(selected) && selected[to] && (prefix == "" || to == from) {
			to++
		}
		if to == from {
			from++
			continue
		}
		o.WriteString(prefix)
		o.Write(b.run(from, to))
		n, from = n+to-from, to
	}
	return n
}

func (o output) flush() error {
	if err := o.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", Reason(err))
	}
	return nil
}

// A cutter reads streams, one after the other. It allocates nothing for a line that its buffer has room for.
type cutter struct {
	digester hashing.Digester
	// take is called with the lines in order. With an error comes the number of lines of the batch before the one to
	// blame.
	take func(b *batch) (int, error)
	// flush is called before more input is waited for, and at its end; nil has nothing to do.
	flush   func() error
	maxLine int
	buf     []byte
	batch   batch
}

// newCutter returns a cutter of lines of up to [MaxLine] bytes, which makes their digests.
func newCutter(d hashing.Digester, take func(b *batch) (int, error), flush func() error) *cutter {
	return &cutter{digester: d, take: take, flush: flush, maxLine: MaxLine, buf: make([]byte, readSize)}
}

// limit makes n bytes the longest line.
func (c *cutter) limit(n int) {
	c.maxLine = n
	n = min(len(c.buf), n+1)
	c.buf = c.buf[:n:n]
}

// each takes the lines of r, up to the end of r. What is taken was all there was when r was last read, so that a slow
// input is followed as it comes.
//
// The error begins with the name that r is given and, where there is a line to blame, its number: r cannot
// be read, ErrLineTooLong, an error of take. An error of flush is returned as it is. The lines before
// the error were taken and flushed.
func (c *cutter) each(r io.Reader, name string) error {
	line, s := 0, bufio.NewScanner(r)
	s.Buffer(c.buf, c.maxLine+1)
	s.Split(inLines(s))
	for s.Scan() {
		taken, err := c.pass(s.Bytes())
		line += taken
		if c.flush != nil {
			if err := c.flush(); err != nil {
				return err
			}
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, line+1, err)
		}
	}
	switch err := s.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s:%d: %w: more than %d bytes", name, line+1, ErrLineTooLong, c.maxLine)
	case err != nil:
		return fmt.Errorf("%s: %w", name, Reason(err))
	}
	return nil
}

// inLines splits what a scanner reads into pieces of all lines that have come, and gives the last one its line feed.
func inLines(s *bufio.Scanner) bufio.SplitFunc {
	searched := 0 // so many bytes of a long line that comes in small pieces
	return func(data []byte, ends bool) (int, []byte, error) {
		at := bytes.LastIndexByte(data[searched:], '\n')
		n := searched + at + 1
		switch searched = 0; {
		case at >= 0:
			return n, data[:n], nil
		case ends && len(data) > 0 && s.Err() == nil:
			return len(data), append(data, '\n'), nil
		}
		searched = len(data)
		return 0, nil, nil
	}
}

// pass passes on whole lines, until one is to blame.
func (c *cutter) pass(text []byte) (taken int, err error) {
	for len(text) > 0 && err == nil {
		var n int
		c.batch.fill(&c.digester, text)
		n, err = c.take(&c.batch)
		taken, text = taken+n, text[c.batch.ends[c.batch.n-1]:]
	}
	return taken, err
}
