package wire

import (
	"context"
	"fmt"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// PullOptions say how a filter is pulled. Zero fields are defaults.
type PullOptions struct {
	_ struct{}

	// Limits bound what the server's filter may ask for, and what it may grow to here.
	Limits rediscf.Limits
	// Progress, if not nil, is called with the bytes of the tables that have come and those of all.
	Progress func(received, total int64)
}

// Pull returns the server's filter under key, which stays where it is.
//
// A key that does not exist is [rediscf.ErrNotFound], a filter beyond the limits [rediscf.ErrTooLarge], before its tables
// are allocated. Replies that make no dump are [ErrReply], [rediscf.ErrCorrupt] or [rediscf.ErrIncomplete].
//
// A dump is one command for each chunk, so another client can change the filter meanwhile: that is
// [ErrChanged] where CF.INFO does not say the same before, in the header, and after. Every add that stores
// something shows in it, and every delete and growth. Pull does not notice a change that leaves all of
// CF.INFO and the number of fingerprints as they were: deletes and as many adds with a CF.COMPACT or an
// automatic compaction between them, or another filter of the same numbers that is renamed to the key. If
// that may happen, stop the writers meanwhile.
//
// It sends 6 commands and one for each chunk, which the server cuts at 16 MiB; the context is checked
// before each.
func Pull(ctx context.Context, conn Conn, key string, o PullOptions) (*rediscf.Filter, error) {
	f, err := pull(ctx, conn, key, o)
	if err != nil {
		return nil, fmt.Errorf("wire: pull of key %q: %w", key, err)
	}
	return f, nil
}

// pull is Pull without the key in its errors.
func pull(ctx context.Context, conn Conn, key string, o PullOptions) (*rediscf.Filter, error) {
	before, err := info(ctx, conn, key)
	if err != nil {
		return nil, err
	}
	l := rediscf.Loader{Limits: o.Limits}
	empty, failed := dump(ctx, conn, key, before, &l, o.Progress)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	// Before failed is looked at: a change explains what looks like damage.
	after, err := info(ctx, conn, key)
	switch {
	case failed != nil && err != nil:
		return nil, failed
	case err != nil:
		return nil, err
	case after != before:
		return nil, fmt.Errorf("%w: %v; then %v", ErrChanged, before, after)
	case failed != nil:
		return nil, failed
	case empty && before.Items != 0:
		return nil, fmt.Errorf("%w: nothing was dumped of %d items", rediscf.ErrIncomplete, before.Items)
	case empty:
		return emptyFilter(before, o.Limits)
	}
	return l.Filter()
}

// emptyFilter returns the filter without items of which CF.INFO says i.
func emptyFilter(i rediscf.Info, limits rediscf.Limits) (*rediscf.Filter, error) {
	f, err := rediscf.Load(emptyDump(i), limits)
	if err != nil {
		return nil, err
	}
	if f.Info() != i {
		return nil, fmt.Errorf("CF.INFO: %w: %s", ErrReply, unlike(i, f.Info()))
	}
	return f, nil
}

// dump loads what CF.SCANDUMP replies, and tells whether it was nothing.
func dump(ctx context.Context, conn Conn, key string, before rediscf.Info, l *rediscf.Loader, progress func(int64, int64)) (empty bool, err error) {
	for position := int64(0); ; {
		next, chunk, err := scan(ctx, conn, key, position)
		if err != nil {
			return false, err
		}
		if chunk == nil {
			return position == 0, nil
		}
		if err := l.Load(next, chunk); err != nil {
			return false, err
		}
		switch {
		case position > 0:
			if progress != nil {
				progress(next-1, tableBytes(before))
			}
		case l.Info() != before:
			return false, fmt.Errorf("%w: %v; the header says %v", ErrChanged, before, l.Info())
		}
		position = next
	}
}

// scan asks for one chunk; nil is the end. The position that comes with it is that of its last byte and 1,
// so what the server says cannot leave a gap, nor go on without end.
func scan(ctx context.Context, conn Conn, key string, position int64) (next int64, chunk []byte, err error) {
	replies, err := conn.do(ctx, command("CF.SCANDUMP", key, position))
	if err != nil {
		return 0, nil, err
	}
	pair, ok := replies[0].([]any)
	if !ok || len(pair) != 2 {
		return 0, nil, fmt.Errorf("CF.SCANDUMP: %w %T, want a position and a chunk", ErrReply, replies[0])
	}
	if next, err = asInteger("CF.SCANDUMP", pair[0]); err != nil {
		return 0, nil, err
	}
	chunk, ok = asBytes(pair[1])
	switch {
	case next == 0 && len(chunk) == 0:
		return 0, nil, nil
	case !ok || len(chunk) == 0:
		return 0, nil, fmt.Errorf("CF.SCANDUMP: %w: position %d without a chunk", ErrReply, next)
	case position == 0 && next != headerPosition, position > 0 && next != position+int64(len(chunk)):
		return 0, nil, fmt.Errorf("CF.SCANDUMP: %w: position %d behind a chunk of %d bytes at %d", ErrReply, next, len(chunk), position)
	}
	return next, chunk, nil
}
