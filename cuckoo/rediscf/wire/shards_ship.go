package wire

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

const (
	// defaultParallel is how many shards are on their way at once by default.
	defaultParallel = 4
	// cleanupShardsTime is how long a push of shards that failed tries to delete all its temporary keys. Each alone
	// has cleanupTime, which servers that are gone would take for every shard.
	cleanupShardsTime = 30 * time.Second
)

// PushShardsOptions say how shards are pushed. Zero fields are defaults.
type PushShardsOptions struct {
	_ struct{}

	// Parallel is how many shards are on their way at once, at least 1. The default is 4. Each has up to
	// Push.InFlight bytes in flight.
	Parallel int
	// Push is how each shard is pushed. Its Progress is of all shards together, called by one goroutine at
	// a time, its Warn is called once. Its Expire has to be longer than the whole push.
	Push PushOptions
}

// PushShards makes the keys name:{0} to name:{n-1} the n shards of s, as [Push] does. conn must be safe for
// concurrent use; name must have no {, or it is [rediscf.ErrConfig].
//
// All shards are loaded under temporary keys and compared before the first is renamed. An error until then
// leaves all keys as they were. But Redis cannot rename several keys at once, so a reader between the first
// rename and the last sees some new shards and some old ones. If one of the renames fails, those of the
// others are made, and the error names the keys that failed. After an earlier error all temporary keys are
// deleted, within half a minute, and the error names those that may be left. A name:{n}, left by a push of
// more shards, is [rediscf.ErrExists] in any case, because a reader that finds it would look for keys in
// the wrong shards.
func PushShards(ctx context.Context, conn Conn, name string, s *Shards, o PushShardsOptions) error {
	parallel, err := prepare(ctx, conn, name, len(s.filters), o.Parallel)
	if err != nil {
		return fmt.Errorf("wire: push of shards %q: %w", name, err)
	}
	if o.Push.Warn != nil {
		warnOfModule(ctx, conn, o.Push.Warn)
		o.Push.Warn = nil
	}
	progress := newTally(o.Push.Progress, s)
	staged := make([]*push, len(s.filters))
	left := make([]error, len(s.filters)) // of shards that failed when another had
	failed := untilError(ctx, len(staged), parallel, func(ctx context.Context, i int) error {
		options := o.Push
		options.Progress = progress.shard()
		p, err := newPush(conn, ShardKey(name, i), s.filters[i], options)
		if err == nil {
			err = p.stage(ctx)
		}
		if err == nil {
			staged[i] = p
		}
		err = p.explain(err)
		if errors.Is(err, ErrLeftover) {
			left[i] = err
		}
		return err
	})
	for i := range left {
		if left[i] == failed { // it is said already
			left[i] = nil
		}
	}
	ctx = context.WithoutCancel(ctx)
	if failed != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cleanupShardsTime)
		defer cancel()
	}
	return errors.Join(append(append(each(len(staged), parallel, func(i int) error {
		return staged[i].finish(ctx, failed == nil)
	}), left...), failed)...)
}

// finish renames what was staged, or deletes it if any of the shards failed. It goes on after the end of
// the caller's context: half of the renames would be worse than all.
func (p *push) finish(ctx context.Context, whole bool) error {
	switch {
	case p == nil:
		return nil
	case whole:
		return p.explain(p.commit(ctx))
	}
	_, err := p.discard(ctx, nil)
	return p.explain(err)
}

// prepare checks what both directions need, and returns the number of shards to ship at once.
func prepare(ctx context.Context, conn Conn, name string, n, parallel int) (int, error) {
	if parallel == 0 {
		parallel = defaultParallel
	}
	if parallel < 0 {
		return 0, fmt.Errorf("%w: Parallel is %d, want at least 1", rediscf.ErrConfig, parallel)
	}
	if err := errors.Join(checkShards(n), checkName(name)); err != nil {
		return 0, err
	}
	more, err := conn.exists(ctx, ShardKey(name, n))
	if err == nil && more {
		err = fmt.Errorf("%w: %q, so these are not %d shards but more", rediscf.ErrExists, ShardKey(name, n), n)
	}
	return parallel, err
}

// tally adds up the progress of several pushes.
type tally struct {
	report      func(sent, total int64)
	lock        sync.Mutex
	sent, total int64
}

// newTally returns the tally of all shards that have items.
func newTally(report func(sent, total int64), s *Shards) *tally {
	t := &tally{report: report}
	for _, f := range s.filters {
		if f.Len() > 0 {
			t.total += tableBytes(f.Info())
		}
	}
	return t
}

// shard returns the progress of one push, nil if nobody wants to know.
func (t *tally) shard() func(sent, total int64) {
	if t.report == nil {
		return nil
	}
	last := int64(0)
	return func(sent, _ int64) {
		t.lock.Lock()
		defer t.lock.Unlock()
		t.sent += sent - last
		last = sent
		t.report(t.sent, t.total)
	}
}

// PullShardsOptions say how shards are pulled. Zero fields are defaults.
type PullShardsOptions struct {
	_ struct{}

	// Parallel is how many shards are on their way at once, at least 1. The default is 4.
	Parallel int
	// Limits are those of each shard.
	Limits rediscf.Limits
}

// PullShards returns the shards under name:{0} to name:{n-1}, each pulled as [Pull] does. conn must be safe
// for concurrent use. A missing one is [rediscf.ErrNotFound]; one more, name:{n}, is [rediscf.ErrExists],
// because the keys were then divided among another number of shards.
//
// The shards need not be of one moment: a writer may change one shard after another was pulled.
func PullShards(ctx context.Context, conn Conn, name string, n int, o PullShardsOptions) (*Shards, error) {
	parallel, err := prepare(ctx, conn, name, n, o.Parallel)
	if err != nil {
		return nil, fmt.Errorf("wire: pull of shards %q: %w", name, err)
	}
	s := &Shards{filters: make([]*rediscf.Filter, n)}
	err = untilError(ctx, n, parallel, func(ctx context.Context, i int) (err error) {
		s.filters[i], err = Pull(ctx, conn, ShardKey(name, i), PullOptions{Limits: o.Limits})
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// InfoShards returns what the server says of each of the shards under name:{0} to name:{n-1}. A missing one is
// [rediscf.ErrNotFound], one more [rediscf.ErrExists], as for [PullShards].
func InfoShards(ctx context.Context, conn Conn, name string, n int) ([]rediscf.Info, error) {
	parallel, err := prepare(ctx, conn, name, n, 0)
	if err != nil {
		return nil, fmt.Errorf("wire: info of shards %q: %w", name, err)
	}
	list := make([]rediscf.Info, n)
	if err := untilError(ctx, n, parallel, func(ctx context.Context, i int) (err error) {
		list[i], err = Info(ctx, conn, ShardKey(name, i))
		return err
	}); err != nil {
		return nil, err
	}
	return list, nil
}

// each calls do for 0 to n-1, parallel of them at once, and returns their errors in order.
func each(n, parallel int, do func(i int) error) []error {
	failed := make([]error, n)
	turns := make(chan struct{}, parallel)
	var wait sync.WaitGroup
	for i := range n {
		turns <- struct{}{}
		wait.Go(func() {
			failed[i] = do(i)
			<-turns
		})
	}
	wait.Wait()
	return failed
}

// untilError is each that ends with the first error, or the context: it begins no more, ends the context of
// those that are under way, and returns that error alone.
func untilError(ctx context.Context, n, parallel int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	each(n, parallel, func(i int) error {
		if ctx.Err() == nil {
			if err := do(ctx, i); err != nil {
				cancel(err)
			}
		}
		return nil
	})
	return context.Cause(ctx)
}
