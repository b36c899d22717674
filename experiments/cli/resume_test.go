package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
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
			return []claims.Verdict{{Claim: claims.Claim{Says: "it ends", Paper: "-", Machine: true}, Ours: "-", Status: claims.Holds}}
		}},
	}
}

// sit is one sitting of nest reproduce.
func sit(ctx context.Context, e stopping, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	root := newRootCommand(lab.Registry{Experiments: []*lab.Experiment{e.experiment()}})
	status = runCommand(ctx, root, append([]string{"reproduce", "--profile", "tiny"}, args...), &out, &errs)
	return status, out.String(), errs.String()
}

func TestReproduce_GoesOnAfterInterrupt(t *testing.T) {
	dir := t.TempDir()
	out := "--out=" + filepath.Join(dir, "a", "report") + string(filepath.Separator)
	ctx, cancel := context.WithCancel(t.Context())
	status, _, stderr := sit(ctx, stopping{stop: func() error { cancel(); return nil }}, out)
	if status != exitInterrupted || !strings.Contains(stderr, "3 finished trials are kept in "+filepath.Join(dir, "a", "report.partial")) {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if got := content(t, filepath.Join(dir, "a")); got != "report.partial" {
		t.Fatalf("left %s", got)
	}
	status, _, stderr = sit(t.Context(), stopping{stop: func() error { return errors.New("boom") }}, out)
	if status != exitUsage || !strings.Contains(stderr, "boom; 6 finished trials are kept in "+filepath.Join(dir, "a", "report.partial")) || content(t, filepath.Join(dir, "a")) != "report.partial" {
		t.Fatalf("an error in the second sitting: status %d, %s", status, stderr)
	}
	status, stdout, stderr := sit(t.Context(), stopping{}, out)
	if status != exitOK || !strings.Contains(stderr, "kept=6 left=4") || !strings.Contains(stderr, `msg=measuring figure="" done=6 total=10 percent=60`) || !strings.Contains(stdout, "10 trials, 6 of them of earlier sittings,") {
		t.Fatalf("the third sitting: status %d, %s, %s", status, stdout, stderr)
	}
	if got := content(t, filepath.Join(dir, "a")); got != "report" {
		t.Errorf("left %s", got)
	}
	if status, _, stderr := sit(t.Context(), stopping{}, "--out", filepath.Join(dir, "b")); status != exitOK {
		t.Fatal(stderr)
	}
	for _, name := range []string{"stopping.csv", "verdicts.csv"} {
		a, err1 := os.ReadFile(filepath.Join(dir, "a", "report", name))
		b, err2 := os.ReadFile(filepath.Join(dir, "b", name))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs from that of one sitting: %v", name, err)
		}
	}
}

func TestReproduce_RefusesOtherTrials(t *testing.T) {
	dir := t.TempDir()
	out := "--out=" + filepath.Join(dir, "report")
	boom := stopping{stop: func() error { return errors.New("boom") }}
	if status, _, stderr := sit(t.Context(), boom, out); status != exitUsage {
		t.Fatal(stderr)
	}
	path := filepath.Join(dir, "report.partial", "stopping.csv")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Replace(whole, []byte("\ns,"), []byte("\nt,"), 1)
	for _, c := range []struct {
		name    string
		content []byte
		args    []string
		want    string
	}{
		{"seed", whole, []string{"--seed=2"}, "it is of seed 1, this run of 2"},
		{"profile", whole, []string{"--profile=quick"}, "it is of profile tiny, this run of quick"},
		{"damage", newer, nil, path + ":2: corrupt line: its checksum is"},
	} {
		if err := os.WriteFile(path, c.content, 0o644); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := sit(t.Context(), stopping{}, append(c.args, out)...)
		if status != exitUsage || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, "--restart") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("another %s: status %d, %s", c.name, status, stderr)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, c.content) || content(t, dir) != "report.partial" {
			t.Errorf("another %s: the refused trials were touched", c.name)
		}
	}
	status, stdout, stderr := sit(t.Context(), stopping{}, out, "--restart", "--seed=2")
	if status != exitOK || strings.Contains(stderr, "kept=") || content(t, dir) != "report" {
		t.Errorf("with --restart: status %d, %s, %s", status, stdout, stderr)
	}
}

// What somebody has put beside the trials is no reason to keep the verdicts back.
func TestReproduce_LeavesForeignFilesBesideTheTrials(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "report.partial", "mine.txt")
	if err := errors.Join(os.Mkdir(filepath.Dir(mine), 0o755), os.WriteFile(mine, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	args := []string{"--out", filepath.Join(dir, "report"), "--force"}
	for _, more := range []string{"", "--restart"} {
		status, stdout, stderr := sit(t.Context(), stopping{}, append(args, strings.Fields(more)...)...)
		if status != exitOK || !strings.Contains(stdout, "1 check of our own: 1 holds") || !strings.Contains(stderr, "stays, for it holds files of somebody else: mine.txt") {
			t.Errorf("status %d, %s, %s", status, stdout, stderr)
		}
		if got := content(t, filepath.Dir(mine)); got != "mine.txt" || content(t, dir) != "report report.partial" {
			t.Errorf("left %s, beside %s", got, content(t, dir))
		}
	}
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

func TestReproduce_TooLittleMemory(t *testing.T) {
	dir := t.TempDir()
	status, _, stderr := sit(t.Context(), stopping{need: 1 << 60}, "--out", filepath.Join(dir, "report"))
	if status != exitUsage || !strings.Contains(stderr, "not enough memory: a trial of stopping") || content(t, dir) != "" {
		t.Errorf("status %d, %s, left %q", status, stderr, content(t, dir))
	}
}
