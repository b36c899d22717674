package kick

import (
	"math/rand/v2"
	"testing"
)

// TestSearch_QueuesEachBucketOnce runs many searches on one memory, so that stale cells of earlier
// ones are met, and holds the queue against a map.
func TestSearch_QueuesEachBucketOnce(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 7, 64, 700} {
		s := newSearch(limit)
		r := rand.New(rand.NewPCG(uint64(limit), 0x5eed))
		for round := range 300 {
			i, j := r.Uint64N(50), r.Uint64N(50)
			s.start(i, j)
			queued := map[uint64]bool{}
			for _, n := range s.queue {
				queued[n.bucket()] = true
			}
			for range 2 * limit {
				bucket, before := r.Uint64N(uint64(3*limit)+1), len(s.queue)
				want := !queued[bucket] && before < limit
				if s.push(bucket, 0, 0); len(s.queue) > before != want {
					t.Fatalf("limit %d, round %d: bucket %d queued %t, want %t", limit, round, bucket, !want, want)
				}
				if want {
					queued[bucket] = true
				}
			}
			if len(s.queue) != len(queued) || len(s.queue) > limit {
				t.Fatalf("limit %d: %d nodes for %d buckets", limit, len(s.queue), len(queued))
			}
		}
	}
}
