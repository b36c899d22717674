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

// InsertHash adds a key with digest h. It tries the newest sub-filter first, then the others that have
// room, such as deletions leave. If none takes the key, it adds a sub-filter. Only then does it
// allocate.
//
// It returns [ErrFull] if growing would break a limit: MaxSubFilters, FalsePositiveRate, 2^32 buckets,
// or MaxBytes, which is [ErrTooLarge] too. It also returns ErrFull if a key is refused while less than
// half of the promised capacity is in use. Distinct keys do not cause that, but copies of one key do,
// as each sub-filter takes 2*b of them: so memory follows the number of keys, whatever they are. After
// an error nothing has changed but [Stats] and the state of the kick generator.
func (s *Scalable[F]) InsertHash(h uint64) error {
	_, err := s.insert(h)
	return err
}

// InsertUniqueHash adds a key with digest h unless the filter contains it already, and returns whether
// it was added. If Contains says yes it returns false and no error; that refuses a new key at the
// compound rate. It returns [ErrFull] as [Scalable.InsertHash] does.
func (s *Scalable[F]) InsertUniqueHash(h uint64) (bool, error) {
	if s.ContainsHash(h) {
		return false, nil
	}
	err := s.InsertHash(h)
	return err == nil, err
}

// ContainsHash tells whether a key with digest h may have been inserted. It never says no of a key that
// is in the filter. It says yes of others at the rate that [Scalable.FalsePositiveRate] predicts. It
// asks the sub-filters from the largest to the smallest, reads two buckets of each, and stops at the
// first yes.
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

// DeleteHash removes one copy of a key with digest h and tells whether there was one. It removes a
// fingerprint of the key's class from the largest sub-filter that has one; the documentation of
// [Scalable] says why no other key is lost by that. It reads two buckets of each sub-filter that it
// asks.
//
// Delete only keys that were inserted. The filter cannot check that, as [Filter.DeleteHash] explains.
func (s *Scalable[F]) DeleteHash(h uint64) bool {
	for n := len(s.levels) - 1; n >= 0; n-- {
		if l := &s.levels[n]; l.DeleteHash(l.digest(h)) {
			return true
		}
	}
	return false
}

// CountHash returns how many fingerprints of the classes of digest h are stored in all sub-filters.
// That is at least the number of times that a key with this digest was inserted and not deleted, and
// more if other keys share a class with it.
func (s *Scalable[F]) CountHash(h uint64) (n int) {
	for k := range s.levels {
		l := &s.levels[k]
		n += l.CountHash(l.digest(h))
	}
	return n
}
