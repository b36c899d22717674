package cli

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/spf13/cobra"
)

func TestReproduce_WritesTheFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a", "report")
	args := []string{"reproduce", "--out", out, "--profile", "tiny", "--seed", "7", "--only", "fig3", "--formats", "svg"}
	stdout, stderr := says(t, exitOK, "", "", args...)
	has(t, stdout, "checks of our own", "report.html")
	has(t, stderr, "expected=", "percent=100")
	holds(t, out, "REPRODUCING.md bench.txt fig3.csv fig3.svg fig3.tex manifest.json report.html report.md verdicts.csv verdicts.tex")
	manifest, err := report.ReadManifest(out)
	if err != nil || !slices.Equal(manifest.Seeds, []uint64{7}) || manifest.Profile != "tiny" || len(manifest.Files) != 9 ||
		manifest.Kind != "reproduce" {
		t.Errorf("manifest: %+v, %v", manifest, err)
	}
	says(t, exitUsage, "", "--out", args...)
	says(t, exitOK, "", "", append(args, "--force", "--workers", "1")...)
	writeKeys(t, out, "mine.txt", "")
	for _, again := range [][]string{append(args, "--force"), {"report", "redraw", out}, {"report", "redraw", out, "--out", out, "--force"}} {
		says(t, exitUsage, "", "would be lost: mine.txt", again...)
		readAll(t, filepath.Join(out, "mine.txt"))
	}
}

// The help says what the command itself estimates.
func TestReproduce_HelpSaysTheEstimate(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("profile paper needs a 64-bit build")
	}
	o := lab.Options{Profile: lab.Paper, Seed: 1, Workers: 2, Memory: 16 << 30}
	expected := must.Get(experiments.Default().Estimate(o))(t)
	memory := fmt.Sprintf("%.1f GiB", float64(expected.Bytes)/(1<<30))
	if hours := expected.Time.Hours(); hours < 3.5 || hours >= 4.5 ||
		!strings.Contains(profileHelp, "four to eight hours and "+memory) { // eight where Slowness is 2
		t.Errorf("%.2f hours and %s; the help: %s", hours, memory, profileHelp)
	}
}

func TestReproduce_FailedClaimIsStatus1(t *testing.T) {
	out := filepath.Join(t.TempDir(), "report")
	sits(t, t.Context(), stopping{fails: true}, exitFailed, "FAILS       stopping: it ends", "a claim does not hold: 1 in all", "--out", out)
	has(t, content(t, out), "report.html")
}

// TestMain_InterruptedFromTheStart writes nothing, and leaves what is there.
func TestMain_InterruptedFromTheStart(t *testing.T) {
	report := reproduced(t)
	t.Chdir(filepath.Dir(report))
	built(t, ".", "f", "a\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{
		"filter query f f", "filter query -c f f", "filter query --copy f f", "filter info f", "filter build -o g f --capacity 9",
		"reproduce --profile tiny --out a/report", "report redraw report", "bench --out out --slots 64",
	} {
		if status, stdout, stderr := executeIn(ctx, "", strings.Fields(line)...); status != exitInterrupted || stdout != "" {
			t.Errorf("%q: status %d, %q, %q", line, status, stdout, stderr)
		}
		holds(t, ".", "f report")
	}
	says(t, exitOK, "", "", "report", "verify", report)
}

// TestOutcome_FitsAScreen: 186 claims were 390 lines, of which a terminal showed the last.
func TestOutcome_FitsAScreen(t *testing.T) {
	const screen = 23 // the narrowest usual terminal, less one for the prompt
	long := strings.TrimSpace(strings.Repeat("words ", 30))
	finding := lab.Finding{Data: &lab.Data{Experiment: &lab.Experiment{Name: "fig9"}}}
	add := func(n int, status claims.Status, machine bool) {
		v := claims.Verdict{Claim: claims.Claim{Says: long, Paper: long, Source: "figure 9", Machine: machine}, Ours: long, Status: status}
		finding.Verdicts = append(finding.Verdicts, slices.Repeat([]claims.Verdict{v}, n)...)
	}
	outcome := func() []string {
		var out bytes.Buffer
		cmd := new(cobra.Command)
		cmd.SetOut(&out)
		_ = tell(cmd, []lab.Finding{finding}, "Read it.")
		return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	}
	add(3, claims.Holds, false)
	add(3, claims.NotMeasured, false)
	if lines := outcome(); len(lines) != 2 || lines[1] != "Read it." {
		t.Errorf("all hold: %q", lines)
	}
	add(2, claims.Differs, false)
	add(2, claims.Unexplained, true)
	add(1, claims.Unexplained, false)
	want := []string{"FAILS", "unexplained", "unexplained", "differs", "differs", "undecided", "undecided"}
	for _, n := range []int{2, 5, 500} {
		add(n, claims.Undecided, true)
		lines := outcome()
		first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  ") })
		for i, line := range lines {
			if utf8.RuneCountInString(line) > report.TextWidth || len(lines) > screen {
				t.Errorf("%d lines, %d columns: %q", len(lines), len(line), line)
			}
			if i >= first && i < first+len(want) && !strings.HasPrefix(line, fmt.Sprintf("  %-11s fig9: words", want[i-first])) {
				t.Errorf("line %d: %q, want %s", i, line, want[i-first])
			}
		}
		if n == 500 && !strings.HasPrefix(lines[len(lines)-2], "  and 49") {
			t.Errorf("the rest: %q", lines[len(lines)-2])
		}
	}
}
