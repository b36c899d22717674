package speed

import (
	"encoding/binary"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// KeyBytes is the length of a key in the loops that take bytes.
const KeyBytes = 16

// A Filter is a filter as loops over its verbs. A loop is written where the type is known, so that the
// calls in it are those that a user's program makes. What a filter does not have is nil.
type Filter struct {
	// Fill inserts the integers from, from+1, ..., to-1 one by one, through hashing.Mix64. The error
	// is that of the first one refused.
	Fill func(from, to uint64) error
	// Contains looks integers up one by one, through hashing.Mix64, and returns how many are found.
	Contains func(keys []uint32) int
	// Delete deletes the integers from, ..., to-1 one by one and returns how many were found.
	Delete func(from, to uint64) int
	// Batch looks digests up together: dst[i] is the answer for hs[i].
	Batch func(hs []uint64, dst []bool)

	// FillBytes inserts keys of KeyBytes bytes each, which lie one behind the other.
	FillBytes func(keys []byte) error
	// ContainsBytes looks such keys up one by one and returns how many are found.
	ContainsBytes func(keys []byte) int
	// ContainsStrings does so from a string of the same bytes.
	ContainsStrings func(keys string) int

	// Build makes a filter like this one from digests in bulk.
	Build func(hs []uint64) error
	// Reset empties the filter.
	Reset func()
	// SizeBytes is the size of the table.
	SizeBytes func() int
}

// AppendKey appends the bytes of key k: two integers that look random, lowest byte first.
func AppendKey(to []byte, k uint64) []byte {
	to = binary.LittleEndian.AppendUint64(to, hashing.Mix64(k))
	return binary.LittleEndian.AppendUint64(to, hashing.Mix64(^k))
}

// InsertBytes inserts keys of KeyBytes bytes each, up to one that is refused. It and CountBytes are small enough to be
// inlined, and so is a function literal that they are given: what it calls is called directly.
func InsertBytes(keys []byte, insert func(key []byte) error) error {
	for ; len(keys) >= KeyBytes; keys = keys[KeyBytes:] {
		if err := insert(keys[:KeyBytes]); err != nil {
			return err
		}
	}
	return nil
}

// CountBytes asks for keys of KeyBytes bytes each and returns how many are found.
func CountBytes(keys []byte, contains func(key []byte) bool) (found int) {
	for ; len(keys) >= KeyBytes; keys = keys[KeyBytes:] {
		if contains(keys[:KeyBytes]) {
			found++
		}
	}
	return found
}

// insertIntegers and countIntegers are the like for integers.
func insertIntegers(k, to uint64, insert func(h uint64) error) (uint64, error) {
	for ; k < to; k++ {
		if err := insert(hashing.Mix64(k)); err != nil {
			return k, err
		}
	}
	return k, nil
}

func countIntegers(keys []uint32, contains func(h uint64) bool) (found int) {
	for _, k := range keys {
		if contains(hashing.Mix64(uint64(k))) {
			found++
		}
	}
	return found
}

// cuckooFilter has the loops of a cuckoo filter. Its calls are direct, because each width is compiled by
// itself.
func cuckooFilter[F fingerprint.Width](c cuckoo.Config) (*Filter, error) {
	f, err := cuckoo.New[F](c)
	if err != nil {
		return nil, err
	}
	return &Filter{
		Reset: f.Reset, SizeBytes: f.SizeBytes, Batch: f.ContainsHashes,
		Fill: func(from, to uint64) error {
			k, err := insertIntegers(from, to, func(h uint64) error { return f.InsertHash(h) })
			if err != nil {
				return fmt.Errorf("speed: key %d: %w", k, err)
			}
			return nil
		},
		Contains: func(keys []uint32) int {
			return countIntegers(keys, func(h uint64) bool { return f.ContainsHash(h) })
		},
		Delete: func(from, to uint64) (found int) {
			for k := from; k < to; k++ {
				if f.DeleteHash(hashing.Mix64(k)) {
					found++
				}
			}
			return found
		},
		Build: func(hs []uint64) error {
			_, err := cuckoo.Build[F](c, hs)
			return err
		},
		FillBytes: func(keys []byte) error {
			return InsertBytes(keys, func(key []byte) error { return f.Insert(key) })
		},
		ContainsBytes: func(keys []byte) int {
			return CountBytes(keys, func(key []byte) bool { return f.Contains(key) })
		},
		ContainsStrings: func(keys string) (found int) {
			for ; len(keys) >= KeyBytes; keys = keys[KeyBytes:] {
				if f.ContainsString(keys[:KeyBytes]) {
					found++
				}
			}
			return found
		},
	}, nil
}

// bloomVerbs are the verbs of every Bloom filter of this module.
type bloomVerbs interface {
	InsertHash(h uint64)
	Insert(key []byte)
	ContainsHash(h uint64) bool
	Contains(key []byte) bool
	ContainsHashes(hs []uint64, dst []bool)
	Reset()
	SizeBytes() int
}

// bloomFilter has the loops of a Bloom filter, whatever its kind: one set of loops, whose calls go through
// an interface, which a processor predicts.
func bloomFilter(f bloomVerbs) *Filter {
	return &Filter{
		Fill: func(from, to uint64) error {
			_, err := insertIntegers(from, to, func(h uint64) error { f.InsertHash(h); return nil })
			return err
		},
		Contains: func(keys []uint32) int { return countIntegers(keys, func(h uint64) bool { return f.ContainsHash(h) }) },
		FillBytes: func(keys []byte) error {
			return InsertBytes(keys, func(key []byte) error { f.Insert(key); return nil })
		},
		ContainsBytes: func(keys []byte) int {
			return CountBytes(keys, func(key []byte) bool { return f.Contains(key) })
		},
		Batch: f.ContainsHashes, Reset: f.Reset, SizeBytes: f.SizeBytes,
	}
}
