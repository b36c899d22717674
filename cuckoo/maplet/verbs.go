package maplet

import "iter"

// The digest form of each verb stands here, and in key_verbs.go what follows from it.

// InsertHash stores the pair of a key with digest h and the value v. If a slot of the key's two buckets is free, it
// touches no more than those. If both are full, it searches up to 700 buckets for a cuckoo path.
//
// If there is none, InsertHash returns [ErrFull]. A value of more bits than Config.ValueBits is [ErrValue], and
// any pair for the zero Map [ErrConfig]. Table and Len are then as they were. A pair that is stored already is
// stored once more.
func (m *Map[F]) InsertHash(h, v uint64) error { return m.insert(h, v) }

// LookupHash returns the candidates of a key with digest h: the values of all pairs of its class, each as often as it
// is stored. The values that were inserted with the key are among them. Others are there by chance,
// [Map.FalsePositiveRate] of them on average. It touches two buckets. The map must not be changed while it is ranged
// over.
//
// Ranging over the result allocates nothing if the loop follows the call, as in for v := range m.LookupHash(h): it is
// small enough to be inlined.
func (t *table) LookupHash(h uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		var v, left uint64
		if whole := t.engine.Table.WholeBytes; whole != 0 {
			v, left = t.first(h, whole)
		} else {
			v, left = t.firstOf(h)
		}
		if left&(left-1) == 0 { // at most one: without a loop, whose states the compiler would keep
			if left != 0 {
				yield(v)
			}
			return
		}
		for left = t.all(h); left != 0; left &= left - 1 {
			if !yield(t.other(h, left)) {
				return
			}
		}
	}
}

// Lookup is [Map.LookupHash] of the key's digest.
func (t *table) Lookup(key []byte) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for value := range t.LookupHash(t.hash.Sum64(key)) {
			if !yield(value) {
				return
			}
		}
	}
}

// LookupString is [Map.LookupHash] of the key's digest.
func (t *table) LookupString(key string) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for value := range t.LookupHash(t.hash.Sum64String(key)) {
			if !yield(value) {
				return
			}
		}
	}
}

// ContainsHash tells whether a key with digest h has candidates: always if a pair was inserted with it, at the rate
// [Map.FalsePositiveRate] if not.
func (t *table) ContainsHash(h uint64) bool {
	if whole := t.engine.Table.WholeBytes; whole != 0 {
		_, found := t.first(h, whole)
		return found != 0
	}
	return t.all(h) != 0
}

// UpdateHash writes the value v in place of old in one pair of a key with digest h, and tells whether there is such a
// pair. The pair stays in its slot, so an update is never refused for want of room. It touches two buckets. A v of more
// bits than Config.ValueBits is [ErrValue], and changes nothing.
//
// The map cannot check that the pair is the key's own: that of another key of the same class with the same value is
// updated as well.
func (m *Map[F]) UpdateHash(h, old, v uint64) (bool, error) { return m.update(h, old, v) }

// DeleteHash removes one pair of a key with digest h and the value v, and tells whether there was one. It touches two
// buckets. Delete only pairs that were inserted: the map cannot check that, and a pair of another key of the same class
// with the same value is removed as well.
func (m *Map[F]) DeleteHash(h, v uint64) bool { return m.remove(h, v) }
