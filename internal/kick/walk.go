package kick

import (
	"iter"
	"math/bits"
	"slices"
)

// position is a slot: its bucket and lane.
type position struct {
	bucket uint64
	lane   uint
}

// Walk is one insert under way by a policy that moves as it goes. It holds the homeless
// fingerprint, journals each kick and can take all of them back.
//
// Its exported methods are what a user's policy may do. They check their arguments, so that no
// policy can damage the table.
type Walk struct {
	e        *Engine
	journal  []position // a slot for each kick, and once a free one was found that one
	homeless uint64     // the fingerprint without a slot; 0 once it has one
	homes    [2]uint64  // the buckets that it may live in
	examined int        // see Examined
	active   bool

	// Where slots are paired, the pair in each home, and the slots that the homeless fingerprint may move to.
	pairs   [2]uint64
	slots   [4]uint64
	choices int
}

// run lets the engine's policy find room for fp and reports the kicks that it took. Unless it
// found room, every kick is taken back.
func (w *Walk) run(i, j, pair, fp uint64) (kicks int, ok bool) {
	w.journal = w.journal[:0]
	w.homeless, w.homes = fp, [2]uint64{i, j}
	if w.e.Scheme.Paired() {
		w.pairs = [2]uint64{pair, w.e.Table.Across(pair)}
		w.slots, w.choices = w.e.Scheme.slots(i, j, pair)
	}
	w.examined = 0
	w.active = true
	// Deferred, because a user's policy may panic and its caller may recover.
	defer w.finish()
	switch w.e.policy {
	case RandomWalk:
		w.RandomWalk()
	case RoundRobin:
		w.RoundRobin()
	case LookAhead:
		w.LookAhead()
	default:
		w.e.User(w)
	}
	return len(w.journal) - 1, w.homeless == 0
}

// finish ends the walk and takes its kicks back unless the homeless fingerprint found a slot. Each is
// taken back from the state that it left, so a lane still holds what the kick put there; and a semi-sorted
// bucket that has its fingerprints back has its bytes back too.
func (w *Walk) finish() {
	w.active = false
	w.e.Scratch.busy = false
	if w.homeless == 0 {
		return
	}
	t := &w.e.Table
	for k := len(w.journal) - 1; k >= 0; k-- {
		p := w.journal[k]
		w.homeless, _ = t.Swap(p.bucket, p.lane, w.homeless)
	}
	w.homeless = 0
}

// kick swaps the homeless fingerprint with the one in a slot of one of its buckets. Into an empty
// slot it is stored, which ends the walk and is no kick.
func (w *Walk) kick(bucket uint64, lane uint) {
	out, lane := w.e.Table.Swap(bucket, lane, w.homeless)
	w.homeless = out
	// The lane in which the fingerprint is now, which is where to take it back from.
	w.journal = append(w.journal, position{bucket, lane})
	if out != 0 {
		w.homes = [2]uint64{bucket, w.e.Scheme.Alternate(bucket, out)}
	}
}

// settle stores the homeless fingerprint in a free slot of the bucket, if there is one.
func (w *Walk) settle(bucket uint64) bool {
	lane, ok := w.e.Table.Find(bucket, 0)
	if ok {
		w.kick(bucket, lane)
	}
	return ok
}

// begin tells whether there is anything to kick for. It stores the homeless fingerprint where a home
// has a free slot, as one may after a user's policy has made kicks: a kick into it would end the walk
// without saying so.
func (w *Walk) begin() bool {
	if w.e.Scheme.Paired() {
		return w.beginPaired()
	}
	return w.active && w.homeless != 0 && !w.settle(w.homes[0]) && !w.settle(w.homes[1])
}

// RandomWalk kicks random victims until one has a free slot in its alternate bucket or the limit
// is reached (Fan et al. 2014, algorithm 1).
func (w *Walk) RandomWalk() {
	if w.e.Scheme.Paired() {
		w.walkPaired(w.IntN, false)
		return
	}
	if !w.begin() {
		return
	}
	bucket := w.homes[w.IntN(2)]
	for w.Left() > 0 {
		w.kick(bucket, uint(w.IntN(int(w.e.Table.Lanes()))))
		bucket = w.homes[1]
		w.examined++
		if w.settle(bucket) {
			return
		}
	}
}

// RoundRobin kicks slot 0 of the first bucket, slot 1 of the bucket reached, and so on in turn, or in
// semi-sorted buckets in a fixed sequence that does not repeat, until a victim has a free slot in its alternate bucket or the limit is reached.
func (w *Walk) RoundRobin() {
	if w.e.Scheme.Paired() {
		// In turn, the same few fingerprints would be kicked in a circle, as method lane has it.
		turn := uint64(0)
		w.walkPaired(func(choices int) int {
			turn += multiplier
			return int(turn >> 32 * uint64(choices) >> 32)
		}, false)
		return
	}
	if !w.begin() {
		return
	}
	bucket := w.homes[0]
	for turn := uint64(0); w.Left() > 0; turn++ {
		w.kick(bucket, w.lane(turn))
		bucket = w.homes[1]
		w.examined++
		if w.settle(bucket) {
			return
		}
	}
}

// lane returns the lane of a turn of RoundRobin.
//
// Where lanes are in order they are no places that a fingerprint keeps: one after the other, the same few
// fingerprints would be kicked in a circle. (Measured at f = 8, b = 4, 2^14 slots: refusals from a load of
// .61 on, where lanes that stay refuse from .95 on.) So the turns go through the lanes in a sequence that has
// every lane equally often and never repeats, turn/phi mod 1.
func (w *Walk) lane(turn uint64) uint {
	t := &w.e.Table
	if t.Ordered() {
		turn = turn * multiplier >> 32 * uint64(t.Lanes()) >> 32
	}
	return uint(turn % uint64(t.Lanes()))
}

// LookAhead looks into the alternate bucket of every resident of the bucket reached before it kicks:
// one that has a free slot there ends the walk, else the victim is random. It begins with the
// residents of both homes, and stops when the limit is reached.
func (w *Walk) LookAhead() {
	if w.e.Scheme.Paired() {
		w.walkPaired(w.IntN, true)
		return
	}
	if !w.begin() || w.Left() > 0 && (w.resettle(w.homes[0]) || w.resettle(w.homes[1])) {
		return
	}
	bucket := w.homes[w.IntN(2)]
	for w.Left() > 1 {
		w.kick(bucket, uint(w.IntN(int(w.e.Table.Lanes()))))
		bucket = w.homes[1] // full, as one has looked
		if w.resettle(bucket) {
			return
		}
	}
}

// resettle kicks the first resident of a full bucket whose alternate bucket has a free slot into that, if
// there is one. That takes one kick.
func (w *Walk) resettle(bucket uint64) bool {
	t := &w.e.Table
	for lane := range t.Lanes() {
		to := w.e.Scheme.Alternate(bucket, t.Read(bucket, lane))
		w.examined++
		if free, ok := t.Find(to, 0); ok {
			w.kick(bucket, lane)
			w.kick(to, free)
			return true
		}
	}
	return false
}

// BreadthFirst searches a shortest path for the homeless fingerprint and moves along it.
func (w *Walk) BreadthFirst() {
	if !w.begin() {
		return
	}
	if w.e.Scheme.Paired() {
		w.searchPaired()
		return
	}
	e := w.e
	head, lane, free, ok := e.find(w.homes[0], w.homes[1])
	w.examined += head * w.Lanes()
	if !ok {
		return
	}
	w.examined += int(lane) + 1
	from := len(w.journal)
	w.journal = append(w.journal, position{e.search.alternates[lane], free})
	for at, p := head, lane; at != root; {
		n := &e.search.queue[at]
		w.journal = append(w.journal, position{n.bucket, p})
		at, p = int(n.parent), uint(n.lane)
	}
	slices.Reverse(w.journal[from:])
	e.shift(uint16(head), lane, e.search.alternates[lane], free, w.homeless)
	w.homeless = 0
}

// Path yields the slots that the fingerprint to be inserted, and then each that was homeless, was put into: one for each
// kick, and that which was free once there was one.
func (w *Walk) Path() iter.Seq2[uint64, int] {
	return func(yield func(bucket uint64, slot int) bool) {
		for _, p := range w.journal {
			if !yield(p.bucket, int(p.lane)) {
				return
			}
		}
	}
}

// Examined returns how many buckets a built-in policy, Free and Exit have looked into in this insert, the two that Kick
// was told to be full apart. What is looked into twice counts twice.
func (w *Walk) Examined() int { return w.examined }

// Homeless returns the fingerprint that has no slot, or 0 once it has one.
func (w *Walk) Homeless() uint64 { return w.homeless }

// Homes returns the two buckets that the homeless fingerprint may live in; they may be one.
// After a kick the first is the bucket that it was kicked from.
func (w *Walk) Homes() (i, j uint64) { return w.homes[0], w.homes[1] }

// Buckets and Lanes give the shape of the table.
func (w *Walk) Buckets() uint64 { return w.e.Table.Buckets() }

// Lanes returns the number of slots of a bucket.
func (w *Walk) Lanes() int { return int(w.e.Table.Lanes()) }

// Left returns how many more kicks the walk may make.
func (w *Walk) Left() int { return max(w.e.limit-len(w.journal), 0) }

// valid tells whether there is such a slot.
func (w *Walk) valid(bucket uint64, slot int) bool {
	return bucket < w.e.Table.Buckets() && slot >= 0 && slot < int(w.e.Table.Lanes())
}

// Slot returns the fingerprint in a slot, 0 if the slot is empty or there is no such slot.
func (w *Walk) Slot(bucket uint64, slot int) uint64 {
	if !w.valid(bucket, slot) {
		return 0
	}
	return w.e.Table.Read(bucket, uint(slot))
}

// Free returns the first free slot of a bucket, and whether there is one. Where slots are paired and the bucket is a home of
// the homeless fingerprint, it is one that this may be in.
func (w *Walk) Free(bucket uint64) (slot int, ok bool) {
	if !w.valid(bucket, 0) {
		return 0, false
	}
	w.examined++
	if w.e.Scheme.Paired() && w.homeless != 0 && (bucket == w.homes[0] || bucket == w.homes[1]) {
		for slot := range w.Lanes() {
			if w.takes(bucket, slot) && w.e.Table.Get(bucket, uint(slot)) == 0 {
				return slot, true
			}
		}
		return 0, false
	}
	lane, ok := w.e.Table.Find(bucket, 0)
	return int(lane), ok
}

// Alternate returns the other bucket of a fingerprint that is in the given bucket.
func (w *Walk) Alternate(bucket, fp uint64) uint64 {
	if !w.valid(bucket, 0) {
		return bucket
	}
	return w.e.Scheme.Alternate(bucket, fp)
}

// Swap makes one kick: the homeless fingerprint goes into the slot, the one that was there becomes
// homeless. It refuses, and reports false, where the homeless fingerprint may not be in that slot, the slot does not exist, no kick
// is left, or the walk has ended.
func (w *Walk) Swap(bucket uint64, slot int) bool {
	if !w.active || !w.Takes(bucket, slot) || w.Left() <= 0 && w.e.Table.Read(bucket, uint(slot)) != 0 {
		return false
	}
	if w.e.Scheme.Paired() {
		w.kickPaired(w.e.Scheme.slotOf(bucket, uint(slot)))
	} else {
		w.kick(bucket, uint(slot))
	}
	return true
}

// Takes tells whether the homeless fingerprint may be in a slot: the slot exists, its bucket is a home, and it is of the home's pair
// where slots are paired.
func (w *Walk) Takes(bucket uint64, slot int) bool {
	switch {
	case w.homeless == 0 || !w.valid(bucket, slot):
		return false
	case w.e.Scheme.Paired():
		return w.takes(bucket, slot)
	}
	return bucket == w.homes[0] || bucket == w.homes[1]
}

// Exit returns a free slot that the fingerprint in a slot may move to, and whether there are such a fingerprint and such a slot.
func (w *Walk) Exit(bucket uint64, slot int) (to uint64, free int, ok bool) {
	fp := w.Slot(bucket, slot)
	if fp == 0 {
		return 0, 0, false
	}
	w.examined++
	if s := &w.e.Scheme; s.Paired() {
		found, ok := w.e.exitOf(s.slotOf(bucket, uint(slot)))
		to, lane := s.laneOf(found)
		return to, int(lane), ok
	}
	to = w.e.Scheme.Alternate(bucket, fp)
	lane, ok := w.e.Table.Find(to, 0)
	return to, int(lane), ok
}

// IntN returns a random number from 0 to n-1 of the engine's generator, 0 where n < 2.
func (w *Walk) IntN(n int) int {
	if n < 2 {
		return 0
	}
	hi, _ := bits.Mul64(w.e.random.Uint64(), uint64(n))
	return int(hi)
}
