package filterfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/lines"
)

const (
	// insertChunk is how many shuffled digests are inserted between two looks at the context.
	insertChunk = 1 << 16
	// probeCapacity is the size of the filter that is made to see whether a Spec can be, before a line is read.
	probeCapacity = 1000
)

// ErrNoLines reports an input without a line and without an announced capacity.
var ErrNoLines = errors.New("there are no lines")

// BuildOptions says what filter is built from lines.
type BuildOptions struct {
	// Spec is the filter. Where it gives neither Capacity nor Slots, and the kind does not grow, the capacity is the
	// number of different lines: their digests are kept until the end for it, 8 bytes each, and up to 16
	// where lines come again or the kind is d-left.
	Spec nest.Spec
	// Copies stores a line as often as it comes. By default it is stored once: in a filter whose size is
	// given as long as that says no, and else exactly, as far as a digest of 64 bits tells lines apart.
	Copies bool
	// MaxLine is the longest line in bytes; 0 means keyfile.MaxLine.
	MaxLine int
}

// BuildStats counts what went into a filter.
type BuildStats struct {
	// Lines were read, of which Stored were put into the filter; the others were in it already.
	Lines, Stored int
	// Returns is the number of lines that end in a carriage return, which is a part of them.
	Returns int
}

// A Builder makes a filter of lines. Make one with [NewBuilder], have it [Builder.Read] streams, and
// [Builder.Finish] it.
type Builder struct {
	options BuildOptions
	filter  nest.Filter // nil as long as digests are kept
	kept    *digestSet  // nil with a filter
	limit   int         // how many lines may be stored, where the Spec says it
	cutter  *lines.Cutter
	stats   BuildStats
	seen    [lines.BatchSize]bool
}

// NewBuilder returns a Builder without lines. The error is nest.ErrConfig or nest.ErrTooLarge, for a Spec of
// which no filter can be made or whose hash does not hash lines, or not in the same way in another process.
func NewBuilder(o BuildOptions) (*Builder, error) {
	probe := o.Spec
	sized := o.Spec.Capacity != 0 || o.Spec.Slots != 0 || grows(o.Spec.Kind)
	if !sized {
		probe.Capacity = probeCapacity
	}
	f, err := nest.New(probe)
	switch {
	case err != nil && sized:
		return nil, fmt.Errorf("build: %w", err)
	case err != nil:
		return nil, fmt.Errorf("build: a filter for %d lines, to begin with: %w", probeCapacity, err)
	}
	o.Spec.Hash, o.Spec.Hasher = f.Spec().Hash, f.Spec().Hasher // a key that was drawn is the filter's too
	digester := f.Digester()
	b := &Builder{options: o, cutter: lines.NewCutter(digester, o.MaxLine)}
	if sized {
		b.filter = f
	} else {
		b.kept = newDigestSet(o.Copies)
	}
	if !grows(o.Spec.Kind) {
		b.limit = o.Spec.Capacity
	}
	h := digester.Hasher()
	if err := checkHash(h); err != nil {
		return nil, fmt.Errorf("build: %w: %w", nest.ErrConfig, err)
	}
	if h.Name() == "maphash" {
		return nil, fmt.Errorf("build: %w: the hash family maphash draws a seed that ends with this process, so nobody could ask the filter", nest.ErrConfig)
	}
	return b, nil
}

// grows tells whether filters of a kind need no capacity, and take more lines than the one that they are given.
func grows(k nest.Kind) bool { return k == nest.Scalable }

// Read takes the lines of r. The error bears the name that r is given and the number of the line, where
// there is one to blame: r cannot be read, keyfile.ErrLineTooLong, or nest.ErrFull for a filter whose size was
// given and that has no room for the line, or holds as many lines as were announced.
func (b *Builder) Read(r io.Reader, name string) error {
	if err := b.cutter.Each(r, name, intake{b}); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	return nil
}

// Stats returns the counts. Stored is final when [Builder.Finish] has returned.
func (b *Builder) Stats() BuildStats { return b.stats }

type intake struct{ *Builder }

// Take stores lines, or keeps their digests.
func (b intake) Take(batch *lines.Batch) (int, error) {
	hs := batch.Digests()
	b.stats.Returns += bytes.Count(batch.Run(0, batch.Len()), []byte("\r\n"))
	n, err := len(hs), error(nil)
	switch {
	case b.filter == nil:
		b.kept.add(hs)
	case b.options.Copies:
		n, err = b.storeAll(hs)
	default:
		n, err = b.storeNew(hs)
	}
	b.stats.Lines += n
	return n, err
}

// Flush has nothing to do.
func (intake) Flush() error { return nil }

func (b *Builder) storeAll(hs []uint64) (int, error) {
	room := len(hs)
	if b.limit > 0 {
		room = min(room, b.limit-b.stats.Stored)
	}
	n, err := b.filter.InsertHashes(hs[:room])
	b.stats.Stored += n
	if err == nil && n < len(hs) {
		err = b.passed()
	}
	if err != nil {
		return n, b.full(err)
	}
	return n, nil
}

func (b *Builder) storeNew(hs []uint64) (int, error) {
	seen := b.seen[:len(hs)]
	b.filter.ContainsHashes(hs, seen) // for its speed: the cache misses of neighbouring digests overlap
	for i, h := range hs {
		if seen[i] {
			continue
		}
		if b.stats.Stored == b.limit && b.limit > 0 {
			if b.filter.ContainsHash(h) {
				continue
			}
			return i, b.full(b.passed())
		}
		added, err := b.filter.InsertUniqueHash(h)
		if err != nil {
			return i, b.full(err)
		}
		if added {
			b.stats.Stored++
		}
	}
	return len(hs), nil
}

func (b *Builder) passed() error {
	return fmt.Errorf("%w: that is the capacity", nest.ErrFull)
}

// full adds to an error how many lines are in the filter.
func (b *Builder) full(err error) error {
	return fmt.Errorf("%d lines are in the filter and one more is refused: %w", b.stats.Stored, err)
}

// Finish returns the filter with all lines. Equal sets of lines give equal filters, in whatever order they
// came, if the Spec gives no size and Copies is not set. The error is that of the context, [ErrNoLines] where
// there is none to count, nest.ErrTooLarge, or nest.ErrFull, as it happens to one set of lines in a million.
func (b *Builder) Finish(ctx context.Context) (nest.Filter, error) {
	if b.filter != nil {
		return b.filter, ctx.Err()
	}
	if !b.options.Copies {
		b.kept.compact()
	}
	b.kept.free, b.kept.scratch = nil, nil
	s := b.options.Spec
	s.Capacity = b.kept.n
	if s.Capacity == 0 {
		return nil, fmt.Errorf("build: %w, and no capacity is given", ErrNoLines)
	}
	f, err := nest.New(s)
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	for hs := range b.ordered(f.Spec().Kind) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := f.InsertHashes(hs)
		b.stats.Stored += n
		if err != nil {
			return nil, fmt.Errorf("build: %w", b.full(err))
		}
	}
	b.filter, b.kept = f, nil
	return f, nil
}

// ordered yields the digests kept in the order in which a kind takes them: rising, or an order of chance, the same
// each time, for a kind whose capacity is promised to keys that come so. Filled in rising order to their capacity,
// 59 of 20000 d-left filters of 300 keys were full too early, and 9 of 25 of 60000, and none in an order of
// chance. Of cuckoo filters none was in either order, and sorted digests fill the table from one end to the
// other, which is faster; the order of inserts is nothing to Bloom filters.
func (b *Builder) ordered(k nest.Kind) iter.Seq[[]uint64] {
	if k != nest.DLeft {
		return b.kept.chunks()
	}
	all := make([]uint64, 0, b.kept.n)
	for hs := range b.kept.chunks() {
		all = append(all, hs...)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return slices.Chunk(all, insertChunk)
}

const (
	// partShift leaves the bits of a digest that choose its part, 256 of them: parts so small that they are
	// sorted in the cache, at 20 million digests.
	partShift = 56
	// chunkSize is how many digests are allocated at a time. The 256 chunks begun take 8 MiB.
	chunkSize = 4096
	// firstKept is how many digests are kept before repeated ones are dropped for the first time.
	firstKept = 1 << 20
)

// A digestSet keeps digests, 8 bytes each, and drops repeated ones when they may be as many as the others. Memory grows by chunks, as a slice
// that is enlarged by copying takes three times its size meanwhile, and a part of it is sorted in a copy.
type digestSet struct {
	parts   [1 << (64 - partShift)][][]uint64 // of chunks, of which all but the last of a part are full
	free    [][]uint64
	scratch []uint64
	n       int
	limit   int // how many are kept before repeated ones are dropped
	copies  bool
}

// newDigestSet returns a set without digests, which keeps repeated ones if copies is set.
func newDigestSet(copies bool) *digestSet { return &digestSet{limit: firstKept, copies: copies} }

func (d *digestSet) add(hs []uint64) {
	if d.n+len(hs) > d.limit && !d.copies {
		d.compact()
		d.limit = max(d.limit, 2*d.n) // else one digest more could sort them all again
	}
	for _, h := range hs {
		p := &d.parts[h>>partShift]
		last := len(*p) - 1
		if last < 0 || len((*p)[last]) == chunkSize {
			*p = append(*p, d.chunk())
			last++
		}
		(*p)[last] = append((*p)[last], h)
	}
	d.n += len(hs)
}

func (d *digestSet) chunk() []uint64 {
	last := len(d.free) - 1
	if last < 0 {
		return make([]uint64, 0, chunkSize)
	}
	c := d.free[last]
	d.free = d.free[:last]
	return c
}

// compact sorts the digests and drops repeated ones.
func (d *digestSet) compact() {
	d.n = 0
	for i, p := range d.parts {
		d.scratch = d.scratch[:0]
		for _, c := range p {
			d.scratch = append(d.scratch, c...)
		}
		slices.Sort(d.scratch)
		rest := slices.Compact(d.scratch)
		d.n += len(rest)
		used := 0
		for piece := range slices.Chunk(rest, chunkSize) {
			p[used] = append(p[used][:0], piece...)
			used++
		}
		for _, c := range p[used:] {
			d.free = append(d.free, c[:0])
		}
		clear(p[used:])
		d.parts[i] = p[:used]
	}
}

// chunks yields all digests, in rising order if compact was the last thing done. The chunks are the set's.
func (d *digestSet) chunks() iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		for _, p := range d.parts {
			for _, c := range p {
				if !yield(c) {
					return
				}
			}
		}
	}
}
