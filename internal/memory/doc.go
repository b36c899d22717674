// Package memory has what tables need of memory.
//
//   - [Load64] and [Store64] read and write little-endian words at any byte offset of a slice, and [AsBytes] and
//     [AsWords] see one as the other. Unaligned machine loads without bounds checks are used where the architecture
//     allows them, and encoding/binary everywhere else and under the build tag purego; a differential fuzz test holds
//     the two together. They do not check that the word lies inside the slice: the caller keeps 8 bytes of padding
//     behind its table. Builds with -race or the tag invariants check it.
//   - [Hide] returns a slice that does not escape.
//   - [Bytes] and [Words] allocate tables, large ones on large pages.
//   - [OpenFile] maps a file where the system can, and reads it where it cannot.
//   - A [Counter] counts what many goroutines do at once.
package memory
