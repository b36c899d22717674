package cpu_test

import (
	"testing"

	"github.com/nestfilter/nest/internal/cpu"
)

// TestImplication_AVX512HasAVX2 holds in every build.
func TestImplication_AVX512HasAVX2(t *testing.T) {
	if cpu.HasAVX512 && !cpu.HasAVX2 {
		t.Error("HasAVX512 without HasAVX2")
	}
}
