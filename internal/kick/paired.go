package kick

import (
	"math/bits"
	"slices"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/invariants"
	"github.com/nestfilter/nest/internal/packed"
)

// Where slots are paired, a fingerprint may be in two slots of each of its buckets and no others. The fingerprint has a mark: a
// matching, which splits the slots of a bucket into pairs, and a turn. The digest says which of the pairs is meant in the primary
// bucket; the turn leads from it to that in the alternate bucket, and back. So from any of the four slots the others follow by the
// fingerprint alone. Package packed has the pairs, by number: mark and place.

// turner spreads fingerprints over 32 bits, of which the highest are the mark: a multiplier of MurmurHash3's finalizer. The rules
// that pair buckets take others, so that what they make of a fingerprint says nothing about these.
const turner = 0xc2b2ae35

// PairSlots makes s the scheme of a table with paired slots, 4 or 8 in a bucket, and at most 2^32 in all: a digest says the pair by
// the bits of the product that follow those of the bucket.
func (s *Scheme) PairSlots(slots uint) {
	s.lastSlot, s.slotBits, s.pairing = uint64(slots-1), uint8(bits.Len(slots-1)), packed.PairingOf(slots)
}

// Paired tells whether slots are paired.
func (s *Scheme) Paired() bool { return s.lastSlot != 0 }

// markOf returns the mark of a fingerprint.
func markOf(fp uint64) uint64 { return uint64(uint32(fp) * turner >> (32 - packed.MarkBits)) }

// Place returns the pair of slots that a digest whose fingerprint is fp has in its primary bucket. That across is in the alternate one.
func (s *Scheme) Place(digest, fp uint64) (pair uint64) {
	_, place := bits.Mul64(digest, s.Buckets)
	return uint64(uint32(fp)*turner>>(32-packed.MarkBits))<<packed.PlaceBits + place>>(64-packed.PlaceBits)
}

// PairAt returns the pair of slots of a fingerprint that is in that slot of a bucket.
func (s *Scheme) PairAt(slot uint, fp uint64) (pair uint64) {
	m := markOf(fp)
	return m<<packed.PlaceBits | uint64(s.pairing.Place[m][slot&7])
}

// Slots are numbered through the table: that in lane p of bucket i is i*b+p.

// slotOf returns the number of a slot.
func (s *Scheme) slotOf(bucket uint64, lane uint) uint64 {
	return bucket<<(s.slotBits&3) | uint64(lane)
}

// laneOf returns the bucket and the lane of a slot.
func (s *Scheme) laneOf(slot uint64) (bucket uint64, lane uint) {
	return slot >> (s.slotBits & 3), uint(slot & s.lastSlot)
}

// pair returns the two slots of a pair of a bucket, the lower one first.
func (s *Scheme) pair(bucket, pair uint64) (low, high uint64) {
	lanes, first := &s.pairing.Lanes[pair%packed.Pairs], bucket<<(s.slotBits&3)
	return first + uint64(lanes[0]), first + uint64(lanes[1])
}

// slots returns the slots of a fingerprint with that pair in bucket i and that across in bucket j, each once: four, or two where they are one.
func (s *Scheme) slots(i, j, pair uint64) (all [4]uint64, n int) {
	all[0], all[1] = s.pair(i, pair)
	all[2], all[3] = s.pair(j, uint64(s.pairing.Across[pair%packed.Pairs]))
	if all[0] == all[2] { // pairs of one matching
		return all, 2
	}
	return all, 4
}

// others returns the other slots of a fingerprint in a slot: the one in its bucket, and those in the alternate bucket, of which it
// may be in one itself where that is its bucket.
func (s *Scheme) others(slot, fp uint64) (near, to, far uint64) {
	moves := uint64(s.pairing.Moves[markOf(fp)<<3|slot&s.lastSlot&7])
	bucket := slot >> (s.slotBits & 3)
	first := s.alternate(bucket, fp) << (s.slotBits & 3)
	return slot&^s.lastSlot + moves&7, first + moves>>8&7, first + moves>>16&7
}

// alternate is Alternate of a native scheme, and is inlined.
func (s *Scheme) alternate(bucket, fp uint64) uint64 {
	if s.xor {
		return bucket ^ s.distance(fp)
	}
	return s.additive(bucket, fp)
}

// InsertPaired is [Engine.Insert] where slots are paired: fp goes into the pair of bucket i or that across in bucket j.
func (e *Engine) InsertPaired(i, j, pair, fp uint64) Outcome {
	if e.Table.ReplaceIn(i, pair, 0, fp) || e.Table.ReplaceIn(j, e.Table.Across(pair), 0, fp) {
		return Stored
	}
	return e.KickPaired(i, j, pair, fp)
}

// KickPaired is [Engine.Kick] where slots are paired. Only a walk must know before it begins that the slots of fp are full of copies,
// as it would kick them round. A search finds no other slot then, and soon.
func (e *Engine) KickPaired(i, j, pair, fp uint64) Outcome {
	if e.policy != BreadthFirst && e.copiesPaired(i, j, pair, fp) {
		e.Stats.Refusals++
		return Copies
	}
	o := e.makeRoom(i, j, pair, fp)
	if o == NoPath && e.copiesPaired(i, j, pair, fp) {
		return Copies
	}
	return o
}

// copiesPaired is allCopies where slots are paired.
func (e *Engine) copiesPaired(i, j, pair, fp uint64) bool {
	return e.Table.CountIn(i, pair, fp) == 2 && e.Table.CountIn(j, e.Table.Across(pair), fp) == 2
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
			if o := e.InsertPaired(bucket, from.Scheme.Alternate(bucket, fp), from.Scheme.PairAt(lane, fp), fp); o != Stored {
				return o
			}
		}
	}
	return Stored
}

// checkSlot holds a fingerprint to be moved to a slot that it may be in, where invariants are enabled.
func (e *Engine) checkSlot(to, from, fp uint64) {
	if !invariants.Enabled {
		return
	}
	if near, other, far := e.Scheme.others(from, fp); to == near || to == other || to == far {
		return
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
	w.journal = append(w.journal, position{bucket, lane})
	if out != 0 {
		w.homes = [2]uint64{bucket, e.Scheme.Alternate(bucket, out)}
		w.pairs[0] = e.Scheme.PairAt(lane, out)
		w.pairs[1] = e.Table.Across(w.pairs[0])
		near, to, far := e.Scheme.others(slot, out)
		w.slots, w.choices = [4]uint64{near, to, far}, 3
		if to == slot || far == slot { // the homes are one
			w.choices = 1
		}
	}
}

// settlePaired stores the homeless fingerprint in a free slot that it may be in, if there is one.
func (w *Walk) settlePaired() bool {
	for _, slot := range w.slots[:w.choices] {
		if w.e.Table.Slot(slot) == 0 {
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
		w.examined++
		if w.settlePaired() {
			return
		}
	}
}

// resettlePaired kicks the first resident of the slots reached that has a free slot into that, if there is one.
func (w *Walk) resettlePaired() bool {
	for _, slot := range w.slots[:w.choices] {
		w.examined++
		if to, ok := w.e.exitOf(slot); ok {
			w.kickPaired(slot)
			w.kickPaired(to)
			return true
		}
	}
	return false
}

// searchPaired is BreadthFirst where slots are paired.
func (w *Walk) searchPaired() {
	e := w.e
	homes, n := e.Scheme.slots(w.homes[0], w.homes[1], w.pairs[0])
	head, free, ok := e.findPaired(homes[:min(n, e.limit, len(e.slots.queue)-spare)])
	w.examined += head
	if !ok {
		return
	}
	w.examined++
	from := len(w.journal)
	for slot, at := free, head; ; {
		bucket, lane := e.Scheme.laneOf(slot)
		w.journal = append(w.journal, position{bucket, lane})
		if at == root {
			break
		}
		slot, at = e.slots.queue[at].slot(), e.slots.queue[at].parent()
	}
	slices.Reverse(w.journal[from:])
	e.shiftPaired(head, free, w.homeless)
	w.homeless = 0
}

// exitOf returns a free slot that the fingerprint in a full slot may move to, if there is one.
func (e *Engine) exitOf(slot uint64) (to uint64, ok bool) {
	t := &e.Table
	near, to, far := e.Scheme.others(slot, t.Slot(slot))
	switch {
	case t.Slot(near) == 0:
		return near, true
	case t.Slot(to) == 0:
		return to, true
	}
	return far, t.Slot(far) == 0
}

// takes tells whether the homeless fingerprint may be in a slot of one of its homes, where slots are paired.
func (w *Walk) takes(bucket uint64, slot int) bool {
	for at, home := range w.homes {
		low, high := w.e.Table.PairLanes(w.pairs[at])
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
func (b *bulk) placePaired(hs, kicked []uint64) (n int) {
	s, width := &b.e.Scheme, b.e.Table.Width()
	for _, h := range hs {
		i, fp := fingerprint.Bucket(h, s.Buckets), fingerprint.Of(h, width&63)
		kicked[n] = b.pushPaired(i, s.Place(h, fp), fp, 0)
		n += occupied(kicked[n])
	}
	return n
}

// movePaired is move where slots are paired.
func (b *bulk) movePaired(items, kicked []uint64) (n int) {
	s := &b.e.Scheme
	for _, item := range items {
		fp := item & (1<<homelessBits - 1)
		i, lane := s.laneOf(item >> homelessBits)
		kicked[n] = b.pushPaired(i, s.PairAt(lane, fp), fp, b.round)
		n += occupied(kicked[n])
	}
	return n
}

// pushPaired stores fp in a pair of bucket i. Where that is full, it kicks one of the two out and returns an item: the slot, and
// what it held. Else it returns 0.
func (b *bulk) pushPaired(i, pair, fp uint64, round int) (item uint64) {
	t := &b.e.Table
	lane, ok := t.FindIn(i, pair, 0)
	if ok {
		t.Set(i, lane, fp)
		return 0
	}
	if low, high := t.PairLanes(pair); round%2 == 0 {
		lane = low
	} else {
		lane = high
	}
	victim, _ := t.Swap(i, lane, fp)
	return b.e.Scheme.slotOf(i, lane)<<homelessBits | victim
}

// turnAway sends each victim from the slot that it was kicked out of to its pair in the alternate bucket, of which the item has a slot.
func (e *Engine) turnAway(items []uint64) {
	for k, item := range items {
		fp := item & (1<<homelessBits - 1)
		_, to, _ := e.Scheme.others(item>>homelessBits, fp)
		items[k] = to<<homelessBits | fp
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
	return e.InsertPaired(i, e.Scheme.Alternate(i, fp), e.Scheme.PairAt(lane, fp), fp)
}
