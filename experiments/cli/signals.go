package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// sameSignal is how long after the first signal others count as the same: timeout(1) sends each twice.
const sameSignal = 100 * time.Millisecond

// untilSignal returns a context that an interrupt or SIGTERM ends. A second one calls end, whatever the command does.
func untilSignal(end func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go watch(signals, done, cancel, end)
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// watch calls cancel at the first signal, and end at a later one, until it is done.
func watch(signals <-chan os.Signal, done <-chan struct{}, cancel, end func()) {
	var first time.Time
	for {
		select {
		case <-done:
			return
		case <-signals:
		}
		switch {
		case first.IsZero():
			first = time.Now()
			cancel()
		case time.Since(first) > sameSignal:
			end()
		}
	}
}
