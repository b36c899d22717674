package kick

import (
	"slices"

	"github.com/nestfilter/nest/fingerprint"
)

// A bulk insert walks the table in pieces that a core's second-level cache holds, instead of jumping about in memory.
// It partitions the digests by the piece of their primary bucket and puts each fingerprint there. Where a bucket is
// full, one of its fingerprints is kicked out and becomes an item of the next round: a fingerprint without a home, and
// the bucket that it goes to. Round after round the items are partitioned by that bucket and put there in the same way,
// until few are left; those are inserted one by one, by the engine's policy.
//
// That is a random walk of many fingerprints abreast, and it is not transactional: between the rounds some
// are in no bucket. It is for tables that nobody sees before it has ended, and are given up if it fails.
//
// Pieces are worked on by several goroutines, even ones first and odd ones after them, because
// writing a lane rewrites up to 7 bytes behind it. The outcome does not depend on how many
// goroutines there are: the partition is stable, and what happens within a piece is one goroutine's.
//
// Measured at 12 bits, b = 4, XOR, to a load of 95%: on one core a bulk insert takes 0.4 times as long as
// inserts one by one at 2^24 slots, 0.5 times at 2^23, 1.4 times at 2^22 and 1.8 times at 2^20; on two cores 0.3,
// 0.3, 1.0 and 1.7 times.
const (
	// pieceBytes is the largest size of a piece: an eighth of a second-level cache of 1 MiB.
	pieceBytes = 128 << 10
	// minSlab is the least number of digests partitioned at once, where there are so many. For many
	// digests it is a quarter of them, which bounds the scratch memory.
	minSlab = 1 << 20
	// maxRounds bounds the rounds. The share of homeless fingerprints falls from .105 after the second to .016
	// after the 16th and .007 after the last, at 95% load; each further round costs what it saves.
	maxRounds = 32
	// fewHomeless ends the rounds when no more than one fingerprint of so many is homeless.
	fewHomeless = 1024
)

// homelessBits is where an item has its bucket, or the number of its slot where slots are paired: above the
// fingerprint.
const homelessBits = 32

// InsertBulk inserts digests, in an order of its own, with up to the given number of goroutines; how many
// there are does not change the table. It returns how many were stored: all of them, or
// those before the first that the policy refused, with the outcome. After a refusal the table has lost
// fingerprints and is of no use. The scheme must be native, and there are at most 2^32 buckets.
//
// The scratch memory is 8 bytes for each of a quarter of the digests or a million, whichever is more, and as much
// again for a fifth of all.
func (e *Engine) InsertBulk(hs []uint64, workers int) (stored int, o Outcome) {
	return e.insertBulk(hs, workers, max(minSlab, len(hs)/4), pieceBytes)
}

// insertBulk is InsertBulk with slabs and pieces of a given size.
func (e *Engine) insertBulk(hs []uint64, workers, slab, pieceBytes int) (stored int, o Outcome) {
	slab = max(min(slab, len(hs)), 1)
	b := newBulk(e, slab, workers, pieceBytes)
	var homeless []uint64
	for hs := range slices.Chunk(hs, slab) {
		homeless = b.put(hs, homeless)
	}
	for b.round = 1; b.round <= maxRounds && len(homeless) > len(hs)/fewHomeless; b.round++ {
		moving := homeless
		homeless = homeless[:0] // collect never overtakes the slab that it has just put into scratch
		for slab := range slices.Chunk(moving, slab) {
			homeless = b.put(slab, homeless)
		}
	}
	for n, item := range homeless {
		i, lane, fp := e.Scheme.itemAt(item)
		if o := e.Insert(i, e.Scheme.Alternate(i, fp), e.Scheme.PairAt(lane, fp), fp); o != Stored {
			return len(hs) - len(homeless) + n, o
		}
	}
	return len(hs), Stored
}

// put puts a slab of digests or items into the table and appends the items that were kicked out to homeless.
func (b *bulk) put(xs, homeless []uint64) []uint64 {
	b.partition(xs)
	b.each(b.fill)
	return b.collect(homeless)
}

// fill puts the items of a piece into it. The memory is asked for the buckets of some while those before them are put
// into theirs. Victims, where they were kicked out, overwrite items that have been read.
func (b *bulk) fill(piece int) {
	xs, kicked := b.inPiece(piece), b.inPiece(piece)
	var of [PrefetchAhead]uint64
	ahead := func(from int) []uint64 { return xs[min(from, len(xs)):min(from+PrefetchAhead, len(xs))] }
	fetch := func(xs []uint64) {
		if b.far {
			for k, item := range xs {
				of[k] = b.bucket(item)
			}
			b.e.PrefetchBuckets(of[:len(xs)])
		}
	}
	kept := 0
	fetch(ahead(0))
	for at := 0; at < len(xs); at += PrefetchAhead {
		fetch(ahead(at + PrefetchAhead))
		kept += b.move(ahead(at), kicked[kept:])
	}
	b.e.sendAway(kicked[:kept])
	b.kept[piece] = kept
}

// bucket returns the bucket of an item.
func (b *bulk) bucket(item uint64) uint64 { return item >> (homelessBits + b.e.Scheme.slotBits&3) }

// items returns the items of up to block digests, at their primary buckets, in memory that the caller gives. Items,
// which there are from round 1 on, it returns as they are.
func (b *bulk) items(xs []uint64, memory *[block]uint64) []uint64 {
	if b.round > 0 {
		return xs
	}
	s, width := &b.e.Scheme, b.e.Table.Width()
	for k, h := range xs {
		slot, fp := fingerprint.Bucket(h, s.Buckets), fingerprint.Of(h, width&63)
		if s.Paired() {
			low, _ := b.e.Table.PairLanes(s.Place(h, fp))
			slot = slot<<(s.slotBits&3) | uint64(low)
		}
		memory[k%block] = slot<<homelessBits | fp
	}
	return memory[:len(xs)]
}

// itemAt takes an item apart; its lane is 0 unless slots are paired.
func (s *Scheme) itemAt(item uint64) (bucket uint64, lane uint, fp uint64) {
	slot := item >> homelessBits
	return slot >> (s.slotBits & 3), uint(slot & (1<<(s.slotBits&3) - 1)), item & (1<<homelessBits - 1)
}

// move puts items into the buckets that they go to.
func (b *bulk) move(items, kicked []uint64) (n int) {
	t, s := &b.e.Table, &b.e.Scheme
	lane, paired := uint(b.round)%t.Lanes(), s.Paired()
	for _, item := range items {
		if i, at, fp := s.itemAt(item); paired {
			kicked[n] = b.pushPaired(i, s.PairAt(at, fp), fp)
		} else {
			kicked[n] = i<<homelessBits | t.Push(i, lane, fp)
		}
		n += occupied(kicked[n])
	}
	return n
}

// pushPaired stores fp in a pair of bucket i. Where that is full, it kicks one of the two out. It returns an item: the
// slot, and what it held.
func (b *bulk) pushPaired(i, pair, fp uint64) (item uint64) {
	t := &b.e.Table
	lane, ok := t.FindIn(i, pair, 0)
	if low, _ := t.PairLanes(pair); !ok && b.round%2 == 0 {
		lane = low
	}
	victim, _ := t.Swap(i, lane, fp)
	return (i<<(b.e.Scheme.slotBits&3)|uint64(lane))<<homelessBits | victim
}

// occupied returns 1 if an item has a fingerprint and 0 if not, without a branch: at high loads it is a coin toss.
func occupied(item uint64) int {
	fp := item & (1<<homelessBits - 1)
	return int((fp | -fp) >> 63)
}

// sendAway sends each victim from where it was kicked out to its alternate bucket: there to the slot of its pair, of
// which the item has one, where slots are paired.
func (e *Engine) sendAway(items []uint64) {
	s := &e.Scheme
	for k, item := range items {
		from, lane, fp := s.itemAt(item)
		if s.Paired() {
			_, to, _ := s.others(position{from, lane}, fp)
			items[k] = (to.bucket<<(s.slotBits&3)|uint64(to.lane))<<homelessBits | fp
		} else {
			items[k] = s.Alternate(from, fp)<<homelessBits | fp
		}
	}
}
