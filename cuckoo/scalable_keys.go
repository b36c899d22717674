package cuckoo

// Insert is [Scalable.InsertHash] of the key's digest.
func (s *Scalable[F]) Insert(key []byte) error { return s.InsertHash(s.hash.Sum64(key)) }

// InsertString is [Scalable.InsertHash] of the key's digest.
func (s *Scalable[F]) InsertString(key string) error { return s.InsertHash(s.hash.Sum64String(key)) }

// InsertUnique is [Scalable.InsertUniqueHash] of the key's digest.
func (s *Scalable[F]) InsertUnique(key []byte) (bool, error) {
	return s.InsertUniqueHash(s.hash.Sum64(key))
}

// InsertUniqueString is [Scalable.InsertUniqueHash] of the key's digest.
func (s *Scalable[F]) InsertUniqueString(key string) (bool, error) {
	return s.InsertUniqueHash(s.hash.Sum64String(key))
}

// Contains is [Scalable.ContainsHash] of the key's digest.
func (s *Scalable[F]) Contains(key []byte) bool { return s.ContainsHash(s.hash.Sum64(key)) }

// ContainsString is [Scalable.ContainsHash] of the key's digest.
func (s *Scalable[F]) ContainsString(key string) bool { return s.ContainsHash(s.hash.Sum64String(key)) }

// Delete is [Scalable.DeleteHash] of the key's digest.
func (s *Scalable[F]) Delete(key []byte) bool { return s.DeleteHash(s.hash.Sum64(key)) }

// DeleteString is [Scalable.DeleteHash] of the key's digest.
func (s *Scalable[F]) DeleteString(key string) bool { return s.DeleteHash(s.hash.Sum64String(key)) }

// Count is [Scalable.CountHash] of the key's digest.
func (s *Scalable[F]) Count(key []byte) int { return s.CountHash(s.hash.Sum64(key)) }

// CountString is [Scalable.CountHash] of the key's digest.
func (s *Scalable[F]) CountString(key string) int { return s.CountHash(s.hash.Sum64String(key)) }

// InsertHash adds a key with digest h. It tries the newest sub-filter and then the others that have room, such
// as deletions leave; where none takes it, it adds a sub-filter, the one case in which it allocates.
//
// It returns [ErrFull], and nothing has changed but [Stats] and the place of the kick generator, if growing would break a limit: MaxSubFilters,
// FalsePositiveRate, 2^32 buckets, or MaxBytes, which is [ErrTooLarge] too. It is ErrFull also if a key is refused
// while less than half of the promised capacity is in use: no distinct keys do that, but copies of one key, of
// which each sub-filter takes 2*b. So memory follows the number of keys, whatever they are.
func (s *Scalable[F]) InsertHash(h uint64) error {
	_, err := s.insert(h)
	return err
}

// InsertUniqueHash adds a key with digest h unless the filter contains it already. It returns true if it was
// added, false and no error if Contains says yes, which refuses a new key at the compound rate, and
// [ErrFull] as [Scalable.InsertHash] does.
func (s *Scalable[F]) InsertUniqueHash(h uint64) (bool, error) {
	if s.ContainsHash(h) {
		return false, nil
	}
	err := s.InsertHash(h)
	return err == nil, err
}

// ContainsHash tells whether a key with digest h may have been inserted. It never says no of a key that is in
// the filter; it says yes of others at the rate that [Scalable.FalsePositiveRate] predicts. It asks the
// sub-filters from the largest to the smallest, two buckets each, and stops at the first yes.
func (s *Scalable[F]) ContainsHash(h uint64) bool { return s.containsFrom(0, h) }

// containsFrom is ContainsHash of the sub-filters from an index on.
func (s *Scalable[F]) containsFrom(first int, h uint64) bool {
	for n := len(s.levels) - 1; n >= first; n-- {
		if l := &s.levels[n]; l.ContainsHash(l.digest(h)) {
			return true
		}
	}
	return false
}

// DeleteHash removes one copy of a key with digest h and tells whether there was one: from the largest
// sub-filter that has a fingerprint of its class. The type's documentation says why that never takes another
// key away. It touches two buckets of each sub-filter that it asks.
//
// Only keys that were inserted may be deleted, which cannot be checked, as for [Filter.DeleteHash].
func (s *Scalable[F]) DeleteHash(h uint64) bool {
	for n := len(s.levels) - 1; n >= 0; n-- {
		if l := &s.levels[n]; l.DeleteHash(l.digest(h)) {
			return true
		}
	}
	return false
}

// CountHash returns how many fingerprints of the classes of digest h are stored, in all sub-filters: at least the
// number of times a key with that digest was inserted and not deleted, and more where other keys share a class.
func (s *Scalable[F]) CountHash(h uint64) (n int) {
	for k := range s.levels {
		l := &s.levels[k]
		n += l.CountHash(l.digest(h))
	}
	return n
}
