package wire

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// PullOptions say how filters are pulled. Zero fields are defaults.
type PullOptions struct {
	_ struct{}

	// Limits bound what the server's filter, or each shard, may ask for, and what it may grow to here.
	Limits rediscf.Limits
	// Parallel is how many shards [PullShards] pulls at once, at least 1. The default is 4.
	Parallel int
}

// Pull returns the server's filter under key, which stays where it is.
//
// A key that does not exist is [rediscf.ErrNotFound], a server without the commands [ErrNoCommands], and a filter beyond
// the limits [rediscf.ErrTooLarge], before its tables are allocated. Replies that make no dump are [ErrReply],
// [rediscf.ErrCorrupt] or [rediscf.ErrIncomplete].
//
// A dump is one command for each chunk, so another client can change the filter meanwhile: that is [ErrChanged] where
// CF.INFO does not say the same before, in the header, and after. Every add that stores something shows in it, and
// every delete and growth. Pull does not notice a change that leaves all of CF.INFO and the number of fingerprints as
// they were: deletes and as many adds with a CF.COMPACT or an automatic compaction between them, or another filter of
// the same numbers that is renamed to the key. If that may happen, stop the writers meanwhile.
//
// It sends 6 commands and one for each chunk, which the server cuts at 16 MiB; the context is checked before each.
func Pull(ctx context.Context, conn Conn, key string, o PullOptions) (_ *rediscf.Filter, err error) {
	defer explain(&err, "pull of key %q", key)
	before, err := conn.info(ctx, key)
	if err != nil {
		return nil, err
	}
	f, failed := conn.dump(ctx, key, before, o.Limits)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	switch after, err := conn.info(ctx, key); {
	case err == nil && after != before: // which explains what looks like damage
		return nil, fmt.Errorf("%w: %v; then %v", ErrChanged, before, after)
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, err
	}
	return f, nil
}

// dump returns the filter that CF.SCANDUMP replies, of which CF.INFO says info.
func (c Conn) dump(ctx context.Context, key string, info rediscf.Info, limits rediscf.Limits) (*rediscf.Filter, error) {
	l := rediscf.Loader{Limits: limits}
	for position := int64(0); ; {
		next, chunk, err := c.scan(ctx, key, position)
		switch {
		case err != nil:
			return nil, err
		case chunk == nil && position == 0:
			return emptyFilter(info, limits)
		case chunk == nil:
			return l.Filter()
		}
		if err := l.Load(next, chunk); err != nil {
			return nil, err
		}
		if position == 0 && l.Info() != info {
			return nil, fmt.Errorf("%w: %v; the header says %v", ErrChanged, info, l.Info())
		}
		position = next
	}
}

// emptyFilter returns the filter without items of which CF.INFO says i, and of which a server dumps nothing.
func emptyFilter(i rediscf.Info, limits rediscf.Limits) (*rediscf.Filter, error) {
	if i.Items != 0 {
		return nil, fmt.Errorf("%w: nothing was dumped of %d items", rediscf.ErrIncomplete, i.Items)
	}
	f, err := rediscf.Empty(i, limits)
	if err == nil && f.Info() != i {
		err = fmt.Errorf("CF.INFO: %w: %s", ErrReply, differ(i, f.Info()))
	}
	return f, err
}

// scan asks for one chunk; nil is the end. The position that comes with it is that of its last byte and 1,
// so what the server says cannot leave a gap, nor go on without end.
func (c Conn) scan(ctx context.Context, key string, position int64) (next int64, chunk []byte, err error) {
	reply, err := c.one(ctx, "CF.SCANDUMP", key, position)
	if err != nil {
		return 0, nil, err
	}
	pair, ok := reply.([]any)
	if !ok || len(pair) != 2 {
		return 0, nil, fmt.Errorf("CF.SCANDUMP: %w %T, want a position and a chunk", ErrReply, reply)
	}
	if next, err = asInteger("CF.SCANDUMP", pair[0]); err != nil {
		return 0, nil, err
	}
	chunk, _ = asBytes(pair[1])
	switch {
	case next == 0 && len(chunk) == 0:
		return 0, nil, nil
	case len(chunk) == 0:
		return 0, nil, fmt.Errorf("CF.SCANDUMP: %w: position %d without a chunk", ErrReply, next)
	case position == 0 && next != rediscf.HeaderPosition, position > 0 && next != position+int64(len(chunk)):
		return 0, nil, fmt.Errorf("CF.SCANDUMP: %w: position %d behind a chunk of %d bytes at %d",
			ErrReply, next, len(chunk), position)
	}
	return next, chunk, nil
}

// Info returns what the server says of the filter under key: EXISTS and CF.INFO. A key that does not exist
// is [rediscf.ErrNotFound], a server without the commands [ErrNoCommands], and a key that has something else the
// server's error.
func Info(ctx context.Context, conn Conn, key string) (i rediscf.Info, err error) {
	defer explain(&err, "info of key %q", key)
	return conn.info(ctx, key)
}

// info is Info without the key in its errors.
func (c Conn) info(ctx context.Context, key string) (i rediscf.Info, err error) {
	there, err := c.exists(ctx, key)
	if err != nil {
		return rediscf.Info{}, err
	}
	reply, err := c.one(ctx, "CF.INFO", key)
	if !there && !errors.Is(err, ErrNoCommands) {
		err = rediscf.ErrNotFound
	}
	if err != nil {
		return rediscf.Info{}, err
	}
	fields, err := asFields("CF.INFO", reply) // what else a later server may say is ignored
	take := func(name string, most int64) (n int64) {
		if err == nil {
			n, err = asInteger("CF.INFO: "+name, fields[name])
		}
		if err == nil && (n < 0 || n > most) {
			err = fmt.Errorf("CF.INFO: %s: %w %d, want 0..%d", name, ErrReply, n, most)
		}
		return n
	}
	i.Size = uint64(take("Size", math.MaxInt64))
	i.Buckets = uint64(take("Number of buckets", math.MaxInt64))
	i.Filters = int(take("Number of filters", math.MaxUint16))
	i.Items = uint64(take("Number of items inserted", math.MaxInt64))
	i.Deletes = uint64(take("Number of items deleted", math.MaxInt64))
	i.BucketSize = int(take("Bucket size", rediscf.MaxBucketSize))
	i.Expansion = int(take("Expansion rate", rediscf.MaxExpansion))
	i.MaxIterations = int(take("Max iterations", rediscf.MaxMaxIterations))
	return i, err
}

// differ says how the server's filter differs from ours. Size is not in the text of an Info, so it is said apart.
func differ(server, ours rediscf.Info) string {
	return fmt.Sprintf("%d bytes, %v; ours has %d bytes, %v", server.Size, server, ours.Size, ours)
}

const (
	// sourceVersion is the version of a module that was built from the main branch at any time.
	sourceVersion = 999999
	// fixedVersion is the first version whose sources have the fix of MOD-16050: tag v8.9.80 of RedisBloom. Later
	// releases of older lines may have it too, but none of their tags had it when this was written.
	fixedVersion = 80980
)

// moduleDoubt returns nil if the server has a module that is known to send what is loaded to replicas, else why not.
func (c Conn) moduleDoubt(ctx context.Context) error {
	switch version, err := c.moduleVersion(ctx); {
	case err != nil:
		return fmt.Errorf("the version of the server's module is not known: %w", err)
	case version == sourceVersion:
		return errors.New("the server's module is a build of the main branch, which sends them since June 2026")
	case version < fixedVersion:
		text := func(v int64) string { return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100) }
		return fmt.Errorf("the server's module has version %s, and the first that is known to send them is %s",
			text(version), text(fixedVersion))
	}
	return nil
}

// moduleVersion returns the version that MODULE LIST says of bf, the module with the commands CF.*.
func (c Conn) moduleVersion(ctx context.Context) (int64, error) {
	reply, err := c.one(ctx, "MODULE", "LIST")
	if err != nil {
		return 0, err
	}
	list, ok := reply.([]any)
	if !ok {
		return 0, fmt.Errorf("MODULE LIST: %w %T", ErrReply, reply)
	}
	for _, module := range list {
		fields, err := asFields("MODULE LIST", module)
		if err != nil {
			return 0, err
		}
		if name, ok := asBytes(fields["name"]); ok && string(name) == "bf" {
			return asInteger("MODULE LIST", fields["ver"])
		}
	}
	return 0, fmt.Errorf(`MODULE LIST: %w: there is no "bf"`, ErrReply)
}
