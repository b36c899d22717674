package rediscf

import "iter"

// MaxChunk is the most bytes of a chunk that a scan gives: 16 MiB.
const MaxChunk = 16 << 20

// HeaderPosition is the position that goes with the header, in both directions.
const HeaderPosition = 1

// ScanDump returns the chunk of a dump at a position, and the position to ask for next: CF.SCANDUMP. Position 0 gives
// the header and 1; from there on a chunk is a sub-filter, or of a larger one the next 16 MiB. After the last chunk,
// and always for a filter without items, chunk is nil and next is 0. A negative position is [ErrCorrupt].
//
// The position to load a chunk with, in [Loader.Load] or CF.LOADCHUNK, is the one returned with it. That
// holds for the positions that ScanDump returns. At a position inside a sub-filter of up to 16 MiB the
// chunk is the whole sub-filter all the same, as the server's is, and next is too large for it.
//
// The chunk is the table itself, not a copy: it must not be written to, and changes with the filter.
// Chunks of a filter that changes between calls do not make a dump.
func (f *Filter) ScanDump(position int64) (next int64, chunk []byte, err error) {
	if position < 0 {
		return 0, nil, scanErrors.Errorf(ErrCorrupt, "position %d, want at least 0", position)
	}
	if f.items == 0 {
		return 0, nil, nil
	}
	next, chunk = f.chunk(position)
	return next, chunk, nil
}

// chunk is ScanDump at a position from 0 on, of a filter with or without items.
func (f *Filter) chunk(position int64) (next int64, chunk []byte) {
	if position == 0 && len(f.subs) > 0 {
		return HeaderPosition, f.header().append(make([]byte, 0, HeaderSize))
	}
	k, at, ok := f.locate(max(position, 1) - 1)
	if !ok {
		return 0, nil
	}
	table := f.subs[k].data()
	if len(table) > MaxChunk { // only then a server looks at where in the sub-filter the position is
		table = table[at:]
	}
	size := min(len(table), MaxChunk)
	return position + int64(size), table[:size:size]
}

// Scan returns the dump of the filter, each chunk with the position to load it with, the header first. A
// filter without items has none. The chunks are those of [Filter.ScanDump], with what it says of them.
func (f *Filter) Scan() iter.Seq2[int64, []byte] {
	if f.items == 0 {
		return func(func(int64, []byte) bool) {}
	}
	return f.ScanAll()
}

// ScanAll is [Filter.Scan] of a filter that may have no items: then it gives the header and the empty tables, which a
// server does not. A filter that was not reserved has no chunk.
func (f *Filter) ScanAll() iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		for position := int64(0); ; {
			next, chunk := f.chunk(position)
			if chunk == nil || !yield(next, chunk) {
				return
			}
			position = next
		}
	}
}
