//go:build purego

package noescape

// Free is false: in this build Bytes allocates.
const Free = false

// Bytes returns a copy of b, so that b itself does not escape.
func Bytes(b []byte) []byte { return append([]byte(nil), b...) }
