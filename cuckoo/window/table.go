package window

import (
	"math/bits"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// ages is how many there are at most: one that is expired, and one that comes next.
const ages = maxGenerations + 2

// table is a filter without its type parameter, so that it is compiled once for all widths and its verbs have no
// dictionary. The zero table is empty and takes no keys.
type table struct {
	engine kick.Engine
	hash   hashing.Digester
	config Config
	lanes  packed.Aged
	single bool // one word holds a bucket

	// now is the present generation and oldest the first that is alive. The age of a lane is a generation modulo g+2:
	// that of one alive, or the age of oldest-1, with which it is expired. counts are the lanes of each age that is
	// alive, by their sum live.
	now, oldest int64
	ages        int64 // g+2, at most ages
	counts      [ages]int
	live        int
	young, dead uint64 // the age of now, and that of expired lanes
	mask, below uint64 // the bits of an age, and from its lowest to the highest

	// expired is how many lanes are expired. None is in the buckets before swept. Touches sweep as many buckets each as
	// pace says.
	expired     int
	swept, pace uint64
	due         uint8 // touches, of which each sweepEvery-th sweeps

	quota     int  // how many keys end a generation
	floor     int  // the keys that the table promises to take
	full      bool // a key was refused since a generation expired
	forgotten uint64
}

// make makes t an empty filter of a configuration, for the width of a type.
func (t *table) make(c Config, ofType uint) error {
	c, _, err := c.resolve(ofType)
	if err != nil {
		return err
	}
	t.over(c, packed.Plain.New(c.lane(), uint(c.BucketSize), uint64(c.Buckets)), 0, c.Generations)
	t.initEngine()
	return nil
}

// over makes t the filter of a resolved configuration over its lanes, without what inserts need, in a generation with
// so many before it alive.
func (t *table) over(c Config, lanes packed.Table, now int64, before int) {
	*t = table{
		hash: hashing.NewDigester(c.Hash), config: c, single: lanes.Layout == packed.Word,
		lanes: packed.Aged{Tagged: packed.NewTagged(&lanes, uint(c.FingerprintBits))},
		now:   now, oldest: now - int64(before), ages: int64(c.Generations) + 2, quota: c.share(c.Keys),
		// Of a full table, (g+1)/b buckets hold the lanes that expire for each new key.
		pace: uint64((c.Generations+1)/c.BucketSize) + 1,
		mask: 1<<c.ageBits() - 1, below: uint64(c.ageBits() - 1),
	}
	t.engine.Table = lanes
	t.engine.Scheme = kick.NewScheme(kick.Additive, uint64(c.Buckets)).Within(uint(c.FingerprintBits))
	t.setAges()
}

// initEngine makes the engine of t over its bytes.
func (t *table) initEngine() {
	t.engine.Init(t.engine.Table, t.engine.Scheme, kick.BreadthFirst, kick.SearchLimit, 0)
	t.floor = t.config.promise()
}

// age returns the age of a generation, above -g-2.
func (t *table) age(generation int64) int64 { return (generation + t.ages) % t.ages }

// setAges sets what follows from now and oldest.
func (t *table) setAges() {
	t.young, t.dead = uint64(t.age(t.now)), uint64(t.age(t.oldest-1))
	t.lanes.Dead = t.lanes.Low * (t.dead << t.lanes.Width)
}

// pair returns the fingerprint and the buckets of a digest.
func (t *table) pair(h uint64) (fp, i, j uint64) {
	fp = t.lanes.Fingerprint(h)
	i, j = t.engine.Scheme.Pair(h, fp)
	return fp, i, j
}

// containsWide is ContainsHash where a bucket is several words, or none.
func (t *table) containsWide(i, j, fp uint64) bool {
	_, ok := t.lanes.FindLive(&t.engine.Table, i, fp)
	if !ok {
		_, ok = t.lanes.FindLive(&t.engine.Table, j, fp)
	}
	return ok
}

// sweepEvery is how many touches share a sweep, which is cheaper in fewer and longer turns.
const sweepEvery = 32

// touch adds a digest, and tells whether it did: not if a lane of its class is alive, which becomes young if refresh
// says so. What one word holds stands here: a call more is 1 to 2 ns.
func (t *table) touch(h uint64, refresh bool) (added bool, err error) {
	if t.due++; t.due%sweepEvery == 0 && t.expired > 0 {
		t.sweep(sweepEvery * t.pace)
	}
	fp := t.lanes.Fingerprint(h)
	i, j := t.engine.Scheme.PairAdditive(h, fp)
	p, lanes := &t.lanes, &t.engine.Table
	if !t.single {
		added, err = t.touchWide(i, j, fp, refresh)
		t.endGeneration()
		return added, err
	}
	bit, other := i*p.BucketBits, j*p.BucketBits
	x, y := lanes.At(bit>>3), lanes.At(other>>3)
	if lanes.WholeBytes == 0 {
		x, y = x>>(bit&7), y>>(other&7)
	}
	// A touch asks after the age only of the lane that it finds, an InsertUnique that of each lane.
	var found, foundY uint64
	if wanted := p.Low * fp; refresh {
		found, foundY = p.Match(x, wanted), p.Match(y, wanted)
	} else {
		found, foundY = p.Live(x, p.Dead|wanted), p.Live(y, p.Dead|wanted)
	}
	if found|foundY != 0 {
		if !refresh {
			return false, nil
		}
		bit, x, found = pick(bit, x, found, other, y, foundY)
		shift := uint64(bits.TrailingZeros64(found)) - t.below
		age := x >> (shift & 63) & t.mask
		if age == t.young {
			return false, nil
		}
		if age == t.dead {
			added, err = t.touchWide(i, j, fp, true)
		} else {
			lanes.Xor(bit>>3, (age^t.young)<<((shift+bit&7)&63))
			t.counts[age%ages]--
			t.counts[t.young%ages]++
		}
	} else if bit, x, free := pick(bit, x, p.Free(x), other, y, p.Free(y)); free != 0 {
		shift := uint64(bits.TrailingZeros64(free)) - uint64(p.Top)
		old := x >> (shift & 63) & (1<<(p.Lane&63) - 1)
		lanes.Xor(bit>>3, (old^(t.young<<(p.Width&63)|fp))<<((shift+bit&7)&63))
		t.stored(t.young, old != 0)
		added = true
	} else {
		added, err = t.push(i, j, fp, t.young)
	}
	t.endGeneration()
	return added, err
}

// endGeneration ends the present generation if as many keys were touched in it as end one.
func (t *table) endGeneration() {
	if t.quota > 0 && t.counts[t.young%ages] >= t.quota {
		t.advanceBy(1)
	}
}

// touchWide is touch where a bucket is several words.
func (t *table) touchWide(i, j, fp uint64, refresh bool) (added bool, err error) {
	bucket := i
	lane, ok := t.lanes.FindLive(&t.engine.Table, i, fp)
	if !ok {
		bucket = j
		lane, ok = t.lanes.FindLive(&t.engine.Table, j, fp)
	}
	switch {
	case ok && refresh:
		t.reage(bucket, lane, t.young)
		fallthrough
	case ok:
		return false, nil
	case t.engine.Table.Ordered(): // the zero table
		return false, errUnmade
	}
	return t.add(i, j, fp, t.young)
}

// pick returns the first of two buckets if it has flags, and else the second: where it begins, its word and its flags.
// Which one it is cannot be foreseen, so no branch depends on it.
func pick(bit, x, flags, other, y, otherFlags uint64) (uint64, uint64, uint64) {
	second := uint64(int64(flags>>1-1) >> 63) // all ones where there are no flags, as none is the lowest bit
	return bit ^ (bit^other)&second, x ^ (x^y)&second, flags | otherFlags&second
}

// stored counts a new lane of an age, and whether it took the place of an expired one.
func (t *table) stored(age uint64, took bool) {
	t.counts[age%ages]++
	t.live++
	if took {
		t.expired--
	}
}

// reage gives a lane that is alive another age.
func (t *table) reage(bucket uint64, lane uint, age uint64) {
	old, width := t.engine.Table.Get(bucket, lane), t.lanes.Width
	t.engine.Table.Set(bucket, lane, old&(1<<width-1)|age<<width)
	t.counts[old>>width]--
	t.counts[age]++
}

// add stores a fingerprint and its age, where no lane of its class is alive.
func (t *table) add(i, j, fp, age uint64) (added bool, err error) {
	for _, bucket := range [...]uint64{i, j} {
		if at, ok := t.lanes.FindFree(&t.engine.Table, bucket); ok {
			took := t.engine.Table.Get(bucket, at) != 0
			t.engine.Table.Set(bucket, at, age<<t.lanes.Width|fp)
			t.stored(age, took)
			return true, nil
		}
	}
	return t.push(i, j, fp, age)
}

// push is add where both buckets are full of lanes that are alive.
func (t *table) push(i, j, fp, age uint64) (added bool, err error) {
	o, took := t.engine.KickAged(i, j, age<<t.lanes.Width|fp, &t.lanes, t.full && t.live >= t.floor)
	switch {
	case o == kick.Stored:
		t.stored(age, took)
		return true, nil
	case t.config.ForgetEarly && t.live >= t.floor && t.live > t.counts[t.age(t.now)]:
		return t.forget(i, j, fp, age)
	}
	t.full = true
	return false, errNoPath
}
