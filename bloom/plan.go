package bloom

import "github.com/nestfilter/nest/internal/bloomcore"

// Plan returns what [New] would make of c, without making it: [Filter.Config] and SizeBytes of that filter. It takes
// some hundred microseconds at most. The errors are those of New.
//
// Of a Capacity and a FalsePositiveRate it gives the Slots and Hashes of the smallest table, about 1.44*log2(1/rate)
// bits a key. Of a Capacity and Slots it gives the best Hashes, about Slots/Capacity*ln(2). MaxBytes, set to
// math.MaxInt, plans tables that do not fit into memory.
func Plan(c Config) (resolved Config, sizeBytes int, err error) { return plan(c, &bloomcore.Classic) }

// PlanBlocked is [Plan] for [NewBlocked], and for [NewConcurrent], whose tables are the same. Keys spread unevenly over
// the blocks, so low rates take more bits, 8% more at 0.001, and fewer hashes.
func PlanBlocked(c Config) (resolved Config, sizeBytes int, err error) {
	return plan(c, &bloomcore.Blocked)
}

// PlanSplitBlock is [Plan] for [NewSplitBlock]. A table has 10% more bits at a rate of 0.01 and 71% at 0.00001, because
// the blocks are small and eight hashes are best near 0.01 only.
func PlanSplitBlock(c Config) (resolved Config, sizeBytes int, err error) {
	return plan(c.ofParquet(), &bloomcore.Split)
}

func plan(c Config, k *bloomcore.Kind) (Config, int, error) {
	t, sizeBytes, err := k.Resolve(c.sizing())
	if err != nil {
		return c, 0, err
	}
	return configOf(&t), sizeBytes, nil
}

// PredictRate returns the false-positive rate to expect of a [Filter] of that many bits and hashes when n distinct keys
// were inserted: the mean over all tables that n keys can make, around which [Stats].FalsePositiveRate varies. It takes
// less than a microsecond, and up to 30 for tables of few keys. Arguments out of range become the nearest in range.
//
// It is the k-th moment of the fill of m bits. The textbook formula is the k-th power of the mean fill, which is too
// low for small tables: by 1% at m = 1000, k = 7, n = 100, by a quarter at m = 130, k = 15, n = 6. PredictRate is
// within 0.4% of that moment at the best number of hashes, and exact while hashes*n is at most 192.
func PredictRate(bits, hashes, n int) float64 {
	return predict(&bloomcore.Classic, uint64(max(bits, 1)), hashes, n)
}

// PredictBlockedRate is [PredictRate] for [Blocked], bits being rounded up to whole blocks of 512. It averages the rate
// of a block over the binomial number of keys in it (Putze, Sanders and Singler, "Cache-, hash- and space-efficient
// Bloom filters", WEA 2007): 1.2 times the textbook rate at 10 bits a key, 1.8 times at 16. It takes some ten
// microseconds.
func PredictBlockedRate(bits, hashes, n int) float64 {
	return predict(&bloomcore.Blocked, bloomcore.Blocked.WholeBlocks(bits), hashes, n)
}

// PredictSplitBlockRate is [PredictRate] for [SplitBlock], bits being rounded up to whole blocks of 256. It averages
// (1-(31/32)^j)^8, the rate of a block of j keys, over the binomial number of keys in it, and adds n/blocks/2^32 for
// the keys that agree with a query in block and low digest half, the only parts of a digest that are used. It takes
// some ten microseconds.
func PredictSplitBlockRate(bits, n int) float64 {
	return predict(&bloomcore.Split, bloomcore.Split.WholeBlocks(bits), bloomcore.SplitLanes, n)
}

func predict(k *bloomcore.Kind, bits uint64, hashes, n int) float64 {
	return k.Rate(bits, min(max(hashes, 1), MaxHashes), max(n, 0))
}
