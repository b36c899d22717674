package filterfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/lines"
	"github.com/nestfilter/nest/hashing"
)

const (
	// insertChunk is how many digests are inserted between two looks at the context.
	insertChunk = 1 << 16
	// firstKept is how many digests are kept before repeated ones are dropped for the first time.
	firstKept = 1 << 20
	// probeCapacity is the size of the filter that is made to see whether a Spec can be, before a line is read.
	probeCapacity = 1000
)

// ErrNoLines reports an input without a line and without an announced capacity.
var ErrNoLines = errors.New("there are no lines")

// BuildOptions says what filter is built from lines.
type BuildOptions struct {
	// Spec is the filter. Where it gives neither Capacity nor Slots, and the kind does not grow, the capacity is the
	// number of different lines: their digests are kept until the end for it, 8 bytes each.
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
	options  BuildOptions
	digester hashing.Digester
	filter   nest.Filter // nil as long as digests are kept
	digests  []uint64    // kept
	limit    int         // how many lines may be stored, where the Spec says it
	cutter   *lines.Cutter
	stats    BuildStats

	batch [lines.BatchSize]uint64
	seen  [lines.BatchSize]bool
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
	b := &Builder{options: o, digester: f.Digester(), cutter: lines.NewCutter(o.MaxLine)}
	if sized {
		b.filter = f
	}
	if !grows(o.Spec.Kind) {
		b.limit = o.Spec.Capacity
	}
	h := b.digester.Hasher()
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

// intake is the sink of a Builder.
type intake struct{ *Builder }

// Take stores lines, or keeps their digests.
func (b intake) Take(batch *lines.Batch) (int, error) {
	hs := b.batch[:batch.Len()]
	for i := range hs {
		line := batch.Line(i)
		if n := len(line); n > 0 && line[n-1] == '\r' {
			b.stats.Returns++
		}
		hs[i] = b.digester.Sum64(line)
	}
	n, err := len(hs), error(nil)
	switch {
	case b.filter == nil:
		b.keep(hs)
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

// keep keeps digests. It drops repeated ones when memory for more would have to be allocated.
func (b *Builder) keep(hs []uint64) {
	if len(b.digests)+len(hs) > cap(b.digests) {
		if !b.options.Copies {
			b.compact()
		}
		if want := max(firstKept, 2*len(b.digests)+len(hs)); want > cap(b.digests) {
			b.digests = append(make([]uint64, 0, want), b.digests...)
		}
	}
	b.digests = append(b.digests, hs...)
}

// compact sorts the digests and drops repeated ones.
func (b *Builder) compact() {
	slices.Sort(b.digests)
	b.digests = slices.Compact(b.digests)
}

// storeAll inserts the digests and returns how many it could.
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

// storeNew inserts the digests that the filter does not contain, and returns how many it dealt with.
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

// passed is the error of a line beyond the capacity.
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
		b.compact()
	}
	s := b.options.Spec
	s.Capacity = len(b.digests)
	if s.Capacity == 0 {
		return nil, fmt.Errorf("build: %w, and no capacity is given", ErrNoLines)
	}
	f, err := nest.New(s)
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	b.scatter(f.Spec().Kind)
	for hs := range slices.Chunk(b.digests, insertChunk) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := f.InsertHashes(hs)
		b.stats.Stored += n
		if err != nil {
			return nil, fmt.Errorf("build: %w", b.full(err))
		}
	}
	b.filter, b.digests = f, nil
	return f, nil
}

// scatter puts digests that were sorted into an order of chance, the same each time, for a kind whose capacity
// is promised to keys that come so. Filled in rising order to their capacity, 59 of 20000 d-left filters of 300
// keys were full too early, and 9 of 25 of 60000, and none in an order of chance. Of cuckoo filters none was
// in either order, and sorted digests fill the table from one end to the other, which is faster; the order of
// inserts is nothing to Bloom filters.
func (b *Builder) scatter(k nest.Kind) {
	if k != nest.DLeft || b.options.Copies {
		return
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rng.Shuffle(len(b.digests), func(i, j int) { b.digests[i], b.digests[j] = b.digests[j], b.digests[i] })
}
