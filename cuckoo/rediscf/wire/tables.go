package wire

import (
	"encoding/binary"
	"iter"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// headerPosition is the position that goes with a header.
const headerPosition = 1

// tableBytes returns the bytes of all tables, by the size that CF.INFO reports: that less 40 and 16 for
// each sub-filter.
func tableBytes(i rediscf.Info) int64 { return int64(i.Size) - 40 - 16*int64(i.Filters) }

// pieces returns the tables of a filter that has items, without the header, in pieces of at most size
// bytes, each with its position.
func pieces(f *rediscf.Filter, size int) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		for position, chunk := range f.Scan() {
			for len(chunk) > 0 && position != headerPosition {
				n := min(size, len(chunk))
				if !yield(position-int64(len(chunk)-n), chunk[:n]) {
					return
				}
				chunk = chunk[n:]
			}
		}
	}
}

// emptyDump returns the dump that a filter without items, of which a server dumps nothing, would have.
// Whether its sizes are possible is for the loader to say when it has the header.
func emptyDump(i rediscf.Info) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		if !yield(headerPosition, header(i)) {
			return
		}
		zeros := make([]byte, pieceSize)
		position := int64(headerPosition)
		for _, border := range borders(i) {
			for position < border {
				piece := zeros[:min(border-position, pieceSize)]
				position += int64(len(piece))
				if !yield(position, piece) {
					return
				}
			}
		}
	}
}

// borders returns the position of the end of each sub-filter, whose sizes must have been checked.
func borders(i rediscf.Info) []int64 {
	list := make([]int64, i.Filters)
	position, size := int64(headerPosition), int64(i.Buckets)*int64(i.BucketSize)
	for k := range list {
		position += size
		list[k] = position
		size *= int64(i.Expansion)
	}
	return list
}

// header returns the header of a dump of a filter of which CF.INFO says i.
func header(i rediscf.Info) []byte {
	b := make([]byte, 0, rediscf.HeaderSize)
	for _, v := range []uint64{i.Items, i.Buckets, i.Deletes, uint64(i.Filters)} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, v := range []int{i.BucketSize, i.MaxIterations, i.Expansion} {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}
