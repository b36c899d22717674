package cli

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// A progress is a bar on a terminal, and elsewhere a log line for every tenth of the work and after two minutes without
// one.
type progress struct {
	bar  *progressbar.ProgressBar // of barSteps, since trials differ a thousandfold; shown on a terminal alone
	log  *slog.Logger
	wide bool      // whether it is a terminal
	next float64   // share at which the next line is due
	said time.Time // when the last line was written

	start time.Time
}

const (
	// longestSilence is after how long without a line the next trial writes one.
	longestSilence = 2 * time.Minute
	barSteps       = 1000
)

func newProgress(w io.Writer) *progress {
	p := &progress{next: 0.1, start: time.Now(), said: time.Now(), wide: report.IsTerminal(w)}
	p.bar = newBar(w, p.wide, barSteps, "measuring", progressbar.OptionSetPredictTime(false))
	var o slog.HandlerOptions
	if p.wide {
		o.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey { // which only a log that is kept needs
				return slog.Attr{}
			}
			return a
		}
	}
	p.log = slog.New(slog.NewTextHandler(lines{w}, &o))
	return p
}

func newBar(w io.Writer, shown bool, total int64, what string, more ...progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, append(more, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(30),
		progressbar.OptionSetVisibility(shown), progressbar.OptionSetSpinnerChangeInterval(0),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetDescription(what))...)
}

// byteBar returns a bar of bytes, -1 if their total is not known, which a terminal alone shows.
func byteBar(cmd *cobra.Command, quiet bool, total int64, what string) *progressbar.ProgressBar {
	w := cmd.ErrOrStderr()
	return newBar(w, !quiet && report.IsTerminal(w), total, what, progressbar.OptionShowBytes(true))
}

// ofBytes returns what sets a bar. A terminal that went away is no reason to stop.
func ofBytes(bar *progressbar.ProgressBar) func(done, total int64) {
	return func(done, total int64) {
		bar.ChangeMax64(max(total, 1))
		_ = bar.Set64(done)
	}
}

// lines is where a log is written, on lines that [say] breaks.
type lines struct{ w io.Writer }

// Write writes a line.
func (l lines) Write(p []byte) (int, error) {
	say(l.w, strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

func (p *progress) say(message string, args ...any) {
	p.end()
	p.log.Info(message, args...)
}

// update is called after each trial, and without an experiment before the first of a sitting that is not the first.
func (p *progress) update(now lab.Progress) {
	left := now.Remaining
	if left == 0 && now.Share > 0 { // of a command that does not learn
		left = time.Duration(float64(time.Since(p.start)) * (1/now.Share - 1))
	}
	left = left.Round(time.Second)
	if p.wide {
		p.bar.Describe(fmt.Sprintf("%-11s %d of %d, %v left", now.Experiment, now.Done, now.Total, left))
		_ = p.bar.Set(int(now.Share * barSteps))
		return
	}
	if now.Share >= p.next || now.Done == now.Total || now.Experiment == "" || time.Since(p.said) >= longestSilence {
		p.said, p.next = time.Now(), (math.Floor(10*now.Share)+1)/10
		p.log.Info("measuring", "figure", now.Experiment, "done", now.Done, "total", now.Total,
			"percent", int(100*now.Share+0.5), "left", left)
	}
}

func (p *progress) end() { _ = p.bar.Clear() }
