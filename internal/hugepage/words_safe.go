//go:build purego

package hugepage

// bytesOf returns nothing: a build without package unsafe cannot name the memory of words, so that
// no large pages are asked for there.
func bytesOf([]uint64) []byte { return nil }
