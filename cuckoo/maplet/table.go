package maplet

import (
	"math/bits"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// table is a map without its type parameter, so that it is compiled once for all widths and its verbs have no
// dictionary. The zero table is empty and takes no pairs.
type table struct {
	// engine makes room. Its scheme takes the fingerprint out of a lane; place is the rule itself.
	engine kick.Engine
	place  kick.Scheme
	hash   hashing.Digester
	len    int
	config Config
	width  uint   // f, the bits of a fingerprint
	values uint64 // the largest value
	probe  probe
}

// probe finds the lanes of a bucket whose low bits are a fingerprint, a group of lanes at each load.
type probe struct {
	packed.Tagged
	// reciprocal is 2^16/Lane rounded up: a multiplication in place of a division.
	reciprocal uint64
	// laneBytes is the bytes of a lane where a bucket is four lanes of whole bytes, too wide for two in a word; else 0.
	// That is the shape of an index of places, and has a path of its own.
	laneBytes uint64
	// values has the lowest bit of each value of a group.
	values uint64
	// there has the bits that matches can return for one bucket, as the last group can have fewer lanes.
	there uint64
}

// make makes t an empty map of a configuration, for the width of a type.
func (t *table) make(c Config, ofType uint) error {
	c, _, err := c.resolve(ofType)
	if err != nil {
		return err
	}
	t.over(c, packed.Plain.New(uint(c.FingerprintBits+c.ValueBits), uint(c.BucketSize), uint64(c.Buckets)))
	t.initEngine()
	return nil
}

// over makes t the map of a resolved configuration over its lanes, without what inserts need.
func (t *table) over(c Config, lanes packed.Table) {
	width := uint(c.FingerprintBits)
	*t = table{
		place: kick.NewScheme(kick.Additive, uint64(c.Buckets)), hash: hashing.NewDigester(c.Hash), config: c,
		width: width, values: 1<<c.ValueBits - 1, probe: newProbe(&lanes, width),
	}
	t.engine.Table = lanes
}

// newProbe returns the probe of a table for fingerprints of that width.
func newProbe(t *packed.Table, width uint) probe {
	p := probe{Tagged: packed.NewTagged(t, width), reciprocal: (1<<16 + uint64(t.Width()) - 1) / uint64(t.Width())}
	p.values = p.Low << width
	inGroup := uint(bits.OnesCount64(p.Low))
	if p.Lane%8 == 0 && p.Groups == 4 && inGroup == 1 {
		p.laneBytes = uint64(p.Lane / 8)
	}
	for slot := range t.Lanes() {
		p.there |= 1 << (slot%inGroup*p.Lane + slot/inGroup)
	}
	return p
}

// matches has a bit for each lane of a bucket that holds a fingerprint, which wanted has in each of its lanes: bit
// l*lane + g for lane l of group g. It is exact.
func (p *probe) matches(t *packed.Table, bucket, wanted uint64) (found uint64) {
	bit := bucket * p.BucketBits
	for g := range p.Groups {
		found |= p.Match(t.At(bit>>3)>>(bit&7), wanted) >> (p.Top & 63) << (g & 63)
		bit += p.GroupBits
	}
	return found & p.there
}

// find returns the matches of both buckets, those of j shifted left by p.Groups, which is less than half of a lane. Of
// a pair that coincides it has those of i alone.
func (t *table) find(i, j, fp uint64) uint64 {
	lanes, wanted := &t.engine.Table, t.probe.Low*fp
	if t.probe.laneBytes != 0 {
		x, y := t.probe.fourLanes(lanes, i, fp), t.probe.fourLanes(lanes, j, fp)
		if i == j {
			y = 0
		}
		return x | y<<4
	}
	if t.probe.Groups == 1 {
		x, y := t.probe.Match(lanes.Word(i), wanted), t.probe.Match(lanes.Word(j), wanted)
		if i == j {
			y = 0
		}
		return x>>(t.probe.Top&63) | y>>(t.probe.Top&63)<<1
	}
	x := t.probe.matches(lanes, i, wanted)
	if i == j {
		return x
	}
	return x | t.probe.matches(lanes, j, wanted)<<(t.probe.Groups&63)
}

// fourLanes is matches where laneBytes is set. It has so few instructions that the cache misses of two lookups overlap.
func (p *probe) fourLanes(t *packed.Table, bucket, fp uint64) uint64 {
	each := p.laneBytes
	at := 4 * each * bucket
	// A difference is below 2^32, and less 1 it has its highest bit if it was 0.
	a := (t.At(at)^fp)&p.Fingerprints - 1
	b := (t.At(at+each)^fp)&p.Fingerprints - 1
	c := (t.At(at+2*each)^fp)&p.Fingerprints - 1
	d := (t.At(at+3*each)^fp)&p.Fingerprints - 1
	return a>>63 | b>>63<<1 | c>>63<<2 | d>>63<<3
}

// pair returns the fingerprint and the buckets of a digest.
func (t *table) pair(h uint64) (fp, i, j uint64) {
	fp = t.probe.Fingerprint(h)
	i, j = t.place.PairAdditive(h, fp)
	return fp, i, j
}

// first returns a bit for each match of a digest's two buckets, which are whole bytes of one word each, and the value
// if there is one match alone. Which bucket and which lane it is cannot be foreseen, so no branch depends on it. It
// calls nothing, and so has no frame. Of a pair that coincides it has each match twice.
func (t *table) first(h, whole uint64) (v, found uint64) {
	p, fp := &t.probe, t.probe.Fingerprint(h)
	i, j := t.place.PairAdditive(h, fp)
	word, second, wanted := t.engine.Table.At(i*whole), t.engine.Table.At(j*whole), p.Low*fp
	// As Match, but flags are the lowest bits of values.
	own := (p.values - (word^wanted)&p.Fingerprints) & p.values
	if found = own | (p.values-(second^wanted)&p.Fingerprints)&p.values>>1; found == 0 {
		return 0, 0
	}
	if own == 0 {
		word = second >> 1
	}
	return word >> (uint(bits.TrailingZeros64(found)) & 63) & t.values, found
}

// firstOf is first of all other buckets. Its bits are those of all.
func (t *table) firstOf(h uint64) (v, found uint64) {
	fp, i, j := t.pair(h)
	if found = t.find(i, j, fp); found != 0 {
		v = t.value(i, j, found)
	}
	return v, found
}

// all returns the matches of a digest, those of find.
func (t *table) all(h uint64) uint64 {
	fp, i, j := t.pair(h)
	return t.find(i, j, fp)
}

// other returns the value of the lowest of the matches that are left of those of all.
func (t *table) other(h, left uint64) uint64 {
	_, i, j := t.pair(h)
	return t.value(i, j, left)
}

// value returns the value in the lane of the lowest bit of what find found.
func (t *table) value(i, j, found uint64) uint64 {
	p := &t.probe
	at := uint64(bits.TrailingZeros64(found))
	begin := at * p.reciprocal >> 16 * uint64(p.Lane) // of the lane in its group
	group := at - begin
	bit, other := i*p.BucketBits, j*p.BucketBits-uint64(p.Groups)*p.GroupBits
	second := ^uint64(int64(group-uint64(p.Groups)) >> 63) // all ones where it is in bucket j
	bit ^= (bit ^ other) & second
	bit += group*p.GroupBits + begin
	return t.engine.Table.At(bit>>3) >> (bit & 7) >> (t.width & 63) & t.values
}

// insert is [Map.InsertHash].
func (t *table) insert(h, v uint64) error {
	if v > t.values {
		return t.refuse()
	}
	fp, i, j := t.pair(h)
	if t.engine.Insert(i, j, 0, fp|v<<(t.width&63)) == kick.Stored {
		t.len++
		return nil
	}
	if t.config.Buckets == 0 {
		return errUnmade
	}
	slots := t.config.BucketSize
	if i != j {
		slots *= 2
	}
	if bits.OnesCount64(t.find(i, j, fp)) == slots {
		return errClass
	}
	return errNoPath
}

// refuse returns the error of a value that is too wide.
func (t *table) refuse() error {
	if t.config.Buckets == 0 {
		return errUnmade
	}
	return errWide
}

// replace writes one lane of a digest in place of another, either of which may be empty, and tells whether it found it.
func (t *table) replace(i, j, old, lane uint64) bool {
	return t.engine.Table.Replace(i, old, lane) || t.engine.Table.Replace(j, old, lane)
}

// update is [Map.UpdateHash].
func (t *table) update(h, old, v uint64) (bool, error) {
	if v > t.values {
		return false, t.refuse()
	}
	fp, i, j := t.pair(h)
	return old <= t.values && t.replace(i, j, fp|old<<(t.width&63), fp|v<<(t.width&63)), nil
}

// remove is [Map.DeleteHash].
func (t *table) remove(h, v uint64) bool {
	fp, i, j := t.pair(h)
	if v > t.values || !t.replace(i, j, fp|v<<(t.width&63), 0) {
		return false
	}
	t.len--
	return true
}
