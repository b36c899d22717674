package cli

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/experiments/tabular"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
)

type redisFlags struct {
	timeout time.Duration
	shards  int
	// of push and pull
	maxBytes int
	quiet    bool
	// of push
	keys     string
	force    bool
	verify   bool
	chunk    int
	capacity count
	config   rediscf.Config
	// of pull
	out output
}

func newRedisCommand() *cobra.Command {
	flags := new(redisFlags)
	cmd := &cobra.Command{
		Use:   "redis",
		Short: "Ship cuckoo filters into a Redis server and fetch them from one",
		Long: `redis pushes a cuckoo filter into a Redis server that has the commands CF.*, pulls one into a file, or says what is there.

ADDR is host:port or redis://user:password@host:port/db, rediss:// for TLS; of a cluster, any node. A password can be in
the environment variable REDISCLI_AUTH, where other users do not see it. docs/REDIS.md describes the file of a filter.
With --shards N the filter is N filters under KEY:{0} to KEY:{N-1}; see docs/SHARDING.md.

Exit status: 0, 2 bad input, no such key, a key that exists, or a server that fails or says something unexpected, 130
interrupted. Whatever it is, a key has the filter that it had or the whole new one.`,
		Example: `  nest redis push --keys blocked.txt localhost:6379 blocked
  nest redis pull redis://reader@cache.example:6379/2 blocked -o blocked.cfd
  nest redis push blocked.cfd localhost:6379 blocked --force
  nest redis info localhost:6379 blocked
  nest redis push --keys blocked.txt --shards 16 node1:6379 blocked`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().DurationVar(&flags.timeout, "timeout", 30*time.Second, "longest wait for a connection, or for one reply or one write")
	cmd.PersistentFlags().IntVar(&flags.shards, "shards", 0, "number of shards, 1 to 16384; 0: one filter under KEY itself")
	cmd.AddCommand(newRedisPushCommand(flags), newRedisPullCommand(flags), newRedisInfoCommand(flags))
	return cmd
}

func newRedisPushCommand(flags *redisFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "push {FILE | --keys FILE} ADDR KEY",
		Short: "Make a key of a server the filter of a file, or of the keys in a file",
		Long: `push loads the filter under a temporary key, checks what the server then has, and renames it. It refuses a key that exists
without --force. If it fails, the temporary key is deleted; if the server cannot be reached for that, the error names
the key, which expires within an hour where it says so.

With --keys it makes the filter: one sub-filter large enough for the distinct lines, unless flags say otherwise.

Redis modules older than a fix of June 2026 do not send loaded filters to replicas and to the append-only file; push warns
of them. With --verify it asks a replica for sample keys before the rename, for --timeout at most; without a replica it
asks the server.

With --shards all shards are loaded before the first is renamed. A FILE of shards needs no --shards.`,
		Example: "  nest redis push blocked.cfd localhost:6379 blocked\n  nest redis push --keys blocked.txt localhost:6379 blocked --force",
		Args: func(_ *cobra.Command, args []string) error {
			if want := redisPushArgs(flags); len(args) != want {
				return fmt.Errorf("redis push: want FILE ADDR KEY, or --keys FILE ADDR KEY; %d arguments came", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runRedisPush(cmd, flags, args) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.keys, "keys", "", keysHelp+"; in place of a filter")
	forceFlag(cmd, &flags.force)
	f.BoolVar(&flags.verify, "verify", false, "ask a replica for sample keys before the rename")
	f.IntVar(&flags.chunk, "chunk", 1<<20, "most bytes of one CF.LOADCHUNK, up to 16777216")
	f.Var(&flags.capacity, "capacity", capacityHelp+"; with --keys: slots of the first sub-filter, of each shard (default for the keys of the file)")
	f.IntVar(&flags.config.BucketSize, "bucket-size", 4, "with --keys: slots of a bucket")
	f.IntVar(&flags.config.MaxIterations, "max-iterations", 500, "with --keys: kicks of one insert")
	f.IntVar(&flags.config.Expansion, "expansion", 1, "with --keys: factor of growth; 0: none")
	redisFileFlags(cmd, flags)
	return cmd
}

func redisPushArgs(flags *redisFlags) int {
	if flags.keys != "" {
		return 2
	}
	return 3
}

func redisFileFlags(cmd *cobra.Command, flags *redisFlags) {
	cmd.Flags().IntVar(&flags.maxBytes, "max-bytes", 1<<30, "largest tables to allocate, in bytes, of all shards")
	cmd.Flags().BoolVarP(&flags.quiet, "quiet", "q", false, quietHelp)
}

func newRedisPullCommand(flags *redisFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pull ADDR KEY -o FILE",
		Short: "Write the filter under a key of a server to a file",
		Long: `pull dumps the filter and writes the file when all of it has come. It refuses a filter that changes meanwhile. The file of
--shards has all shards; push takes it.`,
		Example: "  nest redis pull localhost:6379 blocked -o blocked.cfd",
		Args:    cobra.ExactArgs(2),
		RunE:    func(cmd *cobra.Command, args []string) error { return runRedisPull(cmd, flags, args[0], args[1]) },
	}
	flags.out.flags(cmd, "a file, or - (required)")
	redisFileFlags(cmd, flags)
	return cmd
}

func newRedisInfoCommand(flags *redisFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "info ADDR KEY",
		Short: "Say what a server says of a filter",
		Long: `info prints what CF.INFO says of the filter under a key, and its load factor;
with --shards the sum over all shards and the range of each number.`,
		Example: "  nest redis info localhost:6379 blocked",
		Args:    cobra.ExactArgs(2),
		RunE:    func(cmd *cobra.Command, args []string) error { return runRedisInfo(cmd, flags, args[0], args[1]) },
	}
}

// limits are those of each filter that is made or pulled.
func (f *redisFlags) limits() rediscf.Limits {
	if f.shards > 0 && f.maxBytes > 0 {
		return rediscf.Limits{Bytes: max(f.maxBytes/f.shards, 1)}
	}
	return rediscf.Limits{Bytes: f.maxBytes}
}

// check reports the first flag that is out of range.
func (f *redisFlags) check(cmd *cobra.Command) error {
	if f.timeout <= 0 {
		return fmt.Errorf("--timeout: %v: want more than 0", f.timeout)
	}
	if cmd.Flags().Changed("shards") && (f.shards < 1 || f.shards > wire.MaxShards) {
		return fmt.Errorf("--shards: %d: want 1..%d", f.shards, wire.MaxShards)
	}
	return nil
}

// checkShape reports a flag of the filter that is made where none is made, or that is not what it says because 0 is
// a default of the package but not of the command.
func (f *redisFlags) checkShape(cmd *cobra.Command) error {
	if f.keys == "" {
		for _, name := range []string{"capacity", "bucket-size", "max-iterations", "expansion"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s: is for a filter that is made of --keys; that in a file has its own", name)
			}
		}
	}
	if f.config.BucketSize == 0 {
		return fmt.Errorf("--bucket-size: 0: want 1..%d", rediscf.MaxBucketSize)
	}
	if f.config.MaxIterations == 0 {
		return fmt.Errorf("--max-iterations: 0: want 1..%d", rediscf.MaxMaxIterations)
	}
	return nil
}

// runRedisPush makes or reads the filter before it connects.
func runRedisPush(cmd *cobra.Command, flags *redisFlags, args []string) error {
	if err := errors.Join(flags.check(cmd), flags.checkShape(cmd)); err != nil {
		return err
	}
	addr, key := args[len(args)-2], args[len(args)-1]
	if _, err := redisOptions(addr); err != nil { // before the filter is made
		return err
	}
	filter, err := redisFilterOf(cmd, flags, args[0])
	if err != nil {
		return err
	}
	s, err := dialRedis(cmd.Context(), addr, flags.timeout)
	if err != nil {
		return err
	}
	defer s.close()
	options, err := redisPushOptions(cmd, flags, s)
	if err != nil {
		return s.explain(err)
	}
	progress, end := redisProgress(cmd, flags, "pushing")
	options.Progress = progress
	err = filter.push(cmd.Context(), s.conn, key, options)
	end()
	if errors.Is(err, rediscf.ErrExists) && !flags.force {
		err = fmt.Errorf("%w; --force replaces it", err)
	}
	if cmd.Context().Err() != nil && (errors.Is(err, wire.ErrLeftover) || errors.Is(err, wire.ErrUncertain)) { // an interrupt would not tell
		fmt.Fprintln(cmd.ErrOrStderr(), "nest:", s.explain(err))
	}
	if err != nil {
		return s.explain(err)
	}
	if n := s.mastersAsked.Load(); n > 0 && !flags.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "nest: %s: nodes without a replica were asked for the sample keys themselves\n", s.name)
	}
	flags.report(cmd, "pushed to", key, s, filter)
	return nil
}

func redisPushOptions(cmd *cobra.Command, flags *redisFlags, s *redisServer) (wire.PushOptions, error) {
	o := wire.PushOptions{Overwrite: flags.force, Chunk: flags.chunk, VerifyWithin: flags.timeout}
	replicated := false
	if flags.verify {
		var err error
		if o.Verify, replicated, err = s.replica(cmd.Context()); err != nil {
			return o, fmt.Errorf("--verify: %w", err)
		}
		if !replicated && !flags.quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "nest: %s: there is no replica; the server itself is asked for the sample keys\n", s.name)
		}
	}
	if !replicated && !flags.quiet { // a replica that has the keys shows more than a version does
		o.Warn = func(err error) { fmt.Fprintln(cmd.ErrOrStderr(), "nest: warning:", s.explain(err)) }
	}
	return o, nil
}

// runRedisPull writes the file when the filter is there.
func runRedisPull(cmd *cobra.Command, flags *redisFlags, addr, key string) error {
	if err := errors.Join(flags.check(cmd), checkOutput(cmd, flags.out)); err != nil {
		return err
	}
	s, err := dialRedis(cmd.Context(), addr, flags.timeout)
	if err != nil {
		return err
	}
	defer s.close()
	progress, end := redisProgress(cmd, flags, "pulling")
	filter, err := pullRedis(cmd.Context(), s.conn, key, flags, progress)
	end()
	if err != nil {
		return s.explain(err)
	}
	if err := saveFilter(cmd, flags.out, filter); err != nil {
		return err
	}
	flags.report(cmd, "pulled from", key, s, filter)
	return nil
}

func runRedisInfo(cmd *cobra.Command, flags *redisFlags, addr, key string) error {
	if err := flags.check(cmd); err != nil {
		return err
	}
	s, err := dialRedis(cmd.Context(), addr, flags.timeout)
	if err != nil {
		return err
	}
	defer s.close()
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	if flags.shards > 0 {
		list, err := wire.InfoShards(cmd.Context(), s.conn, key, flags.shards)
		if err != nil {
			return s.explain(err)
		}
		printShards(w, list)
		return w.Flush()
	}
	i, err := wire.Info(cmd.Context(), s.conn, key)
	if err != nil {
		return s.explain(err)
	}
	fmt.Fprintf(w, "size in bytes\t%d\nbuckets of sub-filter 0\t%d\nsub-filters\t%d\nitems\t%d\ndeletes\t%d\n", i.Size, i.Buckets, i.Filters, i.Items, i.Deletes)
	fmt.Fprintf(w, "slots of a bucket\t%d\nexpansion\t%d\nmax iterations\t%d\n", i.BucketSize, i.Expansion, i.MaxIterations)
	if slots := slotsOf(i); slots > 0 {
		fmt.Fprintf(w, "load factor\t%.3f\n", float64(i.Items)/slots)
	}
	return w.Flush()
}

// report says on standard error what was done.
func (f *redisFlags) report(cmd *cobra.Command, what, key string, s *redisServer, filter redisFilter) {
	if !f.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s %s, key %q: %v\n", what, s.name, key, filter)
	}
}

// redisProgress returns a bar of bytes on a terminal, nil elsewhere, and what removes it.
func redisProgress(cmd *cobra.Command, flags *redisFlags, what string) (update func(done, total int64), end func()) {
	w := cmd.ErrOrStderr()
	if flags.quiet || !tabular.IsTerminal(w) {
		return nil, func() {}
	}
	bar := newBar(w, 1, what, progressbar.OptionShowBytes(true))
	return func(done, total int64) {
		bar.ChangeMax64(max(total, 1))
		_ = bar.Set64(done) // a terminal that went away is no reason to stop
	}, func() { _ = bar.Clear() }
}
