package bloom

// The verbs of [Concurrent] that take keys hash them with Config.Hash and allocate nothing; those of digests say what
// a verb costs and promises.

// Insert is [Concurrent.InsertHash] of the key's digest.
func (f *Concurrent) Insert(key []byte) { f.InsertHash(f.f.t.Hash.Sum64(key)) }

// InsertString is [Concurrent.InsertHash] of the key's digest.
func (f *Concurrent) InsertString(key string) { f.InsertHash(f.f.t.Hash.Sum64String(key)) }

// InsertUnique is [Concurrent.InsertUniqueHash] of the key's digest.
func (f *Concurrent) InsertUnique(key []byte) bool {
	return f.InsertUniqueHash(f.f.t.Hash.Sum64(key))
}

// InsertUniqueString is [Concurrent.InsertUniqueHash] of the key's digest.
func (f *Concurrent) InsertUniqueString(key string) bool {
	return f.InsertUniqueHash(f.f.t.Hash.Sum64String(key))
}

// Contains is [Concurrent.ContainsHash] of the key's digest.
func (f *Concurrent) Contains(key []byte) bool { return f.ContainsHash(f.f.t.Hash.Sum64(key)) }

// ContainsString is [Concurrent.ContainsHash] of the key's digest.
func (f *Concurrent) ContainsString(key string) bool {
	return f.ContainsHash(f.f.t.Hash.Sum64String(key))
}
