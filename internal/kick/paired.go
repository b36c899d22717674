package kick

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/packed"
)

// Where slots are paired, a fingerprint may be in two slots of each of its buckets and no others. The fingerprint has a
// mark: a matching, which splits the slots of a bucket into pairs, and a turn. The digest says which of the pairs is
// meant in the primary bucket; the turn leads from it to that in the alternate bucket, and back. So from any of the
// four slots the others follow by the fingerprint alone. Package packed has the pairs, by number: mark and place.
// Elsewhere the number of a pair is 0.

// markMultiplier spreads fingerprints over 32 bits, of which the highest are the mark: a multiplier of MurmurHash3's
// finalizer. The rules that pair buckets take others, so that what they make of a fingerprint says nothing about these.
const markMultiplier = 0xc2b2ae35

// PairSlots makes s the scheme of a table with paired slots, 4 or 8 in a bucket, and at most 2^32 in all: a digest says
// the pair by the bits of the product that follow those of the bucket.
func (s *Scheme) PairSlots(slots uint) {
	s.slotBits, s.pairing = uint8(bits.Len(slots-1)), packed.PairingOf(slots)
}

// Paired tells whether slots are paired.
func (s *Scheme) Paired() bool { return s.pairing != nil }

// markOf returns the mark of a fingerprint.
func markOf(fp uint64) uint64 { return uint64(uint32(fp) * markMultiplier >> (32 - packed.MarkBits)) }

// Place returns the pair of slots that a digest whose fingerprint is fp has in its primary bucket. That across is in
// the alternate one.
func (s *Scheme) Place(digest, fp uint64) (pair uint64) {
	_, place := bits.Mul64(digest, s.Buckets)
	return uint64(uint32(fp)*markMultiplier>>(32-packed.MarkBits))<<packed.PlaceBits + place>>(64-packed.PlaceBits)
}

// PairOf is Place, and 0 where slots are not paired.
func (s *Scheme) PairOf(digest, fp uint64) (pair uint64) {
	if !s.Paired() {
		return 0
	}
	return s.Place(digest, fp)
}

// PairAt returns the pair of slots of a fingerprint that is in that lane of a bucket, 0 where slots are not paired.
func (s *Scheme) PairAt(lane uint, fp uint64) (pair uint64) {
	if !s.Paired() {
		return 0
	}
	m := markOf(fp)
	return m<<packed.PlaceBits | uint64(s.pairing.Place[m][lane&7])
}

// A position is a slot: its bucket and lane.
type position struct {
	bucket uint64
	lane   uint
}

// homes returns the slots of a fingerprint with that pair in bucket i and that across in bucket j, each once: four, or
// two where they are one.
func (e *Engine) homes(i, j, pair uint64) (all [4]position, n int) {
	low, high := e.Table.PairLanes(pair)
	all[0], all[1] = position{i, low}, position{i, high}
	low, high = e.Table.PairLanes(e.Table.Across(pair))
	all[2], all[3] = position{j, low}, position{j, high}
	if all[0] == all[2] { // pairs of one matching
		return all, 2
	}
	return all, 4
}

// others returns the other slots of a fingerprint in a slot: the one in its bucket, and those in the alternate bucket,
// of which it may be in one itself where that is its bucket.
func (s *Scheme) others(at position, fp uint64) (near, to, far position) {
	moves, across := uint(s.pairing.Moves[markOf(fp)<<3|uint64(at.lane&7)]), s.alternate(at.bucket, fp)
	return position{at.bucket, moves & 7}, position{across, moves >> 8 & 7}, position{across, moves >> 16 & 7}
}

// exitOf returns a free slot that the fingerprint in a slot may move to, if there is one, where slots are paired.
func (e *Engine) exitOf(at position) (to position, ok bool) {
	t := &e.Table
	near, next, far := e.Scheme.others(at, t.Get(at.bucket, at.lane))
	for _, to = range [...]position{near, next, far} {
		if ok = t.Get(to.bucket, to.lane) == 0; ok {
			break
		}
	}
	return to, ok
}
