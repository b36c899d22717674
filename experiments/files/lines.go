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
	"runtime"

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
	// pieceSize is the largest number of lines that are cut ahead at once: waking a goroutine for them costs little.
	pieceSize = 8 * batchSize
	// bulk is how many bytes must have been read at once for another goroutine to cut them.
	bulk = 64 << 10
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

// A batch is some lines in a row, one at least, valid until the call that got it returns.
type batch struct {
	text    []byte // every line with its line feed
	first   int    // where the first line begins
	ends    []int  // of lines in text, after the line feed
	digests []uint64
}

// run returns the lines from, from+1 and so on up to, not including, to, each with a line feed.
func (b *batch) run(from, to int) []byte { return b.text[b.start(from):b.start(to)] }

func (b *batch) start(i int) int {
	if i == 0 {
		return b.first
	}
	return b.ends[i-1]
}

// A sink takes lines.
type sink interface {
	// take is called with the lines in order. With an error comes the number of lines of the batch before
	// the one to blame.
	take(b *batch) (int, error)
	// flush is called before more input is waited for, and at its end.
	flush() error
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
// buffer. Where much input comes at once, it cuts lines and makes their digests in another goroutine, while the sink
// takes those before them. That goroutine ends before more is read and before each returns.
type cutter struct {
	digester hashing.Digester
	maxLine  int
	buf      []byte
	batch    batch

	pieces    [2]piece
	cut, free chan *piece
	ahead     func()
	text      []byte // what is cut ahead, without a line feed before from
	from      int
}

// A piece is some lines in a row.
type piece struct {
	n       int // how many
	text    []byte
	ends    [pieceSize]int // in text, after the line feed
	digests [pieceSize]uint64
}

// newCutter returns a cutter that takes lines of up to maxLine bytes, 0 for [MaxLine], and makes their digests.
func newCutter(d hashing.Digester, maxLine int) *cutter {
	if maxLine <= 0 {
		maxLine = MaxLine
	}
	c := &cutter{
		digester: d, maxLine: maxLine, buf: make([]byte, min(readSize, maxLine+1)),
		cut: make(chan *piece, 2), free: make(chan *piece, 2),
	}
	c.ahead = c.cutAhead
	c.free <- &c.pieces[0]
	c.free <- &c.pieces[1]
	return c
}

// each passes the lines of r to the sink, up to the end of r. What the sink is given was all there was when r
// was last read, so that a slow input is followed as it comes.
//
// The error begins with the name that r is given and, where there is a line to blame, its number: r cannot
// be read, ErrLineTooLong, an error of take. An error of flush is returned as it is. The lines before
// the error were taken and flushed.
func (c *cutter) each(r io.Reader, name string, to sink) error {
	var end, idle, line int // buf[:end] is the beginning of a line, and so many complete lines came before
	for {
		n, readErr := r.Read(c.buf[end:])
		taken, rest, err := c.feed(end, end+n, readErr == io.EOF, to)
		line, end = line+taken, rest
		if flushErr := to.flush(); flushErr != nil {
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
			return fmt.Errorf("%s: %w", name, Reason(readErr))
		case idle == maxIdle:
			return fmt.Errorf("%s: %w", name, io.ErrNoProgress)
		}
	}
}

// feed passes on the lines of buf[:end], where no line feed is before from, and the last one even without
// a line feed if it is final. It moves the beginning of a line that remains to buf[:rest], and makes room after it.
func (c *cutter) feed(from, end int, final bool, to sink) (taken, rest int, err error) {
	fed, taken, err := c.pass(from, end, to)
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
	_, last, err := c.pass(rest, rest+1, to)
	return taken + last, 0, err
}

// pass passes on the complete lines of buf[:end], where no line feed is before from. It returns how many
// bytes and lines that were.
func (c *cutter) pass(from, end int, to sink) (fed, taken int, err error) {
	if end-from >= bulk && runtime.GOMAXPROCS(0) > 1 {
		return c.passAhead(from, end, to)
	}
	p := <-c.free
	defer func() { c.free <- p }()
	for {
		p.fill(&c.digester, c.buf[fed:end], max(0, from-fed), batchSize)
		if p.n == 0 {
			return fed, taken, nil
		}
		done, err := c.give(p, to)
		if err != nil {
			return fed, taken + done, err
		}
		fed, taken = fed+p.ends[p.n-1], taken+p.n
	}
}

// passAhead is pass with another goroutine that cuts. After an error of the sink, that one goes on to the end.
func (c *cutter) passAhead(from, end int, to sink) (fed, taken int, err error) {
	c.text, c.from = c.buf[:end], from
	go c.ahead()
	for {
		p := <-c.cut
		n := p.n
		if n > 0 && err == nil {
			var done int
			done, err = c.give(p, to)
			taken += done
			if err == nil {
				fed += p.ends[n-1]
			}
		}
		c.free <- p
		if n == 0 {
			return fed, taken, err
		}
	}
}

// cutAhead cuts the lines of c.text. The first pieces are small, so that the sink begins soon.
func (c *cutter) cutAhead() {
	text, from := c.text, c.from
	for most := batchSize; ; most = min(2*most, pieceSize) {
		p := <-c.free
		p.fill(&c.digester, text, from, most)
		n := p.n
		if n > 0 {
			text, from = text[p.ends[n-1]:], max(0, from-p.ends[n-1])
		}
		c.cut <- p // and it is the receiver's
		if n == 0 {
			return
		}
	}
}

// give passes on the lines of a piece, and returns how many were taken.
func (c *cutter) give(p *piece, to sink) (taken int, err error) {
	first := 0
	for taken < p.n && err == nil {
		end := min(taken+batchSize, p.n)
		c.batch = batch{text: p.text, first: first, ends: p.ends[taken:end], digests: p.digests[taken:end]}
		first = p.ends[end-1]
		var done int
		done, err = to.take(&c.batch)
		taken += done
	}
	return taken, err
}

// fill finds the ends of the first lines of a text, most of them, where no line feed is before from. It
// makes their digests on the way, as each search has to wait for the one before it.
func (p *piece) fill(d *hashing.Digester, text []byte, from, most int) {
	p.n, p.text = most, text
	start := 0
	for n := range most {
		i := bytes.IndexByte(text[from:], '\n')
		if i < 0 {
			p.n = n
			return
		}
		from += i
		p.digests[n] = d.Sum64(text[start:from])
		from++
		p.ends[n], start = from, from
	}
}
