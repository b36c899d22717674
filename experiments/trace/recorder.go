package trace

import (
	"github.com/nestfilter/nest/cuckoo"
)

// policies are the kick policies that can be traced.
var policies = []cuckoo.KickPolicy{cuckoo.BreadthFirst, cuckoo.RandomWalk, cuckoo.RoundRobin}

// Policies returns the kick policies that can be traced, the default first. The slice is the caller's.
func Policies() []cuckoo.KickPolicy { return append([]cuckoo.KickPolicy(nil), policies...) }

// A recorder is a kick policy that lets a built-in one make its kicks and notes them.
type recorder struct {
	base cuckoo.KickPolicy
	// path is where the new fingerprint went, where the one from there went, and so on: one more
	// position than kicks where a slot was found, as many as kicks where none was.
	path []Position
}

// Recipe returns that of the built-in policy.
func (r *recorder) Recipe() string { return r.base.Recipe() }

// Kick makes the kicks of the built-in policy.
func (r *recorder) Kick(w *cuckoo.Walk) {
	r.base.Kick(w)
	for bucket, slot := range w.Path() {
		r.path = append(r.path, Position{bucket, slot})
	}
}
