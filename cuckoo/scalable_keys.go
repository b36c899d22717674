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
func (s *scalableReader[F]) Contains(key []byte) bool { return s.ContainsHash(s.hash.Sum64(key)) }

// ContainsString is [Scalable.ContainsHash] of the key's digest.
func (s *scalableReader[F]) ContainsString(key string) bool {
	return s.ContainsHash(s.hash.Sum64String(key))
}

// Delete is [Scalable.DeleteHash] of the key's digest.
func (s *Scalable[F]) Delete(key []byte) bool { return s.DeleteHash(s.hash.Sum64(key)) }

// DeleteString is [Scalable.DeleteHash] of the key's digest.
func (s *Scalable[F]) DeleteString(key string) bool { return s.DeleteHash(s.hash.Sum64String(key)) }

// Count is [Scalable.CountHash] of the key's digest.
func (s *scalableReader[F]) Count(key []byte) int { return s.CountHash(s.hash.Sum64(key)) }

// CountString is [Scalable.CountHash] of the key's digest.
func (s *scalableReader[F]) CountString(key string) int { return s.CountHash(s.hash.Sum64String(key)) }
