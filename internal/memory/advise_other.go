//go:build !linux

package memory

// advise does nothing: this system has no such advice, or gives large pages without being asked.
func advise([]byte) {}
