package filtertest

import (
	"encoding/binary"

	"github.com/nestfilter/nest/hashing"
)

// The streams of keys. Keys of different streams differ.
const (
	inserted = iota // keys that a check inserts
	absent          // keys that it only asks for
	builds          // builds+2*i and builds+2*i+1: inserted and absent keys of one more build
)

// keyBytes is the length of ordinary keys.
const keyBytes = 16

// chunkBytes is how much memory for keys is taken at a time.
const chunkBytes = 1 << 16

// A source makes keys.
type source struct {
	seed  uint64
	chunk []byte
}

// write makes key number i of a stream in dst. Its first half determines it, as mixing is a bijection:
// keys are distinct up to 2^40 of a stream.
func (s *source) write(dst *[keyBytes]byte, stream, i int) {
	word := s.digest(stream, i)
	binary.LittleEndian.PutUint64(dst[:8], word)
	binary.LittleEndian.PutUint64(dst[8:], hashing.Mix64(word^s.seed))
}

// digest returns number i of a stream of distinct, well-mixed numbers.
func (s *source) digest(stream, i int) uint64 {
	return hashing.Mix64(hashing.Mix64(s.seed) + uint64(stream)<<40 + uint64(i))
}

// key returns key number i of a stream, in memory that is never used again: a filter that keeps or
// changes keys cannot disturb the checks that do not look for that.
func (s *source) key(stream, i int) []byte {
	if len(s.chunk) < keyBytes {
		s.chunk = make([]byte, chunkBytes)
	}
	key := s.chunk[:keyBytes:keyBytes]
	s.chunk = s.chunk[keyBytes:]
	s.write((*[keyBytes]byte)(key), stream, i)
	return key
}

// text returns key number i of a stream as a string.
func (s *source) text(stream, i int) string { return string(s.key(stream, i)) }
