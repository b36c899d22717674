package bloom

// The verbs of [SplitBlock] that take keys hash them with Config.Hash and allocate nothing; those of digests say what
// a verb costs and promises. A nil and an empty key are one legal key.

// Insert is [SplitBlock.InsertHash] of the key's digest.
func (f *SplitBlock) Insert(key []byte) { f.InsertHash(f.t.Hash.Sum64(key)) }

// InsertString is [SplitBlock.InsertHash] of the key's digest.
func (f *SplitBlock) InsertString(key string) { f.InsertHash(f.t.Hash.Sum64String(key)) }

// InsertUnique is [SplitBlock.InsertUniqueHash] of the key's digest.
func (f *SplitBlock) InsertUnique(key []byte) bool { return f.InsertUniqueHash(f.t.Hash.Sum64(key)) }

// InsertUniqueString is [SplitBlock.InsertUniqueHash] of the key's digest.
func (f *SplitBlock) InsertUniqueString(key string) bool {
	return f.InsertUniqueHash(f.t.Hash.Sum64String(key))
}

// Contains is [SplitBlock.ContainsHash] of the key's digest.
func (f *SplitBlock) Contains(key []byte) bool { return f.ContainsHash(f.t.Hash.Sum64(key)) }

// ContainsString is [SplitBlock.ContainsHash] of the key's digest.
func (f *SplitBlock) ContainsString(key string) bool {
	return f.ContainsHash(f.t.Hash.Sum64String(key))
}
