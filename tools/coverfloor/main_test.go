package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/cover"
)

// measure runs the command's steps on a made-up profile.
func measure(t *testing.T, profile string, floor float64) (string, bool) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "cover.out")
	if err := os.WriteFile(name, []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	profiles, err := cover.ParseProfiles(name)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	ok := writeTable(&out, tally(profiles), floor)
	return out.String(), ok
}

// twoBinaries is what two test binaries wrote: together they reach 9 of the 10 statements of a and
// all of b.
const twoBinaries = `mode: set
m/a/x.go:1.1,2.1 4 1
m/a/x.go:3.1,4.1 5 0
m/a/y.go:1.1,2.1 1 0
m/b/z.go:1.1,2.1 10 0
m/a/x.go:1.1,2.1 4 0
m/a/x.go:3.1,4.1 5 1
m/a/y.go:1.1,2.1 1 0
m/b/z.go:1.1,2.1 10 1
`

func TestCoverfloor_MergesBinaries(t *testing.T) {
	out, ok := measure(t, twoBinaries, 89)
	for _, want := range []string{"  90.0%      9/10     m/a\n", " 100.0%     10/10     m/b\n", "  95.0%     19/20     total\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if !ok {
		t.Errorf("above the floor, yet refused:\n%s", out)
	}
}

func TestCoverfloor_EveryPackageMustExceed(t *testing.T) {
	out, ok := measure(t, twoBinaries, 90)
	if ok || !strings.Contains(out, "m/a  not above 90%") || strings.Contains(out, "total  not") {
		t.Errorf("90%% is not above 90%%, the total is:\n%s", out)
	}
}

func TestCoverfloor_EmptyProfileFails(t *testing.T) {
	if out, ok := measure(t, "mode: set\n", 90); ok {
		t.Errorf("nothing measured, yet accepted:\n%s", out)
	}
}
