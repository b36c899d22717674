package filterfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/nestfilter/nest/experiments/keyfile"
	"github.com/nestfilter/nest/experiments/lines"
	"github.com/nestfilter/nest/hashing"
)

const outputBuffer = 256 << 10

// An Asker is what a [Query] asks: a nest.View or a nest.Filter.
type Asker interface {
	// ContainsHashes is that of a nest.Filter.
	ContainsHashes(hs []uint64, dst []bool)
	// Digester makes the digests of lines.
	Digester() hashing.Digester
}

// QueryOptions says which lines a query selects and what it does with them.
type QueryOptions struct {
	// Invert selects the lines that are certainly not in the filter, instead of those that may be.
	Invert bool
	// Out gets the selected lines, each with a line feed. Without it they are counted only.
	Out io.Writer
	// First ends the query at the first line that is selected.
	First bool
	// MaxLine is the longest line in bytes; 0 means keyfile.MaxLine.
	MaxLine int
}

// A Query selects lines by asking a filter for each. It is not safe for concurrent use.
type Query struct {
	asker   Asker
	options QueryOptions
	out     *bufio.Writer // nil where lines are counted only
	cutter  *lines.Cutter
	prefix  string

	read, selected int
	is             [lines.BatchSize]bool
}

// NewQuery returns a query. The error reports a filter of digests or of integers.
func NewQuery(a Asker, o QueryOptions) (*Query, error) {
	digester := a.Digester()
	if err := checkHash(digester.Hasher()); err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	q := &Query{asker: a, options: o, cutter: lines.NewCutter(digester, o.MaxLine)}
	if o.Out != nil {
		q.out = bufio.NewWriterSize(o.Out, outputBuffer)
	}
	return q, nil
}

// Lines returns the number of lines that were asked for.
func (q *Query) Lines() int { return q.read }

// Selected returns how many of them were selected.
func (q *Query) Selected() int { return q.selected }

// Done tells whether the query has ended at a line because of QueryOptions.First.
func (q *Query) Done() bool { return q.options.First && q.selected > 0 }

// SetPrefix has a text written before every line selected from now on, such as the name of its file. Lines are
// then written one by one, and not in pieces.
func (q *Query) SetPrefix(text string) { q.prefix = text }

// errDone ends reading where nothing more is wanted.
var errDone = errors.New("the first line was found")

// Read asks for the lines of r. Those selected are written before r is read again, so that a slow input is
// followed as it comes. It allocates nothing for a line.
//
// The error bears the name that r is given: r cannot be read, or keyfile.ErrLineTooLong, with the number of
// the line; or Out cannot be written. The lines selected before it are written.
func (q *Query) Read(r io.Reader, name string) error {
	err := q.cutter.Each(r, name, asking{q})
	if err == nil || errors.Is(err, errDone) {
		return nil
	}
	return fmt.Errorf("query: %w", err)
}

type asking struct{ *Query }

// Take asks for a batch of lines and writes those selected, runs of them in one piece. The writer keeps the first
// error for Flush.
func (q asking) Take(b *lines.Batch) (int, error) {
	n := b.Len()
	is := q.is[:n]
	q.asker.ContainsHashes(b.Digests(), is)
	q.read += n
	for i := 0; i < n; i++ {
		from := i
		for i < n && is[i] != q.options.Invert {
			i++
		}
		if from == i {
			continue
		}
		if q.options.First {
			q.selected++
			return from, errDone
		}
		q.selected += i - from
		if q.out != nil {
			q.write(b, from, i)
		}
	}
	return n, nil
}

func (q asking) write(b *lines.Batch, from, to int) {
	if q.prefix == "" {
		q.out.Write(b.Run(from, to))
		return
	}
	for i := from; i < to; i++ {
		q.out.WriteString(q.prefix)
		q.out.Write(b.Run(i, i+1))
	}
}

// Flush writes what was selected.
func (q asking) Flush() error {
	if q.out == nil {
		return nil
	}
	if err := q.out.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", keyfile.Reason(err))
	}
	return nil
}
