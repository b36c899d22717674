package native

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/must"
)

// shared is the twin of all tests, which takes seconds to compile.
var shared *Twin

func TestMain(m *testing.M) {
	code := m.Run()
	if shared != nil && shared.Close() != nil {
		code = 1
	}
	os.Exit(code)
}

// start returns the twin, or skips the test where there is no compiler.
func start(t *testing.T) *Twin {
	t.Helper()
	if shared == nil {
		twin, err := Start(context.Background())
		if errors.Is(err, ErrNoCompiler) {
			t.Skip(err)
		}
		shared = must.Get(twin, err)(t)
	}
	return shared
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
		do := func(format string, args ...any) measure.Lap {
			return must.Get(twin.Do(format, args...))(t)
		}
		if bytes := do("make %s %d 42", filter, slots).Found; bytes < slots || bytes > 2*slots {
			t.Errorf("%s: %d bytes", filter, bytes)
		}
		if l := do("insert 0 %d", held); l.Found != held || l.Time <= 0 {
			t.Errorf("%s: %+v", filter, l)
		}
		if l := do("ask 0 %d", held); l.Found != held || l.Hits != held {
			t.Errorf("%s: of %d keys are there %+v", filter, held, l)
		}
		if got := float64(do("ask %d %d", held, held+probes).Found) / probes; math.Abs(got-want) > 0.15*want+4*math.Sqrt(want/probes) {
			t.Errorf("%s: rate %.6f, want %.6f", filter, got, want)
		}
		if n := do("remove 0 1000").Found; n != 1000 && filter != "split-block" {
			t.Errorf("%s: %d of 1000 removed", filter, n)
		}
		if yes := do("ask 1000 %d", held).Found; yes != held-1000 {
			t.Errorf("%s: after deletes %d of %d keys are there", filter, yes, held-1000)
		}
		if yes := do("ask 0 1000").Found; yes > 100 && filter != "split-block" {
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
	must.Get(twin.Do("make cuckoo12-mix64 %d 1", 1<<16))(t)
	must.Get(twin.Do("insert 0 %d", held))(t)
	for share := 0; share <= 100; share += 25 {
		probe := func(verb string, round int) measure.Lap {
			return must.Get(twin.Do("%s %d %d %d %d", verb, share, n, held, round))(t)
		}
		l := probe("find", 1)
		if want := n * share / 100; l.Time <= 0 || l.Hits < want-1000 || l.Hits > want+1000 {
			t.Errorf("%d%%: of %d probes are keys %+v", share, n, l)
		}
		if l.Found < l.Hits || l.Found > l.Hits+400 { // the rate is 0.18%
			t.Errorf("%d%%: %d reported, %d are keys", share, l.Found, l.Hits)
		}
		if b := probe("batch", 1); b.Hits != l.Hits || b.Found != l.Found {
			t.Errorf("%d%%: as a batch %+v, not %+v", share, b, l)
		}
		if other := probe("find", 2); other.Hits == l.Hits && share%100 != 0 {
			t.Errorf("%d%%: two rounds have %d keys each", share, l.Hits)
		}
	}
}

func TestTwin_SaysWhatIsWrongWithACommand(t *testing.T) {
	twin := start(t)
	for _, c := range []struct{ command, want string }{
		{"make cuckoo9 64 1", "unknown filter cuckoo9"},
		{"ask 0 1", "make a filter first"},
		{"make cuckoo8 0 1", "power of two from 64"},
		{"make cuckoo8 32 1", "power of two from 64"},
		{"make cuckoo8 65 1", "power of two from 64"},
		{"make cuckoo8 8589934592 1", "power of two from 64"},
		{"make cuckoo8 64 1", ""},
		{"insert 5 1", "FROM TO"},
		{"find 101 1 1 1", "want find SHARE"},
		{"dance 1 2", "unknown command dance"},
	} {
		if _, err := twin.Do("%s", c.command); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.command, err, c.want)
		}
	}
	if l := must.Get(twin.Do("insert 0 100"))(t); l.Found > 64 || l.Hits != 100 {
		t.Errorf("100 keys in 64 slots: %+v", l)
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

// An answer that is no answer to the command is an error that shows it, and so is the end of the process.
func TestTwin_RefusesAnswersOfAnotherForm(t *testing.T) {
	for _, answer := range []string{"ok x\n", "ok 1 2\n", "ok 1 2 3 4\n", "found 1\n", "\n", ""} {
		twin := &Twin{in: discard{}, out: bufio.NewScanner(strings.NewReader(answer))}
		if _, err := twin.Do("make cuckoo8 64 1"); err == nil || !strings.Contains(err.Error(), "make cuckoo8 64 1") ||
			strings.Contains(err.Error(), "ended") != (answer == "") {
			t.Errorf("%q: %v", answer, err)
		}
	}
}

type discard struct{ io.WriteCloser }

func (discard) Write(p []byte) (int, error) { return len(p), nil }
