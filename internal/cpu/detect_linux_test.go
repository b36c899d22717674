//go:build amd64 && !purego

package cpu_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/internal/cpu"
)

// TestDetect_AgreesWithKernel compares with the flags that Linux lists: those that the processor has
// and that the kernel saves the registers for.
func TestDetect_AgreesWithKernel(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	_, line, ok := strings.Cut(string(info), "\nflags")
	if !ok {
		t.Skip("no flags in /proc/cpuinfo")
	}
	line, _, _ = strings.Cut(line, "\n")
	flags := strings.Fields(line)
	has := func(want ...string) bool {
		return !slices.ContainsFunc(want, func(f string) bool { return !slices.Contains(flags, f) })
	}
	if want := has("avx2"); cpu.HasAVX2 != want {
		t.Errorf("HasAVX2 is %t, the kernel says %t", cpu.HasAVX2, want)
	}
	if want := has("avx2", "avx512f", "avx512dq", "avx512bw", "avx512vl"); cpu.HasAVX512 != (want && cpu.MayAVX512) {
		t.Errorf("HasAVX512 is %t, the kernel says %t", cpu.HasAVX512, want)
	}
}
