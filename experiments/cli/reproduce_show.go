package cli

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
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
	var options slog.HandlerOptions
	p := &progress{next: 0.1, start: time.Now(), said: time.Now()}
	if tabular.IsTerminal(w) {
		options.ReplaceAttr = withoutTime
		p.bar = newBar(w, barSteps, "measuring", progressbar.OptionSetPredictTime(false))
	}
	p.log = slog.New(slog.NewTextHandler(lines{w}, &options))
	return p
}

func newBar(w io.Writer, total int64, what string, more ...progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, append(more, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription(what))...)
}

// withoutTime leaves out of a line what only a log that is kept needs.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
		return slog.Attr{}
	}
	return a
}

type lines struct{ w io.Writer }

// Write writes a line that [say] breaks.
func (l lines) Write(p []byte) (int, error) {
	say(l.w, strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

func (p *progress) say(message string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	p.log.Info(message, args...)
}

// update is called after each trial, and without an experiment before the first of a sitting that is not the first.
func (p *progress) update(now lab.Progress) {
	left := now.Remaining
	if left == 0 && now.Share > 0 { // of a command that does not learn
		left = time.Duration(float64(time.Since(p.start)) * (1/now.Share - 1))
	}
	left = left.Round(time.Second)
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%-11s %d of %d, %v left", now.Experiment, now.Done, now.Total, left))
		_ = p.bar.Set(int(now.Share * barSteps)) // a terminal that went away is no reason to stop
		return
	}
	if now.Share >= p.next || now.Done == now.Total || now.Experiment == "" || time.Since(p.said) >= longestSilence {
		p.said = time.Now()
		p.log.Info("measuring", "figure", now.Experiment, "done", now.Done, "total", now.Total, "percent", int(100*now.Share+0.5), "left", left)
		for p.next <= now.Share {
			p.next += 0.1
		}
	}
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// screen is the number of lines of the narrowest usual terminal, less one for the prompt.
const screen = 23

// writeOutcome prints the outcome of a run on one screen: how many claims hold, which do not as far as there is room, the
// worst first, and the end. The report has all of it.
func writeOutcome(w io.Writer, findings []lab.Finding, end string) error {
	summary := tabular.Wrap("", lab.Summary(findings), tabular.TextWidth)
	end = tabular.Wrap("", end, tabular.TextWidth)
	rows := departing(findings)
	if room := screen - strings.Count(summary+end, "\n"); len(rows) > room {
		rows = append(rows[:room-1], fmt.Sprintf("  and %d more, which the report has", len(rows)-room+1))
	}
	_, err := io.WriteString(w, summary+strings.Join(append(rows, end), "\n"))
	return err
}

// departing are the claims that were measured and do not hold, a line each: first those that fail, then what nobody has
// explained, and of equals the paper's before our own.
func departing(findings []lab.Finding) []string {
	order := []claims.Status{claims.Unexplained, claims.Differs, claims.Undecided}
	by := make([][]string, 2*(1+len(order)))
	for _, f := range findings {
		for _, v := range f.Verdicts {
			rank, what := 2*(1+slices.Index(order, v.Status)), v.Status.String()
			switch {
			case v.Failed():
				rank, what = 0, "FAILS"
			case rank == 0: // holds, or is not measured
				continue
			}
			if !v.OfPaper() {
				rank++
			}
			line := fmt.Sprintf("  %-11s %s: %s: paper %s; ours %s", what, f.Data.About.Name, v.Says, v.Paper, v.Ours)
			by[rank] = append(by[rank], text.Snip(line, tabular.TextWidth, "..."))
		}
	}
	return slices.Concat(by...)
}
