package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// cleanupShardsTime is how long a push of shards that failed tries to delete all its temporary keys. Each alone
// has cleanupTime, which servers that are gone would take for every shard.
const cleanupShardsTime = 30 * time.Second

// PushShards makes the keys name:{0} to name:{n-1} the n shards of s, as [Push] does; o.Warn is called once. conn must
// be safe for concurrent use; name must have no {, or it is [rediscf.ErrConfig].
//
// All shards are loaded under temporary keys and compared before the first is renamed. An error until then leaves all
// keys as they were. But Redis cannot rename several keys at once, so a reader between the first rename and the last
// sees some new shards and some old ones. If one of the renames fails, those of the others are made, and the error
// names the keys that failed. After an earlier error all temporary keys are deleted, within half a minute, and the
// error names those that may be left. A name:{n}, left by a push of more shards, is [rediscf.ErrExists] in any case,
// because a reader that finds it would look for keys in the wrong shards.
func PushShards(ctx context.Context, conn Conn, name string, s *Shards, o PushOptions) error {
	parallel, err := prepare(ctx, conn, "push", name, len(s.filters), o.Parallel)
	if err != nil {
		return err
	}
	if o.Warn != nil {
		conn.warnOfModule(ctx, o.Warn)
		o.Warn = nil
	}
	staged, errs := make([]*push, len(s.filters)), make([]error, len(s.filters))
	failed := untilError(ctx, len(staged), parallel, func(ctx context.Context, i int) (err error) {
		staged[i], err = stage(ctx, conn, ShardKey(name, i), s.filters[i], o)
		explain(&err, "push to key %q", ShardKey(name, i))
		errs[i] = err
		return err
	})
	// What is staged is renamed, or deleted if any shard failed. That goes on after the end of the caller's context:
	// half of the renames would be worse than all.
	ctx = context.WithoutCancel(ctx)
	within, cancel := context.WithTimeout(ctx, cleanupShardsTime)
	defer cancel()
	_ = untilError(ctx, len(staged), parallel, func(_ context.Context, i int) error {
		switch p := staged[i]; {
		case p == nil:
			return nil
		case failed == nil:
			errs[i] = p.commit(ctx)
		default:
			_, errs[i] = p.discard(within, nil)
		}
		explain(&errs[i], "push to key %q", ShardKey(name, i))
		return nil
	})
	if failed != nil { // of the others only what may be left
		errs = slices.DeleteFunc(errs, func(err error) bool { return err == failed || !errors.Is(err, ErrLeftover) })
	}
	return errors.Join(append(errs, failed)...)
}

// prepare checks what both directions need, and returns the number of shards to ship at once. With a tag in the name
// all shards would be in one slot.
func prepare(ctx context.Context, conn Conn, verb, name string, n, parallel int) (_ int, err error) {
	defer explain(&err, "%s of shards %q", verb, name)
	parallel = cmp.Or(parallel, 4)
	more := false
	switch err = checkShards(n); {
	case parallel < 0:
		err = fmt.Errorf("%w: Parallel is %d, want at least 1", rediscf.ErrConfig, parallel)
	case strings.Contains(name, "{"):
		err = fmt.Errorf("%w: the name has a {, which would put all shards into one slot", rediscf.ErrConfig)
	case err == nil:
		more, err = conn.exists(ctx, ShardKey(name, n))
	}
	if more && err == nil {
		err = fmt.Errorf("%w: %q, so these are not %d shards but more", rediscf.ErrExists, ShardKey(name, n), n)
	}
	return parallel, err
}

// PullShards returns the shards under name:{0} to name:{n-1}, each pulled as [Pull] does. conn must be safe
// for concurrent use. A missing one is [rediscf.ErrNotFound]; one more, name:{n}, is [rediscf.ErrExists],
// because the keys were then divided among another number of shards.
//
// The shards need not be of one moment: a writer may change one shard after another was pulled.
func PullShards(ctx context.Context, conn Conn, name string, n int, o PullOptions) (*Shards, error) {
	get := func(ctx context.Context, key string) (*rediscf.Filter, error) { return Pull(ctx, conn, key, o) }
	filters, err := fromAll(ctx, conn, "pull", name, n, o.Parallel, get)
	if err != nil {
		return nil, err
	}
	return &Shards{filters}, nil
}

// InfoShards returns what the server says of each of the shards under name:{0} to name:{n-1}. A missing one is
// [rediscf.ErrNotFound], one more [rediscf.ErrExists], as for [PullShards].
func InfoShards(ctx context.Context, conn Conn, name string, n int) ([]rediscf.Info, error) {
	get := func(ctx context.Context, key string) (rediscf.Info, error) { return Info(ctx, conn, key) }
	return fromAll(ctx, conn, "info", name, n, 0, get)
}

// fromAll returns what get returns for the key of each of n shards, or the first error.
func fromAll[T any](
	ctx context.Context, conn Conn, verb, name string, n, parallel int, get func(ctx context.Context, key string) (T, error),
) ([]T, error) {
	parallel, err := prepare(ctx, conn, verb, name, n, parallel)
	if err != nil {
		return nil, err
	}
	list := make([]T, n)
	err = untilError(ctx, n, parallel, func(ctx context.Context, i int) (err error) {
		list[i], err = get(ctx, ShardKey(name, i))
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// untilError calls do for 0 to n-1, parallel of them at once. With the first error, or the end of the context, it
// begins no more, ends the context of those that are under way, and returns that error.
func untilError(ctx context.Context, n, parallel int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	turns := make(chan struct{}, parallel)
	var wait sync.WaitGroup
	for i := range n {
		turns <- struct{}{}
		wait.Go(func() {
			if ctx.Err() == nil {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
			<-turns
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
