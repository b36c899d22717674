package fuse

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/nestfilter/nest/internal/memory"
	"github.com/nestfilter/nest/internal/packed"
)

// A table is the fingerprints, packed bit by bit, and what says which of them are a key's.
type table struct {
	data []byte
	shape
}

// A shape is all of a table but its bytes.
type shape struct {
	keys    uint64 // 0 of an empty filter, which contains nothing, and of the zero table
	seed    uint64
	span    uint64 // the slots in which a key may have its first one
	segment uint64 // slots of a segment: a power of two
	width   uint64 // bits of a fingerprint
	four    bool   // whether a key has four slots, not three
}

// The multipliers of the finalizer of MurmurHash3, and that which makes the bits of the fourth slot.
const (
	factor1 = 0xff51afd7ed558ccd
	factor2 = 0xc4ceb9fe1a85ec53
	factor3 = 0x9e3779b97f4a7c15
)

// mix makes of a digest plus the seed the 64 bits from which everything else follows. It is a bijection: distinct
// digests stay distinct (the finalizer of MurmurHash3). With it and three segments a table is that of FastFilter's
// xorfilter.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * factor1
	x = (x ^ x>>33) * factor2
	return x ^ x>>33
}

// three returns the first three slots of a key.
func (t *shape) three(x uint64) (p0, p1, p2 uint64) {
	p0, _ = bits.Mul64(x, t.span)
	inner := t.segment - 1
	return p0, (p0 + t.segment) ^ x>>18&inner, (p0 + 2*t.segment) ^ x&inner
}

// fourth returns the fourth slot of a key whose first one is p0. The bits of x within the segment come from a
// product, because in a large table the other slots take all 64.
func (t *shape) fourth(x, p0 uint64) uint64 {
	return (p0 + 3*t.segment) ^ x*factor3>>46&(t.segment-1)
}

// at returns a fingerprint, with anything above its bits. A load is no longer than it must be, so that few straddle
// two cache lines.
func at(data []byte, slot, width uint64) uint64 {
	bit := slot * width
	if width == 16 {
		return memory.Load16(data, 2*slot)
	}
	if width <= 25 || width == 32 {
		return memory.Load32(data, bit>>3) >> (bit & 7)
	}
	return memory.Load64(data, bit>>3) >> (bit & 7)
}

// Segments are at least 2^minLog slots long, and at most 2^maxLog, so that 18 bits say where in one a slot is.
const (
	minLog = 2
	maxLog = 18
	// MaxSlots is the largest number of slots of a table.
	MaxSlots = 1 << 32
)

// arity returns how many slots a key has.
func (t *shape) arity() uint64 {
	if t.four {
		return 4
	}
	return 3
}

// slots returns the number of slots.
func (t *shape) slots() uint64 { return t.span + (t.arity()-1)*t.segment }

// size returns the bytes of the table, padding included, and false where they do not fit into an int.
func (t *shape) size() (int, bool) { return packed.Plain.Size(uint(t.width), 1, t.slots()) }

// sized returns t with the segments for its keys. The formulas are those of the paper (section 4): they were
// fitted to experiments.
func (t shape) sized() shape {
	arity, n := float64(t.arity()), math.Max(float64(t.keys), 2)
	log, factor := math.Log(n)/math.Log(3.33)+2.25, math.Max(1.125, 0.875+0.25*math.Log(1e6)/math.Log(n))
	if t.four {
		log, factor = math.Log(n)/math.Log(2.91)-0.5, math.Max(1.075, 0.77+0.305*math.Log(6e5)/math.Log(n))
	}
	t.segment = 1 << min(max(int(math.Floor(log)), minLog), maxLog)
	segments := math.Max(math.Ceil(n*factor/float64(t.segment)), arity)
	t.span = uint64(segments-arity+1) * t.segment
	return t
}

// halved returns t with segments of half the length and as many slots.
func (t shape) halved() shape {
	if t.segment > 1<<minLog {
		t.segment /= 2
		t.span += (t.arity() - 1) * t.segment
	}
	return t
}

// fill writes the slots from one on to another, both multiples of 8 or the last, with the lowest bits of values.
func (t *table) fill(values []uint64, from, to uint64) {
	var word, have uint64
	off := from * t.width / 8
	for _, v := range values[from:to] {
		v &= 1<<t.width - 1
		word |= v << have
		if have += t.width; have >= 64 {
			binary.LittleEndian.PutUint64(t.data[off:], word)
			off += 8
			have -= 64
			word = v >> (t.width - have)
		}
	}
	for ; have > 0; have -= min(have, 8) {
		t.data[off] = byte(word)
		word >>= 8
		off++
	}
}

// allocate gives t the bytes for its slots, all 0.
func (t *table) allocate() {
	size, _ := t.size()
	t.data = memory.Bytes(size)
}
