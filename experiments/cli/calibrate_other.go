//go:build !linux

package cli

import "time"

// threadTime is the time on the wall: these systems do not tell that of a thread in package syscall.
func threadTime() time.Duration { return time.Since(began) }
