package hashing

// A Hasher maps keys to 64-bit digests. The constructors of this package give the built-in
// families; a program may pass its own wherever a Hasher is taken.
//
// An implementation promises:
//
//   - Equal bytes give equal digests, in whichever form they come: Sum64String(s) is Sum64([]byte(s)), and
//     Sum64Uint64(k) is Sum64 of the 8 little-endian bytes of k. A nil key and an empty key are one legal key.
//   - The key is neither modified, nor kept after the call returns, nor handed to another goroutine. Filters hide it
//     from escape analysis, so that it can stay on the caller's stack. Nothing can check this.
//   - All methods may be called from several goroutines at once.
//   - All 64 bits of a digest are well mixed. A filter takes the bucket from the high bits and the fingerprint from the
//     low 32, so a weak half shows as a higher false-positive rate, and a family that leaves the high bits constant
//     puts every key into one bucket. [Mix64] repairs digests that are distinct but badly spread.
//   - The digests of a Recipe never change, from one process or release to the next.
type Hasher interface {
	Sum64(key []byte) uint64       // the digest of key
	Sum64String(key string) uint64 // the digest of the bytes of key
	Sum64Uint64(k uint64) uint64   // the digest of the 8 little-endian bytes of k
	Name() string                  // of the family, such as "xxh64"
	// Recipe is a string of the characters a-z, 0-9, ':', '.' and '-' that tells this hasher from every other, seed and
	// parameters included, such as "xxh64:0". Filters compare recipes before they merge and store them in their files.
	// A user's own family takes a name that is not in this package.
	Recipe() string
}
