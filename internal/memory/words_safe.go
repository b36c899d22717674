//go:build purego || !(386 || amd64 || arm64 || loong64 || ppc64le || riscv64 || wasm)

package memory

// AsBytes returns false: this build does not see values as bytes.
func AsBytes[T uint64 | bool]([]T) ([]byte, bool) { return nil, false }

// AsWords returns false: this build does not see bytes as words.
func AsWords([]byte) ([]uint64, bool) { return nil, false }
