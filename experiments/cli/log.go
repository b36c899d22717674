package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/nestfilter/nest/experiments/logstore"
	"github.com/spf13/cobra"
)

// A logVerb is a command of nest log.
type logVerb struct {
	use, short, long string

	open logstore.Options
	run  func(cmd *cobra.Command, s *logstore.Store, args []string) error
}

// The ways in which a command opens a store.
var (
	toRead   = logstore.Options{ReadOnly: true}
	toChange = logstore.Options{}
	toMake   = logstore.Options{Create: true}
)

var logVerbs = []logVerb{{
	use: "put STORE KEY [VALUE]", short: "Give a key a value", open: toMake,
	run: func(_ *cobra.Command, s *logstore.Store, args []string) error {
		return s.Put([]byte(args[1]), []byte(args[2]))
	},
	long: "put gives a key a value, in place of an older one. Without VALUE it reads standard input.",
}, {
	use: "get STORE KEY", short: "Write the value of a key to standard output", open: toRead, run: logGet,
	long: "get writes the bytes of the value and nothing after them.",
}, {
	use: "delete STORE KEY", short: "Delete a key", open: toChange,
	run: func(_ *cobra.Command, s *logstore.Store, args []string) error {
		return keyed(args[1], s.Delete([]byte(args[1])))
	},
	long: "delete appends a record that says so; compact gives the room back. Files that were imported stay.",
}, {
	use: "stats STORE", short: "Say how many keys a store has and what they take", open: toRead, run: logStats,
	long: "Chunks of files are keys too. Live bytes are those that compact keeps, and those of deleted keys.",
}, {
	use: "compact STORE", short: "Rewrite the log without what was replaced or deleted",
	open: toChange, run: logCompact,
	long: "compact needs room for the live records beside the log. If it fails, the store is as it was.",
}, {
	use: "check STORE", short: "Read a whole store and compare all checksums", open: toRead, run: logCheck,
	long: `check names each file that is damaged, and where. A damaged index is an error until a command that changes
the store rebuilds it from the log.`,
}}

func newLogCommand() *cobra.Command {
	cmd := groupOf(&cobra.Command{
		Use:   "log",
		Short: "Keep keys and values in a log whose index is a maplet",
		Long: `log works on a store, which is a folder with a log of records. While a command runs, a cuckoo table in
memory has the place of each key, in 8 bytes. import and export keep whole files as lines under their SHA-1; a repeated
line is kept once.

import and put make the folder STORE if it is not there. get, export, stats and check write nothing to it. Any number of
them may run at once, but not while another command changes the store.

Whatever the exit status, the store keeps what it had, and a file is imported whole or not at all.`,
		Example: `  # Keep versions of a file, and take one out
  nest log import notes.txt store
  nest log export store copy.txt --name notes.txt
  # Keep values under keys
  nest log put store ant "6 legs"
  nest log get store ant
  # Is the store whole, and is it time to compact it?
  nest log check store
  nest log stats store`,
	}, newLogImportCommand(), newLogExportCommand())
	for _, v := range logVerbs {
		most := strings.Count(v.use, " ")
		cmd.AddCommand(&cobra.Command{
			Use: v.use, Short: v.short, Long: v.long,
			Args: cobra.RangeArgs(most-strings.Count(v.use, "["), most),
			RunE: func(cmd *cobra.Command, args []string) error {
				if v.open.Create && len(args) < most { // before a store is made
					value, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), logstore.MaxValue+1))
					if err != nil {
						return fmt.Errorf("log: %w", err)
					}
					args = append(args, string(value))
				}
				return withStore(cmd, args[0], v.open, func(s *logstore.Store) error { return v.run(cmd, s, args) })
			}})
	}
	stats, _, _ := cmd.Find([]string{"stats"})
	jsonFlag(stats)
	return cmd
}

func logGet(cmd *cobra.Command, s *logstore.Store, args []string) error {
	value, err := s.Get([]byte(args[1]))
	if err == nil {
		_, err = stdoutOf(cmd).Write(value)
	}
	return keyed(args[1], err)
}

// keyed says of which key an error is.
func keyed(key string, err error) error {
	if err != nil {
		return fmt.Errorf("%.60q: %w", key, err)
	}
	return nil
}

func logStats(cmd *cobra.Command, s *logstore.Store, _ []string) error {
	t := s.Stats()
	return show(cmd, t, func(out io.Writer) error {
		w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
		fmt.Fprintf(w, "keys\t%d\ndeleted\t%d\nlog bytes\t%d\n", t.Keys, t.Deleted, t.LogBytes)
		fmt.Fprintf(w, "live bytes\t%d\nindex bytes\t%d\nindex load\t%.3f\n", t.LiveBytes, t.IndexBytes, t.IndexLoad)
		return w.Flush()
	})
}

func logCompact(cmd *cobra.Command, s *logstore.Store, _ []string) error {
	before := s.Stats().LogBytes
	if err := s.Compact(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdoutOf(cmd), "%d bytes, %d before\n", s.Stats().LogBytes, before)
	return err
}

func logCheck(cmd *cobra.Command, s *logstore.Store, _ []string) error {
	if err := errors.Join(s.Recovered().Index, s.Check()); err != nil {
		return err
	}
	t := s.Stats()
	_, err := fmt.Fprintf(stdoutOf(cmd), "keys: %d, all checksums fit\n", t.Keys)
	return err
}

// withStore opens a store, runs work on it, and closes it. It says on standard error what opening had to mend. A signal
// ends what reads the store; then it is closed as ever.
func withStore(cmd *cobra.Command, dir string, o logstore.Options, work func(*logstore.Store) error) error {
	o.Context = cmd.Context()
	s, err := logstore.Open(dir, o)
	if err != nil {
		return logError(cmd, err)
	}
	r, stderr, done := s.Recovered(), cmd.ErrOrStderr(), "were cut off"
	if o.ReadOnly {
		done = "are left out"
	}
	if r.Cut > 0 {
		fmt.Fprintf(stderr, "nest: log: %s ended inside a record: %d bytes from byte %d on %s\n", r.File, r.Cut, r.At, done)
	}
	if r.Index != nil {
		fmt.Fprintf(stderr, "nest: log: the index was made anew from the log: %v\n", r.Index)
	}
	if err = work(s); err == nil && !o.ReadOnly {
		err = s.Sync()
	}
	closed := s.Close()
	switch {
	case err != nil:
		return logError(cmd, err) // Close would say the same once more
	case closed != nil && !o.ReadOnly: // all that was put is there
		fmt.Fprintf(stderr, "nest: log: the index was not stored; the next command reads the log: %v\n", closed)
	}
	return nil
}

// logError is the error of a command on a store, or what a signal left behind.
func logError(cmd *cobra.Command, err error) error {
	if cmd.Context().Err() != nil {
		return leftover{err, "what was in the store is there"}
	}
	return fmt.Errorf("log: %w", err)
}

func newLogImportCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "import FILE STORE",
		Short: "Keep a file in a store, repeated lines once",
		Long: `import keeps any file, of text or not. It cuts the file after each line feed, and longer lines after 64
KiB. A file of the same name is replaced.`,
		Example: `  # Import from a pipe, under a name
  tar c src | nest log import - store --name src.tar`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return readFile(cmd, args[0], func(in io.Reader, _ string) error {
				return withStore(cmd, args[1], toMake, func(s *logstore.Store) error {
					name := cmp.Or(name, filepath.Base(args[0]))
					done, err := s.Import(name, in)
					if err == nil {
						_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d bytes in %d chunks, of which %d were new\n",
							name, done.Bytes, done.Chunks, done.Stored)
					}
					return err
				})
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "what the file is called in the store (default the last part of FILE)")
	return cmd
}

func newLogExportCommand() *cobra.Command {
	var name string
	var out output
	cmd := &cobra.Command{
		Use:   "export STORE FILE",
		Short: "Write a file that was imported, byte for byte",
		Long: `export writes what was imported under --name, or the only file in the store. FILE appears when all of
it is written; - is standard output.`,
		Example: `  # The only file of a store
  nest log export store copy.txt
  # Has notes.txt changed since?
  nest log export store - --name notes.txt | diff - notes.txt`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out.name = args[1]; out.refuse() != nil {
				return fmt.Errorf("log export: %s exists; --force replaces it", out.name)
			}
			return withStore(cmd, args[0], toRead, func(s *logstore.Store) error {
				name, err := nameIn(s, name)
				if err != nil {
					return err
				}
				return out.save(cmd, writing(func(w io.Writer) error { return s.Export(name, w) }))
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "what the file is called in the store (default the only one)")
	forceFlag(cmd, &out.force)
	return cmd
}

// nameIn returns the name, or that of the only file in a store.
func nameIn(s *logstore.Store, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	names, err := s.Names()
	switch {
	case err != nil:
		return "", err
	case len(names) == 0:
		return "", errors.New("no file was imported into the store")
	case len(names) > 1:
		return "", fmt.Errorf("the store has %d files: say with --name which: %.200s", len(names), strings.Join(names, ", "))
	}
	return names[0], nil
}
