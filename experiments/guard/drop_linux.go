package guard

import (
	"os"

	"golang.org/x/sys/unix"
)

// diskReads is how many pages the program has read from a disk because it touched them.
func diskReads() int {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return int(u.Majflt)
}

// dropPages asks the system to forget a file in memory. What is not on the disk yet stays: sync the file before.
func dropPages(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
