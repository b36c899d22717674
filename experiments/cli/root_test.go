package cli

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands are the root and all below it, those of cobra included.
func commands() (all []*cobra.Command) {
	root := newRootCommand(experiments.Default())
	checkTopics(root)
	all = append(all, root)
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Commands()...)
	}
	return all
}

// pathOf is the words of a command line that name a command.
func pathOf(cmd *cobra.Command) []string { return strings.Fields(cmd.CommandPath())[1:] }

// A flag of one name takes one sort of value and says the same in every command, with the same letter: a number or
// several are one sort, a text or several another.
func TestFlags_OneNameHasOneMeaning(t *testing.T) {
	sorts := map[string]string{"int": "number", "int64": "number", "uint": "number", "uint64": "number", "float64": "number",
		"number": "number", "numbers": "number", "rate": "number", "rates": "number", "bool": "bool", "duration": "duration"}
	type first struct{ command, value, meaning, letter string }
	seen, letters := map[string]first{}, map[string]string{}
	for _, cmd := range commands() {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			meaning := f.Usage
			if at := strings.IndexAny(meaning, ":;,("); at >= 0 {
				meaning = meaning[:at]
			}
			now := first{cmd.CommandPath(), cmp.Or(sorts[f.Value.Type()], "text"), strings.TrimSpace(meaning), f.Shorthand}
			was, ok := seen[f.Name]
			if !ok {
				seen[f.Name] = now
			} else if was.value != now.value || was.meaning != now.meaning || was.letter != now.letter {
				t.Errorf("--%s: %q, %q", f.Name, was, now)
			}
			if other := letters[f.Shorthand]; f.Shorthand != "" && other != "" && other != f.Name {
				t.Errorf("-%s is --%s and --%s", f.Shorthand, other, f.Name)
			}
			letters[f.Shorthand] = f.Name
		})
	}
	if len(seen) < 60 || seen["keys"].value != "text" || seen["n"].value != "number" {
		t.Errorf("%d flags; --keys is a file and --n a count: %q, %q", len(seen), seen["keys"], seen["n"])
	}
	// Words that have given way to others.
	for old, now := range map[string]string{"policy": "kick", "keys-file": "keys", "filters": "filter", "overwrite": "force",
		"map": "out", "svg": "out", "width": "f"} {
		if was, ok := seen[old]; ok {
			t.Errorf("%s: --%s is called --%s", was.command, old, now)
		}
	}
}

// Every command that writes to --out has the letter -o, and --force. It leaves a file alone that is there, whatever
// comes, and replaces it with --force.
func TestFlags_ForceAloneReplacesAFile(t *testing.T) {
	found := 0
	for _, cmd := range commands() {
		if out := cmd.Flags().Lookup("out"); out != nil {
			if found++; out.Shorthand != "o" || cmd.Flags().Lookup("force") == nil {
				t.Errorf("%s: --out has the letter %q, or no --force", cmd.CommandPath(), out.Shorthand)
			}
		}
	}
	if found != 12 {
		t.Errorf("%d commands write to --out, want 12", found)
	}
	dir := t.TempDir()
	keys := writeKeys(t, dir, "keys.txt", "a\nb\n")
	filter := built(t, dir, "f.nest", "a\nb\n", "--kind", "bloom")
	csv := writeKeys(t, dir, "t.csv", plotted)
	for _, line := range []string{
		"filter build " + keys, "filter merge " + filter + " " + filter, "filter convert " + filter, "trace x",
		"chart --x n --y ns " + csv, "sweep --slots 1000 --probes 10",
	} {
		out := writeKeys(t, dir, "out.svg", "old")
		args := append(strings.Fields(line), "-o", out)
		says(t, exitUsage, "", out+" exists; --force replaces it\n", args...)
		was := readAll(t, out)
		says(t, exitOK, "", "", append(args, "--force")...)
		if was != "old" || readAll(t, out) == "old" {
			t.Errorf("%s: %q, then %q", line, was, readAll(t, out))
		}
	}
	holds(t, dir, "f.nest keys.txt out.svg t.csv")
	for _, there := range []string{"map.png", "map.csv"} { // size writes both
		old := writeKeys(t, dir, there, "old")
		says(t, exitUsage, "", old+" exists", "size", "-o", filepath.Join(dir, "map.png"))
		must.Do(t, os.Remove(old))
	}
}

// TestHelp_FitsATerminal renders the help of every command and looks for a line beyond 80 columns and for words that
// were lost on the way. A command that only has others below it prints its help.
func TestHelp_FitsATerminal(t *testing.T) {
	all := commands()
	if len(all) < 25 {
		t.Errorf("only %d commands were seen", len(all))
	}
	for _, cmd := range all {
		help, stderr := says(t, exitOK, "", "", append(pathOf(cmd), "--help")...)
		if cmd.HasSubCommands() {
			if again, said := says(t, exitOK, "Commands:", "", pathOf(cmd)...); again != help || said != "" {
				t.Errorf("%s prints %s%s", cmd.CommandPath(), again, said)
			}
		}
		for line := range strings.SplitSeq(strings.ReplaceAll(help, "\t", "        "), "\n") {
			if n := utf8.RuneCountInString(line); n > report.TextWidth || strings.TrimRight(line, " ") != line || stderr != "" {
				t.Errorf("%s: %d columns: %q%s", cmd.CommandPath(), n, line, stderr)
			}
		}
		words := strings.Join(strings.Fields(help), " ")
		for _, part := range []string{cmd.Long, cmd.Example} {
			has(t, words, strings.Join(strings.Fields(part), " "))
		}
	}
}

func TestTopics_KnownOnesArePrinted(t *testing.T) {
	for line, want := range map[string]string{
		"":                                 "Exit status",
		"help":                             "Usage:\n  nest [command]",
		"help help":                        "Usage:\n  nest help [command]",
		"help redis push":                  "Usage:\n  nest redis push",
		"reproduce -h":                     "Exit status",
		"help completion bash":             "Usage:\n  nest completion bash",
		"completion":                       "nest completion [command]",
		"completion bash":                  "# bash completion V2 for nest",
		"__complete help redis pu":         "pull",
		"__complete completion f":          "fish",
		"__complete size --n 3 -":          "--fpr",
		"__complete reproduce --profile ":  "quick\n",
		"__complete trace --placement ":    "plainxor\n",
		"__complete filter build --kind b": "bloom\n",
	} {
		args := strings.Split(line, " ") // of which the last may be empty
		if line == "" {
			args = nil
		}
		says(t, exitOK, want, "", args...)
	}
	says(t, exitUsage, "", "Did you mean this?\n\treproduce", "reprduce")
}

func TestVersion_SaysWhatTheBuildKnows(t *testing.T) {
	m := report.Module{Path: "m", Version: "v1.2.4-0.2026", Revision: "b30f08b", Modified: true, Program: "abc"}
	want := "m v1.2.4-0.2026 b30f08b modified (program abc), " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	if got := versionText(m); got != want+"\n" {
		t.Errorf("%q, want %q", got, want)
	}
	if stdout, _ := says(t, exitOK, "", "", "--version"); stdout != versionText(report.ThisModule()) {
		t.Errorf("output\n%s", stdout)
	}
}

func TestCheckMemory_OfWhatIsPlanned(t *testing.T) {
	large := nest.Spec{Capacity: 1 << 24, FalsePositiveRate: 0.001} // 24 MiB and more
	err := checkMemory("build", large, 10<<20)
	if !errors.Is(err, lab.ErrMemory) || !strings.Contains(err.Error(), "10.0 MiB are available") {
		t.Error(err)
	}
	for _, s := range []nest.Spec{large, {FalsePositiveRate: 0.001}, {Capacity: -1}, {Kind: nest.Bloom, Slots: 1 << 10, Hashes: 3}} {
		if err := checkMemory("build", s, 100<<20); err != nil {
			t.Errorf("%v: %v", s, err)
		}
	}
	if err := checkMemory("build", nest.Spec{Kind: nest.Bloom, Slots: 1 << 30, Hashes: 3}, 100<<20); !errors.Is(err, lab.ErrMemory) {
		t.Error(err)
	}
}
