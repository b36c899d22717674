package counting

// The verbs of [DLeft] that take keys hash them with DLeftConfig.Hash and allocate nothing; those of digests say what
// a verb costs and promises. A nil and an empty key are one legal key.

// Insert is [DLeft.InsertHash] of the key's digest.
func (f *DLeft) Insert(key []byte) error { return f.InsertHash(f.hash.Sum64(key)) }

// InsertString is [DLeft.InsertHash] of the key's digest.
func (f *DLeft) InsertString(key string) error { return f.InsertHash(f.hash.Sum64String(key)) }

// InsertUnique is [DLeft.InsertUniqueHash] of the key's digest.
func (f *DLeft) InsertUnique(key []byte) (bool, error) {
	return f.InsertUniqueHash(f.hash.Sum64(key))
}

// InsertUniqueString is [DLeft.InsertUniqueHash] of the key's digest.
func (f *DLeft) InsertUniqueString(key string) (bool, error) {
	return f.InsertUniqueHash(f.hash.Sum64String(key))
}

// Contains is [DLeft.ContainsHash] of the key's digest.
func (f *DLeft) Contains(key []byte) bool { return f.ContainsHash(f.hash.Sum64(key)) }

// ContainsString is [DLeft.ContainsHash] of the key's digest.
func (f *DLeft) ContainsString(key string) bool { return f.ContainsHash(f.hash.Sum64String(key)) }

// Delete is [DLeft.DeleteHash] of the key's digest.
func (f *DLeft) Delete(key []byte) bool { return f.DeleteHash(f.hash.Sum64(key)) }

// DeleteString is [DLeft.DeleteHash] of the key's digest.
func (f *DLeft) DeleteString(key string) bool { return f.DeleteHash(f.hash.Sum64String(key)) }

// Count is [DLeft.CountHash] of the key's digest.
func (f *DLeft) Count(key []byte) int { return f.CountHash(f.hash.Sum64(key)) }

// CountString is [DLeft.CountHash] of the key's digest.
func (f *DLeft) CountString(key string) int { return f.CountHash(f.hash.Sum64String(key)) }
