package wire

import (
	"fmt"
	"math/bits"
	"strconv"

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
// Of k keys the fullest shard has hardly more than k/n + 6*sqrt(k/n); see docs/SHARDING.md.
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
