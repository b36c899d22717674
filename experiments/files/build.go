package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/hashing"
)

// probeCapacity is the size of the filter that is made to see whether a Spec can be, before a line is read.
const probeCapacity = 1000

// ErrNoLines reports an input without a line and without an announced capacity.
var ErrNoLines = errors.New("there are no lines")

// BuildOptions says what filter is built from lines.
type BuildOptions struct {
	// Spec is the filter. Where it gives neither Capacity nor Slots, and the kind does not grow, the capacity is the
	// number of different lines: their digests are kept to the end, 8 bytes each, or 16 where lines come again or are
	// put in random order. So they are for fuse and, without Copies, MustDelete: each line is stored to be deleted.
	Spec nest.Spec
	// Hash is what nest.New is given: a hash that Spec.Hash does not describe. It may be nil.
	Hash hashing.Hasher
	// Copies stores a line as often as it comes. By default it is stored once: where digests are kept exactly, as far
	// as a digest of 64 bits tells lines apart, and else as long as the filter says no.
	Copies bool
}

// BuildStats counts what went into a filter.
type BuildStats struct {
	// Lines were read, of which Stored were put into the filter; the others were in it already.
	Lines, Stored int
	// Skipped were not put into a filter that deletes, as it reported them: nothing may be deleted from it.
	Skipped int
	// Returns is the number of lines that end in a carriage return, which is a part of them.
	Returns int
}

// A Builder makes a filter of lines. Make one with [NewBuilder], have it [Builder.Read] streams, and
// [Builder.Finish] it.
type Builder struct {
	options BuildOptions
	filter  nest.Filter // nil as long as digests are kept
	kept    *digestSet  // nil with a filter
	sized   bool        // the Spec says the size
	limit   int         // how many lines may be stored, where the Spec says it
	cutter  *cutter
	stats   BuildStats
	seen    [batchSize]bool
}

// NewBuilder returns a Builder without lines. The error is nest.ErrConfig or nest.ErrTooLarge, for a Spec of
// which no filter can be made or whose hash does not hash lines, or not in the same way in another process.
func NewBuilder(o BuildOptions) (*Builder, error) {
	probe := o.Spec
	grows, static := o.Spec.Kind == nest.Scalable, o.Spec.Kind == nest.Fuse
	sized := !static && (o.Spec.Capacity != 0 || o.Spec.Slots != 0 || grows)
	if !sized {
		probe.Capacity, probe.Slots = probeCapacity, 0
	}
	f, err := nest.New(probe, o.Hash)
	if static {
		f, err = nest.Build(probe, nil, o.Hash)
	}
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	digester := f.Digester()
	o.Spec.Hash, o.Hash = f.Spec().Hash, digester.Hasher() // a key that was drawn is the filter's too
	err = checkHash(digester.Hasher())
	if err == nil && digester.Hasher().Name() == "maphash" {
		err = errors.New("the hash family maphash draws a seed that ends with this process, so nobody could ask the filter")
	}
	if err != nil {
		return nil, fmt.Errorf("build: %w: %w", nest.ErrConfig, err)
	}
	b := &Builder{options: o, sized: sized}
	b.cutter = newCutter(digester, b.take, nil)
	if sized && (o.Copies || !o.Spec.MustDelete) {
		b.filter = f
	} else {
		b.kept = newDigestSet(o.Copies)
	}
	if !grows {
		b.limit = o.Spec.Capacity
	}
	return b, nil
}

// Read takes the lines of r. The error bears the name that r is given and the number of the line, where there is one to
// blame: r cannot be read, ErrLineTooLong, or nest.ErrFull for a filter of a given size without room for the line.
func (b *Builder) Read(r io.Reader, name string) error {
	if err := b.cutter.each(r, name); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	return nil
}

// Stats returns the counts. Stored is final when [Builder.Finish] has returned.
func (b *Builder) Stats() BuildStats { return b.stats }

// take stores lines, or keeps their digests.
func (b *Builder) take(lines *batch) (int, error) {
	hs := lines.digests[:lines.n]
	b.stats.Returns += bytes.Count(lines.run(0, lines.n), []byte("\r\n"))
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

func (b *Builder) storeAll(hs []uint64) (int, error) {
	room := len(hs)
	if b.limit > 0 {
		room = min(room, b.limit-b.stats.Stored)
	}
	n, err := b.filter.InsertHashes(hs[:room])
	b.stats.Stored += n
	if err == nil && n < len(hs) {
		err = errPassed
	}
	return n, b.full(err)
}

func (b *Builder) storeNew(hs []uint64) (int, error) {
	seen, before := b.seen[:len(hs)], b.stats.Stored
	b.filter.ContainsHashes(hs, seen) // for its speed: the cache misses of neighbouring digests overlap
	for i, h := range hs {
		switch {
		case seen[i]:
			continue
		case b.stats.Stored == b.limit && b.limit > 0:
			if b.filter.ContainsHash(h) {
				continue
			}
			return i, b.full(errPassed)
		}
		added, err := b.filter.InsertUniqueHash(h)
		if err != nil {
			return i, b.full(err)
		}
		if added {
			b.stats.Stored++
		}
	}
	if _, deletes := b.filter.(nest.Deleter); deletes {
		b.stats.Skipped += len(hs) - (b.stats.Stored - before)
	}
	return len(hs), nil
}

var errPassed = fmt.Errorf("%w: that is the capacity", nest.ErrFull)

// full adds to an error how many lines are in the filter.
func (b *Builder) full(err error) error {
	if err == nil {
		return nil
	}
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
	s := b.options.Spec
	switch {
	case b.sized && b.limit > 0 && b.kept.n > b.limit:
		return nil, fmt.Errorf("build: %w: %d lines are different, and the capacity is %d", nest.ErrFull, b.kept.n, b.limit)
	case !b.sized && b.kept.n == 0:
		return nil, fmt.Errorf("build: %w, and no capacity is given", ErrNoLines)
	case !b.sized:
		s.Capacity = b.kept.n
	}
	chunks := b.kept.chunks()
	if s.Kind == nest.Fuse {
		s.Slots = 0
		f, err := nest.Build(s, slices.Concat(chunks...), b.options.Hash)
		if err != nil {
			return nil, fmt.Errorf("build: %w", err)
		}
		b.stats.Stored, b.filter, b.kept = f.Len(), f, nil
		return f, nil
	}
	f, err := nest.New(s, b.options.Hash)
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	if kind := f.Spec().Kind; kind == nest.DLeft || kind == nest.Scalable {
		chunks = shuffled(chunks)
	}
	for _, hs := range chunks {
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

// shuffled puts digests into an order of chance, the same each time. The capacity of a d-left filter is promised to
// keys that come so: in rising order 9 of 25 filters of 60000 keys were full too early. Cuckoo filters were not, and
// rising digests fill their tables from one end to the other, which is faster. One that grows would grow too early.
func shuffled(chunks [][]uint64) [][]uint64 {
	all := slices.Concat(chunks...)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return slices.Collect(slices.Chunk(all, 1<<16))
}
