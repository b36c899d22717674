package hugepage

import "github.com/nestfilter/nest/internal/le"

// Threshold is the size of the smallest table that asks. Cuckoo tables of 3 and 6 MiB were read as
// fast without large pages; of 12 MiB a fifth slower, and a third slower in batches (Xeon of model 167).
// The border was not searched for between: 8 MiB is what 2048 addresses of small pages cover, as many as
// such processors remember.
const Threshold = 8 << 20

// Bytes returns n zero bytes. From 32 KiB on they begin at a multiple of 64, a cache line.
func Bytes(n int) []byte {
	b := make([]byte, n)
	if n >= Threshold {
		advise(b)
	}
	return b
}

// Words returns n zero words, aligned as [Bytes].
func Words(n int) []uint64 {
	w := make([]uint64, n)
	if b, ok := le.Bytes(w); ok && len(b) >= Threshold {
		advise(b)
	}
	return w
}
