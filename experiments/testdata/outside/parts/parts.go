// Package parts has a filter, a hash family, a kick policy and an experiment of one's own, for the programs of this module.
package parts

import (
	"encoding/binary"
	"math/bits"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// Registry returns the experiments of nest with all that is this module's own.
func Registry() (lab.Registry, error) {
	registry := experiments.Default()
	err := registry.Register(
		filter("bitmap", 8, 8, newBitmap),
		filter("CF, first slot", 12, 512, newFirstSlot),
		filter("CF, multiply", 12, 512, newMultiply),
		multiply{},
		lab.Policy{Name: "first slot", Kick: firstSlot{}},
		twins(),
	)
	return registry, err
}

// filter is a filter of one setting.
func filter(name string, bits, oneIn int, empty func(n int, seed uint64) (lab.Instance, error)) lab.Filter {
	return lab.Filter{Name: name, Settings: []lab.Setting{{Bits: bits, OneIn: oneIn, New: empty}}}
}

// newFirstSlot makes a cuckoo filter with the policy of this package: so the policy comes into the figures about filters. Its
// table is that of the paper's filter, a power of two of buckets, although the policy does not fill it as far: a Capacity that is promised
// for the policy would need a larger one.
func newFirstSlot(n int, seed uint64) (lab.Instance, error) {
	return cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: 1 << bits.Len(uint(n-1)/4), Placement: cuckoo.XOR, Kick: firstSlot{}, Seed: seed})
}

// newMultiply makes a cuckoo filter under the hash family of this package: so the family does.
func newMultiply(n int, seed uint64) (lab.Instance, error) {
	f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Capacity: n, Seed: seed})
	if err != nil {
		return nil, err
	}
	return lab.UnderHash(multiply{}, f), nil
}

// A bitmap is a filter: one bit of a table for every key.
type bitmap []uint64

func newBitmap(n int, _ uint64) (lab.Instance, error) {
	b := make(bitmap, n/8+1)
	return lab.Adapt(b.insert, b.contains, 8*len(b)), nil
}

func (b bitmap) place(digest uint64) (word int, bit uint64) {
	i := digest % uint64(64*len(b))
	return int(i / 64), 1 << (i % 64)
}

func (b bitmap) insert(digest uint64) error {
	word, bit := b.place(digest)
	b[word] |= bit
	return nil
}

func (b bitmap) contains(digest uint64) bool {
	word, bit := b.place(digest)
	return b[word]&bit != 0
}

// multiply is a hash family: the two halves of a product, xored, and mixed. Words of 8 bytes one after the other.
type multiply struct{}

func (multiply) Name() string   { return "multiply" }
func (multiply) Recipe() string { return "multiply" }

func (multiply) Sum64(key []byte) uint64 {
	h := uint64(len(key))
	for ; len(key) > 8; key = key[8:] {
		h = fold(h ^ binary.LittleEndian.Uint64(key))
	}
	var last [8]byte
	copy(last[:], key)
	return hashing.Mix64(fold(h ^ binary.LittleEndian.Uint64(last[:])))
}

func (m multiply) Sum64String(key string) uint64 { return m.Sum64([]byte(key)) }

func (m multiply) Sum64Uint64(k uint64) uint64 {
	return m.Sum64(binary.LittleEndian.AppendUint64(nil, k))
}

func fold(x uint64) uint64 {
	hi, lo := bits.Mul64(x^0x9e3779b97f4a7c15, 0xd1342543de82ef95)
	return hi ^ lo
}

// firstSlot is a kick policy: it always kicks the first slot of the bucket that the fingerprint kicked last could
// go to.
type firstSlot struct{}

func (firstSlot) Recipe() string { return "first-slot" }

func (firstSlot) Kick(w *cuckoo.Walk) {
	for w.Homeless() != 0 && w.Left() > 0 {
		_, alternate := w.Homes()
		if slot, ok := w.Free(alternate); ok {
			w.Swap(alternate, slot)
			return
		}
		if !w.Swap(alternate, 0) {
			return
		}
	}
}
