package kick

// Point is a place in the code of [Shared] at which what other goroutines do matters. Under -race and under the build tag
// invariants a test can stop goroutines there.
type Point uint8

// The places.
const (
	// BetweenLoads: a lookup has loaded one of the words of its buckets, or none yet, and will load the next.
	BetweenLoads Point = iota
	// BeforeSwap: a word was loaded, and a compare-and-swap of it follows.
	BeforeSwap
	// Planned: a path was found and nothing of it is done.
	Planned
	// Copied: a fingerprint is in both of its buckets, and lookups were not told.
	Copied
	// Passed: a fingerprint is in both of its buckets, and lookups were told.
	Passed
	// Checked: an operation under locks has looked at its buckets and is about to act on that.
	Checked

	// Points is the number of places.
	Points
)

// Fault is an error that the code of [Shared] would have without one of its steps. Under -race and under the build tag invariants
// a test can put one in, to see that it is noticed.
type Fault uint8

// The faults. Each is what a design without the step does.
const (
	// Sound is none.
	Sound Fault = iota
	// BlindMiss: a lookup believes a miss without a look at the moves that passed.
	BlindMiss
	// EraseFirst: a move erases the fingerprint before it copies it.
	EraseFirst
	// PassFirst: a move tells lookups before the copy is there.
	PassFirst
	// PassLast: a move tells lookups after it has erased.
	PassLast
	// UncheckedPath: a move believes the plan.
	UncheckedPath
	// UnlockedMove: a move takes no lock.
	UnlockedMove
	// UnlockedDelete: a delete takes no lock.
	UnlockedDelete
	// QuietDelete: a delete of one of two copies tells no lookup.
	QuietDelete
	// UnlockedCount: a count takes no lock.
	UnlockedCount
	// UnlockedUnique: a check takes no lock, nor does the insert that follows from it.
	UnlockedUnique
	// PlainStore: an insert writes the word without a look whether it is still the one that was loaded.
	PlainStore
	// DeafMove: a move does not wait for lookups that ask it to.
	DeafMove

	// Faults is the number of faults, Sound included.
	Faults
)
