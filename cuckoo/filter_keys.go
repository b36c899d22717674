package cuckoo

// Every verb takes a key as bytes, as a string or, fastest, as a digest. The key forms hash the key
// with Config.Hash and allocate nothing; the digest forms say what a verb costs and promises.
// A nil and an empty key are one legal key.

// Insert is [Filter.InsertHash] of the key's digest.
func (f *Filter[F]) Insert(key []byte) error { return f.InsertHash(f.hash.Sum64(key)) }

// InsertString is [Filter.InsertHash] of the key's digest.
func (f *Filter[F]) InsertString(key string) error { return f.InsertHash(f.hash.Sum64String(key)) }

// InsertUnique is [Filter.InsertUniqueHash] of the key's digest.
func (f *Filter[F]) InsertUnique(key []byte) (bool, error) {
	return f.InsertUniqueHash(f.hash.Sum64(key))
}

// InsertUniqueString is [Filter.InsertUniqueHash] of the key's digest.
func (f *Filter[F]) InsertUniqueString(key string) (bool, error) {
	return f.InsertUniqueHash(f.hash.Sum64String(key))
}

// Contains is [Filter.ContainsHash] of the key's digest.
func (f *reader[F]) Contains(key []byte) bool { return f.ContainsHash(f.hash.Sum64(key)) }

// ContainsString is [Filter.ContainsHash] of the key's digest.
func (f *reader[F]) ContainsString(key string) bool { return f.ContainsHash(f.hash.Sum64String(key)) }

// Delete is [Filter.DeleteHash] of the key's digest.
func (f *Filter[F]) Delete(key []byte) bool { return f.DeleteHash(f.hash.Sum64(key)) }

// DeleteString is [Filter.DeleteHash] of the key's digest.
func (f *Filter[F]) DeleteString(key string) bool { return f.DeleteHash(f.hash.Sum64String(key)) }

// Count is [Filter.CountHash] of the key's digest.
func (f *reader[F]) Count(key []byte) int { return f.CountHash(f.hash.Sum64(key)) }

// CountString is [Filter.CountHash] of the key's digest.
func (f *reader[F]) CountString(key string) int { return f.CountHash(f.hash.Sum64String(key)) }
