//go:build !amd64 || purego

package bloomcore

// There are no kernels: nothing calls what stands here for them.
func splitVectors() bool { return false }
func blockVectors() bool { return false }

func splitHasAVX2(_ *uint64, _, _ uint64) bool                        { return false }
func splitSetAVX2(_ *uint64, _, _ uint64) bool                        { return false }
func splitHasEachAVX2(_ *uint64, _ uint64, _ *uint64, _ *bool, _ int) {}
func splitSetAllAVX2(_ *uint64, _ uint64, _ *uint64, _ int)           {}

func blockHasAVX512(_ *uint64, _, _, _, _ uint64) bool                        { return false }
func blockSetAVX512(_ *uint64, _, _, _, _ uint64) bool                        { return false }
func blockHasEachAVX512(_ *uint64, _, _, _ uint64, _ *uint64, _ *bool, _ int) {}
func blockSetAllAVX512(_ *uint64, _, _, _ uint64, _ *uint64, _ int)           {}
