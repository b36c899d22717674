package kick

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/nestfilter/nest/internal/packed"
)

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
	pairs    [2]uint64  // of slots in its homes, where they are paired
	first    int        // the home before which none can have a free slot: 1 after a kick by a walk in a plain table
	examined int        // see Examined
	active   bool
}

// EndedWalk returns a walk that has ended, in a table without buckets.
func EndedWalk() *Walk { return &Walk{e: new(Engine)} }

// run lets the engine's policy find room for fp and reports the kicks that it took. Unless it
// found room, every kick is taken back.
func (w *Walk) run(e *Engine, i, j, pair, fp uint64) (kicks uint64, o Outcome) {
	w.e, w.journal, w.homeless, w.homes = e, w.journal[:0], fp, [2]uint64{i, j}
	w.pairs, w.examined, w.active = [2]uint64{pair, e.Table.Across(pair)}, 0, true
	// Deferred, because a user's policy may panic and its caller may recover.
	defer w.finish()
	if e.policy == User {
		e.User(w)
	} else {
		w.Run(e.policy)
	}
	if w.homeless != 0 {
		return 0, NoPath
	}
	return uint64(len(w.journal) - 1), Stored
}

// Run lets a policy of this package find room.
func (w *Walk) Run(p Policy) {
	switch p {
	case BreadthFirst:
		w.search()
	case RandomWalk, RoundRobin, LookAhead:
		w.walk(p == RoundRobin, p == LookAhead)
	}
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

// kick swaps the homeless fingerprint with the one in a slot that it may be in. Into an empty
// slot it is stored, which ends the walk and is no kick.
func (w *Walk) kick(to position) {
	t, s, at := &w.e.Table, &w.e.Scheme, to
	var out uint64
	if t.Ordered() { // the lane in which the fingerprint is then is where to take it back from
		out, at.lane = t.Swap(to.bucket, to.lane, w.homeless)
	} else { // as Swap does, without a call
		bit := t.Place(to.bucket, to.lane)
		out = t.GetAt(bit)
		t.SetAt(bit, w.homeless)
	}
	w.homeless = out
	w.journal = append(w.journal, at)
	if out == 0 {
		return
	}
	w.homes[0] = to.bucket
	if s.call == nil {
		w.homes[1] = s.alternate(to.bucket, s.of(out)) // as Alternate does, without a call
	} else {
		w.homes[1] = s.call(to.bucket, out)
	}
	if w.first = 1; s.Paired() {
		w.first = 0
		w.pairs[0] = s.PairAt(at.lane, out)
		w.pairs[1] = t.Across(w.pairs[0])
	}
}

// settle stores the homeless fingerprint in a free slot, if there is one.
func (w *Walk) settle() bool {
	t := &w.e.Table
	for n := w.first; n < len(w.homes); n++ {
		if t.Layout == packed.Word && t.Last.Zero(t.Word(w.homes[n])) == 0 {
			continue // as walks of hundreds of kicks find, without a call
		}
		if lane, ok := t.FindIn(w.homes[n], w.pairs[n], 0); ok {
			w.kick(position{w.homes[n], lane})
			return true
		}
	}
	return false
}

// begin tells whether there is anything to kick for. It stores the homeless fingerprint where a home has a free slot,
// as one may after a user's policy has made kicks: a kick into it would end the walk without saying so.
func (w *Walk) begin() bool {
	w.first = 0
	return w.active && w.homeless != 0 && !w.settle()
}

// victim returns the slot of the victim of a turn: in turn, or a random one.
//
// Where lanes are in order they are no places that a fingerprint keeps: one after the other, the same few fingerprints
// would be kicked in a circle, and likewise where slots are paired. (Measured in semi-sorted buckets at f = 8, b = 4,
// 2^14 slots: refusals from a load of .61 on, where lanes that stay refuse from .95 on.) So the turns go through the
// lanes in a sequence that has every lane equally often and never repeats, turn/phi mod 1.
func (w *Walk) victim(turn uint64, inTurn bool) position {
	bucket, lanes := w.homes[w.first&1], uint64(w.Lanes())
	switch {
	case w.e.Scheme.Paired():
		all, n := w.pairedVictims()
		if inTurn {
			return all[(turn+1)*Multiplier>>32*uint64(n)>>32]
		}
		return all[w.IntN(n)]
	case inTurn && w.e.Table.Ordered():
		return position{bucket, uint(turn * Multiplier >> 32 * lanes >> 32)}
	case inTurn:
		return position{bucket, uint(turn % lanes)}
	case w.first == 0:
		bucket = w.homes[w.IntN(2)]
	}
	return position{bucket, uint(w.IntN(int(lanes)))}
}

// pairedVictims returns the slots of the homeless fingerprint but the one that it was kicked from, where slots are
// paired.
func (w *Walk) pairedVictims() (all [4]position, n int) {
	homes, most := w.e.homes(w.homes[0], w.homes[1], w.pairs[0])
	for _, slot := range homes[:most] {
		if len(w.journal) == 0 || slot != w.journal[len(w.journal)-1] {
			all[n] = slot
			n++
		}
	}
	return all, n
}

// walk kicks victims, in turn or random ones, until one finds a free slot or the limit is reached; with look, ahead.
func (w *Walk) walk(inTurn, look bool) {
	if !w.begin() {
		return
	}
	for turn := uint64(0); w.Left() > 0; turn++ {
		// A last kick would be in vain. Where slots are paired it is made, and the generator goes on with it.
		if look && (w.resettle() || w.Left() == 1 && !w.e.Scheme.Paired()) {
			return
		}
		w.kick(w.victim(turn, inTurn))
		if look {
			continue // as one has looked, there is no free slot
		}
		w.examined++
		if w.settle() {
			return
		}
	}
}

// resettle kicks the first victim that has a free slot elsewhere into that, if there is one. That takes one kick.
func (w *Walk) resettle() bool {
	if w.e.Scheme.Paired() {
		all, n := w.pairedVictims()
		for _, from := range all[:n] {
			w.examined++
			if to, ok := w.e.exitOf(from); ok {
				w.kick(from)
				w.kick(to)
				return true
			}
		}
		return false
	}
	for _, bucket := range w.homes[w.first:] {
		var x exit
		if w.e.exit(bucket, &x) {
			w.examined += int(x.lane) + 1
			w.kick(position{bucket, x.lane})
			w.kick(position{x.to, x.free})
			return true
		}
		w.examined += w.Lanes()
	}
	return false
}

// search searches a shortest path for the homeless fingerprint and moves along it.
func (w *Walk) search() {
	if !w.begin() {
		return
	}
	e, each := w.e, w.Lanes()
	if e.Scheme.Paired() { // as Kick does
		each = 1 // a node is a slot
		found := e.searchPairs(w.homes[0], w.homes[1], w.pairs[0], w.homeless)
		length := e.pathOf(found)
		w.examined += e.paired.looked(found)
		for k := length - 1; k >= 0; k-- {
			w.journal = append(w.journal, e.slotAt(e.paired.path[k].bit))
		}
		if length > 0 {
			e.follow(length, w.homeless)
			w.homeless = 0
			return
		}
	}
	x, ok := e.find(w.homes[0], w.homes[1], w.pairs[0])
	if !ok {
		w.examined += x.head * each
		return
	}
	w.examined += x.head*each + int(x.lane) + 1
	from := len(w.journal)
	w.journal = append(w.journal, position{x.to, x.free})
	for at, lane := x.head, x.lane; at != root; {
		n := e.search.queue[:cap(e.search.queue)][at]
		if e.Scheme.Paired() {
			lane = n.lane()
		}
		w.journal = append(w.journal, position{n.bucket(), lane})
		at, lane = n.parent(), n.lane()
	}
	slices.Reverse(w.journal[from:])
	e.shift(x, w.homeless)
	w.homeless = 0
}

// Path yields the slots that the fingerprint to be inserted, and then each that was homeless, was put into: one for
// each kick, and that which was free once there was one.
func (w *Walk) Path() iter.Seq2[uint64, int] {
	return func(yield func(bucket uint64, slot int) bool) {
		for _, p := range w.journal {
			if !yield(p.bucket, int(p.lane)) {
				return
			}
		}
	}
}

// Examined returns how many buckets a built-in policy and Free have looked into in this insert, the two that Kick
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

// Free returns the first free slot of a bucket, and whether there is one. Where slots are paired and the bucket is a
// home of the homeless fingerprint, it is one that this may be in.
func (w *Walk) Free(bucket uint64) (slot int, ok bool) {
	if !w.valid(bucket, 0) {
		return 0, false
	}
	w.examined++
	if w.e.Scheme.Paired() && w.homeless != 0 && (bucket == w.homes[0] || bucket == w.homes[1]) {
		for slot := range w.Lanes() {
			if w.Takes(bucket, slot) && w.e.Table.Get(bucket, uint(slot)) == 0 {
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

// Swap makes one kick: the homeless fingerprint goes into the slot, the one that was there becomes homeless. It
// refuses, and reports false, where the homeless fingerprint may not be in that slot, the slot does not exist, no kick
// is left, or the walk has ended.
func (w *Walk) Swap(bucket uint64, slot int) bool {
	if !w.active || !w.Takes(bucket, slot) || w.Left() <= 0 && w.e.Table.Read(bucket, uint(slot)) != 0 {
		return false
	}
	w.kick(position{bucket, uint(slot)})
	return true
}

// Takes tells whether the homeless fingerprint may be in a slot: the slot exists, its bucket is a home, and it is of
// the home's pair where slots are paired.
func (w *Walk) Takes(bucket uint64, slot int) bool {
	if w.homeless == 0 || !w.valid(bucket, slot) {
		return false
	}
	for at, home := range w.homes {
		if bucket != home {
			continue
		}
		if !w.e.Scheme.Paired() {
			return true
		}
		if low, high := w.e.Table.PairLanes(w.pairs[at]); uint(slot) == low || uint(slot) == high {
			return true
		}
	}
	return false
}

// IntN returns a random number from 0 to n-1 of the engine's generator, 0 where n < 2.
func (w *Walk) IntN(n int) int {
	if n < 2 {
		return 0
	}
	hi, _ := bits.Mul64(w.e.random.Uint64(), uint64(n))
	return int(hi)
}
