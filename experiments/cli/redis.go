package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
)

type redisFlags struct {
	timeout time.Duration
	shards  count
	// of push and pull
	maxBytes int
	quiet    bool
	// of push
	keys              string
	force, verify     bool
	slots, bucketSize count
	asJSON            bool // of info
	// of pull
	out output
}

func newRedisCommand() *cobra.Command {
	flags := new(redisFlags)
	cmd := groupOf(&cobra.Command{
		Use:   "redis",
		Short: "Ship cuckoo filters into a Redis server and fetch them",
		Long: `redis works with servers that have the commands CF.*. ADDR is host:port or
redis://user:password@host:port/db, rediss:// for TLS; of a cluster, any node. A password can be in the environment
variable REDISCLI_AUTH, where other users do not see it. docs/REDIS.md describes the file of a filter. With --shards N
the filter is N filters under KEY:{0} to KEY:{N-1}; see docs/SHARDING.md.

Whatever the exit status, a key has the filter that it had or the whole new one.`,
		Example: `  # Make a filter of a list, under the key blocked
  nest redis push --keys blocked.txt localhost:6379 blocked
  # Fetch it from another database, with a name
  nest redis pull redis://reader@cache.example:6379/2 blocked -o blocked.cfd
  # Spread a large one over a cluster
  nest redis push --keys blocked.txt --shards 16 node1:6379 blocked`,
	}, newRedisPushCommand(flags), newRedisPullCommand(flags), newRedisInfoCommand(flags))
	f := cmd.PersistentFlags()
	f.IntVar(&flags.maxBytes, "max-bytes", 1<<30, "largest tables to allocate, in bytes, of all shards")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, quietHelp)
	f.DurationVar(&flags.timeout, "timeout", 30*time.Second, "longest wait for a connection, a reply or a write")
	f.Var(&flags.shards, "shards", "how many shards, 1 to 16384 (default one filter under KEY itself)")
	return cmd
}

func newRedisPushCommand(flags *redisFlags) *cobra.Command {
	flags.bucketSize = 4
	cmd := &cobra.Command{
		Use:   "push {FILE | --keys FILE} ADDR KEY",
		Short: "Make a key the filter of a file, or of the keys in a file",
		Long: `push loads the filter under a temporary key, checks what the server then has, and renames it. It
refuses a key that exists without --force. A temporary key that cannot be deleted after a failure expires within an
hour. With --keys it makes the filter: one sub-filter large enough for the distinct lines, unless --slots says
otherwise. A FILE of shards needs no --shards.

Redis modules older than a fix of June 2026 do not send loaded filters to replicas and to the append-only file; push
warns of them. --verify waits for a replica for --timeout at most; without a replica it asks the server.`,
		Example: `  # Put a filter back that was pulled
  nest redis push blocked.cfd localhost:6379 blocked
  # Replace one by a filter of today's list
  nest redis push --keys blocked.txt localhost:6379 blocked --force`,
		Args: func(cmd *cobra.Command, args []string) error {
			if flags.keys != "" {
				return want(2, 2)(cmd, args)
			}
			return want(3, 3)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runRedisPush(cmd, flags, args) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.keys, "keys", "", keysHelp+"; in place of a filter")
	forceFlag(cmd, &flags.force)
	f.BoolVar(&flags.verify, "verify", false, "ask a replica for sample keys before the rename")
	f.Var(&flags.slots, "slots",
		countHelp+"; with --keys: slots of the first sub-filter, of each shard (default for the keys of the file)")
	f.Var(&flags.bucketSize, "bucket-size", "with --keys: slots of a bucket")
	return cmd
}

func newRedisPullCommand(flags *redisFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pull ADDR KEY --out FILE",
		Short: "Write the filter under a key to a file",
		Long: `pull dumps the filter and writes the file when all of it has come. It refuses a filter that changes
meanwhile. The file of --shards has all shards; push takes it.`,
		Example: `  # Keep a copy of a filter
  nest redis pull localhost:6379 blocked -o blocked.cfd`,
		Args: want(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return runRedisPull(cmd, flags, args[0], args[1]) },
	}
	flags.out.fileFlags(cmd)
	return cmd
}

func newRedisInfoCommand(flags *redisFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "info ADDR KEY",
		Short: "Say what a server says of a filter",
		Long: `info prints what CF.INFO says of the filter under a key, and its load factor; with --shards the sums over
all shards, and the least and the highest load. --json prints CF.INFO as an object, with --shards an array of them.`,
		Example: `  # How full is it?
  nest redis info localhost:6379 blocked`,
		Args: want(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return runRedisInfo(cmd, flags, args[0], args[1]) },
	}
	jsonFlag(cmd, &flags.asJSON)
	return cmd
}

// limits are those of each filter that is made or pulled.
func (f *redisFlags) limits() rediscf.Limits {
	if f.shards > 0 && f.maxBytes > 0 {
		return rediscf.Limits{Bytes: max(f.maxBytes/int(f.shards), 1)}
	}
	return rediscf.Limits{Bytes: f.maxBytes}
}

// check looks at flags before anything is read, made or asked.
func (f *redisFlags) check(cmd *cobra.Command) error {
	switch changed := cmd.Flags().Changed; {
	case f.timeout <= 0:
		return fmt.Errorf("--timeout: %v: want more than 0", f.timeout)
	case f.shards > wire.MaxShards:
		return fmt.Errorf("--shards: %d: want 1..%d", f.shards, wire.MaxShards)
	case f.keys == "" && (changed("slots") || changed("bucket-size")):
		return errors.New("--slots, --bucket-size: are for a filter that is made of --keys; that in a file has its own")
	}
	return nil
}

// runRedisPush makes or reads the filter before it connects.
func runRedisPush(cmd *cobra.Command, flags *redisFlags, args []string) error {
	addr, key := args[len(args)-2], args[len(args)-1]
	_, wrong := redisOptions(addr) // before the filter is made
	if err := cmp.Or(flags.check(cmd), wrong); err != nil {
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
	if err == nil {
		bar := byteBar(cmd, flags.quiet, 1, "pushing")
		options.Progress = ofBytes(bar)
		err = filter.push(cmd.Context(), s.conn, key, options)
		_ = bar.Clear()
	}
	if errors.Is(err, rediscf.ErrExists) && !flags.force {
		err = fmt.Errorf("%w; --force replaces it", err)
	}
	w := cmd.ErrOrStderr()
	if cmd.Context().Err() != nil && (errors.Is(err, wire.ErrLeftover) || errors.Is(err, wire.ErrUncertain)) {
		fmt.Fprintln(w, "nest:", s.explain(err)) // what is said of an interrupt would not tell
	}
	if err != nil {
		return s.explain(err)
	}
	if n := s.mastersAsked.Load(); n > 0 && !flags.quiet {
		fmt.Fprintf(w, "nest: %s: nodes without a replica were asked for the sample keys themselves\n", s.name)
	}
	flags.report(cmd, "pushed to", key, s, filter)
	return nil
}

func redisPushOptions(cmd *cobra.Command, flags *redisFlags, s *redisServer) (wire.PushOptions, error) {
	o := wire.PushOptions{Overwrite: flags.force, VerifyWithin: flags.timeout}
	replicated, w := false, cmd.ErrOrStderr()
	if flags.verify {
		var err error
		if o.Verify, replicated, err = s.replica(cmd.Context()); err != nil {
			return o, fmt.Errorf("--verify: %w", err)
		}
		if !replicated && !flags.quiet {
			fmt.Fprintf(w, "nest: %s: there is no replica; the server itself is asked for the sample keys\n", s.name)
		}
	}
	if !replicated && !flags.quiet { // a replica that has the keys shows more than a version does
		o.Warn = func(err error) { fmt.Fprintln(w, "nest: warning:", s.explain(err)) }
	}
	return o, nil
}

// runRedisPull writes the file when the filter is there.
func runRedisPull(cmd *cobra.Command, flags *redisFlags, addr, key string) error {
	if err := cmp.Or(flags.check(cmd), flags.out.check(cmd)); err != nil {
		return err
	}
	s, err := dialRedis(cmd.Context(), addr, flags.timeout)
	if err != nil {
		return err
	}
	defer s.close()
	bar := byteBar(cmd, flags.quiet, 1, "pulling")
	var filter redisFilter
	if flags.shards > 0 {
		o := wire.PullShardsOptions{Limits: flags.limits()}
		filter.shards, err = wire.PullShards(cmd.Context(), s.conn, key, int(flags.shards), o)
	} else {
		o := wire.PullOptions{Limits: flags.limits(), Progress: ofBytes(bar)}
		filter.one, err = wire.Pull(cmd.Context(), s.conn, key, o)
	}
	_ = bar.Clear()
	if err != nil {
		return s.explain(err)
	}
	if err := flags.out.save(cmd, filter); err != nil {
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
	var list []rediscf.Info
	var result any
	if flags.shards > 0 {
		list, err = wire.InfoShards(cmd.Context(), s.conn, key, int(flags.shards))
		result = list
	} else {
		var i rediscf.Info
		i, err = wire.Info(cmd.Context(), s.conn, key)
		list, result = []rediscf.Info{i}, i
	}
	if err != nil {
		return s.explain(err)
	}
	return show(cmd, flags.asJSON, result, func(w io.Writer) error { return printRedis(w, list) })
}

// report says on standard error what was done.
func (f *redisFlags) report(cmd *cobra.Command, what, key string, s *redisServer, filter redisFilter) {
	if !f.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s %s, key %q: %v\n", what, s.name, key, filter)
	}
}

// redisFilter is what a key, or the keys of shards, have: one of both.
type redisFilter struct {
	one    *rediscf.Filter
	shards *wire.Shards
}

func (f redisFilter) push(ctx context.Context, conn wire.Conn, key string, o wire.PushOptions) error {
	if f.shards != nil {
		return wire.PushShards(ctx, conn, key, f.shards, wire.PushShardsOptions{Push: o})
	}
	return wire.Push(ctx, conn, key, f.one, o)
}

// WriteTo writes the file.
func (f redisFilter) WriteTo(w io.Writer) (int64, error) {
	if f.shards != nil {
		return f.shards.WriteTo(w)
	}
	return wire.WriteDump(w, f.one)
}

// String is what is said of it when it has been shipped.
func (f redisFilter) String() string {
	if f.shards == nil {
		return fmt.Sprintf("%d bytes, %v", f.one.Info().Size, f.one.Info())
	}
	size := uint64(0)
	for i := range f.shards.N() {
		size += f.shards.Filter(i).Info().Size
	}
	return fmt.Sprintf("%d shards, %d bytes, items:%d", f.shards.N(), size, f.shards.Len())
}

// redisFilterOf reads the filter, or makes one for the keys.
func redisFilterOf(cmd *cobra.Command, flags *redisFlags, name string) (f redisFilter, err error) {
	if flags.keys != "" {
		return redisFilterFor(cmd, flags)
	}
	if err := checkFiles(cmd, name); err != nil {
		return f, err
	}
	err = readFile(cmd, name, func(r io.Reader, name string) error {
		if f.one, f.shards, err = wire.ReadDumps(r, rediscf.Limits{Bytes: flags.maxBytes}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		switch n := int(flags.shards); {
		case n > 0 && f.one != nil:
			return fmt.Errorf("--shards: %s has one filter; shards are made of --keys", name)
		case n > 0 && f.shards.N() != n:
			return fmt.Errorf("--shards: %d: %s has %d", n, name, f.shards.N())
		}
		return nil
	})
	return f, err
}

// redisFilterFor makes the filter, or the shards, for the keys of a file.
func redisFilterFor(cmd *cobra.Command, flags *redisFlags) (f redisFilter, err error) {
	set, err := readKeys(cmd, flags.keys)
	if err != nil {
		return f, fmt.Errorf("--keys: %w", err)
	}
	config := rediscf.Config{BucketSize: int(flags.bucketSize), MaxIterations: 500, Limits: flags.limits()}
	if config.Capacity = int(flags.slots); config.Capacity == 0 {
		n := len(set.Keys)
		if flags.shards > 1 { // the fullest shard, by docs/SHARDING.md
			part := float64(n) / float64(flags.shards)
			n = int(math.Ceil(part + 6*math.Sqrt(part)))
		}
		// Buckets of 4 slots and 500 iterations fill to .96; the number of buckets is rounded up to a power of two.
		config.Capacity = max(n+n/9, 2*config.BucketSize)
	}
	var add func(key string) error
	if flags.shards > 0 {
		if f.shards, err = wire.NewShards(int(flags.shards), config); err == nil {
			add = f.shards.AddString
		}
	} else if f.one, err = rediscf.New(config); err == nil {
		add = f.one.AddString
	}
	if err != nil {
		return f, err
	}
	for k, key := range set.Keys {
		if err := add(key); err != nil {
			return f, fmt.Errorf("--keys: after %d of %d keys: %w", k, len(set.Keys), err)
		}
	}
	return f, nil
}

// printRedis prints the numbers of a filter, or of shards the sums, and what each has.
func printRedis(out io.Writer, list []rediscf.Info) error {
	sum, slots, least, most := list[0], 0.0, math.Inf(1), 0.0
	sum.Size, sum.Filters, sum.Items, sum.Deletes = 0, 0, 0, 0
	for _, i := range list {
		sum.Size, sum.Items, sum.Deletes = sum.Size+i.Size, sum.Items+i.Items, sum.Deletes+i.Deletes
		sum.Filters += i.Filters
		own := float64(i.Size) - 40 - 16*float64(i.Filters) // as the server counts
		slots, least, most = slots+own, min(least, float64(i.Items)/own), max(most, float64(i.Items)/own)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(list) > 1 {
		fmt.Fprintf(w, "shards\t%d\n", len(list))
	}
	fmt.Fprintf(w, "size in bytes\t%d\nbuckets of sub-filter 0\t%d\nsub-filters\t%d\nitems\t%d\ndeletes\t%d\n",
		sum.Size, sum.Buckets, sum.Filters, sum.Items, sum.Deletes)
	fmt.Fprintf(w, "slots of a bucket\t%d\nexpansion\t%d\nmax iterations\t%d\n",
		sum.BucketSize, sum.Expansion, sum.MaxIterations)
	switch {
	case !(slots > 0):
	case len(list) > 1:
		fmt.Fprintf(w, "load factor\t%.3f, %.3f to %.3f each\n", float64(sum.Items)/slots, least, most)
	default:
		fmt.Fprintf(w, "load factor\t%.3f\n", float64(sum.Items)/slots)
	}
	return w.Flush()
}
