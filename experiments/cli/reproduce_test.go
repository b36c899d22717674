package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// runNest runs the whole command line.
func runNest(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = mainOf(args, &out, &errs)
	return status, out.String(), errs.String()
}

// content lists a folder, "" if there is none.
func content(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestReproduce_WritesTheFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a", "report")
	args := []string{"reproduce", "--out", out, "--profile", "tiny", "--seed", "7", "--only", "fig3", "--formats", "svg"}
	status, stdout, stderr := runNest(args...)
	if status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	if got, want := content(t, out), "REPRODUCING.md bench.txt fig3.csv fig3.svg fig3.tex manifest.json report.html report.md verdicts.csv verdicts.tex"; got != want {
		t.Errorf("the folder holds %s, want %s", got, want)
	}
	if !strings.Contains(stdout, "checks of our own") || !strings.Contains(stdout, "report.html") {
		t.Errorf("stdout: %s", stdout)
	}
	if !strings.Contains(stderr, "expected=") || !strings.Contains(stderr, "percent=100") {
		t.Errorf("stderr: %s", stderr)
	}
	var manifest report.Manifest
	data, err := os.ReadFile(filepath.Join(out, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(data, &manifest)
	}
	if err != nil || !slices.Equal(manifest.Seeds, []uint64{7}) || manifest.Profile != "tiny" || len(manifest.Files) != 9 || manifest.Kind != "reproduce" {
		t.Errorf("manifest: %+v, %v", manifest, err)
	}

	if status, _, stderr := runNest(args...); status != exitUsage || !strings.Contains(stderr, "--out") {
		t.Errorf("a second time: status %d, %s", status, stderr)
	}
	if status, _, stderr := runNest(append(args, "--force", "--workers", "1")...); status != exitOK {
		t.Errorf("with --force: status %d, %s", status, stderr)
	}
	mine := filepath.Join(out, "mine.txt")
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, again := range [][]string{append(args, "--force"), {"report", "redraw", out}, {"report", "redraw", out, "--out", out, "--force"}} {
		status, _, stderr := runNest(again...)
		if _, err := os.Stat(mine); status != exitUsage || !strings.Contains(stderr, "would be lost: mine.txt") || err != nil {
			t.Errorf("%q: status %d, %s, %v", again, status, stderr, err)
		}
	}
}

// The help says what the command itself estimates.
func TestReproduce_HelpSaysTheEstimate(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("profile paper needs a 64-bit build")
	}
	o := lab.Options{Profile: lab.Paper, Seed: 1, Workers: 2, Memory: 16 << 30}
	expected, err := experiments.Default().Estimate(o)
	if err != nil {
		t.Fatal(err)
	}
	memory := fmt.Sprintf("%.1f GiB", float64(expected.Bytes)/(1<<30))
	if hours := expected.Time.Hours(); hours < 2.25 || hours >= 2.75 || !strings.Contains(profileHelp, "two and a half hours and "+memory) {
		t.Errorf("%.2f hours and %s; the help: %s", hours, memory, profileHelp)
	}
}

func TestReproduce_BadInput(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	full := filepath.Join(dir, "full")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(full, "something"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := content(t, dir)
	out := "--out=" + filepath.Join(dir, "new")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{}, []string{"--out"}},
		{[]string{"--out="}, []string{"--out"}},
		{[]string{"--out=" + file}, []string{"--out", file}},
		{[]string{"--out=" + filepath.Join(file, "under")}, []string{"--out", file}},
		{[]string{"--out=" + full}, []string{"--out", full, "not empty"}},
		{[]string{"--out=" + full, "--force"}, []string{"--out", full, "manifest.json"}},
		{[]string{out, "--only=fig9"}, []string{"--only", "fig9", "fig2, fig3, fig4"}},
		{[]string{out, "--only="}, []string{"--only", "fig2, fig3, fig4"}},
		{[]string{out, "--profile=huge"}, []string{"--profile", "huge", "tiny, quick, paper"}},
		{[]string{out, "--formats=gif"}, []string{"--formats", "gif", "png, svg, pdf"}},
		{[]string{out, "--seed=-1"}, []string{"--seed", "-1"}},
		{[]string{out, "--seed=x"}, []string{"--seed", "x"}},
		{[]string{out, "--workers=0"}, []string{"--workers", "0"}},
		{[]string{out, "--runs=0"}, []string{"--runs", "0"}},
		{[]string{out, "--runs=5"}, []string{"--runs", "--profile paper"}},
		{[]string{out, "--huge"}, []string{"--huge", "--profile paper"}},
		{[]string{out, "stray"}, []string{"stray"}},
		{[]string{out, "--unknown"}, []string{"--unknown"}},
	} {
		status, stdout, stderr := runNest(append([]string{"reproduce"}, c.args...)...)
		if status != exitUsage || stdout != "" || strings.Count(stderr, "nest: ") != 1 || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, stdout %q, stderr %q", c.args, status, stdout, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%q: %q does not mention %q", c.args, stderr, want)
			}
		}
		if got := content(t, dir); got != before {
			t.Errorf("%q left %s", c.args, got)
		}
	}
}

// failing is an experiment whose claim does not hold, or that is interrupted.
func failing(interrupt context.CancelFunc) *lab.Experiment {
	return &lab.Experiment{
		Name: "failing", Title: "A claim", Grid: lab.Grid{{Series: "s", Trials: lab.Times(2, 2, 2)}},
		Trial: lab.Trial{Counts: "n", Run: func(ctx context.Context, _ lab.Cell, _ uint64) ([]int, error) {
			if interrupt != nil {
				interrupt()
			}
			return []int{1}, ctx.Err()
		}},
		Claims: []lab.Rule{func(*lab.Data) []claims.Verdict {
			return []claims.Verdict{{Claim: claims.Claim{Says: "two is three", Paper: "3"}, Ours: "2", Status: claims.Unexplained, Why: "arithmetic"}}
		}},
	}
}

func TestReproduce_FailedClaimIsStatus1(t *testing.T) {
	out := filepath.Join(t.TempDir(), "report")
	root := newRootCommand(lab.Registry{Experiments: []*lab.Experiment{failing(nil)}})
	var stdout, stderr bytes.Buffer
	status := runCommand(t.Context(), root, []string{"reproduce", "--out", out, "--profile", "tiny"}, &stdout, &stderr)
	if status != exitFailed || !strings.Contains(stderr.String(), "a claim does not hold: 1 in all") {
		t.Errorf("status %d, %s", status, stderr.String())
	}
	if !strings.Contains(stdout.String(), "FAILS       failing: two is three") || !strings.Contains(content(t, out), "report.html") {
		t.Errorf("stdout %s, folder %s", stdout.String(), content(t, out))
	}
}

func TestReproduce_EarlyInterruptLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	root := newRootCommand(lab.Registry{Experiments: []*lab.Experiment{failing(cancel)}})
	var stdout, stderr bytes.Buffer
	args := []string{"reproduce", "--out", filepath.Join(dir, "a", "report"), "--profile", "tiny"}
	status := runCommand(ctx, root, args, &stdout, &stderr)
	if status != exitInterrupted || content(t, dir) != "" || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("status %d, %q, left %q", status, stderr.String(), content(t, dir))
	}
}

func TestRoot_HelpAndSuggestions(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"--help"}, {"help", "reproduce"}, {"reproduce", "-h"}} {
		status, stdout, stderr := runNest(args...)
		if status != exitOK || stderr != "" || !strings.Contains(stdout, "reproduce") || !strings.Contains(stdout, "Exit status") {
			t.Errorf("%q: status %d, stdout %q, stderr %q", args, status, stdout, stderr)
		}
	}
	status, _, stderr := runNest("reprduce")
	if status != exitUsage || !strings.Contains(stderr, "Did you mean this?\n\treproduce") {
		t.Errorf("a typing error: status %d, %s", status, stderr)
	}
	if status, stdout, _ := runNest("--version"); status != exitOK || !strings.HasPrefix(stdout, "module ") {
		t.Errorf("version: status %d, %s", status, stdout)
	}
	if status, stdout, _ := runNest("__complete", "reproduce", "--profile", ""); status != exitOK || !strings.Contains(stdout, "quick\n") {
		t.Errorf("completion: status %d, %s", status, stdout)
	}
}

// TestOutcome_FitsAScreen: 186 claims were 390 lines, of which a terminal showed the last.
func TestOutcome_FitsAScreen(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("words ", 30))
	finding := lab.Finding{Data: &lab.Data{Experiment: &lab.Experiment{Name: "fig9"}}}
	add := func(n int, status claims.Status, ours, seeded bool) {
		for range n {
			c := claims.Claim{Says: long, Paper: long, Source: "figure 9", Machine: !seeded}
			if ours {
				c.Source = ""
			}
			finding.Verdicts = append(finding.Verdicts, claims.Verdict{Claim: c, Ours: long, Status: status})
		}
	}
	add(3, claims.Holds, false, true)
	add(3, claims.NotMeasured, false, true)
	outcome := func() []string {
		var out bytes.Buffer
		if err := writeOutcome(&out, []lab.Finding{finding}, "Read it."); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	}
	if lines := outcome(); len(lines) != 2 || lines[1] != "Read it." {
		t.Errorf("all hold: %q", lines)
	}
	add(1, claims.Undecided, true, false)
	add(1, claims.Undecided, false, false)
	add(2, claims.Differs, false, true)
	add(2, claims.Unexplained, false, false)
	add(1, claims.Unexplained, true, true)
	want := []string{"FAILS", "unexplained", "unexplained", "differs", "differs", "undecided", "undecided"}
	for _, n := range []int{0, 5, 500} {
		add(n, claims.Undecided, true, false)
		lines := outcome()
		if len(lines) > screen || n == 500 && len(lines) != screen {
			t.Errorf("%d more: %d lines", n, len(lines))
		}
		first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  ") })
		for i, line := range lines {
			if utf8.RuneCountInString(line) > report.TextWidth {
				t.Errorf("%d columns: %q", len(line), line)
			}
			if i >= first && i < first+len(want) && !strings.HasPrefix(line, fmt.Sprintf("  %-11s fig9: words", want[i-first])) {
				t.Errorf("line %d: %q, want %s", i, line, want[i-first])
			}
		}
		if n == 500 && !strings.HasPrefix(lines[screen-2], "  and 49") {
			t.Errorf("the rest: %q", lines[screen-2])
		}
	}
}

func TestMemoryText_IsNeverNothing(t *testing.T) {
	for bytes, want := range map[int64]string{0: "1MiB", 1: "1MiB", 21 << 20: "21MiB", 1<<30 - 1: "1024MiB", 1 << 30: "1.0GiB", 13 << 27: "1.6GiB"} {
		if got := memoryText(bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
}
