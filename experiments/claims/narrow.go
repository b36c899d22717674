package claims

import (
	"math"
	"math/bits"
	"slices"

	"github.com/nestfilter/nest/hashing"
)

// Values says how a digest becomes one of the values of a fingerprint of f bits.
type Values int

const (
	// NonZero is 2^f-1 equally likely values: 0 marks an empty slot and is drawn again. This module's filters do that.
	NonZero Values = iota
	// ZeroAsOne is 2^f-1 values of which 1 is twice as likely as each other: 0 marks an empty slot and becomes 1. The
	// code that the paper's authors published does that.
	ZeroAsOne
	// All is 2^f equally likely values: which slots are empty is kept elsewhere.
	All
)

// String names the values in words.
func (v Values) String() string { return []string{"2^f-1 equal", "0 becomes 1", "2^f equal"}[v] }

// of returns the value of a digest: its top bits. They are 0 to 2^f-1.
func (v Values) of(digest uint64, f int) uint8 {
	switch v {
	case NonZero:
		hi, _ := bits.Mul64(digest, 1<<f-1)
		return uint8(hi) + 1
	case ZeroAsOne:
		return max(uint8(digest>>(64-f)), 1)
	}
	return uint8(digest >> (64 - f))
}

// chances returns how likely each value below 2^f is.
func (v Values) chances(f int) []float64 {
	out := make([]float64, 1<<f)
	n := len(out)
	if v == NonZero {
		n--
	}
	for i := range out {
		out[i] = 1 / float64(n)
	}
	if v == ZeroAsOne {
		out[1] *= 2
	}
	if v != All {
		out[0] = 0
	}
	return out
}

// Offsets says how far apart the two buckets of a value are, exclusive-or.
type Offsets int

const (
	// Hashed is a random number below the number of buckets, never 0: each value's own.
	Hashed Offsets = iota
	// Multiplied is the value times 0x5bd1e995, as in the code that the paper's authors published. Value 0, where it
	// occurs, has both buckets in one.
	Multiplied
)

// String names the offsets in words.
func (o Offsets) String() string { return []string{"hashed", "multiplied"}[o] }

// table returns the offsets of all values below 2^f.
func (o Offsets) table(f, size int, seed uint64) []uint32 {
	out := make([]uint32, 1<<f)
	mask := uint32(1)<<size - 1
	for v := range out {
		if o == Multiplied {
			out[v] = uint32(v) * 0x5bd1e995 & mask
			continue
		}
		for out[v] == 0 {
			seed++
			out[v] = uint32(hashing.Mix64(seed)) & mask
		}
	}
	return out
}

// MostWidth is the widest fingerprint of a [NarrowTable], in bits.
const MostWidth = 7

// A NarrowTable is a cuckoo table of narrow fingerprints, made to be filled once. It is this package's own and not a
// filter of this module, so that it can have fingerprints and offsets that they do not have.
type NarrowTable struct {
	Size       int // of 2^Size buckets, 1 to 30
	BucketSize int // slots
	Width      int // of a fingerprint in bits, 1 to [MostWidth]
	Values     Values
	Offsets    Offsets
	Kicks      int // of one key until it is refused; the paper: 500
}

// Slots returns how many fingerprints the table has room for.
func (t NarrowTable) Slots() int { return t.BucketSize << t.Size }

// Fill inserts random keys until the first is refused, and returns how many were stored: into the key's first bucket
// with a free slot, or else by a random walk. It takes a byte for each slot. Equal seeds give equal results.
func (t NarrowTable) Fill(seed uint64) (stored int) {
	source := numbers{hashing.Mix64(seed)}
	w := t.walk(hashing.Mix64(^seed), &source)
	mask := 1<<t.Size - 1
	for w.Insert(int(source.next())&mask, t.Values.of(source.next(), t.Width)+1) {
		stored++
	}
	return stored
}

// walk is an empty table whose fingerprints are the values and one, with the seed of its offsets.
func (t NarrowTable) walk(seed uint64, source *numbers) *Walk[uint8] {
	offsets := t.Offsets.table(t.Width, t.Size, seed)
	return &Walk[uint8]{
		Slots: make([]uint8, t.Slots()), Bucket: t.BucketSize, Kicks: t.Kicks,
		Other:  func(i int, fp uint8) int { return i ^ int(offsets[fp-1]) },
		Second: func() bool { return source.next()&1 != 0 },
		Victim: func() int { return source.below(t.BucketSize) },
	}
}

// FillFullKeys is Fill of a table that keeps whole keys: each has two buckets by two independent hashes. Of the table
// only its size, its bucket size and its kicks matter. It takes four bytes for each slot.
func (t NarrowTable) FillFullKeys(seed uint64) (stored int) {
	source := numbers{hashing.Mix64(seed)}
	mask := 1<<t.Size - 1
	w := &Walk[uint32]{
		Slots: make([]uint32, t.Slots()), Bucket: t.BucketSize, Kicks: t.Kicks,
		Other: func(i int, key uint32) int { // exclusive-or with an offset of the key's own: to any other bucket alike
			return i ^ int(hashing.Mix64(seed^uint64(key)<<32))&mask
		},
		Second: func() bool { return source.next()&1 != 0 },
		Victim: func() int { return source.below(t.BucketSize) },
	}
	for w.Insert(int(source.next())&mask, uint32(stored+1)) {
		stored++
	}
	return stored
}

// A Walk is a cuckoo table as texts print it: it makes room by a random walk and drops the fingerprint that has no
// place after so many kicks. The key that was refused is then in the table, and another one may be lost.
type Walk[F uint8 | uint16 | uint32] struct {
	Slots  []F // 0 is empty
	Bucket int // slots of a bucket
	Kicks  int
	Other  func(bucket int, fp F) int // the other bucket of a fingerprint
	Second func() bool                // tells whether the walk begins in the second bucket
	Victim func() int                 // of the slots of a bucket
}

// Of returns the slots of a bucket.
func (w *Walk[F]) Of(bucket int) []F { return w.Slots[bucket*w.Bucket:][:w.Bucket] }

// Has tells whether a fingerprint of the bucket is there.
func (w *Walk[F]) Has(bucket int, fp F) bool {
	return slices.Contains(w.Of(bucket), fp) || slices.Contains(w.Of(w.Other(bucket, fp)), fp)
}

// put stores a fingerprint if the bucket has a free slot.
func (w *Walk[F]) put(bucket int, fp F) bool {
	slots := w.Of(bucket)
	for i := range slots {
		if slots[i] == 0 {
			slots[i] = fp
			return true
		}
	}
	return false
}

// Insert stores a fingerprint of the bucket, and reports whether all fingerprints have a place then.
func (w *Walk[F]) Insert(bucket int, fp F) bool {
	other := w.Other(bucket, fp)
	if w.put(bucket, fp) || w.put(other, fp) {
		return true
	}
	if w.Second() {
		bucket = other
	}
	for range w.Kicks {
		slot := &w.Of(bucket)[w.Victim()]
		fp, *slot = *slot, fp
		if bucket = w.Other(bucket, fp); w.put(bucket, fp) {
			return true
		}
	}
	return false
}

// Overfull returns the expected number of groups of keys that have too few slots, in a table of this load: of classes,
// which are the keys of one value and one pair of buckets, and of closed parts, which no kick leads out of. The first
// such group refuses a key, however keys are inserted. Numbers of keys are taken as Poisson distributed, and the
// offsets of different values as independent.
// There are fewer limits than in truth: groups of several values that share buckets are left out, and what a walk of so
// many kicks does not find is not in it at all. So a table refuses a key sooner than this says, never later.
func (t NarrowTable) Overfull(load float64) float64 {
	keys := load * float64(t.BucketSize) // of a bucket
	groups, values, pairs := 0.0, 0, 0
	for value, chance := range t.Values.chances(t.Width) {
		if chance == 0 {
			continue
		}
		values++
		if value == 0 && t.Offsets == Multiplied {
			groups += math.Ldexp(PoissonFrom(keys*chance, t.BucketSize+1), t.Size)
			continue
		}
		pairs++
		groups += math.Ldexp(PoissonFrom(2*keys*chance, 2*t.BucketSize+1), t.Size-1)
	}
	if values > 1 && pairs < t.Size { // a single value's closed parts are its classes
		buckets := math.Exp2(float64(pairs))
		groups += math.Exp2(float64(t.Size)) / buckets * PoissonFrom(keys*buckets, t.BucketSize<<pairs+1)
	}
	return groups
}

// Reaches bounds the chance that the least of so many fills goes beyond this load. It is the chance that none of the
// groups of [NarrowTable.Overfull] is too large in any of them.
func (t NarrowTable) Reaches(load float64, fills int) float64 {
	return math.Exp(-float64(fills) * t.Overfull(load))
}

// LoadAt is the load factor at which so many such groups are expected. A fill goes beyond that of ln 2 as often as not.
func (t NarrowTable) LoadAt(overfull float64) float64 {
	return bisect(0, 1, func(load float64) bool { return t.Overfull(load) < overfull })
}
