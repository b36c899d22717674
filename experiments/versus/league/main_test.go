package main

import (
	"context"
	"errors"
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
			if err := run(t.Context(), few("--page", dir+"-page", "--out", dir, "--formats", "svg", "--laps", filepath.Join(t.TempDir(), "laps"), "--cpuprofile", dir+".prof"), &out, io.Discard); err != nil {
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

// Rows of another program stand beside ours.
func TestRun_ReadsFastFilter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "theirs.txt")
	row := "Xor8 106.59 0.00 23.85 23.85 23.85 23.88 23.83 178.15 0.3908 9.84 8.00 23.0 10.000\n"
	if err := os.WriteFile(file, []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	if err := run(t.Context(), few("--fastfilter", file, "--out", dir, "--formats", "svg"), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	if csv, err := os.ReadFile(filepath.Join(dir, "fastfilter.csv")); err != nil || !strings.Contains(string(csv), "Xor8,10000000,106.59") {
		t.Errorf("%s, %v", csv, err)
	}
}

// damagedFile is a file that begins as a row of fastfilter_cpp does, and is no directory.
func damagedFile(t *testing.T) string {
	t.Helper()
	damaged := filepath.Join(t.TempDir(), "damaged")
	if err := os.WriteFile(damaged, []byte("Xor8 1 2 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return damaged
}

func TestRun_NamesBadArguments(t *testing.T) {
	damaged := damagedFile(t)
	for want, args := range map[string][]string{
		`unexpected argument "x"`: {"x"},
		"--n":                     {"--n", "many"},
		"100 slots":               {"--n", "100"},
		"dodo":                    {"--filter", "dodo"},
		"--for":                   {"--for", "3s"},
		"no such file":            {"--fastfilter", filepath.Join(t.TempDir(), "none")},
		"damaged:1":               {"--fastfilter", damaged},
		"-2 rounds":               {"--rounds", "-2"},
		"not defined":             {"--what"},
		"--cpuprofile":            few("--cpuprofile", t.TempDir()),
		"--rounds 0":              {"--rounds", "0"},
		"--seed 0":                {"--seed", "0"},
		`--formats: "bmp"`:        {"--formats", "png,bmp"},
		"--page":                  {"--page", damaged},
	} {
		err := run(t.Context(), args, io.Discard, io.Discard)
		var told strings.Builder
		if status(err, &told) != 1 || !strings.Contains(told.String(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	if err := run(t.Context(), []string{"-h"}, io.Discard, io.Discard); status(err, io.Discard) != 0 {
		t.Errorf("-h: %v", err)
	}
}

// A directory that has something else is left alone, and so is one for formats that there are not; a file of laps of another run is too.
func TestRun_WritesOverNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	laps := filepath.Join(t.TempDir(), "laps")
	for want, args := range map[string][]string{
		dir:                few("--out", dir),
		"bmp":              few("--out", filepath.Join(t.TempDir(), "out"), "--formats", "bmp"),
		"want the machine": few("--out", filepath.Join(t.TempDir(), "out"), "--laps", laps),
	} {
		if err := os.WriteFile(laps, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	if err := run(t.Context(), few(), full{}, io.Discard); err == nil {
		t.Error("a full disk is no error")
	}
	if err := run(t.Context(), []string{"--list"}, full{}, io.Discard); err == nil {
		t.Error("a full disk is no error of the list")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

// An interrupted run says how to go on; what it is told before is known before the work, which would not begin here.
func TestRun_SaysHowToGoOn(t *testing.T) {
	t.Setenv("CXX", filepath.Join(t.TempDir(), "none"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	laps := filepath.Join(t.TempDir(), "laps")
	for want, args := range map[string][]string{
		"interrupted: --laps FILE keeps":                                  few(),
		"interrupted: the same command goes on where " + laps + " ends: ": few("--laps", laps),
		"--formats":                few("--formats", "bmp"),
		"damaged: not a directory": few("--page", filepath.Join(damagedFile(t), "page")),
	} {
		if err := run(ctx, args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}

func TestRun_ListsTheFilters(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"--list"}, &out, io.Discard); err != nil || !strings.Contains(out.String(), "native cuckoo12\n") {
		t.Errorf("%s, %v", &out, err)
	}
}
