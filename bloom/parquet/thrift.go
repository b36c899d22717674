package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nestfilter/nest/bloom"
)

// MaxHeader is the largest header in bytes that is read: 250 times what writers write, for fields to come.
const MaxHeader = 4096

// maxDepth bounds how deeply structures and lists of unknown fields may be nested.
const maxDepth = 16

// The types of the compact protocol: thrift-compact-protocol.md of Apache Thrift.
const (
	kindStop   = 0
	kindTrue   = 1 // a boolean field has its value in its type, and no bytes
	kindFalse  = 2
	kindInt8   = 3
	kindInt16  = 4
	kindInt32  = 5
	kindInt64  = 6
	kindDouble = 7
	kindBinary = 8
	kindList   = 9
	kindSet    = 10
	kindMap    = 11
	kindStruct = 12
	kindUUID   = 13
)

// A reader reads the compact protocol. After its first error it reads nothing: numbers are 0 and structures end.
type reader struct {
	data []byte
	at   int
	more bool // there are bytes after data, which is the longest header
	err  error
}

// fail keeps an error, if it is the first.
func (r *reader) fail(kind error, format string, args ...any) {
	if r.err == nil {
		r.err = pkg.Errorf(kind, format, args...)
	}
}

func (r *reader) corrupt(format string, args ...any) {
	r.fail(bloom.ErrCorrupt, "header, offset %d: %s", r.at, fmt.Sprintf(format, args...))
}

// ended is a read beyond the end.
func (r *reader) ended() {
	if r.more {
		r.corrupt("no end within %d bytes", MaxHeader)
	}
	r.fail(bloom.ErrTooShort, "the header does not end within %d bytes", len(r.data))
}

// advance skips n bytes.
func (r *reader) advance(n uint64) {
	if n > uint64(len(r.data)-r.at) {
		r.ended()
	}
	if r.err == nil {
		r.at += int(n)
	}
}

// byte reads one byte.
func (r *reader) byte() byte {
	if r.advance(1); r.err != nil {
		return 0
	}
	return r.data[r.at-1]
}

// uvarint reads an unsigned varint.
func (r *reader) uvarint() uint64 {
	if r.err != nil {
		return 0
	}
	x, n := binary.Uvarint(r.data[r.at:])
	switch {
	case n == 0:
		r.ended()
	case n < 0:
		r.corrupt("a varint of more than 64 bits")
	}
	r.at += max(n, 0)
	return x
}

// integer reads a zigzag varint of at most bits bits, less than 64.
func (r *reader) integer(bits uint) int64 {
	at := r.at
	u := r.uvarint()
	x := int64(u>>1) ^ -int64(u&1)
	if x != x<<(64-bits)>>(64-bits) {
		r.at = at
		r.corrupt("%d does not fit into %d bits", x, bits)
	}
	return x
}

// field reads what begins a field: its number and type, kindStop at the end of the structure.
func (r *reader) field(last int64) (id int64, kind byte) {
	b := r.byte()
	if b == kindStop {
		return 0, kindStop
	}
	if id, kind = last+int64(b>>4), b&15; id == last {
		id = r.integer(16)
	}
	if kind == kindStop || kind > kindUUID || id > math.MaxInt16 {
		r.corrupt("field %d of type %d", id, kind)
	}
	if r.err != nil {
		return 0, kindStop
	}
	return id, kind
}

// header reads a BloomFilterHeader and returns its numBytes.
func (r *reader) header() (numBytes int64, err error) {
	names := [...]string{1: "numBytes", 2: "algorithm", 3: "hash", 4: "compression"}
	var seen [len(names)]bool
	for id, kind := r.field(0); kind != kindStop; id, kind = r.field(id) {
		known := id > 0 && id < int64(len(names))
		switch {
		case known && seen[id]:
			r.corrupt("%s twice", names[id])
		case id == 1 && kind == kindInt32:
			numBytes = r.integer(32)
		case known && id > 1 && kind == kindStruct:
			r.union(names[id])
		case known:
			r.corrupt("%s of type %d", names[id], kind)
		default:
			r.skip(kind, maxDepth)
		}
		if known {
			seen[id] = true
		}
	}
	for id, name := range names {
		if id > 0 && !seen[id] {
			r.corrupt("no %s", name)
		}
	}
	return numBytes, r.err
}

// union reads a union whose only known member is the first, a structure without known fields.
func (r *reader) union(name string) {
	id, kind := r.field(0)
	switch {
	case kind == kindStop:
		r.corrupt("an empty %s", name)
	case id != 1:
		r.fail(bloom.ErrVersion, "header, offset %d: %s %d is not known", r.at, name, id)
	case kind != kindStruct:
		r.corrupt("%s 1 of type %d", name, kind)
	}
	r.skip(kindStruct, maxDepth)
	if _, kind = r.field(id); kind != kindStop {
		r.corrupt("a second %s", name)
	}
}

// skip reads over a value of an unknown field.
func (r *reader) skip(kind byte, depth int) {
	if depth == 0 {
		r.corrupt("nested more than %d deep", maxDepth)
		return
	}
	switch kind {
	case kindTrue, kindFalse:
	case kindInt8, kindDouble, kindUUID:
		r.advance([...]uint64{kindInt8: 1, kindDouble: 8, kindUUID: 16}[kind])
	case kindInt16, kindInt32, kindInt64:
		r.uvarint()
	case kindBinary:
		r.advance(r.uvarint())
	case kindList, kindSet:
		b := r.byte()
		n := uint64(b >> 4)
		if n == 15 {
			n = r.uvarint()
		}
		r.skipElements(n, depth, b&15)
	case kindMap:
		if n := r.uvarint(); n > 0 {
			b := r.byte()
			r.skipElements(n, depth, b>>4, b&15)
		}
	case kindStruct:
		for id, kind := r.field(0); kind != kindStop; id, kind = r.field(id) {
			r.skip(kind, depth-1)
		}
	default:
		r.corrupt("type %d", kind)
	}
}

// skipElements reads over n times a value of each kind. Each takes a byte or more, so a false number ends.
func (r *reader) skipElements(n uint64, depth int, kinds ...byte) {
	for ; n > 0 && r.err == nil; n-- {
		for _, kind := range kinds {
			if kind == kindTrue || kind == kindFalse {
				kind = kindInt8 // in containers a boolean is a byte
			}
			r.skip(kind, depth-1)
		}
	}
}
