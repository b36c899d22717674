package quotient

import "fmt"

// errLoad is what a refused insert returns; it is made once, so that no verb allocates.
var errLoad = fmt.Errorf("quotient: %w: the table is at its MaxLoad", ErrFull)

// InsertHash adds a key with digest h. It walks over the cluster of the key and moves what stands from
// the key's place to the next free slot one further: 2.5 slots at half load
// and 50 at 90%, and half of the table before the last slot is taken.
//
// If the filter holds [Filter.Capacity] fingerprints InsertHash returns [ErrFull] and changes
// nothing. Nothing else is refused: any number of copies of a key may be inserted.
func (f *Filter) InsertHash(h uint64) error {
	if f.len >= f.limit {
		return errLoad
	}
	f.slots.insert(f.split(h))
	f.len++
	return nil
}

// InsertHashes adds the digests hs in order, until one of them is refused. It returns how many were
// added, and [ErrFull] if that is not all.
func (f *Filter) InsertHashes(hs []uint64) (n int, err error) {
	for i, h := range hs {
		if err := f.InsertHash(h); err != nil {
			return i, err
		}
	}
	return len(hs), nil
}

// InsertUniqueHash adds a key with digest h unless the filter contains it already. It returns true
// if it was added, false and no error if Contains says yes, which refuses a new key at the
// false-positive rate, and [ErrFull] as [Filter.InsertHash] does.
func (f *Filter) InsertUniqueHash(h uint64) (bool, error) {
	if f.ContainsHash(h) {
		return false, nil
	}
	err := f.InsertHash(h)
	return err == nil, err
}

// ContainsHash tells whether a key with digest h may have been inserted. It never says no of a key
// that is in the filter; it says yes of others at the rate that [Filter.FalsePositiveRate]
// predicts. It reads one slot if no key has the quotient, and otherwise walks over the key's cluster
// as far as the key's remainder.
func (f *Filter) ContainsHash(h uint64) bool {
	_, _, ok := f.slots.find(f.split(h))
	return ok
}

// ContainsHashes writes to dst[i] what [Filter.ContainsHash] says of hs[i]. It panics, as copying
// into an array does, if dst is shorter than hs.
func (f *Filter) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	for i, h := range hs {
		dst[i] = f.ContainsHash(h)
	}
}

// DeleteHash removes one copy of a key with digest h and tells whether there was one. It costs a
// lookup, and moves back what is behind the key in its cluster.
//
// Only keys that were inserted may be deleted, which cannot be checked: a key that never was may
// have the fingerprint of one that was, which then goes.
func (f *Filter) DeleteHash(h uint64) bool {
	quotient, remainder := f.split(h)
	slot, start, ok := f.slots.find(quotient, remainder)
	if ok {
		f.slots.remove(quotient, slot, start)
		f.len--
	}
	return ok
}

// DeleteHashes deletes each of the digests hs as [Filter.DeleteHash] does and returns how many were
// found and deleted.
func (f *Filter) DeleteHashes(hs []uint64) (n int) {
	for _, h := range hs {
		if f.DeleteHash(h) {
			n++
		}
	}
	return n
}

// CountHash returns how many copies of the fingerprint of digest h are stored: at least the number
// of times a key with that digest was inserted and not deleted, and more where other keys have the
// same fingerprint. It costs a lookup and reads the copies.
func (f *Filter) CountHash(h uint64) int { return f.slots.count(f.split(h)) }

// The key forms hash the key with Config.Hash and allocate nothing; the digest forms say what a verb
// costs and promises. A nil and an empty key are one legal key.

// Insert is [Filter.InsertHash] of the key's digest.
func (f *Filter) Insert(key []byte) error { return f.InsertHash(f.hash.Sum64(key)) }

// InsertString is [Filter.InsertHash] of the key's digest.
func (f *Filter) InsertString(key string) error { return f.InsertHash(f.hash.Sum64String(key)) }

// InsertUnique is [Filter.InsertUniqueHash] of the key's digest.
func (f *Filter) InsertUnique(key []byte) (bool, error) { return f.InsertUniqueHash(f.hash.Sum64(key)) }

// Contains is [Filter.ContainsHash] of the key's digest.
func (f *Filter) Contains(key []byte) bool { return f.ContainsHash(f.hash.Sum64(key)) }

// ContainsString is [Filter.ContainsHash] of the key's digest.
func (f *Filter) ContainsString(key string) bool { return f.ContainsHash(f.hash.Sum64String(key)) }

// Delete is [Filter.DeleteHash] of the key's digest.
func (f *Filter) Delete(key []byte) bool { return f.DeleteHash(f.hash.Sum64(key)) }

// DeleteString is [Filter.DeleteHash] of the key's digest.
func (f *Filter) DeleteString(key string) bool { return f.DeleteHash(f.hash.Sum64String(key)) }

// Count is [Filter.CountHash] of the key's digest.
func (f *Filter) Count(key []byte) int { return f.CountHash(f.hash.Sum64(key)) }

// CountString is [Filter.CountHash] of the key's digest.
func (f *Filter) CountString(key string) int { return f.CountHash(f.hash.Sum64String(key)) }
