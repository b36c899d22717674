package cli

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/tabular"
)

// A progress is a bar on a terminal, and elsewhere a log line for every tenth of the work and after two minutes without one.
type progress struct {
	bar  *progressbar.ProgressBar // nil where there is no terminal
	log  *slog.Logger
	next float64   // share at which the next line is due
	said time.Time // when the last line was written

	start time.Time
}

// longestSilence is after how long without a line the next trial writes one.
const longestSilence = 2 * time.Minute

// barSteps is the length of the bar: it moves by expected work, since trials differ a thousandfold.
const barSteps = 1000

func newProgress(w io.Writer) *progress {
	p := &progress{log: slog.New(slog.NewTextHandler(lines{w}, nil)), next: 0.1, start: time.Now(), said: time.Now()}
	if tabular.IsTerminal(w) {
		p.bar = progressbar.NewOptions(barSteps,
			progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetDescription("measuring"))
	}
	return p
}

// lines writes lines for people.
type lines struct{ w io.Writer }

// Write writes a line that [say] breaks.
func (l lines) Write(p []byte) (int, error) {
	say(l.w, strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

// say writes one line, above the bar.
func (p *progress) say(message string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	p.log.Info(message, args...)
}

// update is called after each trial.
func (p *progress) update(now lab.Progress) {
	left := now.Remaining
	if left == 0 && now.Share > 0 { // of a command that does not learn
		left = time.Duration(float64(time.Since(p.start)) * (1/now.Share - 1))
	}
	left = left.Round(time.Second)
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%s, %d of %d trials, %v left", now.Experiment, now.Done, now.Total, left))
		_ = p.bar.Set(int(now.Share * barSteps)) // a terminal that went away is no reason to stop
		return
	}
	if now.Share >= p.next || now.Done == now.Total || time.Since(p.said) >= longestSilence {
		p.said = time.Now()
		p.log.Info("measuring", "figure", now.Experiment, "done", now.Done, "total", now.Total, "percent", int(100*now.Share+0.5), "left", left)
		for p.next <= now.Share {
			p.next += 0.1
		}
	}
}

// end removes the bar.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// writeVerdicts prints the outcome of every claim, for a terminal of so many columns, or 0 for what is none.
func writeVerdicts(w io.Writer, findings []lab.Finding, width int) {
	for _, f := range findings {
		fmt.Fprint(w, tabular.Wrap("", f.Data.About.Title, width))
		for _, v := range f.Verdicts {
			measured := fmt.Sprintf("paper %s; ours %s", v.Paper, v.Ours)
			if v.Interval != "" {
				measured += fmt.Sprintf(" (%s)", v.Interval)
			}
			fmt.Fprint(w, tabular.Wrap(fmt.Sprintf("  %-14s ", outcome(v)), v.Says, width), tabular.Wrap(fmt.Sprintf("  %-14s ", ""), measured, width))
		}
	}
}

// outcome is a verdict in a word.
func outcome(v claims.Verdict) string {
	switch {
	case v.Failed():
		return "FAILS"
	default:
		return v.Status.String()
	}
}
