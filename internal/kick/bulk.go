package kick

import (
	"slices"

	"github.com/nestfilter/nest/fingerprint"
)

// A bulk insert walks the table in pieces that a core's second-level cache holds, instead of jumping
// about in memory. It partitions the digests by the piece of their primary bucket and puts each fingerprint
// there. Where a bucket is full, one of its fingerprints is kicked out and becomes an item
// of the next round: a fingerprint without a home, and the bucket that it goes to. Round after round
// the items are partitioned by that bucket and put there in the same way, until few are left; those
// are inserted one by one, by the engine's policy.
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

// homelessBits is where an item has its bucket, or its slot where slots are paired: above the fingerprint.
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
	digests, items := b.loops()
	var homeless []uint64
	for hs := range slices.Chunk(hs, slab) {
		homeless = b.put(hs, digests, homeless)
	}
	for b.round = 1; b.round <= maxRounds && len(homeless) > len(hs)/fewHomeless; b.round++ {
		moving := homeless
		homeless = homeless[:0] // collect never overtakes the slab that it has just put into scratch
		for slab := range slices.Chunk(moving, slab) {
			homeless = b.put(slab, items, homeless)
		}
	}
	for n, item := range homeless {
		if o := e.insertItem(item); o != Stored {
			return len(hs) - len(homeless) + n, o
		}
	}
	return len(hs), Stored
}

// put puts a slab of digests or items into the table and appends those that were kicked out to homeless.
func (b *bulk) put(xs []uint64, l loops, homeless []uint64) []uint64 {
	b.partition(xs, l.buckets)
	b.each(func(piece int) { b.fill(piece, l) })
	return b.collect(homeless)
}

// loops are what a bulk insert does with digests, or with items.
type loops struct {
	buckets bucketsOf
	// push puts them into the table and writes items to kicked: victims and the buckets that they were kicked out of. There may be as
	// many as there are xs, and they may overwrite those that have been read.
	push func(b *bulk, xs, kicked []uint64) (n int)
	// send sends such victims to their alternate buckets.
	send func(e *Engine, items []uint64)
}

func (b *bulk) loops() (digests, items loops) {
	if b.e.Scheme.Paired() {
		return loops{bucketsOfDigests, (*bulk).placePaired, (*Engine).turnAway}, loops{bucketsOfSlots, (*bulk).movePaired, (*Engine).turnAway}
	}
	return loops{bucketsOfDigests, (*bulk).place, (*Engine).sendAway}, loops{bucketsOfItems, (*bulk).move, (*Engine).sendAway}
}

// fill puts the digests or items of a piece into it. The memory is asked for the buckets of some while those before them are put into
// theirs. Victims stand where the piece began in scratch.
func (b *bulk) fill(piece int, l loops) {
	xs, kicked := b.inPiece(piece), b.inPiece(piece)
	var of [block]uint64
	ahead := func(from int) []uint64 { return xs[min(from, len(xs)):min(from+PrefetchAhead, len(xs))] }
	fetch := func(xs []uint64) {
		if b.far {
			l.buckets(&b.e.Scheme, xs, &of)
			b.e.PrefetchBuckets(of[:len(xs)])
		}
	}
	kept := 0
	fetch(ahead(0))
	for at := 0; at < len(xs); at += PrefetchAhead {
		fetch(ahead(at + PrefetchAhead))
		kept += l.push(b, ahead(at), kicked[kept:])
	}
	l.send(b.e, kicked[:kept])
	b.kept[piece] = kept
}

// place puts digests into their primary buckets.
func (b *bulk) place(hs, kicked []uint64) (n int) {
	t, s := &b.e.Table, &b.e.Scheme
	width := t.Width()
	for _, h := range hs {
		i := fingerprint.Bucket(h, s.Buckets)
		victim := t.Push(i, 0, fingerprint.Of(h, width&63))
		kicked[n] = i<<homelessBits | victim
		n += occupied(victim)
	}
	return n
}

// move puts items into the buckets that they go to.
func (b *bulk) move(items, kicked []uint64) (n int) {
	t := &b.e.Table
	lane := uint(b.round) % t.Lanes()
	for _, item := range items {
		i := item >> homelessBits
		victim := t.Push(i, lane, item&(1<<homelessBits-1))
		kicked[n] = i<<homelessBits | victim
		n += occupied(victim)
	}
	return n
}

// occupied returns 1 if a lane that held fp was occupied and 0 if not, without a branch: at high loads it is a
// coin toss.
func occupied(fp uint64) int { return int((fp | -fp) >> 63) }

// sendAway sends each victim from the bucket that it was kicked out of to its alternate bucket.
func (e *Engine) sendAway(items []uint64) {
	for k, item := range items {
		from, fp := item>>homelessBits, item&(1<<homelessBits-1)
		items[k] = e.Scheme.Alternate(from, fp)<<homelessBits | fp
	}
}
