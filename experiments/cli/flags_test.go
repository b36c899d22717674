package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nestfilter/nest/experiments"
)

// walk calls visit with every command.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		walk(sub, visit)
	}
}

// valueOf says what sort of value a flag has: one number or several are one sort, one text or several another.
func valueOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64", "uint", "uint64", "float64", "number", "numbers":
		return "number"
	case "string", "stringSlice", "stringArray", "": // of a type with a text form
		return "text"
	}
	return f.Value.Type()
}

// meaning is the part of a help that every command shares: what stands before the first mark or a bracket.
func meaning(usage string) string {
	if at := strings.IndexAny(usage, ":;,("); at >= 0 {
		usage = usage[:at]
	}
	return strings.TrimSpace(usage)
}

// A flag of one name takes one sort of value and says the same in every command, with the same letter.
func TestFlags_OneNameHasOneMeaning(t *testing.T) {
	type first struct{ command, value, meaning, letter string }
	seen := map[string]first{}
	letters := map[string]string{}
	walk(newRootCommand(experiments.Default()), func(cmd *cobra.Command) {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			now := first{cmd.CommandPath(), valueOf(f), meaning(f.Usage), f.Shorthand}
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
	})
	if len(seen) < 60 {
		t.Errorf("only %d flags were seen", len(seen))
	}
	// Words that have given way to others.
	for old, now := range map[string]string{"policy": "kick", "keys-file": "keys", "filters": "filter", "overwrite": "force", "map": "out", "svg": "out", "width": "f"} {
		if was, ok := seen[old]; ok {
			t.Errorf("%s: --%s is called --%s", was.command, old, now)
		}
	}
	if seen["keys"].value != "text" || seen["n"].value != "number" {
		t.Errorf("--keys is a file and --n a count: %q, %q", seen["keys"], seen["n"])
	}
}

// Every command that writes to --out has the letter -o, and --force.
func TestFlags_OutGoesWithForce(t *testing.T) {
	found := 0
	walk(newRootCommand(experiments.Default()), func(cmd *cobra.Command) {
		out := cmd.Flags().Lookup("out")
		if out == nil {
			return
		}
		found++
		if out.Shorthand != "o" || cmd.Flags().Lookup("force") == nil {
			t.Errorf("%s: --out has the letter %q, --force is there: %v", cmd.CommandPath(), out.Shorthand, cmd.Flags().Lookup("force") != nil)
		}
	})
	if found != 12 {
		t.Errorf("%d commands write to --out, want 12", found)
	}
}

// Commands that write a file leave one alone that is there, whatever comes, and replace it with --force.
func TestFlags_ForceAloneReplacesAFile(t *testing.T) {
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
	if got := content(t, dir); got != "f.nest keys.txt out.svg t.csv" {
		t.Errorf("left behind: %s", got)
	}
	for _, there := range []string{"map.png", "map.csv"} { // size writes both
		old := writeKeys(t, dir, there, "old")
		says(t, exitUsage, "", old+" exists", "size", "-o", filepath.Join(dir, "map.png"))
		check(t, os.Remove(old))
	}
}

// A command that only has others below it prints its help and succeeds.
func TestGroups_PrintTheirHelp(t *testing.T) {
	groups := []string{}
	root := newRootCommand(experiments.Default())
	root.InitDefaultCompletionCmd()
	walk(root, func(cmd *cobra.Command) {
		if !cmd.HasSubCommands() {
			return
		}
		path := strings.Fields(cmd.CommandPath())[1:]
		groups = append(groups, strings.Join(path, " "))
		status, stdout, stderr := runNest(path...)
		_, help, _ := runNest(append(slices.Clone(path), "--help")...)
		if status != exitOK || stderr != "" || stdout != help || !strings.Contains(stdout, "Commands:") {
			t.Errorf("%q: status %d, %s%s", path, status, stdout, stderr)
		}
	})
	if !slices.Contains(groups, "redis") || !slices.Contains(groups, "") {
		t.Errorf("groups: %q", groups)
	}
}
