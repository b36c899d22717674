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

// A reader reads the compact protocol.
type reader struct {
	data []byte
	at   int
	more bool // there are bytes behind data, which is the longest header
}

func (r *reader) corrupt(format string, args ...any) error {
	return pkg.Errorf(bloom.ErrCorrupt, "header, offset %d: %s", r.at, fmt.Sprintf(format, args...))
}

// ended is the error of a read beyond the end.
func (r *reader) ended() error {
	if r.more {
		return r.corrupt("no end within %d bytes", MaxHeader)
	}
	return pkg.Errorf(bloom.ErrTooShort, "the header does not end within %d bytes", len(r.data))
}

// byte reads one byte.
func (r *reader) byte() (byte, error) {
	if r.at >= len(r.data) {
		return 0, r.ended()
	}
	r.at++
	return r.data[r.at-1], nil
}

// advance skips n bytes.
func (r *reader) advance(n uint64) error {
	if n > uint64(len(r.data)-r.at) {
		return r.ended()
	}
	r.at += int(n)
	return nil
}

// uvarint reads an unsigned varint.
func (r *reader) uvarint() (uint64, error) {
	x, n := binary.Uvarint(r.data[r.at:])
	if n == 0 {
		return 0, r.ended()
	}
	if n < 0 {
		return 0, r.corrupt("a varint of more than 64 bits")
	}
	r.at += n
	return x, nil
}

// integer reads a zigzag varint of at most bits bits.
func (r *reader) integer(bits uint) (int64, error) {
	at := r.at
	u, err := r.uvarint()
	if err != nil {
		return 0, err
	}
	x := int64(u>>1) ^ -int64(u&1)
	if bits < 64 && x != x<<(64-bits)>>(64-bits) {
		r.at = at
		return 0, r.corrupt("%d does not fit into %d bits", x, bits)
	}
	return x, nil
}

// field reads what begins a field: its number and type, kindStop at the end of the structure.
func (r *reader) field(last int64) (id int64, kind byte, err error) {
	b, err := r.byte()
	if err != nil || b == kindStop {
		return 0, kindStop, err
	}
	kind = b & 15
	if delta := int64(b >> 4); delta != 0 {
		id = last + delta
	} else if id, err = r.integer(16); err != nil {
		return 0, 0, err
	}
	if kind == kindStop || kind > kindUUID || id > math.MaxInt16 {
		return 0, 0, r.corrupt("field %d of type %d", id, kind)
	}
	return id, kind, nil
}

// header reads a BloomFilterHeader and returns its numBytes.
func (r *reader) header() (numBytes int64, err error) {
	names := [...]string{1: "numBytes", 2: "algorithm", 3: "hash", 4: "compression"}
	var seen [len(names)]bool
	for last := int64(0); ; {
		id, kind, err := r.field(last)
		if err != nil {
			return 0, err
		}
		if kind == kindStop {
			break
		}
		last = id
		known := id > 0 && id < int64(len(names))
		switch {
		case known && seen[id]:
			err = r.corrupt("%s twice", names[id])
		case id == 1 && kind == kindInt32:
			numBytes, err = r.integer(32)
		case known && id > 1 && kind == kindStruct:
			err = r.union(names[id])
		case known:
			err = r.corrupt("%s of type %d", names[id], kind)
		default:
			err = r.skip(kind, maxDepth)
		}
		if err != nil {
			return 0, err
		}
		if known {
			seen[id] = true
		}
	}
	for id, name := range names {
		if id > 0 && !seen[id] {
			return 0, r.corrupt("no %s", name)
		}
	}
	return numBytes, nil
}

// union reads a union whose only known member is the first, a structure without known fields.
func (r *reader) union(name string) error {
	id, kind, err := r.field(0)
	switch {
	case err != nil:
		return err
	case kind == kindStop:
		return r.corrupt("an empty %s", name)
	case id != 1:
		return pkg.Errorf(bloom.ErrVersion, "header, offset %d: %s %d is not known", r.at, name, id)
	case kind != kindStruct:
		return r.corrupt("%s 1 of type %d", name, kind)
	}
	if err := r.skip(kindStruct, maxDepth); err != nil {
		return err
	}
	if _, kind, err = r.field(id); err != nil {
		return err
	}
	if kind != kindStop {
		return r.corrupt("a second %s", name)
	}
	return nil
}

// skip reads over a value of an unknown field.
func (r *reader) skip(kind byte, depth int) error {
	if depth == 0 {
		return r.corrupt("nested more than %d deep", maxDepth)
	}
	switch kind {
	case kindTrue, kindFalse:
		return nil
	case kindInt8:
		return r.advance(1)
	case kindInt16, kindInt32, kindInt64:
		_, err := r.uvarint()
		return err
	case kindDouble:
		return r.advance(8)
	case kindUUID:
		return r.advance(16)
	case kindBinary:
		n, err := r.uvarint()
		if err != nil {
			return err
		}
		return r.advance(n)
	case kindList, kindSet:
		return r.skipList(depth)
	case kindMap:
		return r.skipMap(depth)
	case kindStruct:
		return r.skipStruct(depth)
	}
	return r.corrupt("type %d", kind)
}

// skipStruct reads over the fields of a structure.
func (r *reader) skipStruct(depth int) error {
	for last := int64(0); ; {
		id, kind, err := r.field(last)
		if err != nil || kind == kindStop {
			return err
		}
		if err := r.skip(kind, depth-1); err != nil {
			return err
		}
		last = id
	}
}

// skipList reads over a list or set.
func (r *reader) skipList(depth int) error {
	b, err := r.byte()
	if err != nil {
		return err
	}
	n := uint64(b >> 4)
	if n == 15 {
		if n, err = r.uvarint(); err != nil {
			return err
		}
	}
	return r.skipElements(n, depth, b&15)
}

// skipMap reads over a map.
func (r *reader) skipMap(depth int) error {
	n, err := r.uvarint()
	if err != nil || n == 0 {
		return err
	}
	b, err := r.byte()
	if err != nil {
		return err
	}
	return r.skipElements(n, depth, b>>4, b&15)
}

// skipElements reads over n times a value of each kind. No element is shorter than a byte, so a
// number that lies ends at the end of the data.
func (r *reader) skipElements(n uint64, depth int, kinds ...byte) error {
	for ; n > 0; n-- {
		for _, kind := range kinds {
			if kind == kindTrue || kind == kindFalse {
				kind = kindInt8 // in containers a boolean is a byte
			}
			if err := r.skip(kind, depth-1); err != nil {
				return err
			}
		}
	}
	return nil
}
