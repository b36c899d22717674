package counting

import (
	"math"
	"testing"
)

// dleftShares are the shares y(i,j) of the buckets of table j that hold at least i fingerprints.
type dleftShares [dleftBucketSize + 1][dleftTables]float64

// step returns the shares after that many more keys per bucket of one table, and the keys among
// them that are refused.
func (y dleftShares) step(keys float64) (next dleftShares, refused float64) {
	next, refused = y, keys
	for i := 1; i <= dleftBucketSize; i++ {
		for j := range dleftTables {
			rate := y[i-1][j] - y[i][j]
			for l := range dleftTables {
				if l < j {
					rate *= y[i][l]
				} else if l > j {
					rate *= y[i-1][l]
				}
			}
			next[i][j] += rate * keys
		}
	}
	for j := range dleftTables {
		refused *= y[dleftBucketSize][j]
	}
	return next, refused
}

// TestDLeft_LoadsAreBelowFluidLimit integrates the equations beside the promised loads, and holds the
// promise for 2^k buckets against the load where 2^k times the refusals of one bucket are 10^-6. In
// one bucket, which is no limit of many, all 16 slots can be used.
func TestDLeft_LoadsAreBelowFluidLimit(t *testing.T) {
	const step = 1e-4
	y, refusals := dleftShares{}, 0.0
	y[0] = [dleftTables]float64{1, 1, 1, 1}
	k := len(dleftLoads) - 1
	for keys := 0.0; k > 0; keys += step {
		next, refused := y.step(step)
		y, refusals = next, refusals+refused
		for ; k > 0 && math.Ldexp(refusals, k) > 1e-6; k-- {
			limit, promise := keys/dleftSlots, float64(dleftLoads[k])/1000
			if promise > limit || promise < limit-.015 {
				t.Errorf("2^%d buckets: load %.4f is promised, the limit is %.4f", k, promise, limit)
			}
		}
	}
	if got := dleftKeys(1); got != dleftSlots {
		t.Errorf("%d keys are promised for one bucket", got)
	}
}

// TestDLeftBuckets_InvertsKeys visits every number of keys of small filters and powers of two of
// large ones: the buckets for n keys are promised to take them, and one less is not.
func TestDLeftBuckets_InvertsKeys(t *testing.T) {
	check := func(n uint64) {
		m := dleftBuckets(n)
		if m > maxDLeftBuckets {
			if dleftKeys(maxDLeftBuckets) >= n {
				t.Errorf("%d keys have room, and no buckets", n)
			}
			return
		}
		if dleftKeys(m) < n || m > 1 && dleftKeys(m-1) >= n {
			t.Errorf("%d keys: %d buckets take %d", n, m, dleftKeys(m))
		}
	}
	for n := range uint64(50_000) {
		check(n + 1)
	}
	for k := range 33 {
		n := dleftKeys(1 << k)
		for d := range min(n, 40) {
			check(n - d)
			check(n + d)
		}
	}
	check(dleftMaxKeys)
}
