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

// TestMain lets the program of the tests be one of its rounds.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "round" {
		main()
		return
	}
	m.Run()
}

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
			if err := run(t.Context(), few("--page", dir), &out, io.Discard); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), "Integer keys, ns per key") || !strings.Contains(out.String(), "nest cuckoo-xor") {
				t.Errorf("%s", &out)
			}
			if name == "without" && !strings.Contains(out.String(), "no C++ compiler") {
				t.Errorf("the table does not say that the twin is missing: %s", &out)
			}
			laps, err := os.ReadFile(filepath.Join(dir, "league.csv"))
			if err != nil || strings.Count(string(laps), "nest cuckoo-xor") != 2 {
				t.Errorf("want two rounds, got %s%v", laps, err)
			}
		})
	}
}

// What cannot be done is said before the work, which would not begin here, and so is how an interrupted run goes on.
func TestRun_NamesWhatIsWrong(t *testing.T) {
	t.Setenv("CXX", filepath.Join(t.TempDir(), "none"))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	damaged, foreign := filepath.Join(t.TempDir(), "damaged"), filepath.Join(t.TempDir(), "foreign")
	for name, text := range map[string]string{damaged: "Xor8 1 2 3\n", foreign: "{}"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for want, args := range map[string][]string{
		`["x"]: want no argument`:       {"x"},
		`--n: "many"`:                   {"--n", "many"},
		"536870912 slots":               {"--n", "2^29"},
		"dodo":                          {"--filter", "dodo"},
		"--rounds -2":                   {"--rounds", "-2"},
		"1001 rounds":                   {"--rounds", "1001"},
		"not defined":                   {"--what"},
		"--rounds 0":                    {"--rounds", "0"},
		"--seed 0":                      {"--seed", "0"},
		"--page":                        {"--page", damaged},
		"damaged: not a directory":      few("--page", filepath.Join(damaged, "page")),
		flag.ErrHelp.Error():            {"-h"},
		"no journal of a run":           few("--laps", foreign),
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
