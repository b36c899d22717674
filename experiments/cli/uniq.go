package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
)

type uniqFlags struct {
	fpr, hash   string
	capacity    count
	grow, quiet bool
}

func newUniqCommand() *cobra.Command {
	var flags uniqFlags
	cmd := &cobra.Command{
		Use:   "uniq [FILE...]",
		Short: "Drop repeated lines without sorting, in a few bytes a line",
		Long: fmt.Sprintf(`uniq writes each line when it comes for the first time: sort -u without sorting. It keeps a cuckoo filter of
the lines. No repeated line comes through; a new line is dropped wrongly at a rate of at most --fpr. Standard error gets
the counts, how many new lines were probably dropped, and the memory.

Without --capacity the filter begins with room for %d lines and grows; --fpr holds for all of it. With --capacity the
memory is fixed.

A line is as in nest filter, up to %d MiB; a missing last line feed is added. Without FILE, or for "-", standard input
is read. Lines are written as soon as the input read so far is dealt with. If others choose the lines, --hash siphash
draws a secret key, so that they cannot have lines of others dropped.

Exit status: 2 also a passed capacity; the lines kept before it are written.`,
			files.UniqCapacity, files.MaxLine>>20),
		Example: `  # Each line of a file once, in its order
  nest uniq access.log > distinct.log
  # Follow a log, and show each address when it is new
  tail -f access.log | cut -d' ' -f1 | nest uniq --fpr 0.0001
  # Lines of strangers, in memory for ten million
  nest uniq --capacity 1e7 --hash siphash part1.txt part2.txt > all.txt`,
		RunE: func(cmd *cobra.Command, names []string) error { return runUniq(cmd, flags, orStdin(names)) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.fpr, "fpr", "0.000001", rateHelp+"; new lines are dropped at that rate")
	f.Var(&flags.capacity, "capacity", capacityHelp+"; one more is an error unless --grow")
	f.BoolVar(&flags.grow, "grow", false, "grow beyond --capacity")
	f.StringVar(&flags.hash, "hash", "xxh64", hashHelp+": "+strings.Join(hashing.Names(), ", "))
	f.BoolVarP(&flags.quiet, "quiet", "q", false, quietHelp+", and the lines")
	complete(cmd, "hash", hashing.Names())
	return cmd
}

func runUniq(cmd *cobra.Command, flags uniqFlags, names []string) (err error) {
	o := files.UniqOptions{Capacity: int(flags.capacity), Grow: flags.grow || flags.capacity == 0}
	if o.FPR, err = parseRate(flags.fpr); err != nil {
		return fmt.Errorf("--fpr: %w", err)
	}
	if o.Hash, err = secret.New(flags.hash); err != nil {
		return fmt.Errorf("--hash: %w", err)
	}
	// Before a line is written, so that a misspelt name costs nothing.
	if err := checkFiles(cmd, names...); err != nil {
		return err
	}
	// That is about what uniq makes first.
	first := nest.Spec{Kind: nest.Cuckoo, Capacity: o.Capacity, FalsePositiveRate: o.FPR}
	if err := checkMemory(cmd.Name(), first, lab.AvailableMemory()); err != nil {
		return err
	}
	u, err := files.NewUniq(o, stdoutOf(cmd))
	if err != nil {
		return fmt.Errorf("--fpr, --capacity: %w", err)
	}
	for _, name := range names {
		if err = readFile(cmd, name, u.Read); err != nil {
			break
		}
	}
	st := u.Stats()
	if err != nil && cmd.Context().Err() != nil {
		err = linesWritten(st.Kept)
	}
	if !flags.quiet && (err == nil || st.Lines > 0) {
		say(cmd.ErrOrStderr(), st.String())
	}
	if errors.Is(err, files.ErrCapacity) && !o.Grow {
		err = fmt.Errorf("%w; announce more with --capacity, or add --grow", err)
	}
	return err
}

// A leftover is the error of a command that was interrupted, and what is there since.
type leftover struct {
	error
	what string
}

// Unwrap is the error.
func (l leftover) Unwrap() error { return l.error }

// linesWritten is the error of an interrupt after so many lines were written.
func linesWritten[T int | int64](n T) error {
	what := fmt.Sprintf("%d lines were written", n)
	return leftover{errors.New(what), what}
}

// leftBehind says what an interrupted command, which returned err, has written.
func leftBehind(err error) string {
	if l, ok := errors.AsType[leftover](err); ok {
		return l.what
	}
	if errors.Is(err, wire.ErrUncertain) { // nest redis push
		return wire.ErrUncertain.Error()
	}
	return "nothing was written"
}
