package cuckoo

// The verbs that take keys hash them with Config.Hash and allocate nothing; the digest forms say what a verb costs and promises.

// Insert is [Concurrent.InsertHash] of the key's digest.
func (f *Concurrent[F]) Insert(key []byte) error { return f.InsertHash(f.hash.Sum64(key)) }

// InsertString is [Concurrent.InsertHash] of the key's digest.
func (f *Concurrent[F]) InsertString(key string) error {
	return f.InsertHash(f.hash.Sum64String(key))
}

// InsertUnique is [Concurrent.InsertUniqueHash] of the key's digest.
func (f *Concurrent[F]) InsertUnique(key []byte) (bool, error) {
	return f.InsertUniqueHash(f.hash.Sum64(key))
}

// InsertUniqueString is [Concurrent.InsertUniqueHash] of the key's digest.
func (f *Concurrent[F]) InsertUniqueString(key string) (bool, error) {
	return f.InsertUniqueHash(f.hash.Sum64String(key))
}

// Contains is [Concurrent.ContainsHash] of the key's digest.
func (f *Concurrent[F]) Contains(key []byte) bool { return f.ContainsHash(f.hash.Sum64(key)) }

// ContainsString is [Concurrent.ContainsHash] of the key's digest.
func (f *Concurrent[F]) ContainsString(key string) bool {
	return f.ContainsHash(f.hash.Sum64String(key))
}

// Delete is [Concurrent.DeleteHash] of the key's digest.
func (f *Concurrent[F]) Delete(key []byte) bool { return f.DeleteHash(f.hash.Sum64(key)) }

// DeleteString is [Concurrent.DeleteHash] of the key's digest.
func (f *Concurrent[F]) DeleteString(key string) bool { return f.DeleteHash(f.hash.Sum64String(key)) }

// Count is [Concurrent.CountHash] of the key's digest.
func (f *Concurrent[F]) Count(key []byte) int { return f.CountHash(f.hash.Sum64(key)) }

// CountString is [Concurrent.CountHash] of the key's digest.
func (f *Concurrent[F]) CountString(key string) int { return f.CountHash(f.hash.Sum64String(key)) }
