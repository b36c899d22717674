package filetest

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/nestfilter/nest/internal/container"
)

// Reseal makes all checksums of b right, as somebody would who changes a file on purpose, and tells whether b has
// places for them. Tests could not get behind the checksums otherwise.
func Reseal(b []byte) bool {
	le := binary.LittleEndian
	if len(b) < container.RecipesAt {
		return false
	}
	size := int(le.Uint32(b[headerAt:]))
	if size < container.RecipesAt+sumBytes || size > container.MaxHeader || len(b) < size+sumBytes {
		return false
	}
	end, last := size-sumBytes, len(b)-sumBytes
	kind := container.Type(le.Uint16(b[typeAt:]))
	if table := b[size:last]; kind == container.Scalable && len(table) >= directorySumAt+sumBytes {
		le.PutUint64(table[directorySumAt:], xxhash.Sum64(table[:directorySumAt]))
	}
	seed := xxhash.Sum64(b[:end])
	le.PutUint64(b[end:], seed)
	sum := xxhash.NewWithSeed(seed)
	sum.Write(b[size:last])
	le.PutUint64(b[last:], sum.Sum64())
	return true
}
