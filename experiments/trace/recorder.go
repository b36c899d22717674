package trace

import (
	"github.com/nestfilter/nest/cuckoo"
)

// policies are the kick policies that a recorder can follow.
var policies = []cuckoo.KickPolicy{cuckoo.BreadthFirst, cuckoo.RandomWalk, cuckoo.RoundRobin}

// Policies returns the kick policies that can be traced, the default first. The slice is the caller's.
func Policies() []cuckoo.KickPolicy { return append([]cuckoo.KickPolicy(nil), policies...) }

// A recorder is a kick policy that moves fingerprints exactly as a built-in one does and notes where
// they went.
type recorder struct {
	base cuckoo.KickPolicy
	// path is where the new fingerprint went, where the one from there went, and so on: one more
	// position than kicks where a slot was found, as many as kicks where none was.
	path   []Position
	called bool
}

// Recipe returns that of the built-in policy.
func (r *recorder) Recipe() string { return r.base.Recipe() }

// forget prepares for the next insert.
func (r *recorder) forget() { r.path, r.called = nil, false }

// Kick makes the kicks of the built-in policy.
func (r *recorder) Kick(w *cuckoo.Walk) {
	r.called = true
	switch r.base {
	case cuckoo.RandomWalk:
		i, j := w.Homes()
		r.walk(w, [2]uint64{i, j}[w.IntN(2)], func(int) int { return w.IntN(w.BucketSize()) })
	case cuckoo.RoundRobin:
		bucket, _ := w.Homes()
		r.walk(w, bucket, func(kicks int) int { return kicks % w.BucketSize() })
	default:
		r.search(w)
	}
}

// walk kicks as the built-in walks do, one Swap at a time, since these leave no trace of the order of
// their kicks: a slot may be kicked more than once. That the built-in policy does the same is checked
// after every insert.
func (r *recorder) walk(w *cuckoo.Walk, bucket uint64, slot func(kicks int) int) {
	for kicks := 0; w.Left() > 0; kicks++ {
		r.swap(w, Position{bucket, slot(kicks)})
		_, bucket = w.Homes()
		if free, ok := w.Free(bucket); ok {
			r.swap(w, Position{bucket, free})
			return
		}
	}
}

// swap makes one kick.
func (r *recorder) swap(w *cuckoo.Walk, p Position) {
	if w.Swap(p.Bucket, p.Slot) {
		r.path = append(r.path, p)
	}
}

// search lets the built-in search do its work and reads the path off the table. The search reaches
// every bucket once, so each slot of the path has changed.
func (r *recorder) search(w *cuckoo.Walk) {
	before, fp := snapshot(w), w.Homeless()
	i, j := w.Homes()
	cuckoo.BreadthFirst.Kick(w)
	if w.Homeless() != 0 {
		return
	}
	after := snapshot(w)
	p, ok := arrival(before, after, fp, i, j)
	for ok && len(r.path) <= len(before) {
		r.path = append(r.path, p)
		moved := before.at(p)
		if moved == 0 {
			return
		}
		p, ok = arrival(before, after, moved, w.Alternate(p.Bucket, moved))
	}
}

// snapshot returns the table that a walk works on.
func snapshot(w *cuckoo.Walk) Table {
	t := make(Table, w.Buckets())
	for i := range t {
		t[i] = make([]uint64, w.BucketSize())
		for slot := range t[i] {
			t[i][slot] = w.Slot(uint64(i), slot)
		}
	}
	return t
}
