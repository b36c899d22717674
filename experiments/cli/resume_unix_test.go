//go:build unix

package cli

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func reproduceArgs(out string) []string {
	return strings.Fields("reproduce --profile tiny --only fig2,fig3 --formats svg --workers 2 --out " + out)
}

// killedAt runs the command until its kept trials of figure 2 take so many bytes, and kills it then. It reports whether
// the command ended before.
func killedAt(t *testing.T, out string, bytes int64) (ended bool) {
	t.Helper()
	cmd := process(t, "", reproduceArgs(out)...)
	begin(t, cmd)
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
		if info, err := os.Stat(out + ".partial"); err == nil && info.Size() >= bytes {
			_ = cmd.Process.Kill() // it may have ended by itself
			return <-done == nil || content(t, out) != ""
		}
	}
}

// A command that is killed at random points, and started again each time, ends with the bytes of one that is not.
func TestReproduce_GoesOnAfterKills(t *testing.T) {
	dir := t.TempDir()
	says(t, exitOK, "", "", reproduceArgs(filepath.Join(dir, "whole"))...)
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
		if readAll(t, filepath.Join(dir, "whole", name)) != readAll(t, filepath.Join(out, name)) {
			t.Errorf("%s differs from that of one sitting", name)
		}
	}
	if got := content(t, dir); got != "killed whole" {
		t.Errorf("left %s", got)
	}
}
