package window

import (
	"math"
	"time"
)

// lastGeneration is where generations end: no clock comes there, and a file says no more.
const lastGeneration = 1 << 62

// Advance ends the present generation and begins the next one. The keys whose latest touch was [Config].Generations
// generations before the one that ends are forgotten. What earlier touches have not swept of the generation that was
// forgotten last is swept first: 4 ns a bucket, 1 ms at 2^20 slots after a generation without touches. [Filter.Sweep]
// lets you do that before.
func (f *Filter[F]) Advance() { f.advanceBy(1) }

// AdvanceTo tells the filter the time: the generation is the number of whole g-th parts of [Config].Window since 1970.
// If several have begun since the last call, they begin one after the other; where more than a window has passed, the
// table is cleared at once. A time that is earlier than the latest does nothing. One far in the future has keys live
// until then; [Filter.Reset] forgets that time too. Without a Window it does nothing.
//
// The filter begins in 1970. So call AdvanceTo before the first touch.
func (f *Filter[F]) AdvanceTo(now time.Time) {
	seconds := now.Unix()
	if f.config.Window == 0 || seconds < 0 || seconds >= math.MaxInt64/int64(time.Second) { // UnixNano has no other
		return
	}
	f.advanceBy(now.UnixNano()/int64(f.config.step()) - f.now)
}

// Sweep empties expired slots in up to so many buckets, and tells whether none is left. Answers, Len and room do not
// depend on it. What touches and Sweep leave, the next Advance does.
func (f *Filter[F]) Sweep(buckets int) (done bool) {
	f.sweep(uint64(max(buckets, 0)))
	return f.expired == 0
}

// Generation returns the number of the present generation, which was 0 in the beginning.
func (t *table) Generation() int64 { return t.now }

// Ages returns how many keys were touched last in the present generation, in the one before, and so on: Generations+1
// numbers, whose sum is Len.
func (f *Filter[F]) Ages() []int {
	ages := make([]int, max(0, f.ages-1))
	for n := range ages {
		if generation := f.now - int64(n); generation >= f.oldest {
			ages[n] = f.counts[f.age(generation)]
		}
	}
	return ages
}

// sweep empties the expired lanes of up to n buckets.
func (t *table) sweep(n uint64) {
	if t.expired == 0 {
		return
	}
	from, buckets := t.swept, t.engine.Table.Buckets()
	t.swept += min(n, buckets-from)
	t.expired -= t.lanes.Drop(&t.engine.Table, from, t.swept)
}

// advance begins the next generation.
func (t *table) advance() {
	if t.oldest < t.now+3-t.ages { // now+1 - g
		t.expire()
	}
	t.now++
	t.setAges()
}

// advanceBy begins the n-th next generation.
func (t *table) advanceBy(n int64) {
	n = min(n, lastGeneration-t.now)
	if t.ages == 0 || n <= 0 {
		return
	}
	if n < t.ages {
		for range n {
			t.advance()
		}
		return
	}
	if t.live > 0 || t.expired > 0 {
		t.empty()
	}
	t.now += n
	t.oldest = t.now + 2 - t.ages
	t.setAges()
}

// empty removes all lanes.
func (t *table) empty() {
	t.engine.Table.Reset()
	t.live, t.expired, t.swept, t.full = 0, 0, 0, false
	clear(t.counts[:])
}

// expire ends the oldest generation that is alive, after what expired before it is swept.
func (t *table) expire() {
	t.sweep(math.MaxUint64)
	at := t.age(t.oldest)
	t.expired, t.live, t.counts[at] = t.counts[at], t.live-t.counts[at], 0
	t.oldest++
	t.swept, t.full = 0, false
	t.setAges()
}

// forget adds a fingerprint of an age after it has expired the oldest generation that has keys, of which there is one
// before the present. If that makes no room the generation lives again, unless one more was expired after it.
func (t *table) forget(i, j, fp, age uint64) (added bool, err error) {
	oldest, forgotten := t.oldest, t.forgotten
	t.engine.Stats.Refusals-- // the search that has failed was not the last
	for more := true; more; more = t.expired == 0 {
		t.expire()
		t.forgotten++
	}
	if added, err = t.add(i, j, fp, age); err != nil && t.expired > 0 {
		t.counts[t.age(t.oldest-1)], t.live, t.expired = t.expired, t.live+t.expired, 0
		t.oldest, t.forgotten = oldest, forgotten
		t.setAges()
	}
	return added, err
}
