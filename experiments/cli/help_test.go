package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/report"
)

// columns is the width of a line on a terminal, with tabs at every eighth column.
func columns(line string) (n int) {
	for i, part := range strings.Split(line, "\t") {
		if i > 0 {
			n += 8 - n%8
		}
		n += utf8.RuneCountInString(part)
	}
	return n
}

// TestHelp_FitsATerminal renders the help of every command, those of cobra included, and looks for a line beyond 80 columns and
// for words that were lost on the way.
func TestHelp_FitsATerminal(t *testing.T) {
	root := newRootCommand(experiments.Default())
	var first bytes.Buffer
	if status := runCommand(t.Context(), root, nil, &first, &first); status != exitOK {
		t.Fatal(first.String())
	}
	seen := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		seen++
		var stdout, stderr bytes.Buffer
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		if status := mainOf(args, &stdout, &stderr); status != exitOK || stderr.Len() > 0 {
			t.Fatalf("%q: status %d, %s", args, status, &stderr)
		}
		text := stdout.String()
		for line := range strings.SplitSeq(text, "\n") {
			if columns(line) > report.TextWidth || strings.TrimRight(line, " ") != line {
				t.Errorf("%s: %d columns: %q", cmd.CommandPath(), columns(line), line)
			}
		}
		words := strings.Join(strings.Fields(text), " ")
		for _, part := range []string{cmd.Long, cmd.Example} {
			if want := strings.Join(strings.Fields(part), " "); !strings.Contains(words, want) {
				t.Errorf("%s: the help has not all the words of %q:\n%s", cmd.CommandPath(), want, text)
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	if seen < 25 {
		t.Errorf("only %d commands were seen", seen)
	}
}

func TestReflow_KeepsWhatIsIndented(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 30))
	want := strings.TrimSpace(strings.Repeat("word ", 16)) + "\n" + strings.TrimSpace(strings.Repeat("word ", 14)) + " one.\n\n  as it is\n\ttoo\n\nlast"
	if got := reflow(long + "\none.\n\n  as it is\n\ttoo\n\nlast\n"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
