// Package memory tells how much memory the program may still take.
package memory

import (
	"io/fs"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Available returns the bytes that the program may still take, or 0 where the system does not tell. On Linux it
// is the least of what /proc/meminfo counts as available, of what is left below the limits of every control group
// (version 1 or 2) around the program, and of what is left below its own limits of address space and data (ulimit -v,
// ulimit -d). It is an estimate: others take memory too, and a limit that the program cannot read is not in it.
func Available() uint64 {
	if runtime.GOOS != "linux" {
		return 0
	}
	available := leastMemory(os.DirFS("/"))
	if available == math.MaxUint64 {
		return 0
	}
	return max(available, 1) // nothing is left, which is known
}

// leastMemory reads the files of Linux below root. Without any limit it is the largest number.
func leastMemory(root fs.FS) uint64 {
	available := uint64(math.MaxUint64)
	if n, ok := kilobytes(readText(root, "proc/meminfo"), "MemAvailable:"); ok {
		available = n
	}
	return min(available, groupMemory(root), processMemory(root))
}

// The heap of Go grows in arenas of 64 MiB of address space (runtime/malloc.go), so that a large table may need the
// better part of one more than it asks for, and so may all else. Little fits into the first one, which the process has
// had since it began. Tried with ulimit -v on linux/amd64: where it left 240 MB, tables of 24 MiB could not be made.
const (
	arenas     = 2 << 26
	firstArena = 8 << 20
)

// processMemory is what is left below the limits of the process itself. The heap counts as data.
func processMemory(root fs.FS) uint64 {
	limits, status := readText(root, "proc/self/limits"), readText(root, "proc/self/status")
	left := func(limit, used string) (uint64, bool) {
		n, ok := firstNumber(after(limits, limit))
		m, known := kilobytes(status, used)
		return less(n, m), ok && known
	}
	least := uint64(math.MaxUint64)
	if space, ok := left("Max address space", "VmSize:"); ok {
		least = max(less(space, arenas), min(space, firstArena))
	}
	if data, ok := left("Max data size", "VmData:"); ok {
		least = min(least, data)
	}
	return least
}

// less subtracts, down to 0.
func less(n, m uint64) uint64 { return n - min(n, m) }

// readText is a file's text, or empty: what cannot be read limits nothing that is known.
func readText(root fs.FS, name string) string {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return string(text)
}

// after is what follows a word that begins a line.
func after(text, word string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, word); ok {
			return rest
		}
	}
	return ""
}

// firstNumber reads the number that a text begins with; "max" and "unlimited" are none.
func firstNumber(text string) (uint64, bool) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(fields[0], 10, 64)
	return n, err == nil
}

// kilobytes reads the value of a line such as "MemAvailable:  1234 kB", in bytes.
func kilobytes(text, word string) (uint64, bool) {
	n, ok := firstNumber(after(text, word))
	return n << 10, ok && n < 1<<54
}
