package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
)

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

func pullRedis(ctx context.Context, conn wire.Conn, key string, flags *redisFlags, progress func(done, total int64)) (f redisFilter, err error) {
	if flags.shards > 0 {
		f.shards, err = wire.PullShards(ctx, conn, key, flags.shards, wire.PullShardsOptions{Limits: flags.limits()})
		return f, err
	}
	f.one, err = wire.Pull(ctx, conn, key, wire.PullOptions{Limits: flags.limits(), Progress: progress})
	return f, err
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
		switch {
		case flags.shards > 0 && f.one != nil:
			return fmt.Errorf("--shards: %s has one filter; shards are made of --keys", name)
		case flags.shards > 0 && f.shards.N() != flags.shards:
			return fmt.Errorf("--shards: %d: %s has %d", flags.shards, name, f.shards.N())
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
	config := flags.config
	config.Capacity = int(flags.capacity)
	config.Limits = flags.limits()
	if config.Expansion == 0 { // as the server means it
		config.Expansion = rediscf.NoGrowth
	}
	if config.Capacity == 0 {
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
		if f.shards, err = wire.NewShards(flags.shards, config); err != nil {
			return f, err
		}
		add = f.shards.AddString
	} else {
		if f.one, err = rediscf.New(config); err != nil {
			return f, err
		}
		add = f.one.AddString
	}
	for k, key := range set.Keys {
		if err := add(key); err != nil {
			return f, fmt.Errorf("--keys: after %d of %d keys: %w", k, len(set.Keys), err)
		}
	}
	return f, nil
}

// slotsOf returns the number of slots by the size that CF.INFO says.
func slotsOf(i rediscf.Info) float64 { return float64(i.Size) - 40 - 16*float64(i.Filters) }

// printShards prints the sum over all shards and the range of the numbers of each.
func printShards(w *tabwriter.Writer, list []rediscf.Info) {
	fmt.Fprintf(w, "shards\t%d\n", len(list))
	for _, row := range []struct {
		name string
		of   func(i rediscf.Info) uint64
	}{
		{"size in bytes", func(i rediscf.Info) uint64 { return i.Size }},
		{"sub-filters", func(i rediscf.Info) uint64 { return uint64(i.Filters) }},
		{"items", func(i rediscf.Info) uint64 { return i.Items }},
		{"deletes", func(i rediscf.Info) uint64 { return i.Deletes }},
	} {
		sum, least, most := uint64(0), uint64(math.MaxUint64), uint64(0)
		for _, i := range list {
			n := row.of(i)
			sum, least, most = sum+n, min(least, n), max(most, n)
		}
		fmt.Fprintf(w, "%s\t%d\t%d to %d each\n", row.name, sum, least, most)
	}
	items, slots, least, most := 0.0, 0.0, math.Inf(1), 0.0
	for _, i := range list {
		s := slotsOf(i)
		if s <= 0 {
			continue
		}
		load := float64(i.Items) / s
		items, slots = items+float64(i.Items), slots+s
		least, most = min(least, load), max(most, load)
	}
	if slots > 0 {
		fmt.Fprintf(w, "load factor\t%.3f\t%.3f to %.3f each\n", items/slots, least, most)
	}
}
