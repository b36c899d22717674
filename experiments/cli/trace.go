package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/trace"
	"github.com/spf13/cobra"
)

func newTraceCommand() *cobra.Command {
	var o trace.Options
	var keys string
	var out output
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
  nest trace --kick random-walk --fill 14 apple pear plum`,
		RunE: func(cmd *cobra.Command, args []string) error { return runTrace(cmd, o, keys, out, args) },
	}
	f := cmd.Flags()
	f.IntVar(&o.Buckets, "buckets", 8, fmt.Sprintf("number of buckets, 1 to %d", trace.MaxBuckets))
	f.IntVar(&o.BucketSize, "b", 2, bucketHelp)
	f.IntVar(&o.FingerprintBits, "f", 12, widthHelp)
	choice(cmd, parsed(&o.Placement, "string", placements[0], func(name string) (p cuckoo.Placement, err error) {
		err = p.UnmarshalText([]byte(name))
		return p, err
	}), "placement", placementHelp, placements)
	choice(cmd, parsed(&o.Kick, "string", kicks[0], func(name string) (cuckoo.KickPolicy, error) {
		if at := slices.Index(kicks, name); at >= 0 {
			return trace.Policies()[at], nil
		}
		return nil, fmt.Errorf("unknown %q, want %s", name, strings.Join(kicks, ", "))
	}), "kick", kickHelp, kicks)
	f.IntVar(&o.MaxKicks, "max-kicks", 0, "buckets or kicks tried for one key, 0 for the policy's default")
	f.Uint64Var(&o.Seed, "seed", 1, seedHelp)
	hashFlag(cmd, &o.Hash)
	f.IntVar(&o.Fill, "fill", 0, "random keys to insert first")
	f.StringVar(&keys, "keys", "", keysHelp)
	out.flags(cmd, "an SVG file")
	return cmd
}

func runTrace(cmd *cobra.Command, o trace.Options, keys string, out output, args []string) error {
	if o.Keys = args; keys != "" {
		set, err := readKeys(cmd, "keys", keys)
		if err != nil {
			return err
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
	if out.name != "" {
		if err := out.save(cmd, bytes.NewReader(result.SVG(result.Pictured()))); err != nil {
			return err
		}
	}
	return result.WriteText(cmd.OutOrStdout())
}
