package cli

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"time"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// A progress is a log of a run: a line for every tenth of the work, and after two minutes without one.
type progress struct {
	*slog.Logger
	next  float64   // share at which the next line is due
	said  time.Time // when the last line was written
	start time.Time
}

// longestSilence is after how long without a line the next trial writes one.
const longestSilence = 2 * time.Minute

func newProgress(w io.Writer) *progress {
	return &progress{slog.New(slog.NewTextHandler(w, nil)), 0.1, time.Now(), time.Now()}
}

// update is called after each trial, and without an experiment before the first of a sitting that is not the first.
func (p *progress) update(now lab.Progress) {
	if now.Share < p.next && now.Done < now.Total && now.Experiment != "" && time.Since(p.said) < longestSilence {
		return
	}
	left := now.Remaining
	if left == 0 && now.Share > 0 { // of a command that does not learn
		left = time.Duration(float64(time.Since(p.start)) * (1/now.Share - 1))
	}
	p.said, p.next = time.Now(), (math.Floor(10*now.Share)+1)/10
	p.Info("measuring", "figure", now.Experiment, "done", now.Done, "total", now.Total,
		"percent", int(100*now.Share+0.5), "left", left.Round(time.Second))
}

// announced is what a run is said to take on this machine.
func announced(e lab.Estimate) slog.Attr {
	d := time.Duration(float64(e.Time) * measure.Slowness())
	return slog.Group("", "expected", fmt.Sprintf("%v on this machine when idle", d.Round(100*time.Millisecond)),
		"memory", claims.Bytes(int(e.Bytes)))
}
