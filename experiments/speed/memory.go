package speed

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// AvailableMemory returns the bytes that a program may still take, or 0 where the system does not tell:
// what Linux counts as available, or less if the control group has a limit.
func AvailableMemory() uint64 {
	meminfo, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	limit, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if err != nil {
		limit = nil // another version of control groups, or none
	}
	return availableMemory(string(meminfo), string(limit))
}

// availableMemory reads the two files: "MemAvailable:  1234 kB" among lines, and a number of bytes or "max".
func availableMemory(meminfo, groupLimit string) uint64 {
	available := uint64(math.MaxUint64)
	if _, rest, ok := strings.Cut(meminfo, "MemAvailable:"); ok {
		if fields := strings.Fields(rest); len(fields) > 0 {
			if kilobytes, err := strconv.ParseUint(fields[0], 10, 54); err == nil {
				available = kilobytes << 10
			}
		}
	}
	if n, err := strconv.ParseUint(strings.TrimSpace(groupLimit), 10, 64); err == nil {
		available = min(available, n)
	}
	if available == math.MaxUint64 {
		return 0
	}
	return available
}
