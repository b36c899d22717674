package container

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
)

// Version is the version of the format.
const Version = 1

// Type is the number of a filter type in a file. A new type, or a new way to lay one out, is a new number.
type Type uint16

// The types.
const (
	Cuckoo Type = 1 + iota
	Bloom
	BlockedBloom
	SplitBlock
	Counting
	DLeft
	_ // 7 is not used
	Scalable
	Fuse
	Window
)

// Maplet is a table of fingerprints with values. Numbers from 256 on are of what package nest does not open as a
// filter.
const Maplet Type = 256

var typeNames = map[Type]string{
	Cuckoo: "cuckoo filter", Bloom: "Bloom filter", BlockedBloom: "blocked Bloom filter",
	SplitBlock: "split-block Bloom filter", Counting: "counting Bloom filter", DLeft: "d-left counting Bloom filter",
	Scalable: "growing cuckoo filter", Fuse: "binary fuse filter", Window: "window filter", Maplet: "maplet",
}

// String returns what a filter of the type is called.
func (t Type) String() string {
	if t.known() {
		return typeNames[t]
	}
	return fmt.Sprintf("filter of type %d", uint16(t))
}

// known tells whether there is such a type.
func (t Type) known() bool { return typeNames[t] != "" }

// The places of the header's fields, in bytes from the beginning of the file.
const (
	versionAt = 8
	typeAt    = 10
	headerAt  = 12
	tableAt   = 16
	// LenAt is where Len is.
	LenAt      = 24
	hashAt     = 32 // length of the hash's recipe
	kickAt     = 34 // length of the kick policy's recipe
	flagsAt    = 36 // 1 of a filter that goroutines change at once, else 0
	reservedAt = 37
	// ParamsAt is where the parameters of the type begin.
	ParamsAt = 40
	// RecipesAt is where the recipes begin.
	RecipesAt = 64

	// ParamsBytes is the number of bytes for the parameters of a type.
	ParamsBytes = RecipesAt - ParamsAt
	// Align is what the header's size, and so the beginning of the table, is a multiple of: a cache line.
	Align = 64
	// MaxRecipe is the largest number of bytes of a recipe.
	MaxRecipe = 1024
	// MaxHeader is the number of bytes of the largest header.
	MaxHeader = (RecipesAt + 2*MaxRecipe + sumBytes + Align - 1) / Align * Align

	sumBytes = 8
	// maxTable bounds what a size can be, so that sums of sizes do not overflow.
	maxTable = 1 << 60
)

// magic begins every file. A byte above 127, both kinds of line end and the end of a DOS text make
// damage by programs that convert texts visible at once, after PNG's (RFC 2083, section 12.11).
const magic = "\x89nest\r\n\x1a"

// Params are the parameters of a type, as its package lays them out. Bytes that it does not use are 0.
type Params [ParamsBytes]byte

// Header is what a file says about the filter that it holds.
type Header struct {
	Type Type
	// Concurrent tells that the filter was one for goroutines that change it at once. The bytes of the file are
	// otherwise those of any filter of its type.
	Concurrent bool
	// Len is the number of keys, as the filter's Len has it.
	Len    uint64
	Params Params
	// Hash and Kick are the recipes of the hash and of the kick policy, if there is one.
	Hash, Kick string
	// TableBytes is the size of the table without its checksum.
	TableBytes uint64

	known []hashing.Hasher
}

// Size returns the number of bytes of the header.
func (h *Header) Size() int { return headerSize(len(h.Hash), len(h.Kick)) }

func headerSize(hash, kick int) int {
	return (RecipesAt + hash + kick + sumBytes + Align - 1) / Align * Align
}

// FileBytes returns the number of bytes of the file.
func (h *Header) FileBytes() uint64 { return uint64(h.Size()) + h.TableBytes + sumBytes }

// encode returns the bytes of the header.
func (h *Header) encode() ([]byte, error) {
	for _, recipe := range []string{h.Hash, h.Kick} {
		if len(recipe) > MaxRecipe {
			return nil, fmt.Errorf("%w: a recipe of %d bytes, want at most %d: %.40q",
				errs.Config, len(recipe), MaxRecipe, recipe)
		}
	}
	b := make([]byte, h.Size())
	copy(b, magic)
	le := binary.LittleEndian
	le.PutUint16(b[versionAt:], Version)
	le.PutUint16(b[typeAt:], uint16(h.Type))
	le.PutUint32(b[headerAt:], uint32(len(b)))
	le.PutUint64(b[tableAt:], h.TableBytes)
	le.PutUint64(b[LenAt:], h.Len)
	le.PutUint16(b[hashAt:], uint16(len(h.Hash)))
	le.PutUint16(b[kickAt:], uint16(len(h.Kick)))
	if h.Concurrent {
		b[flagsAt] = 1
	}
	copy(b[ParamsAt:], h.Params[:])
	copy(b[RecipesAt:], h.Hash)
	copy(b[RecipesAt+len(h.Hash):], h.Kick)
	end := len(b) - sumBytes
	le.PutUint64(b[end:], xxhash.Sum64(b[:end]))
	return b, nil
}

// ParseHeader reads the header that b begins with. What follows it is not looked at.
func ParseHeader(b []byte) (Header, error) {
	h, _, err := parseHeader(b)
	return h, err
}

// parseHeader returns the header that b begins with, and its checksum.
func parseHeader(b []byte) (h Header, sum uint64, err error) {
	size, err := announced(b)
	if err != nil {
		return h, 0, err
	}
	if len(b) < size {
		return h, 0, tooShort(len(b), "the header", uint64(size))
	}
	le := binary.LittleEndian
	end := size - sumBytes
	sum = le.Uint64(b[end:])
	if is := xxhash.Sum64(b[:end]); is != sum {
		return h, 0, Corrupt(end, "the header's checksum is %016x, its bytes have %016x", sum, is)
	}
	hash, kick := int(le.Uint16(b[hashAt:])), int(le.Uint16(b[kickAt:]))
	if hash > MaxRecipe || kick > MaxRecipe || size != headerSize(hash, kick) {
		return h, 0, Corrupt(hashAt, "recipes of %d and %d bytes in a header of %d", hash, kick, size)
	}
	if unused := RecipesAt + hash + kick; !allZero(b[unused:end]) || !allZero(b[reservedAt:ParamsAt]) {
		return h, 0, Corrupt(reservedAt, "bytes of the header that mean nothing are not 0")
	}
	h = Header{
		Type: Type(le.Uint16(b[typeAt:])), Concurrent: b[flagsAt] != 0,
		Len: le.Uint64(b[LenAt:]), Params: Params(b[ParamsAt:RecipesAt]),
		Hash: string(b[RecipesAt:][:hash]), Kick: string(b[RecipesAt+hash:][:kick]), TableBytes: le.Uint64(b[tableAt:]),
	}
	switch {
	case !h.Type.known():
		return h, 0, fmt.Errorf("%w: at byte %d: a %v, which this release does not know", errs.Version, typeAt, h.Type)
	case b[flagsAt] > 1 || h.Concurrent && h.Type != Cuckoo && h.Type != BlockedBloom:
		return h, 0, Corrupt(flagsAt, "flags %d of a %v", b[flagsAt], h.Type)
	case h.TableBytes > maxTable:
		return h, 0, Corrupt(tableAt, "a table of %d bytes", h.TableBytes)
	}
	return h, sum, nil
}

// announced checks the beginning of a file and returns the size of its header.
func announced(b []byte) (size int, err error) {
	if n := min(len(b), len(magic)); string(b[:n]) != magic[:n] {
		return 0, Corrupt(0, "no nest filter: it begins with %q", b[:n])
	}
	if len(b) < RecipesAt {
		return 0, tooShort(len(b), "the header", RecipesAt)
	}
	if v := binary.LittleEndian.Uint16(b[versionAt:]); v != Version {
		return 0, fmt.Errorf("%w: at byte %d: version %d, want %d", errs.Version, versionAt, v, Version)
	}
	announced := binary.LittleEndian.Uint32(b[headerAt:])
	if announced < RecipesAt+sumBytes || announced > MaxHeader || announced%Align != 0 {
		return 0, Corrupt(headerAt, "a header of %d bytes", announced)
	}
	return int(announced), nil
}

// Want returns an errs.Mismatch unless the header is of that type.
func (h *Header) Want(t Type) error {
	if h.Type != t {
		return fmt.Errorf("%w: at byte %d: a %v, want a %v", errs.Mismatch, typeAt, h.Type, t)
	}
	return nil
}

// Know adds a hash, which may be nil, to those that [Header.Hasher] knows.
func (h *Header) Know(own hashing.Hasher) { h.known = append(h.known[:len(h.known):len(h.known)], own) }

// Hasher returns the hash of the header: the known one that has its recipe or, failing that, a built-in one. Where
// there is none the error is an errs.Mismatch that wraps hashing's.
//
// Filters under hashing.DigestsOnly panic when they are asked for keys, so it must be known: a file is data, and
// who opens it need not expect that.
func (h *Header) Hasher() (hashing.Hasher, error) {
	if found, ok := config.Find(h.Hash, h.known); ok {
		return found, nil
	}
	made, err := hashing.Parse(h.Hash)
	if err != nil {
		return nil, fmt.Errorf("%w: at byte %d: %w, and no known one has this recipe", errs.Mismatch, RecipesAt, err)
	}
	if made == hashing.DigestsOnly {
		return nil, fmt.Errorf("%w: at byte %d: a filter under %q panics when it is asked for keys: "+
			"name hashing.DigestsOnly among the known hashers to open it", errs.Mismatch, RecipesAt, h.Hash)
	}
	return made, nil
}

// Unconfigured returns what is wrong with the configuration that a header describes as an error about a file. It is an
// errs.TooLarge or an errs.Corrupt, but no errs.Config: nobody configured it.
func Unconfigured(err error) error {
	if err == nil || errors.Is(err, errs.TooLarge) {
		return err
	}
	return Corrupt(ParamsAt, "%v", err)
}

// Corrupt returns an errs.Corrupt about the byte at an offset.
func Corrupt[N int | uint64](at N, format string, args ...any) error {
	return fmt.Errorf("%w: at byte %d: "+format, append([]any{errs.Corrupt, at}, args...)...)
}

// tooShort returns an errs.TooShort.
func tooShort[N int | uint64](have N, what string, want uint64) error {
	return fmt.Errorf("%w: it ends at byte %d, and %s at %d", errs.TooShort, have, what, want)
}

// allZero tells whether every byte is 0.
func allZero(b []byte) bool {
	return !slices.ContainsFunc(b, func(x byte) bool { return x != 0 })
}
