//go:build race || invariants

package kick

// Hook, if it is not nil, is called at the places of [Shared] where another goroutine may come in between. Tests set it while no
// other goroutine runs.
var Hook func(Point)

// Broken is the fault that the code has on purpose: a test of it has to fail. Tests set it while no other goroutine runs.
var Broken Fault

// Hurry makes lookups ask moves to wait at once, which they do after several looks otherwise.
func (s *Shared) Hurry() { s.patience = 0 }

// Cramp leaves one lock for all buckets, as buckets of large tables share them.
func (s *Shared) Cramp() { s.locks = s.locks[:1] }

// pause lets a test stop a goroutine at a place.
func pause(at Point) {
	if Hook != nil {
		Hook(at)
	}
}

// broken tells whether the code has that fault.
func broken(f Fault) bool { return Broken == f }
