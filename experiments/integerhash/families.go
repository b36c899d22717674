// Package integerhash has the two hash families for integers that the code of the cuckoo filter's authors
// offers: two independent multiply-shift and simple tabulation. They are here to repeat experiments. A program
// that stores integers takes hashing.Mix, which is faster and mixes better.
//
// They keep all promises of [hashing.Hasher] but one: they hash keys of 8 bytes only, and panic on others. Package
// hashing does not know them, so a program that opens a file of theirs names the Hasher among the known ones:
//
//	f, err := nest.OpenFile("keys.nest", integerhash.TwoIndependentMultiplyShift(7))
package integerhash

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"

	"github.com/nestfilter/nest/hashing"
)

// The names of the families.
const (
	nameMultiplyShift = "multiply-shift"
	nameTabulation    = "tabulation"
)

// TwoIndependentMultiplyShift returns the family "multiply-shift": the upper half of a*k + b modulo 2^128, where a and
// b are drawn from seed (Dietzfelbinger, STACS 1996). It costs two multiplications.
//
// Its digests are pairwise independent over seeds, and no more: under one seed those of k, k+1, k+2 and so on are steps
// of equal length. The experiment hash-seeds counts that under nearly all seeds a filter of consecutive integers does
// not have the predicted false-positive rate. Take [hashing.Mix64] unless it is this family that is studied.
//
// It hashes integers only: Sum64 and Sum64String take the 8 little-endian bytes of one, and panic on a key of any other
// length. [Is] tells such families before they are given keys.
func TwoIndependentMultiplyShift(seed uint64) hashing.Hasher {
	draw := drawing(nameMultiplyShift, seed)
	aHigh, aLow := draw.Uint64(), draw.Uint64()
	bHigh, bLow := draw.Uint64(), draw.Uint64()
	return &family{nameMultiplyShift, seed, func(k uint64) uint64 {
		high, low := bits.Mul64(aLow, k)
		_, carry := bits.Add64(low, bLow, 0)
		return high + aHigh*k + bHigh + carry
	}}
}

// SimpleTabulation returns the family "tabulation": one word for each of the 8 bytes, from 8 tables of 256 words drawn
// from seed, xored together (Pătraşcu and Thorup, Journal of the ACM 59(3), 2012). It costs 8 loads, and some
// microseconds to make. Its digests are 3-independent over seeds, not 4-independent. Under most seeds consecutive
// integers fill a table like random digests. It hashes integers only, as [TwoIndependentMultiplyShift] does.
func SimpleTabulation(seed uint64) hashing.Hasher {
	draw, t := drawing(nameTabulation, seed), new([8][256]uint64)
	for i := range t {
		for j := range t[i] {
			t[i][j] = draw.Uint64()
		}
	}
	return &family{nameTabulation, seed, func(k uint64) uint64 {
		return t[0][k&0xff] ^ t[1][k>>8&0xff] ^ t[2][k>>16&0xff] ^ t[3][k>>24&0xff] ^
			t[4][k>>32&0xff] ^ t[5][k>>40&0xff] ^ t[6][k>>48&0xff] ^ t[7][k>>56]
	}}
}

// drawing returns the generator of a family's parameters. ChaCha8 is specified for all time, and
// neither near seeds nor two families under one seed get related parameters from it.
func drawing(name string, seed uint64) *rand.ChaCha8 {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], "nest/"+name)
	return rand.NewChaCha8(key)
}

// A family is one under a seed.
type family struct {
	name string
	seed uint64
	sum  func(k uint64) uint64
}

func (f *family) Name() string                  { return f.name }
func (f *family) Recipe() string                { return f.name + ":" + strconv.FormatUint(f.seed, 10) }
func (f *family) String() string                { return f.Recipe() }
func (f *family) GoString() string              { return "integerhash(" + f.Recipe() + ")" }
func (f *family) Sum64Uint64(k uint64) uint64   { return f.sum(k) }
func (f *family) Sum64String(key string) uint64 { return f.Sum64([]byte(key)) }

// Sum64 returns the digest of the integer whose 8 little-endian bytes key is, and panics on another length.
func (f *family) Sum64(key []byte) uint64 {
	if len(key) != 8 {
		panic(fmt.Sprintf("integerhash: a key of %d bytes, but hash family %q takes integers only: use Sum64Uint64, "+
			"keys of 8 bytes, or a family for all keys", len(key), f.name))
	}
	return f.sum(binary.LittleEndian.Uint64(key))
}

// Families returns the families of this package under one seed, sorted by name.
func Families(seed uint64) []hashing.Hasher {
	return []hashing.Hasher{TwoIndependentMultiplyShift(seed), SimpleTabulation(seed)}
}

// Is reports whether h is of this package, so that it panics on keys of other than 8 bytes.
func Is(h hashing.Hasher) bool {
	_, ok := h.(*family)
	return ok
}
