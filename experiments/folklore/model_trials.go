package folklore

import (
	"context"
	"errors"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/widths"
	"github.com/nestfilter/nest/hashing"
)

// The Bloom filter of the sentences about clearing bits: 10 bits a key at capacity, 7 of them of each.
const (
	bloomBits   = 10
	bloomHashes = 7
)

// loadedBloom holds a percentage of the keys that it has room for. The keys are Mix64 of the numbers from the seed on.
func loadedBloom(seed uint64, room, percent int) (f *bloomModel, n int) {
	f, n = newBloom(bloomBits*room, bloomHashes), room*percent/100
	for i := range n {
		f.insert(hashing.Mix64(seed + uint64(i)))
	}
	return f, n
}

// countBloom returns how many of the keys from on up to to a filter reports.
func countBloom(f *bloomModel, seed uint64, from, to int) (yes int) {
	for i := from; i < to; i++ {
		if f.has(hashing.Mix64(seed + uint64(i))) {
			yes++
		}
	}
	return yes
}

// cleared clears the bits of some keys of a thousand and counts the others that are denied: of all others, or for each cleared one.
func cleared(permille, percent int, each bool) trial {
	return func(_ context.Context, seed uint64, z size) (int, int, error) {
		f, n := loadedBloom(seed, z.large, percent)
		gone := n * permille / 1000
		for i := range gone {
			f.clear(hashing.Mix64(seed + uint64(i)))
		}
		denied := n - gone - countBloom(f, seed, gone, n)
		if each {
			return denied, gone, nil
		}
		return denied, n - gone, nil
	}
}

// clearedShare is the share of keys that are denied then, and clearedEach the keys for each one: a key survives if none of the bits of
// the others that were cleared is one of its own.
func clearedShare(permille int) float64 {
	return 1 - math.Exp(-bloomHashes*bloomHashes*float64(permille)/1000/bloomBits)
}

func clearedEach(permille int) float64 {
	return clearedShare(permille) * (1000 - float64(permille)) / float64(permille)
}

// returning asks a Bloom filter beside a set of deleted keys for keys that were deleted and came back. The set drops them if the program
// thinks of it.
func returning(drops bool) trial {
	return func(_ context.Context, seed uint64, z size) (denied, back int, err error) {
		f, n := loadedBloom(seed, z.slots, 100)
		deleted := map[uint64]bool{}
		for i := range n / 10 {
			deleted[hashing.Mix64(seed+uint64(i))] = true
		}
		for i := range n / 10 {
			h := hashing.Mix64(seed + uint64(i))
			f.insert(h)
			if drops {
				delete(deleted, h)
			}
			if !f.has(h) || deleted[h] {
				denied++
			}
		}
		return denied, n / 10, nil
	}
}

// replaced asks for absent keys when each key was deleted and another one inserted: the set knows the deleted ones, the bits stay.
func replaced(_ context.Context, seed uint64, z size) (int, int, error) {
	f, n := loadedBloom(seed, z.slots, 200)
	return countBloom(f, seed, n, n+z.probes), z.probes, nil
}

// setBytes is the least that a set of strings takes for each of them: a header of two words and the bytes.
func setBytes(_ context.Context, _ uint64, z size) (bits, n int, err error) {
	for i := range z.slots {
		bits += 8 * (16 + len(measure.Domain(uint64(i))))
	}
	return bits, z.slots, nil
}

// oneBit is the rate of a Bloom filter of one bit a key and one hash.
func oneBit(_ context.Context, seed uint64, z size) (int, int, error) {
	f := newBloom(z.large, 1)
	for i := range z.large {
		f.insert(hashing.Mix64(seed + uint64(i)))
	}
	return countBloom(f, seed, z.large, z.large+z.probes), z.probes, nil
}

// slotLoad fills a table of the model to the first refusal, with victims at random or always in the first slot.
func slotLoad(first bool, slots func(size) int) trial {
	return func(_ context.Context, seed uint64, z size) (int, int, error) {
		m := slots(z) / 4
		t := newTable(m, seed, xorHashed(m))
		t.first = first
		taken := t.fill(digests(seed, func(h uint64) place { return place{int(h >> 32 & uint64(m-1)), byte255(h)} }), 4*m)
		return taken, 4 * m, nil
	}
}

// remainder fills a table of so many buckets to 90% under i xor hash(fp) modulo their number, and counts the keys denied.
func remainder(buckets func(z size) int) trial {
	return func(_ context.Context, seed uint64, z size) (int, int, error) {
		m := buckets(z)
		t := newTable(m, seed, xorRemainder(m))
		of := digests(seed, func(h uint64) place { return place{int(h >> 32 % uint64(m)), byte255(h)} })
		n := 4 * m / 100 * 90
		taken := t.fill(of, n)
		return taken - t.count(of, 0, taken), taken, nil
	}
}

// additive does the same with the default placement of this module.
func additive(ctx context.Context, seed uint64, z size) (int, int, error) {
	filter, s, err := filled(ctx, seed, 8, 90, cuckoo.Config{Buckets: unevenly(z)})
	if err != nil {
		return 0, 0, err
	}
	n := filter.Len()
	s = measure.Stream{Next: seed}
	found, err := measure.Probe(ctx, &s, filter, n)
	return n - found, n, err
}

// evenly is a power of two of buckets, and unevenly none.
func evenly(z size) int   { return z.slots / 4 }
func unevenly(z size) int { return z.slots/4*15/16 - 1 }

// A split takes bucket and fingerprint from a digest, for m buckets.
type split func(h uint64, m int) place

// The splits that sentences are about.
func apart(h uint64, m int) place { return place{int(h >> 40 & uint64(m-1)), uint16(h&0xffff%255) + 1} }
func separate(h uint64, m int) place {
	return place{int(h >> 40 & uint64(m-1)), byte255(hashing.Mix64(h))}
}
func remainders(h uint64, m int) place {
	return place{int(h & uint64(m-1)), byte255(h)}
}
func lowBits(h uint64, m int) place {
	return place{int(h & uint64(m-1)), uint16(h&0xff) | uint16(1&^min(h&0xff, 1))}
}

// of32 takes 16 bits of fingerprint from the top of a 32-bit hash and the bucket from its low bits.
func of32(h uint64, m int) place {
	h = h >> 32
	return place{int(h & uint64(m-1)), max(uint16(h>>16), 1)}
}

func of64(h uint64, m int) place {
	return place{int(h & uint64(m-1)), max(uint16(h>>48), 1)}
}

// sharing counts the false positives of a table at 90% whose places come from one split, and of one with another.
func sharing(one, other split, buckets func(size) int, probes int) trial {
	return func(_ context.Context, seed uint64, z size) (int, int, error) {
		var yes [2]int
		m := buckets(z)
		for i, s := range []split{one, other} {
			of := digests(seed, func(h uint64) place { return s(h, m) })
			t := newTable(m, seed, xorHashed(m))
			n := t.fill(of, 4*m/100*90)
			yes[i] = t.count(of, n, n+probes*max(z.probes, 1<<15))
		}
		return yes[0], yes[1], nil
	}
}

// javaTable is a table of the Java class's kind with its keys.
func javaTable(name func(uint64) string, fingerprint javaHalf, seed uint64, z size) (*table, keys) {
	m := z.slots / 4
	of := javaPlaces(name, fingerprint, m)
	return newTable(m, seed, javaPartner(m)), func(i int) place { return of(int(first(seed)) + i) }
}

// javaRate counts false positives at a load of one half, which is below what stops such a table.
func javaRate(name func(uint64) string, fingerprint javaHalf) trial {
	return func(_ context.Context, seed uint64, z size) (int, int, error) {
		t, of := javaTable(name, fingerprint, seed, z)
		n := t.fill(of, z.slots/2)
		return t.count(of, n, n+z.probes), z.probes, nil
	}
}

// javaLoad fills such a table to the first refusal.
func javaLoad(name func(uint64) string) trial {
	return func(_ context.Context, seed uint64, z size) (int, int, error) {
		t, of := javaTable(name, stirred, seed, z)
		return t.fill(of, z.slots), z.slots, nil
	}
}

// javaLost goes on until a hundred keys were refused and counts the others that are denied.
func javaLost(_ context.Context, seed uint64, z size) (lost, refused int, err error) {
	t, of := javaTable(measure.Domain, stirred, seed, z)
	var taken []int
	for i := 0; refused < 100; i++ {
		if t.insert(of(i)) {
			taken = append(taken, i)
		} else {
			refused++
		}
	}
	for _, i := range taken {
		if !t.has(of(i)) {
			lost++
		}
	}
	return lost, refused, nil
}

// goRate, goLoad and goLost are the same of the Go package.
func goRate(_ context.Context, seed uint64, z size) (yes, probes int, err error) {
	f, taken, err := goPackage(z, seed, 1)
	if err != nil {
		return 0, 0, err
	}
	for i := range z.probes {
		if f.ContainsString(measure.Domain(first(seed) + uint64(len(taken)+1+i))) {
			yes++
		}
	}
	return yes, z.probes, nil
}

func goLoad(_ context.Context, seed uint64, z size) (int, int, error) {
	_, taken, err := goPackage(z, seed, 1)
	return len(taken), z.slots, err
}

func goLost(_ context.Context, seed uint64, z size) (lost, refused int, err error) {
	const most = 100
	f, taken, err := goPackage(z, seed, most)
	if err != nil {
		return 0, 0, err
	}
	for _, i := range taken {
		if !f.ContainsString(measure.Domain(i)) {
			lost++
		}
	}
	return lost, most, nil
}

// murmurKey returns the key of 8 bytes whose MurmurHash64A under seed 0 is a digest: each step of the hash can be undone.
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

// secret is a SipHash under a key that follows from the seed, in place of one that nobody knows.
func secret(seed uint64) hashing.Hasher {
	var key [16]byte
	for i := range key {
		key[i] = byte(hashing.Mix64(seed+1) >> (8 * (i % 8)) >> (i / 8))
	}
	return hashing.SipHash(key)
}

// chosenRedis are keys that share fingerprint and bucket in a Redis filter in the defaults: their digests differ by multiples of 255
// and of its 512 buckets.
func chosenRedis(i int) uint64 { return murmurKey(uint64(i+1) * 255 * 512) }

// redisAttack adds the chosen keys to a Redis filter until it refuses one.
func redisAttack(_ context.Context, _ uint64, _ size) (int, int, error) {
	h := hashing.Murmur64A(0)
	_, taken, err := redisFull(func(i int) uint64 { return h.Sum64Uint64(chosenRedis(i)) })
	return taken, 1, err
}

// redisKeyed adds the same keys to a filter that hashes them under a secret.
func redisKeyed(_ context.Context, seed uint64, _ size) (int, int, error) {
	h := secret(seed)
	f, taken, err := redisFull(func(i int) uint64 { return h.Sum64Uint64(chosenRedis(i)) })
	if err != nil {
		return 0, 0, err
	}
	return taken, f.Info().Filters * rediscf.DefaultCapacity, nil
}

// chosenNest are keys that share fingerprint and buckets in a filter of this module: digests that differ in the middle bits alone.
func chosenNest(i int) uint64 { return murmurKey(0x123<<52 | uint64(i)<<32 | 0x456<<20) }

// attacked inserts chosen keys into a filter with a hash until it refuses one.
func attacked(h hashing.Hasher, seed uint64) (widths.Filter, error) {
	f, err := measure.NewCuckoo(12, cuckoo.Config{Buckets: 1 << 10, Placement: cuckoo.XOR}, seed)
	for err == nil {
		if err = f.InsertHash(h.Sum64Uint64(chosenNest(f.Len()))); errors.Is(err, cuckoo.ErrFull) {
			return f, nil
		}
	}
	return nil, err
}

// nestAttack counts the keys that such a filter has taken: as keys, or as a share of the slots.
func nestAttack(hash func(seed uint64) hashing.Hasher, keys bool) trial {
	return func(_ context.Context, seed uint64, _ size) (taken, slots int, err error) {
		f, err := attacked(hash(seed), seed)
		if err != nil {
			return 0, 0, err
		}
		if keys {
			return f.Len(), 1, nil
		}
		return f.Len(), f.Slots(), nil
	}
}

// nestOthers asks the filter that refused a chosen key to take as many other keys as fill half of its slots.
func nestOthers(_ context.Context, seed uint64, _ size) (refused, asked int, err error) {
	h := hashing.Murmur64A(0)
	f, err := attacked(h, seed)
	if err != nil {
		return 0, 0, err
	}
	for i := range f.Slots() / 2 {
		if f.InsertHash(h.Sum64Uint64(seed+uint64(i))) != nil {
			refused++
		}
	}
	return refused, f.Slots() / 2, nil
}

// rounded adds up the bits that tables of a power of two take for equally spaced numbers of keys, and those of the right size.
func rounded(from, to, steps int) trial {
	return func(context.Context, uint64, size) (power, right int, err error) {
		n := from
		for range steps {
			_, a, err := cuckoo.Plan(cuckoo.Config{Capacity: n, Placement: cuckoo.XOR}, 12)
			if err != nil {
				return 0, 0, err
			}
			_, b, err := cuckoo.Plan(cuckoo.Config{Capacity: n}, 12)
			if err != nil {
				return 0, 0, err
			}
			// Parts in a million of each size, so that all sizes count alike.
			power, right = power+int(int64(a)*1_000_000/int64(b)), right+1_000_000
			n += (to - from) / steps
		}
		return power, right, nil
	}
}
