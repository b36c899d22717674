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

// TwoIndependentMultiplyShift returns the family "multiply-shift" for integer keys: the upper half of
// a*k + b modulo 2^128, where the 128-bit numbers a and b are drawn from seed (Dietzfelbinger,
// "Universal hashing and k-wise independent random variables via integer arithmetic without primes",
// STACS 1996). It is what the authors of the cuckoo filter use in their code. It costs two
// multiplications.
//
// Its digests are pairwise independent: over all a and b, the digests of two integers are two independent uniform
// numbers. What holds for pairs on average over seeds is therefore as for random digests, the number of stored keys
// that a foreign key is mistaken for among it. All else is not. Under one seed the digests of k, k+1, k+2 and so on are
// steps of equal length, so that regular integers fill a table more evenly than random digests under most seeds and
// less under a few. The experiment hash-seeds counts them: under nearly all seeds a filter of consecutive integers does
// not have the predicted false-positive rate, and under most it has a quarter to four fifths of it. Take
// [hashing.Mix64] unless it is this family that is studied.
//
// It hashes integers only. Sum64 and Sum64String take the 8 little-endian bytes of an integer, and
// panic on a key of any other length: that is an error in the program, like a key verb on
// [hashing.DigestsOnly]. [Is] tells such families before they are given keys.
func TwoIndependentMultiplyShift(seed uint64) hashing.Hasher {
	draw := drawing(nameMultiplyShift, seed)
	return &multiplyShift{
		family: family{nameMultiplyShift, seed},
		a:      uint128{draw.Uint64(), draw.Uint64()},
		b:      uint128{draw.Uint64(), draw.Uint64()},
	}
}

// SimpleTabulation returns the family "tabulation" for integer keys: one word for each of the 8
// bytes, from 8 tables of 256 words drawn from seed, xored together (Pătraşcu and Thorup, "The Power
// of Simple Tabulation Hashing", Journal of the ACM 59(3), 2012). It is the other one that the code of
// the authors of the cuckoo filter has. It costs 8 loads, fast while its 16 KiB stay in the cache, and
// some microseconds to make.
//
// Its digests are 3-independent over seeds, not 4-independent: the four integers that two values of
// one byte and two of another make have digests whose xor is 0. The paper shows that this harms few
// uses of hashing, cuckoo hashing among those it treats. Under most seeds consecutive integers fill a table like random
// digests, as the experiment hash-seeds counts.
//
// It hashes integers only, and panics on other keys as [TwoIndependentMultiplyShift] does.
func SimpleTabulation(seed uint64) hashing.Hasher {
	h := &tabulation{family: family{nameTabulation, seed}}
	draw := drawing(nameTabulation, seed)
	for i := range h.tables {
		for j := range h.tables[i] {
			h.tables[i][j] = draw.Uint64()
		}
	}
	return h
}

// drawing returns the generator of a family's parameters. ChaCha8 is specified for all time, and
// neither near seeds nor two families under one seed get related parameters from it.
func drawing(name string, seed uint64) *rand.ChaCha8 {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], "nest/"+name)
	return rand.NewChaCha8(key)
}

// family is what the families have in common.
type family struct {
	name string
	seed uint64
}

func (f *family) Name() string     { return f.name }
func (f *family) Recipe() string   { return f.name + ":" + strconv.FormatUint(f.seed, 10) }
func (f *family) String() string   { return f.Recipe() }
func (f *family) GoString() string { return "integerhash(" + f.Recipe() + ")" }

// integer returns the integer whose 8 little-endian bytes key is, and panics on another length.
func (f *family) integer(key []byte) uint64 {
	if len(key) != 8 {
		f.misuse(len(key))
	}
	return binary.LittleEndian.Uint64(key)
}

func (f *family) misuse(length int) {
	panic(fmt.Sprintf("integerhash: a key of %d bytes, but hash family %q takes integers only: use Sum64Uint64, "+
		"keys of 8 bytes, or a family for all keys", length, f.name))
}

type uint128 struct{ high, low uint64 }

type multiplyShift struct {
	family
	a, b uint128
}

func (h *multiplyShift) Sum64(key []byte) uint64       { return h.Sum64Uint64(h.integer(key)) }
func (h *multiplyShift) Sum64String(key string) uint64 { return h.Sum64([]byte(key)) }

func (h *multiplyShift) Sum64Uint64(k uint64) uint64 {
	high, low := bits.Mul64(h.a.low, k)
	_, carry := bits.Add64(low, h.b.low, 0)
	return high + h.a.high*k + h.b.high + carry
}

type tabulation struct {
	family
	tables [8][256]uint64
}

func (h *tabulation) Sum64(key []byte) uint64       { return h.Sum64Uint64(h.integer(key)) }
func (h *tabulation) Sum64String(key string) uint64 { return h.Sum64([]byte(key)) }

func (h *tabulation) Sum64Uint64(k uint64) uint64 {
	t := &h.tables
	return t[0][k&0xff] ^ t[1][k>>8&0xff] ^ t[2][k>>16&0xff] ^ t[3][k>>24&0xff] ^
		t[4][k>>32&0xff] ^ t[5][k>>40&0xff] ^ t[6][k>>48&0xff] ^ t[7][k>>56]
}
