package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// few are arguments of a run of two filters, one of them the twin's.
func few(more ...string) []string {
	return append([]string{"--n", "2^12", "--rounds", "2", "--filter", "nest cuckoo-xor,native cuckoo12"}, more...)
}

func TestRun_WritesALeague(t *testing.T) {
	for name, compiler := range map[string]string{"with a compiler": os.Getenv("CXX"), "without": filepath.Join(t.TempDir(), "none")} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CXX", compiler)
			var out strings.Builder
			dir := filepath.Join(t.TempDir(), "out")
			args := few("--page", dir+"-page", "--out", dir, "--formats", "svg", "--laps", filepath.Join(t.TempDir(), "laps"),
				"--cpuprofile", dir+".prof")
			if err := run(t.Context(), args, &out, io.Discard); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), "3891 keys, 4096 slots") || !strings.Contains(out.String(), "nest cuckoo-xor") {
				t.Errorf("%s", &out)
			}
			if name == "without" && !strings.Contains(out.String(), "no C++ compiler") {
				t.Errorf("the table does not say that the twin is missing: %s", &out)
			}
			if _, err := os.Stat(dir + "-page/LEAGUE.md"); err != nil {
				t.Error(err)
			}
			if profile, err := os.Stat(dir + ".prof"); err != nil || profile.Size() == 0 {
				t.Errorf("a profile %v, %v", profile, err)
			}
			for _, file := range []string{"report.html", "report.md", "league-4096.csv", "league-4096.tex", "league-4096.svg", "manifest.json"} {
				if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// What cannot be done is said before the work, which would not begin here, and so is how an interrupted run goes on. What
// is somebody else's is left alone.
func TestRun_NamesWhatIsWrong(t *testing.T) {
	t.Setenv("CXX", filepath.Join(t.TempDir(), "none"))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	damaged, mine, foreign := filepath.Join(t.TempDir(), "damaged"), t.TempDir(), filepath.Join(t.TempDir(), "foreign")
	for name, text := range map[string]string{
		damaged: "Xor8 1 2 3\n", filepath.Join(mine, "mine"): "", foreign: "{}",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for want, args := range map[string][]string{
		`["x"]: want no argument`:       {"x"},
		`--n: "many"`:                   {"--n", "many"},
		"536870912 slots":               {"--n", "2^29"},
		"dodo":                          {"--filter", "dodo"},
		"-2 rounds":                     {"--rounds", "-2"},
		"not defined":                   {"--what"},
		"--cpuprofile":                  few("--cpuprofile", t.TempDir()),
		"--rounds 0":                    {"--rounds", "0"},
		"--seed 0":                      {"--seed", "0"},
		`"bmp"`:                         {"--formats", "png,bmp"},
		"--page":                        {"--page", damaged},
		"damaged: not a directory":      few("--page", filepath.Join(damaged, "page")),
		flag.ErrHelp.Error():            {"-h"},
		mine:                            few("--out", mine),
		"no journal of a run":           few("--out", filepath.Join(t.TempDir(), "out"), "--laps", foreign),
		"interrupted: with --laps FILE": few("--laps", filepath.Join(t.TempDir(), "laps")),
	} {
		if err := run(canceled, args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	if err := run(t.Context(), few(), full{}, io.Discard); err == nil {
		t.Error("a full disk is no error")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }
