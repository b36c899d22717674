package cuckoo

import (
	"fmt"
	"iter"
	"strings"

	"github.com/nestfilter/nest/internal/kick"
)

// KickPolicy makes room for a fingerprint both of whose buckets are full. The built-in policies
// are [BreadthFirst], [RandomWalk], [RoundRobin] and [LookAhead]; anybody can write another.
//
// A policy is an immutable description, shared by any number of filters: what it needs to remember
// during an insert lives in Kick's variables, and randomness comes from the walk.
type KickPolicy interface {
	// Recipe names the policy and its parameters. Two policies of one recipe are taken to be the same.
	Recipe() string

	// Kick is called when both homes of the homeless fingerprint are full. It makes kicks with [Walk.Swap] until the
	// homeless fingerprint has found a slot, or gives up by returning. The filter journals the kicks, bounds them by
	// MaxKicks and, unless a slot was found, takes them all back: whatever a policy does with the walk, no key is lost.
	// The walk is valid during the call only, and in that time the policy must not change the filter by its verbs: an
	// insert into it that needs kicks panics at once, and any change of Len when Kick returns.
	Kick(w *Walk)
}

// builtin is a kick policy of this package. Filters call it directly, not through the interface.
type builtin uint8

// The built-in kick policies.
const (
	// BreadthFirst (the default) searches a shortest cuckoo path, reading only, and then moves the
	// fingerprints along it from the free end backwards. It comes to up to MaxKicks full buckets
	// (default 700), each once, and looks for a free slot in the alternate bucket of every
	// fingerprint in them. It reaches higher load factors than walks do and is faster near them.
	BreadthFirst = builtin(kick.BreadthFirst)
	// RandomWalk kicks up to MaxKicks (default 500) random victims: the paper's algorithm.
	RandomWalk = builtin(kick.RandomWalk)
	// RoundRobin kicks slot 0 of the primary bucket, slot 1 of the bucket reached and so on in turn, up to MaxKicks
	// times (default 500). It needs no randomness: Redis's rule. Under SemiSorted, where slots in turn would be the
	// same fingerprints in a circle, it takes a fixed sequence of slots that does not repeat.
	RoundRobin = builtin(kick.RoundRobin)
	// LookAhead walks like RandomWalk, up to MaxKicks (default 500) kicks, but looks first for a resident
	// whose alternate bucket has a free slot, and kicks that one: it reads up to b buckets for each kick
	// and so makes fewer of them. It reaches nearly the load of BreadthFirst and needs no queue.
	LookAhead = builtin(kick.LookAhead)
)

// walkLimit is the paper's limit of kicks (Fan et al. 2014, section 6.1).
const walkLimit = 500

// maxKicksLimit is the largest MaxKicks of a Config.
const maxKicksLimit = kick.MaxLimit

// policyTable holds what a policy is, by the number of the engine's policy. The last one is anybody's own.
var policyTable = [...]struct {
	name    string    // the recipe
	limit   int       // the default of MaxKicks, 0 where it is that of the layout
	promise []ceiling // holds beside those of the placement, which are for BreadthFirst; nil if there is no other
}{
	BreadthFirst: {"breadth-first", 0, nil},
	RandomWalk:   {"random-walk", walkLimit, walkRandom},
	RoundRobin:   {"round-robin", walkLimit, walkRobin},
	LookAhead:    {"look-ahead", walkLimit, walkLook},
	kick.User:    {"", walkLimit, walkRandom},
}

// known tells whether there is such a policy.
func (b builtin) known() bool { return kick.Policy(b) < kick.User }

// Recipe returns the policy's name: breadth-first, random-walk, round-robin or look-ahead.
func (b builtin) Recipe() string {
	if !b.known() {
		return fmt.Sprintf("policy %d", uint8(b))
	}
	return policyTable[b].name
}

// String returns the recipe.
func (b builtin) String() string { return b.Recipe() }

// Kick runs the policy as a part of another one.
func (b builtin) Kick(w *Walk) { w.at().Run(kick.Policy(b)) }

// policyOf returns the engine's policy for that of a Config.
func policyOf(p KickPolicy) kick.Policy {
	if b, ok := p.(builtin); ok {
		return kick.Policy(b)
	}
	return kick.User
}

// Walk is what a [KickPolicy] works with: one insert under way, with one homeless fingerprint.
// Every method checks its arguments, so no policy can damage the table.
type Walk struct {
	w *kick.Walk
}

// at returns the walk. The zero Walk has ended, in a table without buckets.
func (w *Walk) at() *kick.Walk {
	if w.w == nil {
		return kick.EndedWalk()
	}
	return w.w
}

// Homeless returns the fingerprint that has no slot, or 0 once it has one.
func (w *Walk) Homeless() uint64 { return w.at().Homeless() }

// Homes returns the two buckets that the homeless fingerprint may live in; they may coincide. At first they are its
// primary and its alternate bucket; after a kick, the bucket that it was kicked from and the alternate of that.
func (w *Walk) Homes() (i, j uint64) { return w.at().Homes() }

// BucketSize returns the number of slots of a bucket.
func (w *Walk) BucketSize() int { return w.at().Lanes() }

// Slot returns the fingerprint in a slot: 0 if the slot is empty or does not exist. Under
// the layout SemiSorted the slots of a bucket are in rising order of what they hold.
func (w *Walk) Slot(bucket uint64, slot int) uint64 { return w.at().Slot(bucket, slot) }

// Free returns the first free slot of a bucket and whether there is one. Under the layout PairedSlots, in a home of the
// homeless fingerprint, it is the first that this may be in.
func (w *Walk) Free(bucket uint64) (slot int, ok bool) { return w.at().Free(bucket) }

// Alternate returns the other bucket of a fingerprint that lives in the given one.
func (w *Walk) Alternate(bucket, fp uint64) uint64 { return w.at().Alternate(bucket, fp) }

// Swap is one kick: the homeless fingerprint goes into the slot, and the one that was there becomes homeless. Into a
// free slot it is stored for good, which ends the walk and counts as no kick. Under the layout SemiSorted other
// fingerprints of the bucket may move to other slots, so a policy that takes slots in a fixed order may go in circles
// there.
//
// Swap changes nothing and returns false where the homeless fingerprint may not be in that slot: the bucket is none of
// the homes, the slot does not exist or, under the layout PairedSlots, is none of the two that the fingerprint may be
// in. It does so too if MaxKicks is spent, or the walk has ended.
func (w *Walk) Swap(bucket uint64, slot int) bool { return w.at().Swap(bucket, slot) }

// Path yields what the walk has done so far: the slots into which the fingerprint that came, and then each that was
// homeless, was put. The last one was free if Homeless is 0; otherwise each is a kick, which will be taken back. Under
// the layout SemiSorted the buckets say what happened, as slots move.
func (w *Walk) Path() iter.Seq2[uint64, int] { return w.at().Path() }

// Examined returns how many buckets the walk has looked into for a free slot, in a built-in policy and by Free,
// besides the two that were full to begin with. A bucket that is looked into twice counts twice.
func (w *Walk) Examined() int { return w.at().Examined() }

// Left returns how many kicks are left of MaxKicks.
func (w *Walk) Left() int { return w.at().Left() }

// IntN returns a number from 0 to n-1 of the filter's generator, which starts from Config.Seed; 0 where n < 2.
func (w *Walk) IntN(n int) int { return w.at().IntN(n) }

// policyNamed returns the built-in kick policy of a recipe.
func policyNamed(recipe string) (KickPolicy, error) {
	var names strings.Builder
	for b, policy := range policyTable[:kick.User] {
		if policy.name == recipe {
			return builtin(b), nil
		}
		names.WriteString(policy.name + ", ")
	}
	return nil, fmt.Errorf("unknown kick policy, want %sor set Kick to one of your own before", &names)
}
