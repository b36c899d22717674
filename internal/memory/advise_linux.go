package memory

import "syscall"

// adviceHugePage is MADV_HUGEPAGE of madvise(2), which has one value on every architecture that Go runs on.
const adviceHugePage = 14

// advise asks for large pages under b. An allocation of this size begins at a page of the system's;
// should that change, the call fails and nothing else does.
func advise(b []byte) {
	_ = syscall.Madvise(b, adviceHugePage)
}
