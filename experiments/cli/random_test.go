package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nestfilter/nest/experiments/must"
)

var commandLines = flag.Int("commandlines", 150, "how many random command lines TestMain_RandomCommandLines runs")

// long are the commands that measure, compile or ask the network. They run under a context that has ended.
var long = []string{"bench", "reproduce", "sweep", "page", "redis"}

// words are arguments and values of flags: files that are there or not, numbers, names, and what is none of these.
var words = []string{"f.nest", "g.nest", "bad.nest", "p.parquet", "keys.txt", "t.csv", "store", "missing", "missing/x",
	".", "-", "/dev/null", "new", "new2", "", "0", "1", "2", "-1", "8", "1000", "1e3", "1e400", "2^10", "2^64", "0.01", "0.5", "1.5", "nan", "-inf", "99999999999999999999",
	"1..4", "4..1", "1,2,3", "true", "x", "a", "b", "\x00", "\xff", "größe", "%s", "cuckoo", "bloom", "split-block", "best", "xxh64", "siphash",
	"nest", "parquet", "seiflotfy", "bits-and-blooms", "svg", "csv", "json", "load", "f=8", "--", "--help", "-h", "-x", "--no-such-flag", "help", "127.0.0.1:1", "a=b", "=", ","}

// randomLine returns a command line: a command, most of the time one that there is, some of its flags, and words.
func randomLine(r *rand.Rand, all []*cobra.Command) []string {
	cmd := all[1+r.IntN(len(all)-1)] // without the root
	line := pathOf(cmd)
	if cmd.Name() == "sweep" {
		line = append(line, "--dry-run") // else it measures for a second
	}
	var flags []*pflag.Flag
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
	word := func() string { return words[r.IntN(len(words))] }
	for range r.IntN(6) {
		switch n := r.IntN(4); {
		case n == 0 || len(flags) == 0:
			line = append(line, word())
		case n == 1:
			line = append(line, "--"+flags[r.IntN(len(flags))].Name)
		case n == 2:
			line = append(line, "--"+flags[r.IntN(len(flags))].Name, word())
		default:
			line = append(line, "--"+flags[r.IntN(len(flags))].Name+"="+word())
		}
	}
	if r.IntN(10) == 0 {
		line = slices.Insert(line, 1+r.IntN(len(line)), word())
	}
	return line
}

// furnish puts the files that words name into the working directory.
func furnish(t *testing.T) {
	t.Helper()
	whole := must.Get(os.ReadFile(built(t, ".", "f.nest", "a\nb\n", "--kind", "split-block")))(t)
	built(t, ".", "g.nest", "a\nc\n", "--kind", "cuckoo", "--capacity", "100")
	whole[len(whole)-1] ^= 1
	writeKeys(t, ".", "bad.nest", string(whole))
	writeKeys(t, ".", "keys.txt", "a\nb\nc\n")
	writeKeys(t, ".", "t.csv", "load,rate\n0.5,0.1\n0.9,0.2\n")
	for _, args := range [][]string{{"filter", "convert", "f.nest", "--force", "-o", "p.parquet", "--to", "parquet"}, {"log", "put", "store", "a", "b"}} {
		says(t, exitOK, "", "", args...)
	}
}

// TestMain_RandomCommandLines: a command line does not panic, ends with a status that help names, and says what is
// wrong if that is 2.
func TestMain_RandomCommandLines(t *testing.T) {
	n := *commandLines
	if testing.Short() {
		n = min(n, 100)
	}
	t.Chdir(t.TempDir())
	r := rand.New(rand.NewPCG(28, 6))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	counts := map[int]int{}
	for i := range n {
		if i%100 == 0 { // some of the lines replace or remove files
			furnish(t)
		}
		line := randomLine(r, commands())
		ctx, most := t.Context(), exitUsage
		if slices.ContainsFunc(line, func(word string) bool { return slices.Contains(long, word) }) {
			ctx, most = ended, exitInterrupted
		}
		status, said := try(ctx, line)
		counts[status]++
		if status < exitOK || status > most || status > exitUsage && status < exitInterrupted || status == exitUsage && said == "" {
			t.Errorf("line %d, %q: status %d, %s", i, line, status, said)
		}
	}
	t.Logf("statuses of %d lines: %v", n, counts)
	if n >= 150 && (counts[exitOK] < n/20 || counts[exitUsage] < n/20) {
		t.Errorf("statuses %v: the lines try too little", counts)
	}
}

// try runs a command line. A panic is status -1.
func try(ctx context.Context, line []string) (status int, said string) {
	defer func() {
		if p := recover(); p != nil {
			status, said = -1, fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return runOn(ctx, strings.NewReader("a\nb\n"), io.Discard, line...)
}
