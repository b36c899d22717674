package filtertest

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/nestfilter/nest/hashing"
)

// bag is the filter that mutants are made from: a multiset of 16-bit classes that refuses what is
// beyond its limit. It is correct by being simple.
type bag struct {
	capacity int
	len      int
	copies   map[uint16]int
	last     uint16 // the class that was stored last
	hash     hashing.Digester
}

const bagClasses = 1 << 16

func newBag(capacity int) *bag {
	return &bag{capacity: capacity, copies: map[uint16]int{}}
}

// classOf takes the middle bits, so that digests that differ in their end alone still differ.
func classOf(h uint64) uint16 { return uint16(h >> 24) }

func (b *bag) limit() int { return b.capacity + b.capacity/8 }

func (b *bag) insertHash(h uint64) bool {
	if b.len >= b.limit() {
		return false
	}
	b.last = classOf(h)
	b.copies[b.last]++
	b.len++
	return true
}

func (b *bag) containsHash(h uint64) bool { return b.copies[classOf(h)] > 0 }

func (b *bag) deleteHash(h uint64) bool { return b.remove(classOf(h)) }

func (b *bag) remove(class uint16) bool {
	switch b.copies[class] {
	case 0:
		return false
	case 1:
		delete(b.copies, class)
	default:
		b.copies[class]--
	}
	b.len--
	return true
}

func (b *bag) insert(key []byte) bool   { return b.insertHash(b.hash.Sum64(key)) }
func (b *bag) contains(key []byte) bool { return b.containsHash(b.hash.Sum64(key)) }
func (b *bag) delete(key []byte) bool   { return b.deleteHash(b.hash.Sum64(key)) }
func (b *bag) count(key []byte) int     { return b.copies[classOf(b.hash.Sum64(key))] }

// rate is exact on average: every stored key takes a random class.
func (b *bag) rate() float64 { return -math.Expm1(float64(b.len) * math.Log1p(-1./bagClasses)) }

func (b *bag) reset() {
	b.len, b.last = 0, 0
	clear(b.copies)
}

func (b *bag) clone() *bag {
	c := *b
	c.copies = maps.Clone(b.copies)
	return &c
}

// refusing makes an insert do something to what it refuses.
func (b *bag) refusing(f *Filter, do func(key []byte)) {
	f.Insert = func(key []byte) bool {
		ok := b.insert(key)
		if !ok {
			do(key)
		}
		return ok
	}
}

// hashing gives the verbs for keys another hash.
func (b *bag) hashing(f *Filter, hash func(key []byte) uint64) {
	f.Insert = func(key []byte) bool { return b.insertHash(hash(key)) }
	f.Contains = func(key []byte) bool { return b.containsHash(hash(key)) }
	f.Delete = func(key []byte) bool { return b.deleteHash(hash(key)) }
	f.Count = nil
}

// wrap returns the functions of a bag after a mutation.
func (b *bag) wrap(mutate func(b *bag, f *Filter)) *Filter {
	f := &Filter{
		Insert: b.insert, Contains: b.contains, Delete: b.delete, Count: b.count,
		Len: func() int { return b.len }, Rate: b.rate, Slots: b.limit,
		State: func() ([]byte, error) { return fmt.Append(nil, b.copies), nil },
		Reset: b.reset,
		Clone: func() *Filter { return b.clone().wrap(mutate) },
	}
	f.Strings = &Strings{
		Insert:   func(key string) bool { return b.insertHash(b.hash.Sum64String(key)) },
		Contains: func(key string) bool { return b.containsHash(b.hash.Sum64String(key)) },
		Delete:   func(key string) bool { return b.deleteHash(b.hash.Sum64String(key)) },
		Count:    func(key string) int { return b.copies[classOf(b.hash.Sum64String(key))] },
	}
	f.Hashes = &Hashes{
		Digest: b.hash.Sum64, Insert: b.insertHash, Contains: b.containsHash, Delete: b.deleteHash,
		InsertAll: func(hs []uint64) int {
			if n := slices.IndexFunc(hs, func(h uint64) bool { return !b.insertHash(h) }); n >= 0 {
				return n
			}
			return len(hs)
		},
		ContainsAll: func(hs []uint64, dst []bool) {
			for i, h := range hs {
				dst[i] = b.containsHash(h)
			}
		},
		DeleteAll: func(hs []uint64) (n int) {
			for _, h := range hs {
				count(&n, b.deleteHash(h))
			}
			return n
		},
	}
	f.OnStack = func(key [16]byte) { b.contains(key[:]) }
	if mutate != nil {
		mutate(b, f)
	}
	return f
}

// bagAdapter promises everything.
func bagAdapter(mutate func(b *bag, f *Filter)) Adapter {
	return Adapter{
		Name:       "bag",
		New:        func(capacity int) (*Filter, error) { return newBag(capacity).wrap(mutate), nil },
		TargetRate: 0.02,
		Full:       Refuses,
		AllocFree:  true,
	}
}
