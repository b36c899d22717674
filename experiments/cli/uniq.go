package cli

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/spf13/cobra"
)

func newUniqCommand() *cobra.Command {
	var o files.UniqOptions
	cmd := &cobra.Command{
		Use:   "uniq [FILE...]",
		Short: "Drop repeated lines without sorting, in a few bytes a line",
		Long: `uniq writes each line when it comes for the first time: sort -u without sorting. It keeps a cuckoo
filter of the lines. No repeated line comes through; a new line is dropped wrongly at a rate of at most --fpr. Standard
error gets the counts, how many new lines were probably dropped, and the memory.

With --window a line comes through again if it was not read for that time, or up to a sixth longer; with --window-keys,
if that many other lines came through since. Time counts from when the line came through; with --sliding, from when it
came last. Such a filter has a fixed size. When it is full, new lines come through and are not remembered.

A line is as in nest filter; a missing last line feed is added. Without FILE, or for "-", standard input is read. Lines
of a slow pipe are written as they come. If others choose the lines, --hash siphash draws a secret key, so that they
cannot have lines of others dropped.`,
		Example: `  # Each line of a file once, in its order
  nest uniq access.log > distinct.log
  # Follow a log, and show each address when it is new
  tail -f access.log | cut -d' ' -f1 | nest uniq --fpr 0.0001
  # Show each address again if it was not there for ten minutes
  tail -f access.log | cut -d' ' -f1 | nest uniq --window 10m --sliding`,
		RunE: func(cmd *cobra.Command, names []string) error { return runUniq(cmd, o, orStdin(names)) },
	}
	f := cmd.Flags()
	f.Var(parsed(&o.FPR, "rate", "0.000001", parseRate), "fpr", rateHelp+"; new lines are dropped at that rate")
	f.Var(count(&o.Capacity), "capacity", capacityHelp+"; more is an error unless --grow (default a million, and --grow)")
	f.BoolVar(&o.Grow, "grow", false, "grow beyond --capacity")
	f.DurationVar(&o.Window, "window", 0,
		"forget after this time, such as 10m; --capacity is then the lines of a window")
	f.Var(count(&o.WindowKeys), "window-keys", countHelp+"; forget a line after that many others")
	f.BoolVar(&o.Sliding, "sliding", false, "restart the time of a line whenever it comes")
	hashFlag(cmd, &o.Hash)
	quietFlag(f, ", and the lines")
	cmd.MarkFlagsMutuallyExclusive("window", "window-keys")
	for _, forgets := range []string{"window", "window-keys"} {
		cmd.MarkFlagsMutuallyExclusive("grow", forgets)
	}
	cmd.MarkFlagsMutuallyExclusive("capacity", "window-keys") // which follows from it
	return cmd
}

func runUniq(cmd *cobra.Command, o files.UniqOptions, names []string) error {
	forgets := cmd.Flags().Changed("window") || o.WindowKeys != 0
	switch {
	case o.Sliding && !forgets:
		return errors.New("--sliding: it is for --window and --window-keys")
	case forgets && o.WindowKeys == 0 && o.Window < time.Millisecond:
		return fmt.Errorf("--window: %v: want at least 1ms", o.Window)
	}
	o.Grow = o.Grow || o.Capacity == 0 && !forgets
	// Before a line is written, so that a misspelt name costs nothing.
	if err := checkFiles(cmd, names...); err != nil {
		return err
	}
	// That is about what uniq makes first.
	first := nest.Spec{Kind: nest.Cuckoo, Capacity: cmp.Or(o.Capacity, o.WindowKeys), FalsePositiveRate: o.FPR}
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
		err = linesWritten(int(st.Kept))
	}
	if err == nil || st.Lines > 0 {
		say(cmd, "%v", st)
	}
	if errors.Is(err, files.ErrCapacity) && !o.Grow {
		err = fmt.Errorf("%w; announce more with --capacity, or add --grow", err)
	}
	return err
}

// checkMemory tells, before a filter is made, whether there is memory for it: what the system refuses ends a program of
// Go at once. A Spec without a Capacity or Slots is sized later; whatever else is wrong with it is for what makes the
// filter to say. The error wraps lab.ErrMemory.
func checkMemory(command string, s nest.Spec, available int64) error {
	if s.Capacity == 0 && s.Slots == 0 {
		return nil
	}
	s.Hash = "" // it may need a Hasher, and has no part in the size
	plans, err := nest.Plans(s)
	if err != nil || int64(plans[0].SizeBytes) <= available {
		return nil
	}
	return fmt.Errorf("%s: %w: the filter takes %s, %s are available",
		command, lab.ErrMemory, claims.Bytes(plans[0].SizeBytes), claims.Bytes(int(available)))
}

// A leftover is the error of a command that was interrupted, and what is there since.
type leftover struct {
	error
	what string
}

// Unwrap is the error.
func (l leftover) Unwrap() error { return l.error }

// linesWritten is the error of an interrupt after so many lines were written.
func linesWritten(n int) error {
	what := fmt.Sprintf("%d lines were written", n)
	return leftover{errors.New(what), what}
}
