package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/trace"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
)

type traceFlags struct {
	options          trace.Options
	kick, hash, keys string
	placement        string
	out              output
}

func newTraceCommand() *cobra.Command {
	var flags traceFlags
	placements := namesOf([]cuckoo.Placement{cuckoo.Additive, cuckoo.XOR, cuckoo.PlainXOR}, cuckoo.Placement.String)
	kicks := namesOf(trace.Policies(), cuckoo.KickPolicy.Recipe)
	cmd := &cobra.Command{
		Use:   "trace [KEY...]",
		Short: "Show step by step what a small cuckoo filter does",
		Long: fmt.Sprintf(`trace inserts keys and prints each step: digest, fingerprint, both buckets, each kick of the
cuckoo path, and the table, a bucket a line, a dot for a free slot. --out draws the last key that took a cuckoo path.

Keys are the arguments and then the distinct lines of --keys. Without any, random keys are inserted until one takes a
path of two kicks or more, and the last three are shown. At most %d buckets and %d keys.`,
			trace.MaxBuckets, trace.MaxKeys),
		Example: `  # A picture of a cuckoo path
  nest trace -o path.svg
  # Three keys that find a table nearly full
  nest trace --kick random-walk --fill 14 apple pear plum
  # A key that has no room a third time
  nest trace --buckets 1 --b 2 twice twice twice`,
		RunE: func(cmd *cobra.Command, args []string) error { return runTrace(cmd, flags, args) },
	}
	f := cmd.Flags()
	f.IntVar(&flags.options.Buckets, "buckets", 8, fmt.Sprintf("number of buckets, 1 to %d", trace.MaxBuckets))
	f.IntVar(&flags.options.BucketSize, "b", 2, bucketHelp)
	f.UintVar(&flags.options.Width, "f", 12, widthHelp)
	f.StringVar(&flags.placement, "placement", "additive", placementHelp+": "+strings.Join(placements, ", "))
	f.StringVar(&flags.kick, "kick", "breadth-first", kickHelp+": "+strings.Join(kicks, ", "))
	f.IntVar(&flags.options.MaxKicks, "max-kicks", 0, "buckets or kicks tried for one key, 0 for the policy's default")
	f.Uint64Var(&flags.options.Seed, "seed", 1, seedHelp)
	f.StringVar(&flags.hash, "hash", "xxh64", hashHelp+": "+strings.Join(hashing.Names(), ", "))
	f.IntVar(&flags.options.Fill, "fill", 0, "random keys to insert first")
	f.StringVar(&flags.keys, "keys", "", keysHelp)
	flags.out.flags(cmd, "an SVG file")
	complete(cmd, "placement", placements)
	complete(cmd, "kick", kicks)
	complete(cmd, "hash", hashing.Names())
	return cmd
}

func runTrace(cmd *cobra.Command, flags traceFlags, args []string) (err error) {
	o := flags.options
	kicks := namesOf(trace.Policies(), cuckoo.KickPolicy.Recipe)
	policy := slices.Index(kicks, flags.kick)
	if policy < 0 {
		return fmt.Errorf("--kick: unknown %q, want %s", flags.kick, strings.Join(kicks, ", "))
	}
	o.Kick = trace.Policies()[policy]
	if err := o.Placement.UnmarshalText([]byte(flags.placement)); err != nil {
		return fmt.Errorf("--placement: %w", err)
	}
	if o.Hash, err = secret.New(flags.hash); err != nil {
		return fmt.Errorf("--hash: %w", err)
	}
	if o.Keys = args; flags.keys != "" {
		set, err := readKeys(cmd, flags.keys)
		if err != nil {
			return fmt.Errorf("--keys: %w", err)
		}
		if o.Keys = slices.Concat(args, set.Keys); len(o.Keys) > trace.MaxKeys {
			return fmt.Errorf("--keys: %s: %d keys, want at most %d; "+
				"trace the first of them with head -n %d FILE | nest trace --keys -",
				set.Name, len(set.Keys), trace.MaxKeys, o.Buckets*o.BucketSize)
		}
	}
	result, err := trace.Run(o)
	if err != nil {
		return err
	}
	if flags.out.name != "" {
		if err := flags.out.write(result.SVG(result.Pictured())); err != nil {
			return err
		}
	}
	return result.WriteText(cmd.OutOrStdout())
}
