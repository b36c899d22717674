//go:build unix

package cli

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// asReproduce makes the test binary the command nest reproduce, with the variable's value as its folder.
const asReproduce = "NEST_TEST_REPRODUCE"

func reproduceArgs(out string) []string {
	return []string{"reproduce", "--out", out, "--profile", "tiny", "--only", "fig2,fig3", "--formats", "svg", "--workers", "2"}
}

func TestReproduce_ProcessForOtherTests(t *testing.T) {
	if out := os.Getenv(asReproduce); out != "" {
		os.Exit(mainOf(reproduceArgs(out), os.Stdout, os.Stderr))
	}
}

// killedAt runs the command until its kept trials of figure 2 take so many bytes, and kills it then. It reports whether the
// command ended before.
func killedAt(t *testing.T, out string, bytes int64) (ended bool) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestReproduce_ProcessForOtherTests$")
	cmd.Env = append(os.Environ(), asReproduce+"="+out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return true
		case <-time.After(time.Millisecond):
		}
		if info, err := os.Stat(filepath.Join(out+".partial", "fig2.csv")); err == nil && info.Size() >= bytes {
			_ = cmd.Process.Kill() // it may have ended by itself
			return <-done == nil || content(t, out) != ""
		}
	}
}

// A command that is killed at random points, and started again each time, ends with the bytes of one that is not.
func TestReproduce_GoesOnAfterKills(t *testing.T) {
	dir := t.TempDir()
	if status, _, stderr := runNest(reproduceArgs(filepath.Join(dir, "whole"))...); status != exitOK {
		t.Fatal(stderr)
	}
	const (
		seed      = 5
		keptBytes = 20_000 // of all trials, roughly: beyond half of it nobody kills, for the report must be whole
	)
	r := rand.New(rand.NewPCG(seed, 0))
	out := filepath.Join(dir, "killed")
	kills := 0
	for at := r.Int64N(keptBytes / 16); !killedAt(t, out, at); at += r.Int64N(keptBytes / 4) {
		if kills++; at > keptBytes/2 {
			at = math.MaxInt64 / 2
		}
	}
	t.Logf("seed %d: %d kills", seed, kills)
	if kills == 0 {
		t.Error("the command was never killed")
	}
	for _, name := range []string{"fig2.csv", "fig3.csv", "verdicts.csv"} {
		a, err := os.ReadFile(filepath.Join(dir, "whole", name))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(out, name)); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs from that of one sitting: %v", name, err)
		}
	}
	if got := content(t, dir); got != "killed whole" {
		t.Errorf("left %s", got)
	}
}
