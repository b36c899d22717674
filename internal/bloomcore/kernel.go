//go:build amd64 && !purego

package bloomcore

import (
	"github.com/nestfilter/nest/internal/cpu"
	"github.com/nestfilter/nest/internal/invariants"
)

//go:generate go -C asm run . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg bloomcore

// splitVectors and blockVectors tell whether the kernels run. Builds with -race do without: the race
// detector does not see what assembly reads and writes.
func splitVectors() bool { return cpu.HasAVX2 && !invariants.Enabled }
func blockVectors() bool { return cpu.HasAVX512 && !invariants.Enabled }
