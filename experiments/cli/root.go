// Package cli is the command nest, for programs that add to it: a registry with filters, hash families, policies
// and experiments of one's own gets every subcommand, with progress, resumption and reports.
//
//	func main() {
//		registry := experiments.Default()
//		if err := registry.Register(own...); err != nil {
//			log.Fatal(err)
//		}
//		os.Exit(cli.Main(registry, os.Args[1:], os.Stdout, os.Stderr))
//	}
//
// The command itself, experiments/cmd/nest, is that with nothing added.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/logstore"
	"github.com/nestfilter/nest/experiments/tabular"
)

// The exit statuses, as the help of the root command lists them.
const (
	exitOK          = 0
	exitFailed      = 1   // a claim that the seed alone decides does not hold, a comparison finds a difference, a query nothing
	exitUsage       = 2   // bad input, or a folder that cannot be written
	exitInterrupted = 130 // as shells report SIGINT
)

// errFailed is returned by a command that ran to its end and found a claim that does not hold.
var errFailed = errors.New("a claim does not hold")

// Main executes one command line, without the program's name, and returns the exit status as the help of nest lists
// them. The experiments are those of the registry. Results go to stdout; progress and the one error go to stderr. While
// it runs, an interrupt or SIGTERM ends the command in good order, and a second one the process, with the same status.
func Main(registry lab.Registry, args []string, stdout, stderr io.Writer) int {
	ctx, stop := untilSignal(func() { os.Exit(exitInterrupted) })
	defer stop()
	return runCommand(ctx, newRootCommand(registry), args, stdout, stderr)
}

// runCommand is Main of a given command, with the context that an interrupt cancels.
func runCommand(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	noted, failed := noteErrors(stdout)
	root.SetArgs(args)
	root.SetOut(noted)
	root.SetErr(stderr)
	giveStdin(ctx, root)
	checkTopics(root)
	fitHelp(root)
	err := root.ExecuteContext(ctx)
	if err == nil && *failed != nil { // a command, or cobra for it, has not looked at what became of its output
		err = fmt.Errorf("standard output: %w", files.Reason(*failed))
	}
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "nest: interrupted,", leftBehind(err))
		return exitInterrupted
	case errors.Is(err, errNone):
		return exitFailed
	}
	sayError(stderr, err)
	if errors.Is(err, errFailed) || errors.Is(err, errFound) || errors.Is(err, errDamaged) || errors.Is(err, logstore.ErrNotFound) {
		return exitFailed
	}
	return exitUsage
}

// say prints lines for people, which are broken between words for a terminal.
func say(w io.Writer, text string) { fmt.Fprint(w, tabular.Wrap("", text, tabular.Width(w))) }

// sayError prints an error: on a line for programs, and broken between words for a terminal.
func sayError(stderr io.Writer, err error) {
	text := strings.TrimPrefix(err.Error(), "nest: ") // package nest has the command's name
	fmt.Fprint(stderr, tabular.Wrap("nest: ", text, tabular.Width(stderr)))
}

// newRootCommand returns the command nest with all its subcommands, the experiments being those of the
// registry.
func newRootCommand(registry lab.Registry) *cobra.Command {
	root := &cobra.Command{
		Use:   "nest",
		Short: "Approximate-membership filters: measure them, compare them, choose one",
		Long: `nest repeats the measurements of the cuckoo-filter paper, compares filters on your keys, recommends one, drops repeated
lines, builds filters of files and asks them, merges and converts them, ships them to Redis, and shows an insert step
by step, or all of a filter on a page to play with.

Results go to standard output, progress and errors to standard error. A command leaves a file or folder alone that is there;
--force replaces it.

Exit status: 0 all is well, 1 a claim that the seed alone decides does not hold, a comparison finds a difference, a query
no line, a log store no key or a filter is damaged, 2 bad input or a file or folder that cannot be written (nothing is left behind), 130
interrupted (nothing is left behind but the finished trials of nest reproduce, which goes on with them). A second interrupt
ends any command at once, which may leave a file *.tmp. Under go run every status but 0 is 1: where it matters, install the
command with go install.`,
		Example: `  nest reproduce --out report
  nest reproduce --out report --only fig2,fig4 --profile paper
  nest diff report other-report
  nest sweep --f 8..16 --load 0.5,0.9 --out grid.csv
  nest chart report/fig3.csv --theme dark --out rates.svg
  nest compare --keys keys.txt --fpr 0.01,0.001 --out comparison
  nest bench --out speed --quick
  nest size --n 1000000 --fpr 0.001 --delete
  nest uniq access.log > distinct.log
  nest build --fpr 0.001 --keys blocked.txt -o blocked.nest
  nest query blocked.nest addresses.txt
  nest redis push --keys blocked.txt localhost:6379 blocked
  nest trace -o path.svg
  nest page --serve
  nest help reproduce`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.AddCommand(newRedrawCommand(registry), newSweepCommand(registry), newVerifyCommand(), newDiffCommand(), newChartCommand())
	root.AddCommand(newBuildCommand(), newQueryCommand(), newInfoCommand(), newConvertCommand(), newMergeCommand())
	root.AddCommand(newReproduceCommand(registry), newCompareCommand(), newBenchCommand(), newSizeCommand(), newUniqCommand(), newTraceCommand(), newPageCommand())
	root.AddCommand(newRedisCommand(), newLogCommand(), newVersionCommand())
	return root
}

// version is the module's version and the revision it was built from, as far as the build knows them.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 && v == "(devel)" {
			v += " " + s.Value[:12]
		}
	}
	return v + ", " + info.GoVersion
}
