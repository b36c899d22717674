package nest

import (
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/hashing"
)

// A describer of a type returns the resolved Spec of a filter of it.

func describeCuckoo(f *anyCuckoo) Spec { return cuckooSpec(f.Config()) }

func describeScalable(f *anyScalable) Spec { return scalableSpec(f.Config()) }

func describeBloom(f *bloom.Filter) Spec { return bloomSpec(Bloom, f.Config()) }

func describeBlocked(f *bloom.Blocked) Spec { return bloomSpec(BlockedBloom, f.Config()) }

func describeSplit(f *bloom.SplitBlock) Spec { return bloomSpec(SplitBlock, f.Config()) }

func describeCounting(f *counting.Filter) Spec { return countingSpec(f.Config()) }

func describeDLeft(f *counting.DLeft) Spec { return dleftSpec(f.Config()) }

func bloomSpec(k Kind, c bloom.Config) Spec {
	return Spec{Kind: k, Slots: c.Bits, Hashes: c.Hashes, MaxBytes: c.MaxBytes}.hashed(c.Hash)
}

func countingSpec(c counting.Config) Spec {
	return Spec{Kind: Counting, Slots: c.Counters, Hashes: c.Hashes, CounterBits: c.CounterBits, MaxBytes: c.MaxBytes}.hashed(c.Hash)
}

func dleftSpec(c counting.DLeftConfig) Spec {
	return Spec{
		Kind: DLeft, Slots: c.Buckets * dleftGranule, FingerprintBits: c.RemainderBits, CounterBits: c.CounterBits, MaxBytes: c.MaxBytes,
	}.hashed(c.Hash)
}

// cuckooSpec leaves Kick empty where the policy is not built in, which a view takes.
func cuckooSpec(c cuckoo.Config) Spec {
	s := Spec{
		Kind: Cuckoo, Slots: c.Buckets * c.BucketSize, FingerprintBits: c.FingerprintBits, BucketSize: c.BucketSize, SemiSort: c.SemiSort,
		Placement: c.Placement, MaxKicks: c.MaxKicks, Seed: c.Seed, MaxBytes: c.MaxBytes,
	}
	s.KickPolicy = c.Kick
	return s.hashed(c.Hash)
}

// scalableSpec leaves Kick empty where the policy is not built in, as cuckooSpec does.
func scalableSpec(c cuckoo.ScalableConfig) Spec {
	s := Spec{
		Kind: Scalable, Capacity: c.Capacity, FalsePositiveRate: c.FalsePositiveRate, FingerprintBits: c.FingerprintBits, BucketSize: c.BucketSize,
		SemiSort: c.SemiSort, MaxKicks: c.MaxKicks, Seed: c.Seed, GrowthFactor: c.GrowthFactor, MaxSubFilters: c.MaxSubFilters, MaxBytes: c.MaxBytes,
	}
	s.KickPolicy = c.Kick
	return s.hashed(c.Hash)
}

// hashed returns s with that hash, and its kick policy, as a resolved Spec has them.
func (s Spec) hashed(h hashing.Hasher) Spec {
	s.Hasher = h
	s, _ = s.named() // fails for a Hash beside a Hasher only
	return s
}
