//go:build !race && !invariants

package kick

// In ordinary builds nothing stops at a place and nothing is broken, and the compiler removes the calls.

func pause(Point) {}

func broken(Fault) bool { return false }
