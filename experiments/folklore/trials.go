package folklore

import (
	"context"
	"errors"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/foreign"
	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/widths"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// The trials here are of filters of this module, those in model_trials.go of models.

// filled returns a filter of f bits whose slots are filled to a load in percent, and the stream behind the digests that are in it.
func filled(ctx context.Context, seed uint64, f, percent int, c cuckoo.Config) (widths.Filter, measure.Stream, error) {
	s := measure.Stream{Next: seed}
	filter, err := measure.NewCuckoo(f, c, seed)
	if err != nil {
		return nil, s, err
	}
	n := filter.Slots() * percent / 100
	if stored, err := measure.Insert(ctx, &s, filter, n); err != nil || stored < n {
		return nil, s, errors.Join(err, cuckoo.ErrFull)
	}
	return filter, s, nil
}

// rateOf counts false positives of a table of f bits at 95%.
func rateOf(f int) trial {
	return func(ctx context.Context, seed uint64, z size) (int, int, error) {
		filter, s, err := filled(ctx, seed, f, 95, cuckoo.Config{Buckets: z.slots / 4})
		if err != nil {
			return 0, 0, err
		}
		yes, err := measure.Probe(ctx, &s, filter, z.probes)
		return yes, z.probes, err
	}
}

// loadOf fills tables of so many slots to the first refusal.
func loadOf(f, b int, slots func(size) int, c cuckoo.Config) trial {
	return func(ctx context.Context, seed uint64, z size) (int, int, error) {
		c := c
		c.BucketSize, c.Buckets = b, slots(z)/b
		filter, err := measure.NewCuckoo(f, c, seed)
		if err != nil {
			return 0, 0, err
		}
		stored, err := measure.Insert(ctx, &measure.Stream{Next: seed}, filter, filter.Slots()+1)
		return stored, filter.Slots(), err
	}
}

// fixed is a number of slots whatever the profile; in profile tiny it is a small one.
func fixed(exponent int) func(size) int {
	return func(z size) int {
		if z == sizes[lab.Tiny] {
			return 1 << min(exponent, 12)
		}
		return 1 << exponent
	}
}

// largeOf is the number of slots of tables in which the size matters.
func largeOf(z size) int { return z.large }

// equalSpace counts the false positives of a cuckoo filter made for its keys, and of a Bloom filter of as many bits with as many.
func equalSpace(f int, layout cuckoo.Layout) trial {
	return func(ctx context.Context, seed uint64, z size) (int, int, error) {
		n := z.large / 2
		filter, err := measure.NewCuckoo(f, cuckoo.Config{Capacity: n, Layout: layout}, seed)
		if err != nil {
			return 0, 0, err
		}
		other, err := bloom.New(bloom.Config{Bits: 8 * filter.SizeBytes(), Hashes: bloom.OptimalHashes(8*filter.SizeBytes(), n)})
		if err != nil {
			return 0, 0, err
		}
		var yes [2]int
		for i, one := range []lab.Instance{filter, bloomInstance{other}} {
			s := measure.Stream{Next: seed}
			if _, err := measure.Insert(ctx, &s, one, n); err != nil {
				return 0, 0, err
			}
			if yes[i], err = measure.Probe(ctx, &s, one, 4*z.probes); err != nil {
				return 0, 0, err
			}
		}
		return yes[0], yes[1], nil
	}
}

// bloomInstance is a Bloom filter as an Instance: it takes all keys.
type bloomInstance struct{ *bloom.Filter }

func (b bloomInstance) InsertHashes(hs []uint64) (int, error) {
	b.Filter.InsertHashes(hs)
	return len(hs), nil
}

// bitsOf is the size of a cuckoo filter for a million keys.
func bitsOf(f int) trial {
	return func(context.Context, uint64, size) (int, int, error) {
		_, bytes, err := cuckoo.Plan(cuckoo.Config{Capacity: 1_000_000}, uint(f))
		return 8 * bytes, 1_000_000, err
	}
}

// churn deletes keys and inserts others, and counts the keys that should be in the table and are not.
func churn(ctx context.Context, seed uint64, z size) (lost, deletes int, err error) {
	filter, s, err := filled(ctx, seed, 8, 90, cuckoo.Config{Buckets: z.slots / 4})
	if err != nil {
		return 0, 0, err
	}
	oldest, n := measure.Stream{Next: seed}, filter.Len()
	hs := make([]uint64, n/2)
	for deletes < z.churn {
		oldest.Fill(hs)
		lost += len(hs) - filter.DeleteHashes(hs)
		deletes += len(hs)
		if stored, err := measure.Insert(ctx, &s, filter, len(hs)); err != nil || stored < len(hs) {
			return 0, 0, errors.Join(err, cuckoo.ErrFull)
		}
		present := oldest
		found, err := measure.Probe(ctx, &present, filter, n)
		if err != nil {
			return 0, 0, err
		}
		lost += n - found
	}
	return lost, deletes, nil
}

// deniedAfter counts the keys of a table at 90% that are denied after something was done with as many absent keys as a tenth of them.
func deniedAfter(do func(f widths.Filter, absent uint64) error) trial {
	return func(ctx context.Context, seed uint64, z size) (int, int, error) {
		filter, s, err := filled(ctx, seed, 8, 90, cuckoo.Config{Buckets: z.large / 4})
		if err != nil {
			return 0, 0, err
		}
		n := filter.Len()
		absent := make([]uint64, n/10)
		s.Fill(absent)
		for _, h := range absent {
			if err := do(filter, h); err != nil {
				return 0, 0, err
			}
		}
		found, err := measure.Probe(ctx, &measure.Stream{Next: seed}, filter, n)
		return n - found, len(absent), err
	}
}

// deleteAbsent deletes a key that was not inserted.
func deleteAbsent(f widths.Filter, h uint64) error { f.DeleteHash(h); return nil }

// uniqueThenDelete is what a careful program does with a key of its own: it inserts it once, and deletes it when it is done.
func uniqueThenDelete(f widths.Filter, h uint64) error {
	if _, err := f.InsertUniqueHash(h); err != nil {
		return err
	}
	f.DeleteHash(h)
	return nil
}

// copiedKeys is how many keys are inserted again and again.
const copiedKeys = 64

// copiesOf inserts keys again and again into a table of so many buckets that has nothing else.
func copiesOf(buckets int, layout cuckoo.Layout) trial {
	return func(_ context.Context, seed uint64, z size) (copies, keys int, err error) {
		filter, err := measure.NewCuckoo(12, cuckoo.Config{Buckets: buckets, Layout: layout}, seed)
		if err != nil {
			return 0, 0, err
		}
		for i := range copiedKeys {
			h := hashing.Mix64(seed + uint64(i))
			for filter.InsertHash(h) == nil {
				copies++
			}
			filter.Reset()
		}
		return copies, copiedKeys, nil
	}
}

// bloomCopies adds all keys to a Bloom filter twice, and counts the bits that the second time sets.
func bloomCopies(_ context.Context, seed uint64, z size) (changed, bits int, err error) {
	f, err := bloom.New(bloom.Config{Capacity: z.slots, FalsePositiveRate: .01})
	if err != nil {
		return 0, 0, err
	}
	var used [2]int
	for i := range used {
		for key := range z.slots {
			f.InsertHash(hashing.Mix64(seed + uint64(key)))
		}
		used[i] = f.Stats().Used
	}
	return used[1] - used[0], f.Stats().Slots, nil
}

// uniqueCopies inserts each key ten times by InsertUnique, and counts the fingerprints that are stored after the first time.
func uniqueCopies(_ context.Context, seed uint64, z size) (copies, keys int, err error) {
	filter, err := measure.NewCuckoo(12, cuckoo.Config{Capacity: z.slots}, seed)
	if err != nil {
		return 0, 0, err
	}
	for key := range z.slots {
		for repeat := range 10 {
			added, err := filter.InsertUniqueHash(hashing.Mix64(seed + uint64(key)))
			if err != nil {
				return 0, 0, err
			}
			if added && repeat > 0 {
				copies++
			}
		}
	}
	return copies, z.slots, nil
}

// growingCopies adds one key to a growing filter of this module until it refuses the key, and returns the filter and how often it took it.
func growingCopies(seed uint64) (f *cuckoo.Scalable[fingerprint.Any], copies int, err error) {
	c := cuckoo.ScalableConfig{FalsePositiveRate: .01}
	width, err := cuckoo.ScalableWidth(c)
	if err != nil {
		return nil, 0, err
	}
	c.FingerprintBits = int(width)
	if f, err = cuckoo.NewScalable[fingerprint.Any](c); err != nil {
		return nil, 0, err
	}
	for err = f.InsertHash(hashing.Mix64(seed)); err == nil; err = f.InsertHash(hashing.Mix64(seed)) {
		copies++
	}
	if !errors.Is(err, cuckoo.ErrFull) {
		return nil, 0, err
	}
	return f, copies, nil
}

// growingTaken has how often such a filter takes one key.
func growingTaken(_ context.Context, seed uint64, _ size) (copies, keys int, err error) {
	_, copies, err = growingCopies(seed)
	return copies, 1, err
}

// growingOthers asks the same filter to take other keys.
func growingOthers(_ context.Context, seed uint64, z size) (refused, asked int, err error) {
	f, _, err := growingCopies(seed)
	if err != nil {
		return 0, 0, err
	}
	for i := range z.probes {
		if f.InsertHash(hashing.Mix64(seed+uint64(i)+1)) != nil {
			refused++
		}
	}
	return refused, z.probes, nil
}

// redisFull adds keys to a Redis filter in the defaults until it refuses one, and returns the filter and the keys it took.
func redisFull(next func(i int) uint64) (*rediscf.Filter, int, error) {
	f, err := rediscf.New(rediscf.Config{})
	for i := 0; err == nil; i++ {
		if err = f.AddHash(next(i)); errors.Is(err, rediscf.ErrExpansions) {
			return f, i, nil
		}
	}
	return nil, 0, err
}

// redisCopies has the bytes of a Redis filter to which one key was added until it was refused, and the adds.
func redisCopies(_ context.Context, seed uint64, _ size) (bytes, adds int, err error) {
	f, adds, err := redisFull(func(int) uint64 { return seed })
	if err != nil {
		return 0, 0, err
	}
	return int(f.Info().Size), adds, nil
}

// redisOthers asks the same filter to take other keys.
func redisOthers(_ context.Context, seed uint64, z size) (refused, asked int, err error) {
	f, _, err := redisFull(func(int) uint64 { return seed })
	if err != nil {
		return 0, 0, err
	}
	for i := range z.probes {
		if f.AddHash(hashing.Mix64(seed+uint64(i))) != nil {
			refused++
		}
	}
	return refused, z.probes, nil
}

// goPackage fills a filter of the Go package's format with domain names until so many were refused, and returns the numbers of those taken.
// As the package does, it drops a fingerprint at each refusal.
func goPackage(z size, seed uint64, refusals int) (f *foreign.Filter, taken []uint64, err error) {
	next := seed
	f, err = foreign.New(foreign.Config{Format: foreign.Seiflotfy, Buckets: z.slots / 4, Lossy: true, Choices: func(n int) int {
		next++
		return int(hashing.Mix64(next) >> 32 % uint64(n))
	}})
	if err != nil {
		return nil, nil, err
	}
	for i := uint64(0); refusals > 0; i++ {
		switch err := f.InsertString(measure.Domain(first(seed) + i)); {
		case err == nil:
			taken = append(taken, first(seed)+i)
		case errors.Is(err, cuckoo.ErrFull):
			refusals--
		default:
			return nil, nil, err
		}
	}
	return f, taken, nil
}

// first is the number of the first name of a trial, so that trials have names of their own.
func first(seed uint64) uint64 { return seed % (1 << 25) }

// kicksAt counts the kicks of the paper's walk for the last hundredth of a table before a load in percent.
func kicksAt(percent int) trial {
	return func(ctx context.Context, seed uint64, z size) (int, int, error) {
		filter, s, err := filled(ctx, seed, 12, percent-1, cuckoo.Config{Buckets: z.large / 4, Placement: cuckoo.XOR, Kick: cuckoo.RandomWalk})
		if err != nil {
			return 0, 0, err
		}
		before := filter.Stats().Kicks
		n, err := measure.Insert(ctx, &s, filter, filter.Slots()/100)
		return int(filter.Stats().Kicks - before), n, err
	}
}
