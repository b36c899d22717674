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
	"runtime"

	"github.com/nestfilter/nest/experiments/keyfile"
	"github.com/nestfilter/nest/hashing"
)

const (
	// BatchSize is the largest number of lines of a [Batch]: enough for the cache misses of their
	// lookups to overlap. From 128 to 2048 the throughput of package uniq's BenchmarkStream differed by no more
	// than the noise of a shared 2-core machine.
	BatchSize = 512
	// bufferSize is that of the buffer for reading; a longer line makes it grow. More is read when all its lines were
	// taken, and then a goroutine has to wake up.
	bufferSize = 1 << 20
	// pieceSize is the largest number of lines that are cut ahead at once: enough that waking a goroutine for the next ones
	// costs nothing that counts.
	pieceSize = 8 * BatchSize
	// bulk is how many bytes must have been read at once for another goroutine to cut them.
	bulk = 64 << 10
	// maxIdle is how many reads in a row may bring nothing.
	maxIdle = 100
)

// A Batch is some lines in a row, one at least, valid until the call that got it returns.
type Batch struct {
	text    []byte // every line with its line feed
	first   int    // where the first line begins
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
		return b.first
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
// longer than its buffer of 1 MiB. Of input that comes in bulk it cuts lines, and makes their digests, in a
// goroutine of its own, while the sink takes those before them. The goroutine ends before more is read and before Each returns.
type Cutter struct {
	digester hashing.Digester
	maxLine  int
	buf      []byte
	batch    Batch // here because what goes through an interface is allocated
	pieces   [2]piece
	text     []byte      // what the other goroutine cuts,
	from     int         // where no line feed is before this byte
	ahead    func()      // is that goroutine
	cut      chan *piece // pieces with lines, in order, and at the end one with none
	free     chan *piece // the others
}

// A piece is some lines in a row.
type piece struct {
	n       int // how many
	text    []byte
	ends    [pieceSize]int // in text, behind the line feed
	digests [pieceSize]uint64
}

// NewCutter returns a Cutter that takes lines of up to maxLine bytes, and makes their digests; 0 means
// keyfile.MaxLine.
func NewCutter(d hashing.Digester, maxLine int) *Cutter {
	if maxLine <= 0 {
		maxLine = keyfile.MaxLine
	}
	c := &Cutter{
		digester: d, maxLine: maxLine, buf: make([]byte, min(bufferSize, maxLine+1)),
		cut: make(chan *piece, 2), free: make(chan *piece, 2),
	}
	c.ahead = c.cutAhead
	c.free <- &c.pieces[0]
	c.free <- &c.pieces[1]
	return c
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
	if end-from >= bulk && runtime.GOMAXPROCS(0) > 1 {
		return c.passAhead(from, end, to)
	}
	p := <-c.free
	defer func() { c.free <- p }()
	for {
		p.fill(&c.digester, c.buf[fed:end], max(0, from-fed), BatchSize)
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

// passAhead is pass with another goroutine that cuts. After an error of the sink, that one goes on to the end of the bytes.
func (c *Cutter) passAhead(from, end int, to Sink) (fed, taken int, err error) {
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
func (c *Cutter) cutAhead() {
	text, from := c.text, c.from
	for most := BatchSize; ; most = min(2*most, pieceSize) {
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
func (c *Cutter) give(p *piece, to Sink) (taken int, err error) {
	first := 0
	for taken < p.n && err == nil {
		end := min(taken+BatchSize, p.n)
		c.batch = Batch{text: p.text, first: first, ends: p.ends[taken:end], digests: p.digests[taken:end]}
		first = p.ends[end-1]
		var done int
		done, err = to.Take(&c.batch)
		taken += done
	}
	return taken, err
}

// fill finds the ends of the first lines of a text, most of them, where no line feed is before from. It
// makes their digests on the way: each search has to wait for the one before it, and digests fill the time. Two
// loops instead made nest uniq 5% slower.
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
