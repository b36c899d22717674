package rediscf

// Every verb takes a key as bytes, as a string or, fastest, as a digest. The digest forms say what a verb
// costs and promises.

// Add is [Filter.AddHash] of the key's digest.
func (f *Filter) Add(key []byte) error { return f.AddHash(Digest(key)) }

// AddString is [Filter.AddHash] of the key's digest.
func (f *Filter) AddString(key string) error { return f.AddHash(DigestString(key)) }

// AddNX is [Filter.AddNXHash] of the key's digest.
func (f *Filter) AddNX(key []byte) (added bool, err error) { return f.AddNXHash(Digest(key)) }

// AddNXString is [Filter.AddNXHash] of the key's digest.
func (f *Filter) AddNXString(key string) (added bool, err error) {
	return f.AddNXHash(DigestString(key))
}

// Exists is [Filter.ExistsHash] of the key's digest.
func (f *Filter) Exists(key []byte) bool { return f.ExistsHash(Digest(key)) }

// ExistsString is [Filter.ExistsHash] of the key's digest.
func (f *Filter) ExistsString(key string) bool { return f.ExistsHash(DigestString(key)) }

// Del is [Filter.DelHash] of the key's digest.
func (f *Filter) Del(key []byte) bool { return f.DelHash(Digest(key)) }

// DelString is [Filter.DelHash] of the key's digest.
func (f *Filter) DelString(key string) bool { return f.DelHash(DigestString(key)) }

// Count is [Filter.CountHash] of the key's digest.
func (f *Filter) Count(key []byte) int { return f.CountHash(Digest(key)) }

// CountString is [Filter.CountHash] of the key's digest.
func (f *Filter) CountString(key string) int { return f.CountHash(DigestString(key)) }
