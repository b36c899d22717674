//go:build race || invariants

package kick

// Hook, if it is not nil, is called at the places of [Shared] where another goroutine may come in between. Tests set it
// while no other goroutine runs.
var Hook func()

// Hurry makes lookups ask moves to wait at once, which they do after several looks otherwise.
func (s *Shared) Hurry() { s.Patience = 0 }

// Cramp leaves one lock for all buckets, as buckets of large tables share them.
func (s *Shared) Cramp() { s.locks = s.locks[:1] }

// pause lets a test stop a goroutine at a place.
func pause() {
	if Hook != nil {
		Hook()
	}
}
