package native

import (
	"bufio"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// start starts the twin, or skips the test where there is no compiler.
func start(t *testing.T) *Twin {
	t.Helper()
	twin, err := Start(context.WithoutCancel(t.Context())) // cleanups run after its end
	if errors.Is(err, ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := twin.Close(); err != nil {
			t.Error(err)
		}
	})
	return twin
}

// A filter of 2^16 slots takes the keys of load 0.95, loses none of them, forgets those that are deleted, and has the
// rate of its formula.
func TestTwin_HoldsItsKeysAtTheRateOfTheFormula(t *testing.T) {
	twin := start(t)
	const slots, held, probes = 1 << 16, 62_259, 1 << 21
	for filter, want := range map[string]float64{
		"cuckoo8": cuckooRate(8), "cuckoo12": cuckooRate(12), "cuckoo16": cuckooRate(16),
		"cuckoo12-mix64": cuckooRate(12), "cuckoo12-huge": cuckooRate(12),
		"split-block": 0.0094, // 32/3 bits a key: Putze, Sanders and Singler's sum over the keys of a block, and as measured
	} {
		bytes, err := twin.Make(filter, slots, 42)
		if err != nil {
			t.Fatal(err)
		}
		if bytes < slots || bytes > 2*slots {
			t.Errorf("%s: %d bytes", filter, bytes)
		}
		if took, _, err := twin.Insert(0, held); err != nil || took <= 0 {
			t.Errorf("%s: %v, %v", filter, took, err)
		}
		if _, yes, err := twin.Ask(0, held); err != nil || yes != held {
			t.Errorf("%s: %d of %d keys are there, %v", filter, yes, held, err)
		}
		_, yes, err := twin.Ask(held, held+probes)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(yes) / probes; math.Abs(got-want) > 0.15*want+4*math.Sqrt(want/probes) {
			t.Errorf("%s: rate %.6f, want %.6f", filter, got, want)
		}
		if _, n, err := twin.Remove(0, 1000); err != nil || n != 1000 && filter != "split-block" {
			t.Errorf("%s: %d of 1000 removed, %v", filter, n, err)
		}
		if _, yes, err := twin.Ask(1000, held); err != nil || yes != held-1000 {
			t.Errorf("%s: after deletes %d of %d keys are there, %v", filter, yes, held-1000, err)
		}
		if _, yes, _ := twin.Ask(0, 1000); yes > 100 && filter != "split-block" {
			t.Errorf("%s: %d of 1000 deleted keys are there", filter, yes)
		}
	}
}

// cuckooRate is the rate of fingerprints of so many bits in 4 slots a bucket at load 0.95, of which one value stands
// for none.
func cuckooRate(bits int) float64 {
	return 1 - math.Pow(1-1/(math.Exp2(float64(bits))-1), 2*4*0.95)
}

// Probes are present in the share that is asked for, and other ones in another round; a loop of vectors says the same
// of them.
func TestTwin_ProbesAreKeysInTheShareAsked(t *testing.T) {
	twin := start(t)
	const held, n = 50_000, 100_000
	if _, err := twin.Make("cuckoo12-mix64", 1<<16, 1); err != nil {
		t.Fatal(err)
	}
	if _, _, err := twin.Insert(0, held); err != nil {
		t.Fatal(err)
	}
	for share := 0; share <= 100; share += 25 {
		took, hits, yes, err := twin.Find(share, n, held, 1)
		if err != nil || took <= 0 {
			t.Fatal(took, err)
		}
		if want := n * share / 100; hits < want-1000 || hits > want+1000 {
			t.Errorf("%d%%: %d of %d probes are keys", share, hits, n)
		}
		if yes < hits || yes > hits+400 { // the rate is 0.18%
			t.Errorf("%d%%: %d reported, %d are keys", share, yes, hits)
		}
		if _, sameHits, same, err := twin.Batch(share, n, held, 1); err != nil || sameHits != hits || same != yes {
			t.Errorf("%d%%: as a batch %d reported of %d, not %d of %d, %v", share, same, sameHits, yes, hits, err)
		}
		if _, other, _, _ := twin.Find(share, n, held, 2); other == hits && share%100 != 0 {
			t.Errorf("%d%%: two rounds have %d keys each", share, hits)
		}
	}
}

func TestTwin_SaysWhatIsWrongWithACommand(t *testing.T) {
	twin := start(t)
	for _, c := range []struct{ command, want string }{
		{"ask 0 1", "make a filter first"},
		{"make cuckoo9 64 1", "unknown filter cuckoo9"},
		{"make cuckoo8 0 1", "power of two from 64"},
		{"make cuckoo8 32 1", "power of two from 64"},
		{"make cuckoo8 65 1", "power of two from 64"},
		{"make cuckoo8 8589934592 1", "power of two from 64"},
		{"make cuckoo8 64 1", "made"},
		{"insert 5 1", "FROM TO"},
		{"find 101 1 1 1", "want find SHARE"},
		{"dance 1 2", "unknown command dance"},
	} {
		if err := twin.do("x", nil, "%s", c.command); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.command, err, c.want)
		}
	}
	if _, n, err := twin.Insert(0, 100); !errors.Is(err, ErrRefused) || n > 64 {
		t.Errorf("100 keys in 64 slots: %d, %v", n, err)
	}
}

func TestStart_WithoutACompilerOrWithOneThatFails(t *testing.T) {
	t.Setenv("CXX", filepath.Join(t.TempDir(), "none"))
	if _, err := Start(t.Context()); !errors.Is(err, ErrNoCompiler) {
		t.Errorf("%v, want ErrNoCompiler", err)
	}
	bad := filepath.Join(t.TempDir(), "c++")
	for name, script := range map[string]string{
		"--version": "#!/bin/sh\nexit 3\n",
		"no such":   "#!/bin/sh\n[ $# = 1 ] && exit 0\necho no such option\nexit 1\n",
	} {
		if err := os.WriteFile(bad, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("CXX", bad)
		if _, err := Start(t.Context()); err == nil || errors.Is(err, ErrNoCompiler) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A process that is gone is an error and not a hang.
func TestTwin_TellsThatTheProcessEnded(t *testing.T) {
	twin := start(t)
	twin.in.Close()
	if _, _, err := twin.Ask(0, 1); err == nil {
		t.Error("no error")
	}
	if twin.out.Scan() {
		t.Error("an answer")
	}
}

// An answer that is no answer to the command is an error that shows it.
func TestTwin_RefusesAnswersOfAnotherForm(t *testing.T) {
	for _, answer := range []string{"made x", "made", "made 1 2", "found 1", ""} {
		twin := &Twin{in: discard{}, out: bufio.NewScanner(strings.NewReader(answer + "\n"))}
		if _, err := twin.Make("cuckoo8", 64, 1); err == nil || !strings.Contains(err.Error(), "make cuckoo8 64 1") {
			t.Errorf("%q: %v", answer, err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }
