package memory

// Tables of LargeBytes or more ask the operating system for pages of 2 MiB, where it has them: one entry of the
// processor's page cache then covers 512 times as much of a table, so that random accesses miss it less often.
//
// The memory comes from the ordinary heap and is collected with it. On Linux the allocation is followed by
// madvise(MADV_HUGEPAGE), which works in the modes "madvise" and "always" of
// /sys/kernel/mm/transparent_hugepage/enabled. It is advice: its failure is no error.

// LargeBytes is the size of the smallest table that asks. Cuckoo tables of 3 and 6 MiB were read as fast without large
// pages; of 12 MiB a fifth slower, and a third slower in batches (Xeon of model 167). The border was not searched for
// between: 8 MiB is what 2048 addresses of small pages cover, as many as such processors remember.
const LargeBytes = 8 << 20

// Bytes returns n zero bytes. From 32 KiB on they begin at a multiple of 64, a cache line.
func Bytes(n int) []byte {
	b := make([]byte, n)
	if n >= LargeBytes {
		advise(b)
	}
	return b
}

// Words returns n zero words, aligned as [Bytes].
func Words(n int) []uint64 {
	w := make([]uint64, n)
	if b, ok := AsBytes(w); ok && len(b) >= LargeBytes {
		advise(b)
	}
	return w
}
