package counting

import "math/bits"

// dleftLoads[k] is the load, in thousandths, at which up to 2^k buckets a table, and more than 2^(k-1), are promised to
// have refused nothing but with probability 10^-6.
//
// From 2^10 on it is below the load L(k) at which the first refusal is to be expected with that probability in the
// limit of many buckets: the share y(i,j) of the buckets of table j that hold at least i fingerprints follows
//
//	dy(i,j)/dt = (y(i-1,j)-y(i,j)) * prod_{l<j} y(i,l) * prod_{l>j} y(i-1,l),   y(0,j) = 1
//
// with t the keys per bucket of one table (after Mitzenmacher and Vöcking, "The asymptotics of selecting the shortest
// of two, improved"), and refusals come at the rate prod_j y(4,j); L(k) is where 2^k times its integral is 10^-6.
// TestDLeft_LoadsAreBelowFluidLimit integrates it again. Simulated with 762 to 12207 fills (PCG seed (m,1), the chance
// of a refusal summed over the inserts of each fill), the load of 10^-6 was .7526 at 2^10, .7464 at 2^12 and .7420 at
// 2^14, where L is .7528, .7470 and .7415. Small tables stray from the limit, so up to 2^9 the loads are below those
// simulated with 48828 to 6.25 million fills: .8125 at 2 buckets, .7812 at 4, .7708 at 6, .7656 at 16, .7637 at 32,
// .7617 at 64, .7593 at 128, .7571 at 256. In one bucket any 16 keys fit.
var dleftLoads = [33]uint64{
	1000, 782, 766, 766, 762, 760, 758, 756, 754, 751, 749,
	747, 744, 742, 739, 736, 734, 731, 729, 726, 724, 722,
	720, 718, 716, 714, 712, 710, 708, 706, 704, 702, 700,
}

// Capacity returns the number of distinct keys that a filter of this size is promised to take,
// however it was sized: the largest Capacity that asks for no more buckets than it has.
//
// Promised means that an insert among so many is refused, with [ErrFull], with a probability of at most 10^-6 over hash
// seeds, or over sets of keys. Most filters take more: in tables of 2^20 slots the first refusal comes at a load near
// .805, where Capacity is .734. Repeated keys take no room. The promise is for keys
//
//   - whose digests come in no order: sorted ones fill one bucket of the first table after the other, and 9 of 25
//     filters of 60,000 of them refused a key. Shuffle sorted digests.
//   - that stay: if a random key is deleted for every one that is inserted, the buckets get less even, and in the long
//     run one insert in 1500 is refused at load .735, in 25 thousand at .70, in 240 thousand at .68, in 100 million at
//     .64 and in 2*10^12 at .60 (the equations of the promised loads, with deletes added; in tables of 2^12 buckets,
//     whose keys were replaced 30 times, one in 1700 was refused at .735 and one in 29 thousand at .70). So ask for a
//     Capacity that is 15% larger than the number of keys that are present at once.
func (f *DLeft) Capacity() int { return int(dleftKeys(f.classes.m)) }

// dleftKeys returns the number of keys that m buckets a table are promised to take.
func dleftKeys(m uint64) uint64 {
	if m == 0 {
		return 0 // of the zero DLeft
	}
	k := bits.Len64(m - 1)
	keys := m * dleftSlots * dleftLoads[k] / 1000
	if k > 0 {
		// The load falls by steps: just above a power of two it must not promise fewer keys.
		keys = max(keys, dleftKeys(1<<(k-1)))
	}
	return keys
}

// dleftBuckets returns the smallest number of buckets a table that is promised to take n keys, of which there may be
// dleftMaxKeys. Beyond the largest filter it returns more than maxDLeftBuckets.
func dleftBuckets(n uint64) uint64 {
	for k, load := range dleftLoads {
		perBucket := dleftSlots * load
		if m := max(1, (n*1000+perBucket-1)/perBucket); m <= 1<<k {
			return m
		}
	}
	return maxDLeftBuckets + 1
}
