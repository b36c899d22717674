package panels

import (
	"github.com/nestfilter/nest/cuckoo"
)

// A countingPolicy makes the kicks of a built-in policy and counts the buckets that it looks into for a free
// slot. Those of one search that are looked into twice, from two buckets, count twice, as they are read twice.
type countingPolicy struct {
	base     cuckoo.KickPolicy
	limit    int // the built-in policy's default
	examined int // all inserts together
}

// newCountingPolicy returns nil for a policy that is not built in: what a user's policy reads cannot be seen.
func newCountingPolicy(k cuckoo.KickPolicy) *countingPolicy {
	switch k {
	case cuckoo.BreadthFirst:
		return &countingPolicy{base: k, limit: 700}
	case cuckoo.RandomWalk, cuckoo.RoundRobin, cuckoo.LookAhead:
		return &countingPolicy{base: k, limit: 500}
	}
	return nil
}

// Recipe says whose kicks they are.
func (p *countingPolicy) Recipe() string { return "counting-" + p.base.Recipe() }

// Kick makes the kicks of the built-in policy, one Swap at a time.
func (p *countingPolicy) Kick(w *cuckoo.Walk) {
	i, j := w.Homes()
	switch p.base {
	case cuckoo.RandomWalk:
		p.walk(w, [2]uint64{i, j}[w.IntN(2)], func(int) int { return w.IntN(w.BucketSize()) })
	case cuckoo.RoundRobin:
		p.walk(w, i, func(kicks int) int { return kicks % w.BucketSize() })
	case cuckoo.LookAhead:
		p.lookAhead(w, i, j)
	default:
		p.search(w, i, j)
	}
}

// free looks into a bucket.
func (p *countingPolicy) free(w *cuckoo.Walk, bucket uint64) (int, bool) {
	p.examined++
	return w.Free(bucket)
}

// walk kicks one fingerprint after the other until one finds a free slot.
func (p *countingPolicy) walk(w *cuckoo.Walk, bucket uint64, slot func(kicks int) int) {
	for kicks := 0; w.Left() > 0; kicks++ {
		w.Swap(bucket, slot(kicks))
		_, bucket = w.Homes()
		if free, ok := p.free(w, bucket); ok {
			w.Swap(bucket, free)
			return
		}
	}
}

// lookAhead walks, and looks into the alternates of all residents first. The bucket that a walk reaches has been
// looked into for that, and is not counted again.
func (p *countingPolicy) lookAhead(w *cuckoo.Walk, i, j uint64) {
	if p.resettle(w, i) || p.resettle(w, j) {
		return
	}
	bucket := [2]uint64{i, j}[w.IntN(2)]
	for w.Left() > 1 {
		w.Swap(bucket, w.IntN(w.BucketSize()))
		_, bucket = w.Homes()
		if p.resettle(w, bucket) {
			return
		}
	}
}

// resettle kicks the first resident of a bucket whose alternate has a free slot, if there is one.
func (p *countingPolicy) resettle(w *cuckoo.Walk, bucket uint64) bool {
	for slot := range w.BucketSize() {
		to := w.Alternate(bucket, w.Slot(bucket, slot))
		if free, ok := p.free(w, to); ok {
			w.Swap(bucket, slot)
			w.Swap(to, free)
			return true
		}
	}
	return false
}

// search follows the built-in search, which then moves the fingerprints, up to the bucket that has a free slot.
func (p *countingPolicy) search(w *cuckoo.Walk, i, j uint64) {
	queue, queued := []uint64{i}, map[uint64]bool{i: true, j: true}
	if j != i {
		queue = append(queue, j)
	}
	for head := 0; head < len(queue) && !p.exit(w, queue[head]); head++ {
		for slot := range w.BucketSize() {
			to := w.Alternate(queue[head], w.Slot(queue[head], slot))
			if !queued[to] && len(queue) < w.Left() {
				queue, queued[to] = append(queue, to), true
			}
		}
	}
	cuckoo.BreadthFirst.Kick(w)
}

// exit looks into the alternate of every fingerprint of a bucket until one has a free slot.
func (p *countingPolicy) exit(w *cuckoo.Walk, bucket uint64) bool {
	for slot := range w.BucketSize() {
		if _, ok := p.free(w, w.Alternate(bucket, w.Slot(bucket, slot))); ok {
			return true
		}
	}
	return false
}
