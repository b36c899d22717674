package memory

import "syscall"

// adviceHugePage is MADV_HUGEPAGE of madvise(2), which has one value on every architecture that Go runs on.
const adviceHugePage = 14

// advise asks for large pages under b. Allocations of this size begin at a page; should that change, the call fails.
func advise(b []byte) {
	_ = syscall.Madvise(b, adviceHugePage)
}
