package rediscf

import (
	"iter"
	"math/bits"
)

// Loader puts a filter together from the chunks of a dump: CF.LOADCHUNK. The zero Loader is ready to use.
// While it loads it takes an eighth more memory than the tables, to know which bytes have come.
//
// It is stricter than the server in what would make a filter deny keys that are in it: a chunk that is
// not inside one sub-filter, a header that contradicts itself, missing chunks, a number of items that
// is not the number of fingerprints. It cannot tell whether the bytes of a chunk, all of which are
// possible fingerprints, are the right ones: a dump has no checksum.
type Loader struct {
	_ struct{}

	// Limits bound what the header may ask for and the filter grow to. They are read when the header is loaded.
	Limits Limits
	// Repair accepts a dump whose header has another number of items than the tables have fingerprints. The filter then
	// has the number of fingerprints. Without Repair such a dump is ErrCorrupt.
	Repair bool

	filter *Filter
	loaded []bitmap // for each sub-filter, which of its bytes have come
}

// Load takes the chunk that a scan returned together with position. Position 1 is the header, which
// comes first and once; then the others in any order, whole or in pieces that do not cross from one
// sub-filter into the next: the position of a piece is one more than the offset of its end in all
// tables. Bytes that come again replace those that came before.
//
// A header or chunk that is wrong is [ErrCorrupt], one beyond the limits [ErrTooLarge], a chunk before the header
// [ErrNotFound], a second header [ErrExists]; the Loader is then as it was. The data is copied.
func (l *Loader) Load(position int64, data []byte) error {
	switch {
	case position < HeaderPosition:
		return loadErrors.Errorf(ErrCorrupt, "position %d, want at least 1", position)
	case position == HeaderPosition:
		return l.loadHeader(data)
	case l.filter == nil:
		return loadErrors.Errorf(ErrNotFound, "the chunk at position %d came before the header", position)
	case len(data) == 0 || int64(len(data)) >= position:
		return loadErrors.Errorf(ErrCorrupt, "no chunk of %d bytes ends at position %d", len(data), position)
	}
	k, at, ok := l.filter.locate(position - int64(len(data)) - 1)
	if !ok {
		return loadErrors.Errorf(ErrCorrupt,
			"the chunk of %d bytes that ends at position %d begins behind the last sub-filter", len(data), position)
	}
	table := l.filter.subs[k].data()
	if len(data) > len(table)-at {
		return loadErrors.Errorf(ErrCorrupt, "the chunk of %d bytes that ends at position %d begins at byte %d of the "+
			"%d of sub-filter %d", len(data), position, at, len(table), k)
	}
	copy(table[at:], data)
	l.loaded[k].mark(at, at+len(data))
	return nil
}

// loadHeader makes the tables that a header asks for.
func (l *Loader) loadHeader(data []byte) error {
	if l.filter != nil {
		return loadErrors.Errorf(ErrExists, "a second header")
	}
	if err := l.Limits.validate(); err != nil {
		return err
	}
	h, err := parseHeader(data)
	if err != nil {
		return err
	}
	f := new(Filter)
	if err := f.create(h, l.Limits.withDefaults()); err != nil {
		return err
	}
	l.filter = f
	l.loaded = make([]bitmap, len(f.subs))
	for k := range f.subs {
		l.loaded[k] = newBitmap(f.subs[k].size())
	}
	return nil
}

// Info returns what the header says, all zero before it was loaded; [Info.Items] is not checked yet.
func (l *Loader) Info() Info {
	if l.filter == nil {
		return Info{}
	}
	return l.filter.Info()
}

// Filter returns the filter that was loaded, and resets the Loader except for its exported fields. The error
// is [ErrIncomplete], which names the first gap, if the header or bytes of the tables are missing. It is
// [ErrCorrupt] if the number of items is not that of fingerprints. After an error the Loader is as it was,
// and takes more chunks. Filter reads all tables once.
//
// A server's filter without items dumps nothing, not even a header: there is nothing to load, and [New] makes one.
func (l *Loader) Filter() (*Filter, error) {
	if l.filter == nil {
		return nil, loadErrors.Errorf(ErrIncomplete, "no header")
	}
	f := l.filter
	found := uint64(0)
	for k := range f.subs {
		s := &f.subs[k]
		if from, missing := l.loaded[k].gap(); missing {
			return nil, loadErrors.Errorf(ErrIncomplete,
				"byte %d of the %d of sub-filter %d, byte %d of all, is missing",
				from, s.size(), k, s.start+int64(from))
		}
		found += uint64(s.items())
	}
	if f.items != found {
		if !l.Repair {
			return nil, loadErrors.Errorf(ErrCorrupt,
				"number of items at byte 0 of the header is %d, the tables have %d fingerprints", f.items, found)
		}
		f.items = found
	}
	l.filter, l.loaded = nil, nil
	return f, nil
}

// Load returns the filter of a dump that is given whole, such as [Filter.Scan] of another filter. For its
// errors see [Loader].
func Load(dump iter.Seq2[int64, []byte], limits Limits) (*Filter, error) {
	l := Loader{Limits: limits}
	for position, chunk := range dump {
		if err := l.Load(position, chunk); err != nil {
			return nil, err
		}
	}
	return l.Filter()
}

// Empty returns the filter without items of which CF.INFO says i: of such a filter a server dumps nothing. Where there
// is none, the error is one of [Loader], or the Info of the filter is not i.
func Empty(i Info, limits Limits) (*Filter, error) {
	l := Loader{Limits: limits}
	h := header{
		buckets: i.Buckets, deletes: i.Deletes, filters: uint64(i.Filters), bucketSize: uint16(i.BucketSize),
		maxIterations: uint16(i.MaxIterations), expansion: uint16(i.Expansion),
	}
	err := l.loadHeader(h.append(nil))
	return l.filter, err
}

// bitmap has a bit for each byte of a table, set when it has come. The bits after the last are set from the beginning.
type bitmap []uint64

// newBitmap returns the bitmap of n bytes of which none has come.
func newBitmap(n int) bitmap {
	b := make(bitmap, (n+63)/64)
	b[len(b)-1] = ^low(n - 64*(len(b)-1))
	return b
}

// low returns a word with the lowest n bits set, 0 <= n <= 64.
func low(n int) uint64 { return 1<<n - 1 }

// mark sets the bits from..end-1, of which there is at least one.
func (b bitmap) mark(from, end int) {
	first, last := from/64, (end-1)/64
	for w := first; w <= last; w++ {
		b[w] |= low(min(end-64*w, 64)) &^ low(max(from-64*w, 0))
	}
}

// gap returns the first bit that is not set.
func (b bitmap) gap() (at int, ok bool) {
	for w, x := range b {
		if x != ^uint64(0) {
			return 64*w + bits.TrailingZeros64(^x), true
		}
	}
	return 0, false
}
