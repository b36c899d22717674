package memory

import (
	"errors"
	"os"
	"syscall"
)

// mapped returns the bytes of a file of that size, above 0, and what gives them back.
func mapped(f *os.File, size int) (b []byte, release func() error, err error) {
	for {
		b, err = syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return b, func() error { return os.NewSyscallError("munmap", syscall.Munmap(b)) }, nil
}

// adviceHugePage is MADV_HUGEPAGE of madvise(2), which has one value on every architecture that Go runs on.
const adviceHugePage = 14

// advise asks for large pages under b. Allocations of this size begin at a page; should that change, the call fails.
func advise(b []byte) {
	_ = syscall.Madvise(b, adviceHugePage)
}
