package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/hashing"
	"github.com/spf13/cobra"
)

type redisFlags struct {
	timeout           time.Duration
	shards, maxBytes  int
	keys              string // of push, as those below
	force, verify     bool
	slots, bucketSize int
	out               output // of pull
}

func newRedisCommand() *cobra.Command {
	flags := &redisFlags{bucketSize: 4}
	cmd := groupOf(&cobra.Command{
		Use:   "redis",
		Short: "Ship cuckoo filters into a Redis server and fetch them",
		Long: `redis works with servers that have the commands CF.*. ADDR is host:port or
redis://user:password@host:port/db, rediss:// for TLS; of a cluster, any node. A password can be in the environment
variable REDISCLI_AUTH, where other users do not see it. docs/REDIS.md describes the file of a filter. With --shards N
the filter is N filters under KEY:{0} to KEY:{N-1}; see docs/REDIS.md.

Whatever the exit status, a key keeps its old filter or has the whole new one.`,
		Example: `  # Push a list as a filter, under the key blocked
  nest redis push --keys blocked.txt localhost:6379 blocked
  # Fetch it from another database, with a name, and put it back
  nest redis pull redis://reader@cache.example:6379/2 blocked -o blocked.cfd
  nest redis push blocked.cfd localhost:6379 blocked --force
  # How full is it?
  nest redis info localhost:6379 blocked
  # Spread a large one over a cluster
  nest redis push --keys blocked.txt --shards 16 node1:6379 blocked`,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return flags.check(cmd) },
	}, newRedisPushCommand(flags), newRedisPullCommand(flags), newRedisInfoCommand(flags))
	f := cmd.PersistentFlags()
	f.IntVar(&flags.maxBytes, "max-bytes", 1<<30, "largest tables to allocate, in bytes, of all shards")
	quietFlag(f, "")
	f.DurationVar(&flags.timeout, "timeout", 30*time.Second, "longest wait for a connection, a reply or a write")
	f.Var(count(&flags.shards), "shards", "how many shards, 1 to 16384 (default one filter under KEY itself)")
	return cmd
}

func newRedisPushCommand(flags *redisFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "push {FILE | --keys FILE} ADDR KEY",
		Short: "Push a filter file, or a filter of the keys in a file",
		Long: `push loads the filter under a temporary key, checks what the server then has, and renames it. It
refuses a key that exists without --force. A temporary key that cannot be deleted after a failure expires within an
hour. With --keys it makes the filter: one sub-filter large enough for the distinct lines, unless --slots says
otherwise. A FILE of shards needs no --shards.

Of Redis modules before a fix of June 2026 push has the filter sent to replicas and to the append-only file by EVAL, and
warns if that fails. --verify waits for a replica for --timeout at most; without one it asks the server itself.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if flags.keys != "" {
				return cobra.ExactArgs(2)(cmd, args)
			}
			return cobra.ExactArgs(3)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runRedisPush(cmd, flags, args) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.keys, "keys", "", keysHelp+"; in place of a filter")
	forceFlag(cmd, &flags.force)
	f.BoolVar(&flags.verify, "verify", false, "ask a replica for sample keys before the rename")
	f.Var(count(&flags.slots), "slots",
		countHelp+"; with --keys: slots of the first sub-filter, of each shard (default for the keys of the file)")
	f.Var(count(&flags.bucketSize), "bucket-size", "with --keys: slots of a bucket")
	return cmd
}

func newRedisPullCommand(flags *redisFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pull ADDR KEY --out FILE",
		Short: "Write the filter under a key to a file",
		Long: `pull dumps the filter and writes the file when all of it has come. It refuses a filter that changes
meanwhile. The file of --shards has all shards; push takes it.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.out.check(cmd); err != nil {
				return err
			}
			var filter redisFilter
			var from string
			err := flags.on(cmd, args[0], func(ctx context.Context, s *redisServer) (err error) {
				o := wire.PullOptions{Limits: flags.limits()}
				if from = s.name; flags.shards > 0 {
					filter.shards, err = wire.PullShards(ctx, s.conn, args[1], flags.shards, o)
				} else {
					filter.one, err = wire.Pull(ctx, s.conn, args[1], o)
				}
				return err
			})
			if err == nil { // it is all there
				err = flags.out.save(cmd, filter)
			}
			if err == nil {
				say(cmd, "pulled from %s, key %q: %v", from, args[1], filter)
			}
			return err
		},
	}
	flags.out.fileFlags(cmd)
	return cmd
}

func newRedisInfoCommand(flags *redisFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "info ADDR KEY",
		Short: "Print what a server reports about a filter",
		Long: `info prints what CF.INFO reports about the filter under a key, the load factor and the false-positive rate,
which is approximate with several sub-filters; with --shards the sums, and the least and the highest load. --json prints
CF.INFO as an object, with --shards an array of them. A filter that a restart has emptied has the same numbers.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := make([]rediscf.Info, 1)
			result := any(&list[0])
			err := flags.on(cmd, args[0], func(ctx context.Context, s *redisServer) (err error) {
				if flags.shards > 0 {
					list, err = wire.InfoShards(ctx, s.conn, args[1], flags.shards)
					result = list
				} else {
					list[0], err = wire.Info(ctx, s.conn, args[1])
				}
				return err
			})
			if err != nil {
				return err
			}
			return show(cmd, result, func(w io.Writer) error { return printRedis(w, list) })
		},
	}
	jsonFlag(cmd)
	return cmd
}

// limits are those of each filter that is made or pulled.
func (f *redisFlags) limits() rediscf.Limits {
	if f.shards > 0 && f.maxBytes > 0 {
		return rediscf.Limits{Bytes: max(f.maxBytes/f.shards, 1)}
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

// on does work on the server at an address. An error names the server.
func (f *redisFlags) on(cmd *cobra.Command, addr string, work func(ctx context.Context, s *redisServer) error) error {
	s, err := dialRedis(cmd.Context(), addr, f.timeout)
	if err != nil {
		return err
	}
	defer s.close()
	return s.explain(work(cmd.Context(), s))
}

func runRedisPush(cmd *cobra.Command, flags *redisFlags, args []string) error {
	addr, key := args[len(args)-2], args[len(args)-1]
	if _, err := redisOptions(addr); err != nil { // before the filter is made
		return err
	}
	filter, err := redisFilterOf(cmd, flags, args[0])
	if err != nil {
		return err
	}
	return flags.on(cmd, addr, func(ctx context.Context, s *redisServer) error {
		o := wire.PushOptions{Overwrite: flags.force, VerifyWithin: flags.timeout}
		replicated := false
		if flags.verify {
			if o.Verify, replicated, err = s.replica(ctx); err != nil {
				return fmt.Errorf("--verify: %w", err)
			}
			if !replicated {
				say(cmd, "nest: %s: there is no replica; the server is asked, not its append-only file", s.name)
			}
		}
		if !replicated { // a replica that has the keys shows more than a version does
			o.Warn = func(err error) { say(cmd, "nest: warning: %v", s.explain(err)) }
		}
		switch err := filter.push(ctx, s.conn, key, o); {
		case errors.Is(err, rediscf.ErrExists) && !flags.force:
			return fmt.Errorf("%w; --force replaces it", err)
		case errors.Is(err, wire.ErrNotReplicated) && !errors.Is(err, wire.ErrLeftover):
			return fmt.Errorf("%w; see Data loss on replicas in docs/REDIS.md", err)
		case errors.Is(err, wire.ErrLeftover) || errors.Is(err, wire.ErrUncertain):
			return leftover{err, s.explain(err).Error()} // if it is interrupted
		case err != nil:
			return err
		}
		say(cmd, "pushed to %s, key %q: %v", s.name, key, filter)
		return nil
	})
}

// redisFilter is what a key, or the keys of shards, have: one of both.
type redisFilter struct {
	one    *rediscf.Filter
	shards *wire.Shards
}

func (f redisFilter) push(ctx context.Context, conn wire.Conn, key string, o wire.PushOptions) error {
	if f.shards != nil {
		return wire.PushShards(ctx, conn, key, f.shards, o)
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

// ContainsHashes and Digester make it a files.Asker.
func (f redisFilter) ContainsHashes(hs []uint64, dst []bool) {
	exists := f.one.ExistsHash
	if f.shards != nil {
		exists = f.shards.ExistsHash
	}
	for i, h := range hs {
		dst[i] = exists(h)
	}
}

func (redisFilter) Digester() hashing.Digester { return hashing.NewDigester(hashing.Murmur64A(0)) }

// String is what is said of it when it has been shipped.
func (f redisFilter) String() string {
	if f.shards == nil {
		s := f.one.ScanStats()
		return fmt.Sprintf("%d bytes, %v, load %.3f, false-positive rate %.2g",
			f.one.Info().Size, f.one.Info(), s.LoadFactor, s.FalsePositiveRate)
	}
	size, slots, rates := uint64(0), 0, 0.0
	for i := range f.shards.N() {
		s := f.shards.Filter(i).ScanStats()
		size += f.shards.Filter(i).Info().Size
		slots, rates = slots+s.Slots, rates+s.FalsePositiveRate
	}
	return fmt.Sprintf("%d shards, %d bytes, items:%d, load %.3f, false-positive rate %.2g", f.shards.N(), size,
		f.shards.Len(), float64(f.shards.Len())/float64(max(1, slots)), rates/float64(f.shards.N()))
}

// nestStart begins a filter of nest.
const nestStart = "\x89nest"

// startsDump tells whether a file begins as a dump of filters of Redis does, of any version.
func startsDump(start []byte) bool {
	return bytes.HasPrefix(start, []byte("\x89cfd")) || bytes.HasPrefix(start, []byte("\x89cfs"))
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
		b := bufio.NewReader(r)
		start, _ := b.Peek(len(nestStart))
		switch {
		case string(start) == nestStart:
			return fmt.Errorf("%s: it is a nest filter, which Redis cannot load; push the keys with --keys", name)
		case len(start) > 0 && !startsDump(start):
			return fmt.Errorf("%s: no dump; for a list of keys use --keys", name)
		}
		if f.one, f.shards, err = wire.ReadDumps(b, rediscf.Limits{Bytes: flags.maxBytes}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		switch n := flags.shards; {
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
	set, err := readKeys(cmd, "keys", flags.keys)
	if err != nil {
		return f, err
	}
	c := rediscf.Config{Capacity: flags.slots, BucketSize: flags.bucketSize, MaxIterations: 500, Limits: flags.limits()}
	if c.Capacity == 0 {
		n := len(set.Keys)
		if flags.shards > 1 { // the fullest shard, by docs/REDIS.md
			part := float64(n) / float64(flags.shards)
			n = int(math.Ceil(part + 6*math.Sqrt(part)))
		}
		// Buckets of 4 slots and 500 iterations fill to .96; the number of buckets is rounded up to a power of two.
		c.Capacity = max(n+n/9, 2*c.BucketSize)
	}
	var to interface{ AddString(key string) error }
	if flags.shards > 0 {
		f.shards, err = wire.NewShards(flags.shards, c)
		to = f.shards
	} else {
		f.one, err = rediscf.New(c)
		to = f.one
	}
	for k := 0; k < len(set.Keys) && err == nil; k++ {
		if err = to.AddString(set.Keys[k]); err != nil {
			err = fmt.Errorf("--keys: after %d of %d keys: %w", k, len(set.Keys), err)
		}
	}
	return f, err
}

// printRedis prints the numbers of a filter or the sums of shards. The rate takes all sub-filters as equally full.
func printRedis(out io.Writer, list []rediscf.Info) error {
	var sum rediscf.Info
	var slots float64
	var loads []float64
	for _, i := range list {
		sum.Size, sum.Items, sum.Deletes = sum.Size+i.Size, sum.Items+i.Items, sum.Deletes+i.Deletes
		sum.Filters += i.Filters
		own := float64(i.Size) - 40 - 16*float64(i.Filters) // as the server counts
		slots, loads = slots+own, append(loads, float64(i.Items)/own)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	load := fmt.Sprintf("%.3f", float64(sum.Items)/slots)
	if len(list) > 1 {
		fmt.Fprintf(w, "shards\t%d\n", len(list))
		load += fmt.Sprintf(", %.3f to %.3f each", slices.Min(loads), slices.Max(loads))
	}
	fmt.Fprintf(w, "size in bytes\t%d\nbuckets of sub-filter 0\t%d\nsub-filters\t%d\nitems\t%d\ndeletes\t%d\n",
		sum.Size, list[0].Buckets, sum.Filters, sum.Items, sum.Deletes)
	fmt.Fprintf(w, "slots of a bucket\t%d\nexpansion\t%d\n", list[0].BucketSize, list[0].Expansion)
	fmt.Fprintf(w, "max iterations\t%d\nload factor\t%s\nfalse-positive rate\t%.2g\n", list[0].MaxIterations, load,
		-math.Expm1(-2*float64(list[0].BucketSize*sum.Filters)/float64(255*len(list))*float64(sum.Items)/slots))
	return w.Flush()
}
