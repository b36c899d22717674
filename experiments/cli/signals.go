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

// untilSignal returns a context that an interrupt or SIGTERM ends. A second one ends the process, whatever it does.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { time.AfterFunc(sameSignal, stop) })
	return ctx, stop
}
