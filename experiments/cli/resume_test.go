package cli

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
)

// stopping is an experiment of ten trials that is interrupted within the fourth, or whose fourth fails.
type stopping struct {
	stop func() error // called by the fourth; nil never stops
	need int64        // bytes

	fails bool // the claim
}

func (s stopping) experiment() *lab.Experiment {
	n := 0
	return &lab.Experiment{
		Name: "stopping", Title: "Ten trials", Timed: "n", Grid: lab.Grid{{Series: "s", Trials: lab.Times(10, 10, 10)}},
		Trial: lab.Trial{
			Counts: "n", Needs: func(lab.Cell) (float64, int64) { return 1, s.need },
			Run: func(ctx context.Context, _ lab.Cell, seed uint64) ([]int, error) {
				if n++; n == 4 && s.stop != nil {
					return nil, errors.Join(s.stop(), ctx.Err())
				}
				return []int{int(seed >> 40)}, nil
			},
		},
		Claims: []lab.Rule{func(*lab.Data) []claims.Verdict {
			v := claims.Verdict{Claim: claims.Claim{Says: "it ends", Paper: "-", Machine: !s.fails}, Ours: "-", Status: claims.Holds}
			if s.fails {
				v.Status, v.Why = claims.Unexplained, "arithmetic"
			}
			return []claims.Verdict{v}
		}},
	}
}

// sits is one sitting of nest reproduce, which ends with that status and prints and says what has these texts.
func sits(t *testing.T, ctx context.Context, e stopping, status int, out, err string, args ...string) (stderr string) {
	t.Helper()
	var stdout, errs bytes.Buffer
	root := newRootCommand(lab.Registry{Experiments: []*lab.Experiment{e.experiment()}})
	got := runCommand(ctx, root, append([]string{"reproduce", "--profile", "tiny", "--formats", "svg"}, args...), &stdout, &errs)
	if got != status || !strings.Contains(stdout.String(), out) || !strings.Contains(errs.String(), err) {
		t.Fatalf("%q: status %d, want %d with %q and %q: %s%s", args, got, status, out, err, &stdout, &errs)
	}
	return errs.String()
}

// failingTrial is an experiment whose fourth trial fails.
func failingTrial() stopping { return stopping{stop: func() error { return errors.New("boom") }} }

func TestReproduce_GoesOnAfterInterrupt(t *testing.T) {
	dir := t.TempDir()
	under, partial := filepath.Join(dir, "a"), filepath.Join(dir, "a", "report.partial")
	out := "--out=" + filepath.Join(under, "report") + string(filepath.Separator)
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := stopping{stop: func() error { cancel(); return nil }}
	sits(t, ctx, interrupted, exitInterrupted, "", "3 finished trials are kept in "+partial, out)
	sits(t, t.Context(), failingTrial(), exitUsage, "", "boom; 6 finished trials are kept in "+partial, out)
	holds(t, under, "report.partial")
	stderr := sits(t, t.Context(), stopping{}, exitOK, "10 trials, 6 of them of earlier sittings,", "kept=6 left=4", out)
	has(t, stderr, `msg=measuring figure="" done=6 total=10 percent=60`)
	holds(t, under, "report")
	sits(t, t.Context(), stopping{}, exitOK, "", "", "--out", filepath.Join(dir, "b"))
	alike(t, filepath.Join(under, "report"), filepath.Join(dir, "b"), "stopping.csv", "verdicts.csv")
}

func TestReproduce_RefusesOtherTrials(t *testing.T) {
	dir := t.TempDir()
	out := "--out=" + filepath.Join(dir, "report")
	sits(t, t.Context(), failingTrial(), exitUsage, "", "boom", out)
	path := filepath.Join(dir, "report.partial")
	whole := readAll(t, path)
	for _, c := range []struct{ content, flag, want string }{
		{whole, "--seed=2", "it is of seed 1, this run of 2"},
		{whole, "--profile=quick", "it is of profile tiny, this run of quick"},
		{strings.Replace(whole, `["s",`, `["t",`, 1), "--seed=1", path + ":3: corrupt line: its checksum is"},
	} {
		writeKeys(t, dir, "report.partial", c.content)
		stderr := sits(t, t.Context(), stopping{}, exitUsage, "", c.want, out, c.flag)
		if has(t, stderr, "--restart"); strings.Count(stderr, "\n") != 1 {
			t.Error(stderr)
		}
		if readAll(t, path) != c.content || content(t, dir) != "report.partial" {
			t.Errorf("%s: the refused trials were touched", c.want)
		}
	}
	stderr := sits(t, t.Context(), stopping{}, exitOK, "", "", out, "--restart", "--seed=2")
	if strings.Contains(stderr, "kept=") || content(t, dir) != "report" {
		t.Errorf("with --restart: %s", stderr)
	}
}

// What somebody has put where the trials would be is left alone.
func TestReproduce_LeavesAForeignFile(t *testing.T) {
	dir := t.TempDir()
	writeKeys(t, dir, "report.partial", "mine")
	for _, restart := range []string{"--restart=false", "--restart"} {
		sits(t, t.Context(), stopping{}, exitUsage, "", "report.partial: ", "--out", filepath.Join(dir, "report"), restart)
		if readAll(t, filepath.Join(dir, "report.partial")) != "mine" || content(t, dir) != "report.partial" {
			t.Errorf("left %s", content(t, dir))
		}
	}
}

func TestReproduce_TooLittleMemory(t *testing.T) {
	dir := t.TempDir()
	sits(t, t.Context(), stopping{need: 1 << 60}, exitUsage, "", "not enough memory: a trial of stopping", "--out", filepath.Join(dir, "report"))
	holds(t, dir, "")
}

// A log that nobody has written to for two minutes gets a line, however little has been done.
func TestProgress_IsNeverSilentForLong(t *testing.T) {
	var log bytes.Buffer
	p := newProgress(&log)
	step := lab.Progress{Experiment: "x", Done: 1, Total: 1000, Share: 0.001, Remaining: time.Hour}
	p.update(step)
	if log.Len() > 0 {
		t.Errorf("after no time: %s", log.String())
	}
	p.said = p.said.Add(-longestSilence)
	p.update(step)
	p.update(step)
	if got := strings.Count(log.String(), "msg=measuring"); got != 1 {
		t.Errorf("after two minutes: %d lines: %s", got, log.String())
	}
}

// TestReproduce_FromAReport takes all trials of a report, and runs what it lacks: nothing, so that the tables are its
// bytes.
func TestReproduce_FromAReport(t *testing.T) {
	first, dir := reproduced(t), t.TempDir()
	second := filepath.Join(dir, "b")
	says(t, exitOK, "72 of them of earlier sittings", "", append(tinyReport, second, "--earlier", first)...)
	alike(t, first, second, "fig3.csv")
	says(t, exitUsage, "", "--earlier: ", append(tinyReport, filepath.Join(dir, "c"), "--earlier", first, "--seed", "2")...)
	says(t, exitUsage, "", "--earlier: ", append(tinyReport, filepath.Join(dir, "c"), "--earlier", dir)...)
}

// TestReproduce_FromARunUnderWay takes the trials of a run that was broken off, which cannot be drawn yet.
func TestReproduce_FromARunUnderWay(t *testing.T) {
	dir := t.TempDir()
	sits(t, t.Context(), failingTrial(), exitUsage, "", "boom", "--out", filepath.Join(dir, "a"))
	partial := filepath.Join(dir, "a.partial")
	sits(t, t.Context(), stopping{}, exitOK, "10 trials, 3 of them of earlier sittings,", "",
		"--out", filepath.Join(dir, "b"), "--earlier", partial)
	says(t, exitUsage, "", "nest reproduce goes on with it", "report", "redraw", partial)
	says(t, exitOK, "", "", "chart", filepath.Join(partial, "stopping.csv"), "--x", "trial", "--y", "n", "--series", "series",
		"-o", filepath.Join(dir, "s.svg"))
}
