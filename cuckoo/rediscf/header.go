package rediscf

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/nestfilter/nest/internal/packed"
)

// HeaderSize is the number of bytes of a dump's header.
const HeaderSize = 38

// width is the width of a fingerprint in bits.
const width = 8

// header is what a dump says about itself, little-endian and without gaps, in this order.
type header struct {
	items         uint64
	buckets       uint64 // of sub-filter 0
	deletes       uint64
	filters       uint64
	bucketSize    uint16
	maxIterations uint16
	expansion     uint16
}

// append appends the header's bytes to b.
func (h header) append(b []byte) []byte {
	for _, v := range []uint64{h.items, h.buckets, h.deletes, h.filters} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, v := range []uint16{h.bucketSize, h.maxIterations, h.expansion} {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	return b
}

// parseHeader reads a header and refuses one that no filter can have.
func parseHeader(b []byte) (header, error) {
	if len(b) != HeaderSize {
		return header{}, headerErrors.Errorf(ErrCorrupt, "%d bytes, want %d", len(b), HeaderSize)
	}
	u64, u16 := binary.LittleEndian.Uint64, binary.LittleEndian.Uint16
	h := header{
		items: u64(b), buckets: u64(b[8:]), deletes: u64(b[16:]), filters: u64(b[24:]),
		bucketSize: u16(b[32:]), maxIterations: u16(b[34:]), expansion: u16(b[36:]),
	}
	return h, h.check()
}

// check reports the first field, by its offset, that no filter can have. Where the server is more
// lenient, that makes it deny keys later or write where it should not: an expansion that is not a power
// of two, none with several sub-filters, and a number of sub-filters that it truncates to 16 bits.
func (h header) check() error {
	wrong := func(offset int, name string, value uint64, want string) error {
		return headerErrors.Errorf(ErrCorrupt, "%s at byte %d is %d, want %s", name, offset, value, want)
	}
	switch {
	case bits.OnesCount64(h.buckets) != 1:
		return wrong(8, "number of buckets", h.buckets, "a power of two")
	case h.filters < 1 || h.filters > mostFilters:
		return wrong(24, "number of sub-filters", h.filters, "1..65535")
	case h.bucketSize < 1 || h.bucketSize > MaxBucketSize:
		return wrong(32, "bucket size", uint64(h.bucketSize), "1..255")
	case h.maxIterations < 1:
		return wrong(34, "maximum of iterations", uint64(h.maxIterations), "1..65535")
	case h.expansion == 0 && h.filters > 1:
		return wrong(36, "expansion", 0, "at least 1 with several sub-filters")
	case h.expansion&(h.expansion-1) != 0:
		return wrong(36, "expansion", uint64(h.expansion), "0 or a power of two up to 32768")
	}
	return nil
}

// admit returns the memory used with sub-filter k, of n buckets, unless resolved limits forbid it.
func (h header) admit(l Limits, k int, n, used uint64) (uint64, error) {
	if k >= l.Filters {
		return 0, pkg.Errorf(ErrTooLarge, "sub-filter %d, Limits.Filters is %d", k, l.Filters)
	}
	size, ok := packed.Plain.Size(width, uint(h.bucketSize), n)
	if k > 0 {
		used += perFilter
	}
	if !ok || used+uint64(size-packed.Padding) > uint64(l.Bytes) {
		return 0, pkg.Errorf(ErrTooLarge, "sub-filter %d of %d buckets of %d slots after %d bytes, Limits.Bytes is %d",
			k, n, h.bucketSize, used, l.Bytes)
	}
	return used + uint64(size-packed.Padding), nil
}

// next returns the number of buckets of the sub-filter behind one of n, or the largest number if that is larger.
func (h header) next(n uint64) uint64 {
	overflow, product := bits.Mul64(n, uint64(h.expansion))
	if overflow != 0 {
		return math.MaxUint64
	}
	return product
}

// sizes returns the number of buckets of each sub-filter and the memory of all, or [ErrTooLarge].
func (h header) sizes(l Limits) (buckets []uint64, used uint64, err error) {
	if int(h.maxIterations) > l.Iterations {
		return nil, 0, pkg.Errorf(ErrTooLarge,
			"MaxIterations is %d, Limits.Iterations is %d", h.maxIterations, l.Iterations)
	}
	n := h.buckets
	for k := range int(h.filters) {
		if used, err = h.admit(l, k, n, used); err != nil {
			return nil, 0, err
		}
		buckets = append(buckets, n)
		n = h.next(n)
	}
	return buckets, used, nil
}
