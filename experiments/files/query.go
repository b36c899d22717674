package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/nestfilter/nest/hashing"
)

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
}

// A Query selects lines by asking a filter for each. It is not safe for concurrent use.
type Query struct {
	// Prefix stands before every line selected from now on, such as the name of its file. Lines are then written one
	// by one, and not in pieces.
	Prefix string
	// Lines is the number of lines that were asked for, Selected how many of them were selected.
	Lines, Selected int
	// Returns is the number of lines not in the filter that end in a carriage return, which is a part of them.
	Returns int

	asker   Asker
	options QueryOptions
	out     output
	cutter  *cutter

	is [batchSize]bool
}

// NewQuery returns a query. The error reports a filter of digests or of integers.
func NewQuery(a Asker, o QueryOptions) (*Query, error) {
	digester := a.Digester()
	if err := checkHash(digester.Hasher()); err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	q := &Query{asker: a, options: o, out: newOutput(cmp.Or(o.Out, io.Discard))}
	q.cutter = newCutter(digester, q.take, q.out.flush)
	return q, nil
}

// Done tells whether the query has ended at a line because of QueryOptions.First.
func (q *Query) Done() bool { return q.options.First && q.Selected > 0 }

// errDone ends reading where nothing more is wanted.
var errDone = errors.New("the first line was found")

// Read asks for the lines of r. Those selected are written before r is read again, so that a slow input is
// followed as it comes. It allocates nothing for a line.
//
// The error bears the name that r is given: r cannot be read, or ErrLineTooLong, with the number of
// the line; or Out cannot be written. The lines selected before it are written.
func (q *Query) Read(r io.Reader, name string) error {
	err := q.cutter.each(r, name)
	if err == nil || errors.Is(err, errDone) {
		return nil
	}
	return fmt.Errorf("query: %w", err)
}

// take asks for a batch of lines and writes those selected.
func (q *Query) take(b *batch) (int, error) {
	is := q.is[:b.n]
	q.asker.ContainsHashes(b.digests[:b.n], is)
	q.Lines += b.n
	for i, in := range is {
		if last := b.ends[i] - 2; !in && last >= b.start(i) && b.text[last] == '\r' {
			q.Returns++
		}
		is[i] = in != q.options.Invert
	}
	if first := slices.Index(is, true); first >= 0 && q.options.First {
		q.Selected++
		return first, errDone
	}
	q.Selected += q.out.write(b, is, q.Prefix)
	return b.n, nil
}
