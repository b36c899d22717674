//go:build !linux

package measure

import "time"

// ofThread is the time on the wall: what a thread has run is not known here.
func ofThread() time.Duration { return onTheWall() }
