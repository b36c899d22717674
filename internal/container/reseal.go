package container

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Reseal makes all checksums of b right, as somebody would who changes a file on purpose, and tells whether b has
// places for them. It is there for tests, which could not get behind the checksums otherwise.
func Reseal(b []byte) bool {
	size, err := announced(b)
	if err != nil || len(b) < size+sumBytes {
		return false
	}
	le := binary.LittleEndian
	end, last := size-sumBytes, len(b)-sumBytes
	if table := b[size:last]; Type(le.Uint16(b[typeAt:])) == Scalable && len(table) >= directoryEnd {
		le.PutUint64(table[directorySumAt:], xxhash.Sum64(table[:directorySumAt]))
	}
	seed := xxhash.Sum64(b[:end])
	le.PutUint64(b[end:], seed)
	sum := xxhash.NewWithSeed(seed)
	sum.Write(b[size:last])
	le.PutUint64(b[last:], sum.Sum64())
	return true
}
