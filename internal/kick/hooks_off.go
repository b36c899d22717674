//go:build !race && !invariants

package kick

// pause does nothing in ordinary builds, and the compiler removes the calls.
func pause() {}
