// Package cli is the command nest, for programs that add to it: a registry with filters, hash families, policies
// and experiments of one's own gets every subcommand.
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
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/logstore"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/spf13/cobra"
)

// The exit statuses, as the help of the root command lists them.
const (
	exitOK          = 0
	exitFailed      = 1   // a claim does not hold, a comparison finds a difference, a query nothing
	exitUsage       = 2   // bad input, or a folder that cannot be written
	exitInterrupted = 130 // as shells report SIGINT
)

// errFailed is returned by a command that ran to its end and found a claim that does not hold.
var errFailed = errors.New("a claim does not hold")

// Main executes one command line, without the program's name, and returns the exit status as the help of nest lists
// them. The experiments are those of the registry. Results go to stdout; progress and the one error go to stderr. While
// it runs, an interrupt or SIGTERM ends the command in good order, and a second one the process.
func Main(registry lab.Registry, args []string, stdout, stderr io.Writer) int {
	ctx, stop := untilSignal()
	status := runCommand(ctx, newRootCommand(registry), args, stdout, stderr)
	if ctx.Err() == nil { // else the same signal, which may still come, must not end the process before its status does
		stop()
	}
	return status
}

// sameSignal is how long after the first signal others count as the same: timeout(1) sends each twice.
const sameSignal = 100 * time.Millisecond

// untilSignal returns a context that an interrupt or SIGTERM ends. A second one ends the process, whatever it does.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { time.AfterFunc(sameSignal, stop) })
	return ctx, stop
}

// runCommand is Main of a given command, with the context that an interrupt cancels.
func runCommand(ctx context.Context, root *cobra.Command, args []string, out, stderr io.Writer) int {
	noted := &stdout{Writer: out}
	root.SetArgs(args)
	root.SetOut(noted)
	root.SetErr(stderr)
	from := root.InOrStdin()
	root.SetIn(stdin{interruptible{ctx, from.Read}, from})
	checkTopics(root)
	fit(root)
	err := root.ExecuteContext(ctx)
	if err == nil && noted.err != nil { // a command, or cobra for it, has not looked at what became of its output
		err = fmt.Errorf("standard output: %w", files.Reason(noted.err))
	}
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		left := leftover{what: "nothing was written"}
		errors.As(err, &left)
		fmt.Fprintln(stderr, "nest: interrupted,", left.what)
		return exitInterrupted
	case errors.Is(err, errNone):
		return exitFailed
	}
	sayError(stderr, err)
	for _, failure := range []error{errFailed, errFound, errDamaged, logstore.ErrNotFound} {
		if errors.Is(err, failure) {
			return exitFailed
		}
	}
	return exitUsage
}

// sayError prints an error: on a line for programs, and broken between words for a terminal.
func sayError(stderr io.Writer, err error) {
	text := strings.TrimPrefix(err.Error(), "nest: ") // package nest has the command's name
	fmt.Fprint(stderr, report.Wrap("nest: ", text, report.Width(stderr)))
}

// newRootCommand returns the command nest with all its subcommands, the experiments being those of the registry.
func newRootCommand(registry lab.Registry) *cobra.Command {
	root := &cobra.Command{
		Use:   "nest",
		Short: "Approximate-membership filters: measure them, choose one, use it",
		Long: `nest repeats the measurements of the cuckoo-filter paper, measures and recommends filters, and uses
them on files.

Results go to standard output, progress and errors to standard error. No command replaces a file or folder unless
--force is given.

Exit status: 0 all is well, 1 a claim that the seed alone decides does not hold, a comparison finds a difference, a
query no line, a log store no key or a filter is damaged, 2 bad input or a file or folder that cannot be written
(nothing is left behind), 130 interrupted (nothing is left behind but the finished trials of nest reproduce, which goes
on with them). A second interrupt ends any command at once, which may leave a file *.tmp. Under go run every status but
0 becomes 1: install the command with go install where it matters.

Numbers can be written as 1000000, 1e6 or 2^20. What is random follows from --seed.`,
		Example: `  # Repeat the paper in a few minutes, and read report/report.html
  nest reproduce --out report
  # Which filter takes a million keys, and how many bytes?
  nest size --n 1000000 --fpr 0.001
  # Keep a list of names in a filter, and look names up
  nest filter build blocked.txt -o blocked.nest
  nest filter query blocked.nest names.txt
  # Drop repeated lines without sorting
  nest uniq access.log > distinct.log`,
		Version:       "built", // see the template
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.Flags().Bool("version", false, "say which version this is, and what it was built with") // without cobra's -v
	root.SetVersionTemplate("{{built}}")
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"The paper:", []*cobra.Command{newReproduceCommand(registry), newReportCommand(registry)}},
		{"Measure and choose:", []*cobra.Command{
			newSizeCommand(), newBenchCommand(), newSweepCommand(registry), newChartCommand(),
		}},
		{"Use filters:", []*cobra.Command{newFilterCommand(), newUniqCommand(), newRedisCommand(), newLogCommand()}},
		{"Watch one at work:", []*cobra.Command{newTraceCommand(), newPageCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.title
		}
		root.AddCommand(g.commands...)
	}
	return root
}

// groupOf makes cmd a command that only has others below it: it prints its help.
func groupOf(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(below...)
	return cmd
}

// fit wraps the help of a command and those below at 80 columns, and has it show its use where names are missing.
func fit(cmd *cobra.Command) {
	if !cmd.HasParent() {
		cmd.SetUsageTemplate(strings.ReplaceAll(cmd.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	}
	paragraphs := strings.Split(cmd.Long, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = report.Wrap("", strings.Join(strings.Fields(p), " "), report.TextWidth)
	}
	cmd.Long = strings.TrimSpace(strings.Join(paragraphs, "\n"))
	if args := cmd.Args; args != nil && cmd.HasParent() {
		cmd.Args = func(c *cobra.Command, names []string) error {
			err := args(c, names)
			if err != nil && !strings.HasPrefix(err.Error(), "unknown command") {
				return fmt.Errorf("wrong number of names; use: %s", strings.TrimSuffix(c.UseLine(), " [flags]"))
			}
			return err
		}
	}
	for _, sub := range cmd.Commands() {
		fit(sub)
	}
}

// checkTopics makes the commands help and completion, which cobra adds, refuse what they do not know: as they come they
// print something and succeed. It is for a root command whose output is set, which the scripts of completion go to.
func checkTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, topic []string) error {
		_, _, err := root.Find(topic)
		return err
	}
	completion, _, _ := root.Find([]string{"completion"})
	groupOf(completion)
}

func init() {
	// Only where it is asked for: it may read the whole program.
	cobra.AddTemplateFunc("built", func() string { return versionText(report.ThisModule()) })
}

// versionText is what --version prints.
func versionText(m report.Module) string {
	return fmt.Sprintf("%s %v, %s %s/%s\n", m.Path, m, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
