package bloom

// The verbs of [Blocked] that take keys hash them with Config.Hash and allocate nothing; those of digests say what
// a verb costs and promises. A nil and an empty key are one legal key.

// Insert is [Blocked.InsertHash] of the key's digest.
func (f *Blocked) Insert(key []byte) { f.InsertHash(f.t.Hash.Sum64(key)) }

// InsertString is [Blocked.InsertHash] of the key's digest.
func (f *Blocked) InsertString(key string) { f.InsertHash(f.t.Hash.Sum64String(key)) }

// InsertUnique is [Blocked.InsertUniqueHash] of the key's digest.
func (f *Blocked) InsertUnique(key []byte) bool { return f.InsertUniqueHash(f.t.Hash.Sum64(key)) }

// InsertUniqueString is [Blocked.InsertUniqueHash] of the key's digest.
func (f *Blocked) InsertUniqueString(key string) bool {
	return f.InsertUniqueHash(f.t.Hash.Sum64String(key))
}

// Contains is [Blocked.ContainsHash] of the key's digest.
func (f *Blocked) Contains(key []byte) bool { return f.ContainsHash(f.t.Hash.Sum64(key)) }

// ContainsString is [Blocked.ContainsHash] of the key's digest.
func (f *Blocked) ContainsString(key string) bool { return f.ContainsHash(f.t.Hash.Sum64String(key)) }
