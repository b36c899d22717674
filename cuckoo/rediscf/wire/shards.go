package wire

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/hashing"
)

// Shard returns which of n shards a key with digest h, as [rediscf.Digest] gives it, belongs to: the upper 64 bits of
// the product of n, at least 1, and hashing.Mix64(h). It will not change, because it finds the shards that were pushed.
//
// A filter takes its buckets from the lowest bits of h. With h modulo n, n a power of two, a shard would use one
// bucket in n; the upper bits of a mixed digest favour none.
func Shard(h uint64, n int) int {
	i, _ := bits.Mul64(hashing.Mix64(h), uint64(n))
	return int(i)
}

// ShardKey returns the key of shard i in Redis: name:{i}. The number is the key's tag, so the shards of one
// name are in different slots of a cluster, and shard i of another name in the slot of shard i of this.
func ShardKey(name string, i int) string { return name + ":{" + strconv.Itoa(i) + "}" }

// MaxShards is the largest number of shards, that of a cluster's slots.
const MaxShards = Slots

// Shards are filters of which each has its share of the keys, for a set that is too large for one server.
// They answer in process as they would on the servers.
//
// Different shards may be changed by different goroutines; for each the rules of [rediscf.Filter] hold.
type Shards struct {
	filters []*rediscf.Filter
}

// NewShards returns n empty shards, 1 to 16384, each of configuration c, so Capacity and Limits are those of
// one shard. Anything else is [rediscf.ErrConfig], and more than Limits permit is [rediscf.ErrTooLarge].
//
// Of k keys the fullest shard has hardly more than k/n + 6*sqrt(k/n); see docs/REDIS.md.
func NewShards(n int, c rediscf.Config) (*Shards, error) {
	if err := checkShards(n); err != nil {
		return nil, fmt.Errorf("wire: shards: %w", err)
	}
	s := &Shards{filters: make([]*rediscf.Filter, n)}
	for i := range s.filters {
		f, err := rediscf.New(c)
		if err != nil {
			return nil, fmt.Errorf("wire: shard %d: %w", i, err)
		}
		s.filters[i] = f
	}
	return s, nil
}

// checkShards tells whether there can be n shards.
func checkShards(n int) error {
	if n < 1 || n > MaxShards {
		return fmt.Errorf("%w: %d shards, want 1..%d", rediscf.ErrConfig, n, MaxShards)
	}
	return nil
}

// N returns the number of shards.
func (s *Shards) N() int { return len(s.filters) }

// Filter returns shard i, for any verb of it.
func (s *Shards) Filter(i int) *rediscf.Filter { return s.filters[i] }

// Of returns the shard of keys with digest h, for any verb of it.
func (s *Shards) Of(h uint64) *rediscf.Filter { return s.filters[Shard(h, len(s.filters))] }

// AddHash adds a key with digest h to its shard: see [rediscf.Filter.AddHash].
func (s *Shards) AddHash(h uint64) error { return s.Of(h).AddHash(h) }

// ExistsHash asks the shard of a key with digest h: see [rediscf.Filter.ExistsHash].
func (s *Shards) ExistsHash(h uint64) bool { return s.Of(h).ExistsHash(h) }

// Len returns the number of items of all shards.
func (s *Shards) Len() int {
	n := 0
	for _, f := range s.filters {
		n += f.Len()
	}
	return n
}

// Slots is the number of slots of a Redis Cluster.
const Slots = 1 << 14

// Slot returns the slot of a key in a Redis Cluster, as CLUSTER KEYSLOT does: CRC-16/XMODEM of the key's
// tag modulo 16384 (Redis Cluster specification, "Hash tags"). The tag is what stands between the first {
// and the next } if that is not empty, else the whole key.
func Slot(key string) int {
	t, ok := tag(key)
	if !ok {
		t = key
	}
	return int(crc16(t)) % Slots
}

// tag returns a key's tag and whether it has one.
func tag(key string) (string, bool) {
	_, rest, ok := strings.Cut(key, "{")
	if !ok {
		return "", false
	}
	t, _, ok := strings.Cut(rest, "}")
	return t, ok && t != ""
}

// crc16 is CRC-16/XMODEM: polynomial 0x1021, the highest bit first, starting from 0.
func crc16(s string) uint16 {
	var crc uint16
	for k := range len(s) {
		crc ^= uint16(s[k]) << 8
		for range 8 {
			crc = crc<<1 ^ crc>>15*0x1021
		}
	}
	return crc
}

// temporaryKey returns a name that nobody has, in the slot of key, so that a cluster can rename the one to
// the other: the key itself if it has a tag, else the key as a tag, and random digits behind. A key that has
// a } but no tag cannot be one; the least number in its slot is taken instead, of some 16384 that are tried.
func temporaryKey(key string) string {
	var random [8]byte
	rand.Read(random[:]) // never fails
	suffix := ":tmp-" + hex.EncodeToString(random[:])
	if _, tagged := tag(key); tagged {
		return key + suffix
	}
	t := key
	for n := 0; t == "" || strings.Contains(t, "}") || Slot(t) != Slot(key); n++ {
		t = strconv.Itoa(n)
	}
	return "{" + t + "}" + suffix
}

// cleanupShardsTime bounds the cleanupTime of all shards of a push together, for servers that are gone.
const cleanupShardsTime = 30 * time.Second

// PushShards makes the keys name:{0} to name:{n-1} the n shards of s, as [Push] does; o.Warn is called at most
// once. conn must be safe for concurrent use; name must have no {, or it is [rediscf.ErrConfig].
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
	if warn := o.Warn; warn != nil {
		var once sync.Once
		o.Warn = func(err error) { once.Do(func() { warn(fmt.Errorf("%w; likewise for the other shards", err)) }) }
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

// prepare checks what both directions need, and returns the number of shards to ship at once.
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
	filters, err := ofShards(ctx, conn, "pull", name, n, o.Parallel,
		func(ctx context.Context, key string) (*rediscf.Filter, error) { return Pull(ctx, conn, key, o) })
	if err != nil {
		return nil, err
	}
	return &Shards{filters}, nil
}

// InfoShards returns what the server says of each of the shards under name:{0} to name:{n-1}. A missing one is
// [rediscf.ErrNotFound], one more [rediscf.ErrExists], as for [PullShards].
func InfoShards(ctx context.Context, conn Conn, name string, n int) ([]rediscf.Info, error) {
	return ofShards(ctx, conn, "info", name, n, 0,
		func(ctx context.Context, key string) (rediscf.Info, error) { return Info(ctx, conn, key) })
}

// ofShards returns what get returns of each shard, or the first error.
func ofShards[T any](ctx context.Context, conn Conn, verb, name string, n, parallel int,
	get func(ctx context.Context, key string) (T, error),
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
