package measure

import (
	"time"

	"golang.org/x/sys/unix"
)

// ofThread is how long this thread has run: time in which the system runs others in its place is not in it.
func ofThread() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return onTheWall()
	}
	return time.Duration(t.Nano())
}
