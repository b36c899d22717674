//go:build !linux

package guard

// diskReads is unknown.
func diskReads() int { return 0 }

// dropPages does nothing: only Linux has a call for it that Go offers.
func dropPages(string) error { return nil }
