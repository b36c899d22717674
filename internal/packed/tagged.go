package packed

import "math/bits"

// Tagged is the arithmetic of a plain table whose lanes have a tag, of a bit at least, above a fingerprint: a value, or
// an age. It works on words that hold a group of lanes, the first in the lowest bits. Bits above the lanes are ignored.
type Tagged struct {
	// Low and High are the lowest and the highest bit of each lane of a group, and Last the highest ones of a bucket's
	// last group, which can have fewer lanes. Fingerprints, Tags and Rest are the bits of each fingerprint, of each
	// tag, and all but the highest.
	Low, High, Last, Fingerprints, Tags, Rest uint64
	// Groups is how many loads a bucket takes, and BucketBits and GroupBits are the steps from one bucket or group to
	// the next.
	Groups                uint
	BucketBits, GroupBits uint64
	// Width is that of a fingerprint, Lane that of a lane, and Top the number of its highest bit.
	Width, Lane, Top uint

	most uint64 // the largest fingerprint
}

// NewTagged returns the arithmetic of a table for fingerprints of that width.
func NewTagged(t *Table, width uint) Tagged {
	low, high := t.Group.Low, t.Group.High
	p := Tagged{
		Low: low, High: high, Last: t.Last.High, Fingerprints: low * (1<<width - 1), Rest: high - low,
		Groups: t.groups, BucketBits: t.bucketBits, GroupBits: t.groupBits,
		Width: width, Lane: t.Width(), Top: t.Width() - 1,
		most: 1<<width - 1,
	}
	p.Tags = (high | p.Rest) &^ p.Fingerprints
	return p
}

// Fingerprint is fingerprint.Of for these lanes, whose width need not be made a mask each time.
func (p *Tagged) Fingerprint(digest uint64) uint64 { return uint64(uint32(digest))*p.most>>32 + 1 }

// Match flags exactly the lanes of a group that have the fingerprint which wanted has in each lane.
//
// Where a lane differs, its difference is smaller than 2^Top, as a tag has a bit at least. So the subtraction clears
// the lane's highest bit and borrows nothing from the next one.
func (p *Tagged) Match(x, wanted uint64) uint64 { return (p.High - (x^wanted)&p.Fingerprints) & p.High }

// Aged is the arithmetic of lanes whose tags are ages. A lane is empty, alive or expired: one age at a time is that of
// expired lanes. For an insert, an expired lane is an empty one.
type Aged struct {
	Tagged
	// Dead is the age of expired lanes, in each lane of a group.
	Dead uint64
}

// Live flags exactly the lanes of a group that are alive and have a fingerprint. wanted has the fingerprint and the age
// Dead in each lane.
func (p *Aged) Live(x, wanted uint64) uint64 {
	x ^= wanted
	return (p.High - x&p.Fingerprints) & ((x&p.Rest + p.Rest) | x) & p.High
}

// Free flags exactly the lanes of a group that are empty or expired.
func (p *Aged) Free(x uint64) uint64 {
	return ((p.High - x&p.Fingerprints) | (p.High - (x^p.Dead)&p.Tags>>(p.Width&63))) & p.High
}

// Expired flags exactly the lanes of a group that are expired.
func (p *Aged) Expired(x uint64) uint64 {
	return (p.High - (x^p.Dead)&p.Tags>>(p.Width&63)) &^ (p.High - x&p.Fingerprints) & p.High
}

// FindFree returns a lane of a bucket that is empty or expired.
func (p *Aged) FindFree(t *Table, bucket uint64) (lane uint, ok bool) {
	return p.first(t, bucket, p.Free)
}

// FindLive returns a lane of a bucket that is alive and has a fingerprint.
func (p *Aged) FindLive(t *Table, bucket, fp uint64) (lane uint, ok bool) {
	wanted := p.Dead | p.Low*fp
	return p.first(t, bucket, func(x uint64) uint64 { return p.Live(x, wanted) })
}

// first returns the first lane of a bucket that flags, given each of its groups, flag.
func (p *Aged) first(t *Table, bucket uint64, flags func(x uint64) uint64) (lane uint, ok bool) {
	bit := bucket * p.BucketBits
	for g := range p.Groups {
		found := flags(t.word(bit))
		if g == p.Groups-1 {
			found &= p.Last
		}
		if found != 0 {
			return g*t.groupLanes + t.Group.First(found&-found), true
		}
		bit += p.GroupBits
	}
	return 0, false
}

// Drop empties the expired lanes of the buckets from one to another, which it leaves out, and returns how many there
// were.
func (p *Aged) Drop(t *Table, from, to uint64) (n int) {
	for p.Groups > 1 && from < to {
		if lane, ok := p.first(t, from, p.Expired); ok {
			t.Set(from, lane, 0)
			n++
		} else {
			from++
		}
	}
	// Which buckets have an expired lane cannot be foreseen. So all are written, but where the next load would wait for
	// the write.
	top, apart := p.Top&63, p.BucketBits == 64
	for bit, end := from*p.BucketBits, to*p.BucketBits; bit < end; bit += p.BucketBits {
		off, shift := bit>>3, bit&7
		x := t.At(off)
		if flags := p.Expired(x >> shift); apart || flags != 0 {
			t.Put(off, x&^((flags-flags>>top|flags)<<shift))
			n += bits.OnesCount64(flags)
		}
	}
	return n
}
