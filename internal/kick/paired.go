package kick

import (
	"math/bits"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/invariants"
	"github.com/nestfilter/nest/internal/packed"
)

// Where slots are paired, a fingerprint may be in two slots of each of its buckets and no others. Its digest gives a slot p of the
// primary bucket, the fingerprint a distance a and a turn x: the slots are p and p^a there, and p^x and p^x^a in the alternate
// bucket. From any of the four the others follow by the fingerprint alone, as a and x undo themselves.
//
// A home is a bucket and one of its pairs of slots, by the number that package packed gives it.

// turner spreads fingerprints over 32 bits, from which distance and turn are taken: a multiplier of MurmurHash3's finalizer. The
// rules that pair buckets take others, so that what they make of a fingerprint says nothing about these.
const turner = 0xc2b2ae35

// PairSlots makes s the scheme of a table with paired slots, 4 or 8 in a bucket, and at most 2^32 in all: a digest says the slot by
// the bits of the product that follow those of the bucket.
func (s *Scheme) PairSlots(slots uint) {
	s.lastSlot, s.slotShift = uint64(slots-1), uint8(64-bits.Len(slots-1))
}

// Paired tells whether slots are paired.
func (s *Scheme) Paired() bool { return s.lastSlot != 0 }

// turn returns the distance of the two slots of a fingerprint in a bucket, 1 to the number of the last slot, and its turn.
func (s *Scheme) turn(fp uint64) (distance, turn uint64) {
	y := uint64(uint32(fp) * turner)
	return y*s.lastSlot>>32 + 1, y >> 16 & s.lastSlot
}

// Places returns the pairs of slots that a digest whose fingerprint is fp has in its primary bucket and in the alternate one.
func (s *Scheme) Places(digest, fp uint64) (k, l uint64) {
	y := uint64(uint32(fp) * turner)
	k = packed.PairOf(y*s.lastSlot>>32+1, digest*s.Buckets>>(s.slotShift&63))
	return k, k ^ y>>16&s.lastSlot
}

// Homes returns the pair of slots of a fingerprint that is in that slot of a bucket, and its pair in the alternate bucket.
func (s *Scheme) Homes(slot uint, fp uint64) (k, l uint64) {
	distance, turn := s.turn(fp)
	k = packed.PairOf(distance, uint64(slot))
	return k, k ^ turn
}

// Slots are numbered through the table: that in lane p of bucket i is i*b+p.

// slotOf returns the number of a slot.
func (s *Scheme) slotOf(bucket uint64, lane uint) uint64 {
	return bucket<<(64-s.slotShift) | uint64(lane)
}

// laneOf returns the bucket and the lane of a slot.
func (s *Scheme) laneOf(slot uint64) (bucket uint64, lane uint) {
	return slot >> ((64 - s.slotShift) & 63), uint(slot & s.lastSlot)
}

// slots returns the slots of two homes, each once: four, or two where the homes are one.
func (s *Scheme) slots(i, j, k, l uint64) (all [4]uint64, n int) {
	a, b := packed.PairLanes(k)
	c, d := packed.PairLanes(l)
	all = [4]uint64{s.slotOf(i, a), s.slotOf(i, b), s.slotOf(j, c), s.slotOf(j, d)}
	if i == j && packed.SamePair(k, l) {
		return all, 2
	}
	return all, 4
}

// others returns the slots that a fingerprint in a slot may move to: three, the one in its bucket first, or that one where its homes
// are one.
func (s *Scheme) others(slot, fp uint64) (all [4]uint64, n int) {
	distance, to := s.across(slot, fp)
	all = [4]uint64{slot ^ distance, to, to ^ distance}
	if to == slot || to == slot^distance {
		return all, 1
	}
	return all, 3
}

// across returns the distance of a fingerprint in a slot and the slot that its turn leads to in the alternate bucket. As slots are
// numbered, those of a pair differ by the distance.
func (s *Scheme) across(slot, fp uint64) (distance, to uint64) {
	distance, turn := s.turn(fp)
	shift := (64 - s.slotShift) & 63
	bucket := slot >> shift
	if s.xor {
		bucket ^= s.distance(fp) // what Alternate, which is not inlined, returns
	} else {
		bucket = s.additive(bucket, fp)
	}
	return distance, bucket<<shift | (slot^turn)&s.lastSlot
}

// inSlot returns what a slot of a table with paired slots holds.
func (e *Engine) inSlot(slot uint64) uint64 { return e.Table.Slot(slot) }

// setSlot writes a slot of a table with paired slots.
func (e *Engine) setSlot(slot, fp uint64) {
	bucket, lane := e.Scheme.laneOf(slot)
	e.Table.Set(bucket, lane, fp)
}

// InsertPaired is [Engine.Insert] where slots are paired: fp goes into pair k of bucket i or pair l of bucket j, which must be its
// homes.
func (e *Engine) InsertPaired(i, j, k, l, fp uint64) Outcome {
	if lane, ok := e.Table.FindIn(i, k, 0); ok {
		e.Table.Set(i, lane, fp)
		return Stored
	}
	if lane, ok := e.Table.FindIn(j, l, 0); ok {
		e.Table.Set(j, lane, fp)
		return Stored
	}
	return e.KickPaired(i, j, k, l, fp)
}

// KickPaired is [Engine.Kick] where slots are paired.
func (e *Engine) KickPaired(i, j, k, l, fp uint64) Outcome {
	if e.Table.CountIn(i, k, fp) == 2 && e.Table.CountIn(j, l, fp) == 2 {
		e.Stats.Refusals++
		return Copies
	}
	return e.makeRoom(i, j, k, l, fp)
}

// mergePaired is [Engine.Merge] where slots are paired.
func (e *Engine) mergePaired(from *Engine) Outcome {
	t := &from.Table
	for bucket := range t.Buckets() {
		for lane := range t.Lanes() {
			fp := t.Get(bucket, lane)
			if fp == 0 {
				continue
			}
			k, l := from.Scheme.Homes(lane, fp)
			if o := e.InsertPaired(bucket, from.Scheme.Alternate(bucket, fp), k, l, fp); o != Stored {
				return o
			}
		}
	}
	return Stored
}

// breadthFirstPaired is breadthFirst where slots are paired. Its nodes are slots, each of them once, and not buckets: it examines
// at most the engine's limit of them. A path may go from a slot to another one of the same bucket.
func (e *Engine) breadthFirstPaired(i, j, k, l, fp uint64) (kicks int, ok bool) {
	s := &e.search
	s.queue = s.queue[:0]
	homes, n := e.Scheme.slots(i, j, k, l)
	for _, slot := range homes[:n] {
		e.queueSlot(slot, root)
	}
	for head := 0; head < len(s.queue); head++ {
		slot := s.queue[head].bucket
		distance, to := e.Scheme.across(slot, e.inSlot(slot))
		near, far := slot^distance, to^distance
		switch { // where both homes are one, these are full
		case e.inSlot(near) == 0:
			return e.shiftPaired(uint16(head), near, fp), true
		case e.inSlot(to) == 0:
			return e.shiftPaired(uint16(head), to, fp), true
		case e.inSlot(far) == 0:
			return e.shiftPaired(uint16(head), far, fp), true
		case len(s.queue) < s.limit:
			e.queueSlot(near, uint16(head))
			e.queueSlot(to, uint16(head))
			e.queueSlot(far, uint16(head))
		}
	}
	return 0, false
}

// queueSlot queues a slot that is full unless it is queued or there is no room.
func (e *Engine) queueSlot(slot uint64, parent uint16) {
	s := &e.search
	if len(s.queue) == s.limit {
		return
	}
	if cell, queued := s.cell(slot); !queued {
		s.push(slot, cell, parent, 0)
	}
}

// shiftPaired is shift where slots are paired: node at moves to the free slot. The slots of a path differ, so each is written once,
// after what it held was written to the one behind it.
func (e *Engine) shiftPaired(at uint16, free, fp uint64) (kicks int) {
	for {
		n := &e.search.queue[at]
		moved := e.inSlot(n.bucket)
		e.checkSlot(free, n.bucket, moved)
		e.setSlot(free, moved)
		kicks++
		free = n.bucket
		if n.parent == root {
			e.setSlot(free, fp)
			return kicks
		}
		at = n.parent
	}
}

// checkSlot holds a fingerprint to be moved to a slot that it may be in, where invariants are enabled.
func (e *Engine) checkSlot(to, from, fp uint64) {
	if !invariants.Enabled {
		return
	}
	others, n := e.Scheme.others(from, fp)
	for _, slot := range others[:n] {
		if slot == to {
			return
		}
	}
	panic("kick: a fingerprint was moved to a slot that it may not be in")
}

// The walks, where slots are paired. They choose among the slots that the homeless fingerprint may move to, w.slots: at first all of
// its slots, and then those but the one that it was kicked from.

// kickPaired is kick where slots are paired.
func (w *Walk) kickPaired(slot uint64) {
	e := w.e
	bucket, lane := e.Scheme.laneOf(slot)
	out, _ := e.Table.Swap(bucket, lane, w.homeless)
	w.homeless = out
	if out != 0 {
		w.journal = append(w.journal, position{bucket, lane})
		w.homes = [2]uint64{bucket, e.Scheme.Alternate(bucket, out)}
		w.pairs[0], w.pairs[1] = e.Scheme.Homes(lane, out)
		w.slots, w.choices = e.Scheme.others(slot, out)
	}
}

// settlePaired stores the homeless fingerprint in a free slot that it may be in, if there is one.
func (w *Walk) settlePaired() bool {
	for _, slot := range w.slots[:w.choices] {
		if w.e.inSlot(slot) == 0 {
			w.kickPaired(slot)
			return true
		}
	}
	return false
}

// beginPaired is begin where slots are paired.
func (w *Walk) beginPaired() bool { return w.active && w.homeless != 0 && !w.settlePaired() }

// walkPaired kicks the victim that next chooses by its place among the slots, of so many, until one has a free slot or the limit is reached. It
// looks ahead where look says so: then a resident of those slots that has a free slot is kicked.
func (w *Walk) walkPaired(next func(choices int) int, look bool) {
	if !w.beginPaired() {
		return
	}
	for w.Left() > 0 {
		if look && w.resettlePaired() {
			return
		}
		w.kickPaired(w.slots[next(w.choices)])
		if w.settlePaired() {
			return
		}
	}
}

// resettlePaired kicks the first resident of the slots reached that has a free slot into that, if there is one.
func (w *Walk) resettlePaired() bool {
	for _, slot := range w.slots[:w.choices] {
		if to, ok := w.e.exitOf(slot); ok {
			w.kickPaired(slot)
			w.kickPaired(to)
			return true
		}
	}
	return false
}

// exitOf returns a free slot that the fingerprint in a full slot may move to, if there is one.
func (e *Engine) exitOf(slot uint64) (to uint64, ok bool) {
	others, n := e.Scheme.others(slot, e.inSlot(slot))
	for _, to := range others[:n] {
		if e.inSlot(to) == 0 {
			return to, true
		}
	}
	return 0, false
}

// takes tells whether the homeless fingerprint may be in a slot of one of its homes, where slots are paired.
func (w *Walk) takes(bucket uint64, slot int) bool {
	for at, home := range w.homes {
		low, high := packed.PairLanes(w.pairs[at])
		if bucket == home && (uint(slot) == low || uint(slot) == high) {
			return true
		}
	}
	return false
}

// The bulk insert, where slots are paired: an item has the slot that it goes to, and not the bucket, so a table has at most
// 2^32 of them.

func bucketsOfSlots(s *Scheme, items []uint64, to *[block]uint64) {
	for k, item := range items {
		to[k%block], _ = s.laneOf(item >> homelessBits)
	}
}

// placePaired is place where slots are paired.
func (b *bulk) placePaired(piece int) {
	t, s := &b.e.Table, &b.e.Scheme
	hs, width := b.inPiece(piece), t.Width()
	kept := 0
	for _, h := range hs {
		i, fp := fingerprint.Bucket(h, s.Buckets), fingerprint.Of(h, width&63)
		k, _ := s.Places(h, fp)
		hs[kept] = b.pushPaired(i, k, fp, 0)
		kept += occupied(hs[kept])
	}
	b.e.turnAway(hs[:kept])
	b.kept[piece] = kept
}

// movePaired is move where slots are paired.
func (b *bulk) movePaired(piece int) {
	s := &b.e.Scheme
	items := b.inPiece(piece)
	kept := 0
	for _, item := range items {
		fp := item & (1<<homelessBits - 1)
		i, lane := s.laneOf(item >> homelessBits)
		k, _ := s.Homes(lane, fp)
		items[kept] = b.pushPaired(i, k, fp, b.round)
		kept += occupied(items[kept])
	}
	b.e.turnAway(items[:kept])
	b.kept[piece] = kept
}

// pushPaired stores fp in pair k of bucket i. Where that is full, it kicks one of the two out and returns an item: the slot, and
// what it held. Else it returns 0.
func (b *bulk) pushPaired(i, k, fp uint64, round int) (item uint64) {
	t := &b.e.Table
	lane, ok := t.FindIn(i, k, 0)
	if ok {
		t.Set(i, lane, fp)
		return 0
	}
	if low, high := packed.PairLanes(k); round%2 == 0 {
		lane = low
	} else {
		lane = high
	}
	victim, _ := t.Swap(i, lane, fp)
	return b.e.Scheme.slotOf(i, lane)<<homelessBits | victim
}

// turnAway sends each victim from the slot that it was kicked out of to its alternate bucket.
func (e *Engine) turnAway(items []uint64) {
	s := &e.Scheme
	for k, item := range items {
		fp := item & (1<<homelessBits - 1)
		from, lane := s.laneOf(item >> homelessBits)
		_, turn := s.turn(fp)
		items[k] = s.slotOf(s.Alternate(from, fp), lane^uint(turn))<<homelessBits | fp
	}
}

// insertItem gives an item to the policy.
func (e *Engine) insertItem(item uint64) Outcome {
	fp := item & (1<<homelessBits - 1)
	i := item >> homelessBits
	if !e.Scheme.Paired() {
		return e.Insert(i, e.Scheme.Alternate(i, fp), fp)
	}
	i, lane := e.Scheme.laneOf(i)
	k, l := e.Scheme.Homes(lane, fp)
	return e.InsertPaired(i, e.Scheme.Alternate(i, fp), k, l, fp)
}
