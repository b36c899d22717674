package folklore

import (
	"context"
	"math"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// A trial is one measurement: a count, and what it is a share or a multiple of. What fails in it ends it by [must].
type trial func(r run) (count, of int)

// A run is one trial of a part.
type run struct {
	size
	seed uint64
	ctx  context.Context
}

// size is what a profile measures.
type size struct {
	slots  int // of most tables
	large  int // of tables in which the size matters
	probes int // absent keys
	runs   int
	churn  int // deletes of keys that were inserted
}

var sizes = map[lab.Profile]size{
	lab.Tiny:  {1 << 10, 1 << 11, 1 << 12, 2, 1 << 12},
	lab.Quick: {1 << 14, 1 << 17, 1 << 18, 4, 1_000_000},
	lab.Paper: {1 << 16, 1 << 20, 1 << 20, 16, 100_000_000},
}

// Numbers of slots: largeOf where the size of a table matters, and fixed whatever the profile, but for tiny.
func largeOf(z size) int { return z.large }

func fixed(exponent int) func(size) int {
	return func(z size) int {
		if z == sizes[lab.Tiny] {
			return 1 << min(exponent, 12)
		}
		return 1 << exponent
	}
}

// Numbers of buckets: evenly is a power of two, unevenly is none, and overlapping has 18 bits, but for tiny.
func evenly(z size) int      { return z.slots / 4 }
func unevenly(z size) int    { return z.slots/4*15/16 - 1 }
func overlapping(z size) int { return min(1<<18, 2*z.large) }

// A failure is the error that ends a trial.
type failure struct{ error }

// must is a value without its error, which ends the trial.
func must[T any](v T, err error) T {
	if err != nil {
		panic(failure{err})
	}
	return v
}

// run makes one trial. Its errors are those of the filters, and that of the context.
func (t trial) run(ctx context.Context, seed uint64, z size) (counts []int, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.error
		default:
			panic(r)
		}
	}()
	count, of := t(run{z, seed, ctx})
	return []int{count, of}, nil
}

// key is a digest of the run's own for each number.
func (r run) key(i int) uint64 { return hashing.Mix64(r.seed + uint64(i)) }

// stream is that of the digests that tables are filled with.
func (r run) stream() *measure.Stream { return &measure.Stream{Next: r.seed} }

// cuckoo is an empty filter of f bits.
func (r run) cuckoo(f int, c cuckoo.Config) *measure.Cuckoo {
	return must(measure.NewCuckoo(f, c, r.seed))
}

// insert inserts n digests of the stream, or those before the first one refused, and returns how many.
func (r run) insert(f lab.Instance, s *measure.Stream, n int) int {
	return must(measure.Insert(r.ctx, s, f, n))
}

// ask asks for the next n digests of the stream and returns how many are reported.
func (r run) ask(f lab.Instance, s *measure.Stream, n int) int {
	return must(measure.Probe(r.ctx, s, f, n))
}

// lost is how many of the first n digests are not in the filter.
func (r run) lost(f lab.Instance, n int) int { return n - r.ask(f, r.stream(), n) }

// filled is a filter whose slots are filled to a load in percent, and the stream behind the digests that are in it.
func (r run) filled(f, percent int, c cuckoo.Config) (*measure.Cuckoo, *measure.Stream) {
	filter, s := r.cuckoo(f, c), r.stream()
	r.insert(filter, s, filter.Slots()*percent/100)
	return filter, s
}

// loadOf fills tables of so many slots to the first refusal, as the paper does: by a random walk of 500 kicks.
func loadOf(f, b int, slots func(size) int, p cuckoo.Placement) trial {
	return func(r run) (int, int) {
		c := cuckoo.Config{BucketSize: b, Buckets: slots(r.size) / b, Placement: p, Kick: cuckoo.RandomWalk}
		filter := r.cuckoo(f, c)
		return r.insert(filter, r.stream(), filter.Slots()+1), filter.Slots()
	}
}

// bothRates counts the false positives of a cuckoo filter made for its keys, and of a Bloom filter of as many bits.
func bothRates(f int, layout cuckoo.Layout) trial {
	return func(r run) (int, int) {
		n := r.large / 2
		filter := r.cuckoo(f, cuckoo.Config{Capacity: n, Layout: layout})
		bits := 8 * filter.SizeBytes()
		other := must(nest.New(nest.Spec{Kind: nest.Bloom, Slots: bits, Hashes: hashesOf(bits, n)}))
		var yes [2]int
		for i, one := range []lab.Instance{filter, other} {
			s := r.stream()
			r.insert(one, s, n)
			yes[i] = r.ask(one, s, 4*r.probes)
		}
		return yes[0], yes[1]
	}
}

// hashesOf is the best number of hashes of a Bloom filter.
func hashesOf(bits, n int) int {
	c, _, err := bloom.Plan(bloom.Config{Capacity: n, Slots: bits})
	return must(c, err).Hashes
}

// bitsOf is the size of a cuckoo filter, and sized that of one for a million keys.
func bitsOf(f int, c cuckoo.Config) int {
	c.FingerprintBits = f
	_, bytes, err := cuckoo.Plan(c)
	return 8 * must(bytes, err)
}

func sized(f int) trial {
	return func(run) (int, int) { return bitsOf(f, cuckoo.Config{Capacity: 1_000_000}), 1_000_000 }
}

// rounded adds up the bits of tables of a power of two for equally spaced numbers of keys, and those of the right size:
// parts in a million of each size, so that all sizes count alike.
func rounded(from, to, steps int) trial {
	return func(run) (power, right int) {
		for i := range steps {
			n := from + i*((to-from)/steps)
			c := cuckoo.Config{Capacity: n}
			fitting := int64(bitsOf(12, c))
			c.Placement = cuckoo.XOR
			power, right = power+int(int64(bitsOf(12, c))*1_000_000/fitting), right+1_000_000
		}
		return power, right
	}
}

// churn deletes keys and inserts others, and counts the keys that should be in the table and are not.
func churn(r run) (lost, deletes int) {
	filter, s := r.filled(8, 90, cuckoo.Config{Buckets: evenly(r.size)})
	oldest, n := r.stream(), filter.Len()
	hs := make([]uint64, n/2)
	for deletes < r.churn {
		oldest.Fill(hs)
		lost += len(hs) - filter.DeleteHashes(hs)
		deletes += len(hs)
		r.insert(filter, s, len(hs))
		present := *oldest
		lost += n - r.ask(filter, &present, n)
	}
	return lost, deletes
}

// deniedAfter counts the keys of a table at 90% that are denied after something was done to a tenth as many others.
func deniedAfter(do func(f *measure.Cuckoo, absent uint64)) trial {
	return func(r run) (int, int) {
		filter, s := r.filled(8, 90, cuckoo.Config{Buckets: r.large / 4})
		n := filter.Len()
		absent := make([]uint64, n/10)
		s.Fill(absent)
		for _, h := range absent {
			do(filter, h)
		}
		return r.lost(filter, n), len(absent)
	}
}

// deleteAbsent deletes a key that is not in. uniqueThenDelete is what a careful program does with a key of its own.
func deleteAbsent(f *measure.Cuckoo, h uint64) { f.DeleteHash(h) }

func uniqueThenDelete(f *measure.Cuckoo, h uint64) {
	must(f.InsertUniqueHash(h))
	f.DeleteHash(h)
}

// additive counts the keys denied in a table at 90% whose buckets are no power of two, under this module's placement.
func additive(r run) (int, int) {
	filter, _ := r.filled(8, 90, cuckoo.Config{Buckets: unevenly(r.size)})
	return r.lost(filter, filter.Len()), filter.Len()
}

// kicksAt counts the kicks of the paper's walk for the last hundredth of a table before a load in percent.
func kicksAt(percent int) trial {
	return func(r run) (int, int) {
		c := cuckoo.Config{Buckets: r.large / 4, Placement: cuckoo.XOR, Kick: cuckoo.RandomWalk}
		filter, s := r.filled(12, percent-1, c)
		before := filter.Stats().Kicks
		n := r.insert(filter, s, filter.Slots()/100)
		return int(filter.Stats().Kicks - before), n
	}
}

// copiedKeys is how many keys are inserted again and again into a table of copiedBuckets.
const (
	copiedKeys    = 64
	copiedBuckets = 1 << 12
)

// copiesOf inserts keys again and again into a table of so many buckets that has nothing else.
func copiesOf(buckets int, layout cuckoo.Layout) trial {
	return func(r run) (copies, keys int) {
		filter := r.cuckoo(12, cuckoo.Config{Buckets: buckets, Layout: layout})
		for i := range copiedKeys {
			for filter.InsertHash(r.key(i)) == nil {
				copies++
			}
			filter.Reset()
		}
		return copies, copiedKeys
	}
}

// bloomCopies adds all keys to a Bloom filter twice, and counts the bits that the second time sets.
func bloomCopies(r run) (changed, bits int) {
	f := must(bloom.New(bloom.Config{Capacity: r.slots, FalsePositiveRate: .01}))
	var used [2]int
	for i := range used {
		for key := range r.slots {
			f.InsertHash(r.key(key))
		}
		used[i] = f.ScanStats().Used
	}
	return used[1] - used[0], f.ScanStats().Slots
}

// uniqueCopies inserts each key ten times by InsertUnique, and counts what is stored after the first time.
func uniqueCopies(r run) (copies, keys int) {
	filter := r.cuckoo(12, cuckoo.Config{Capacity: r.slots})
	for key := range r.slots {
		for repeat := range 10 {
			if must(filter.InsertUniqueHash(r.key(key))) && repeat > 0 {
				copies++
			}
		}
	}
	return copies, r.slots
}

// refused counts the keys that a filter refuses, of n from a number on.
func (r run) refused(n, from int, insert func(h uint64) error, key func(i int) uint64) (refused, asked int) {
	return n - count(func(i int) bool { return insert(key(i)) == nil }, from, from+n), n
}

// growing counts how often a growing filter takes one key until it refuses it, or the others that it then refuses.
func growing(others bool) trial {
	return func(r run) (int, int) {
		f := must(nest.New(nest.Spec{Kind: nest.Scalable, FalsePositiveRate: .01}))
		copies := fill(math.MaxInt, func(int) bool { return f.InsertHash(r.key(0)) == nil })
		if others {
			return r.refused(r.probes, 1, f.InsertHash, r.key)
		}
		return copies, 1
	}
}

// redisFull adds keys to a Redis filter in the defaults until it refuses one, and returns both it and how many it took.
func redisFull(next func(i int) uint64) (*rediscf.Filter, int) {
	f := must(rediscf.New(rediscf.Config{}))
	return f, fill(math.MaxInt, func(i int) bool { return f.AddHash(next(i)) == nil })
}

// redisCopies adds one key until it is refused, and has the bytes of the filter and the adds; or others refused then.
func redisCopies(others bool) trial {
	return func(r run) (int, int) {
		f, adds := redisFull(func(int) uint64 { return r.seed })
		if others {
			return r.refused(r.probes, 0, f.AddHash, r.key)
		}
		return int(f.Info().Size), adds
	}
}

// murmurKey returns the key of 8 bytes that MurmurHash64A under seed 0 makes a digest of: each step can be undone.
func murmurKey(digest uint64) uint64 {
	m := uint64(0xc6a4a7935bd1e995)
	inverse := m // Newton's steps: each doubles the bits that are right
	for range 6 {
		inverse *= 2 - m*inverse
	}
	unshift := func(x uint64) uint64 { return x ^ x>>47 }
	h := unshift(unshift(digest)*inverse) * inverse
	k := h ^ 8*m // the length of the key
	return unshift(k*inverse) * inverse
}

// attackedHash is the hash that keys are chosen for, or SipHash under a key of the run, in place of one nobody knows.
func (r run) attackedHash(secret bool) hashing.Hasher {
	if !secret {
		return hashing.Murmur64A(0)
	}
	var key [16]byte
	for i := range key {
		key[i] = byte(r.key(1) >> (8 * (i % 8)) >> (i / 8))
	}
	return hashing.SipHash(key)
}

// redisAttack counts the keys that a Redis filter takes, under a secret of its slots, until it refuses one: keys that
// share fingerprint and bucket, as their digests differ by multiples of 255 and of its 512 buckets.
func redisAttack(secret bool) trial {
	return func(r run) (taken, slots int) {
		h := r.attackedHash(secret)
		f, taken := redisFull(func(i int) uint64 { return h.Sum64Uint64(murmurKey(uint64(i+1) * 255 * 512)) })
		if !secret {
			return taken, 1
		}
		return taken, f.Info().Filters * rediscf.DefaultCapacity
	}
}

// attacked is a filter that has refused a key that shares fingerprint and buckets with those in it, as their digests
// differ in the middle bits alone.
func (r run) attacked(h hashing.Hasher) *measure.Cuckoo {
	f := r.cuckoo(12, cuckoo.Config{Buckets: 1 << 10, Placement: cuckoo.XOR})
	fill(math.MaxInt, func(i int) bool {
		return f.InsertHash(h.Sum64Uint64(murmurKey(0x123<<52|uint64(i)<<32|0x456<<20))) == nil
	})
	return f
}

// nestAttack counts the keys that such a filter has taken; under a secret, of the slots.
func nestAttack(secret bool) trial {
	return func(r run) (taken, slots int) {
		f := r.attacked(r.attackedHash(secret))
		if !secret {
			return f.Len(), 1
		}
		return f.Len(), f.Slots()
	}
}

// nestOthers asks the filter that refused a chosen key to take as many other keys as fill half of its slots.
func nestOthers(r run) (refused, asked int) {
	h := r.attackedHash(false)
	f := r.attacked(h)
	return r.refused(f.Slots()/2, 0, f.InsertHash, func(i int) uint64 { return h.Sum64Uint64(r.seed + uint64(i)) })
}
