package counting

// The verbs of [Filter] that take keys hash them with Config.Hash and allocate nothing; those of digests say what
// a verb costs and promises. A nil and an empty key are one legal key.

// Insert is [Filter.InsertHash] of the key's digest.
func (f *Filter) Insert(key []byte) { f.InsertHash(f.t.Hash.Sum64(key)) }

// InsertString is [Filter.InsertHash] of the key's digest.
func (f *Filter) InsertString(key string) { f.InsertHash(f.t.Hash.Sum64String(key)) }

// InsertUnique is [Filter.InsertUniqueHash] of the key's digest.
func (f *Filter) InsertUnique(key []byte) bool { return f.InsertUniqueHash(f.t.Hash.Sum64(key)) }

// InsertUniqueString is [Filter.InsertUniqueHash] of the key's digest.
func (f *Filter) InsertUniqueString(key string) bool {
	return f.InsertUniqueHash(f.t.Hash.Sum64String(key))
}

// Contains is [Filter.ContainsHash] of the key's digest.
func (f *Filter) Contains(key []byte) bool { return f.ContainsHash(f.t.Hash.Sum64(key)) }

// ContainsString is [Filter.ContainsHash] of the key's digest.
func (f *Filter) ContainsString(key string) bool { return f.ContainsHash(f.t.Hash.Sum64String(key)) }

// Delete is [Filter.DeleteHash] of the key's digest.
func (f *Filter) Delete(key []byte) bool { return f.DeleteHash(f.t.Hash.Sum64(key)) }

// DeleteString is [Filter.DeleteHash] of the key's digest.
func (f *Filter) DeleteString(key string) bool { return f.DeleteHash(f.t.Hash.Sum64String(key)) }

// Count is [Filter.CountHash] of the key's digest.
func (f *Filter) Count(key []byte) int { return f.CountHash(f.t.Hash.Sum64(key)) }

// CountString is [Filter.CountHash] of the key's digest.
func (f *Filter) CountString(key string) int { return f.CountHash(f.t.Hash.Sum64String(key)) }
