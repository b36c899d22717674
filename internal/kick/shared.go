package kick

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/nestfilter/nest/internal/memory"
	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

// Shared is a table of fingerprints that any number of goroutines ask and change at once. Every bucket is one word
// (packed.Words), which is read and written with package sync/atomic only.
//
//   - An insert into a free slot is a compare-and-swap of the word. It takes no lock.
//   - What moves or erases a fingerprint, or has to see a class at rest, takes the lock of that fingerprint: kicks,
//     deletes, counts and unique inserts. No operation holds two locks.
//   - A lookup takes no lock and waits for nobody.
//
// A class is an unordered pair of buckets and a fingerprint. Contains, Delete, Count and InsertUnique are linearizable
// for each class, and so is an insert that is not refused: docs/DESIGN.md has the proof.
//
// A move copies a fingerprint to its other bucket, adds one to the version that the fingerprint has, and erases the
// fingerprint from the first bucket, in this order. A lookup that finds nothing in its two words believes that only if
// the version was the same before and after. A delete that leaves a copy in the other bucket adds one to the version
// before it erases, as that copy may have been inserted after the lookup read the bucket.
//
// A lookup that has seen the version change [tries] times adds itself to the lowest bits of the version, its readers.
// While there are any, no move passes: a mover waits. So the lookup then ends after one more look.
type Shared struct {
	// Scheme pairs the buckets. Its Buckets are 0 of the zero Shared, which is empty and takes nothing.
	Scheme Scheme
	// Lanes is the arithmetic of a bucket's word.
	Lanes packed.Lanes
	// Words are the buckets.
	Words []uint64

	versions *[versions]atomic.Uint64
	locks    []Lock // a power of two of them
	done     *sharedStats
	plans    *sync.Pool // of *search
	lanes    uint
	view     *Engine // the table as kernels see it: one without buckets where words are not seen as bytes
	// Patience is how often a lookup tries before it asks moves to wait.
	Patience int
}

const (
	// versions is the number of versions: 4 KiB of them, which stay in the first-level cache. Fingerprints are spread
	// evenly, so the version of one is that of its lowest bits.
	versions = 512
	// locks is the number of locks, 4 KiB.
	locks = 512
	// readerBits are the lowest bits of a version, which count the lookups that moves wait for: fewer than 2^24 at
	// once. The other 40 bits count moves.
	readerBits  = 24
	readersMask = 1<<readerBits - 1
	onePass     = 1 << readerBits

	// tries is how many looks a lookup takes before it asks moves to wait.
	tries = 3
)

// sharedStats are the Stats of a Shared. Kicks are what the versions have counted, less so many that were no kicks.
type sharedStats struct{ others, longest, refusals atomic.Uint64 }

// Init makes s an empty table with lanes of that width, for a scheme and at most limit full buckets examined for an
// insert. It allocates all that is ever needed but the memory of searches, one for each that runs at a time. A Shared
// must not be copied afterwards.
func (s *Shared) Init(width uint, scheme Scheme, limit int) {
	lanes := packed.WordLanes(width)
	limit = int(min(uint64(limit), scheme.Buckets))
	words, view := memory.Words(int(scheme.Buckets)+1), &Engine{Scheme: scheme} // kernels want padding
	if data, ok := memory.AsBytes(words); ok {
		view.Table = packed.Words.Over(width, lanes, scheme.Buckets, data)
	}
	*s = Shared{
		Scheme: scheme, Lanes: packed.NewLanes(width, lanes), Words: words[:scheme.Buckets], view: view,
		versions: new([versions]atomic.Uint64), locks: make([]Lock, locks),
		done: new(sharedStats),
		plans: &sync.Pool{New: func() any {
			p := newSearch(limit)
			p.quads = make([]quadNode, max(min(limit, SearchLimit), 2))
			return &p
		}},
		lanes: lanes, Patience: tries,
	}
}

// Version returns the version of the classes with that fingerprint.
func (s *Shared) Version(fp uint64) *atomic.Uint64 { return &s.versions[fp%versions] }

// Unchanged tells whether no move has passed between two loads of a version.
func Unchanged(before, after uint64) bool { return before>>readerBits == after>>readerBits }

// Between is called between the loads of a lookup, for tests.
func Between() { pause() }

// pass adds one to a version, as soon as there are no readers.
func pass(v *atomic.Uint64) {
	for !passed(v) {
		runtime.Gosched()
	}
}

// passed is pass if that need not wait, and tells whether it was done.
func passed(v *atomic.Uint64) bool {
	old := v.Load()
	return old&readersMask == 0 && v.CompareAndSwap(old, old+onePass)
}

// fill stores fp in the lowest free slot of a bucket, if there is one.
func (s *Shared) fill(bucket, fp uint64) bool {
	word := &s.Words[bucket]
	for {
		x := atomic.LoadUint64(word)
		flags := s.Lanes.Zero(x)
		if flags == 0 {
			return false
		}
		pause()
		if atomic.CompareAndSwapUint64(word, x, x|fp<<s.place(flags)) {
			return true
		}
	}
}

// place returns the lowest bit of the lowest flagged lane.
func (s *Shared) place(flags uint64) uint {
	return (uint(bits.TrailingZeros64(flags)) - (s.Lanes.Width - 1)) & 63
}

// A Lock is that of the classes whose fingerprints have some lowest bits. It is 1 while it is held, for some loads and
// stores, and nobody else's code runs meanwhile.
type Lock uint64

func (l *Lock) take() {
	for !l.Taken() {
		runtime.Gosched()
	}
}

// Taken takes the lock if that need not wait, and tells whether it was done.
func (l *Lock) Taken() bool { return atomic.CompareAndSwapUint64((*uint64)(l), 0, 1) }

// Free gives the lock back.
func (l *Lock) Free() { simd.Release((*uint64)(l)) }

// LockOf returns the lock of the classes with that fingerprint.
func (s *Shared) LockOf(fp uint64) *Lock { return &s.locks[fp&uint64(len(s.locks)-1)] }

// Len counts the fingerprints stored. Of inserts and deletes that run meanwhile any may be in it, and what an insert
// moves meanwhile may be missed or counted twice.
func (s *Shared) Len() int {
	words, rest, high, stored := s.Words, s.Lanes.High-s.Lanes.Low, s.Lanes.High, 0
	for k := range words {
		x := atomic.LoadUint64(&words[k])
		stored += bits.OnesCount64((x&rest + rest | x) & high)
	}
	return stored
}

// Stats returns what inserts have counted.
func (s *Shared) Stats() Stats {
	if s.done == nil {
		return Stats{}
	}
	kicks := s.passes() - s.done.others.Load()
	return Stats{Kicks: kicks, LongestPath: s.done.longest.Load(), Refusals: s.done.refusals.Load()}
}

// passes returns how often versions were raised.
func (s *Shared) passes() (n uint64) {
	for k := range s.versions {
		n += s.versions[k].Load() >> readerBits
	}
	return n
}

// Delete removes one fp from bucket i or j, its pair, and tells whether there was one.
func (s *Shared) Delete(i, j, fp uint64) bool {
	if len(s.Words) == 0 {
		return false
	}
	s.LockOf(fp).take()
	return s.Erase(i, j, fp)
}

// Erase is Delete under the lock of fp, which it gives back.
func (s *Shared) Erase(i, j, fp uint64) bool {
	defer s.LockOf(fp).Free()
	x, y := atomic.LoadUint64(&s.Words[i]), atomic.LoadUint64(&s.Words[j])
	if s.Lanes.Equal(x, fp) == 0 {
		i, x = j, y
	} else if s.Lanes.Equal(y, fp) != 0 && i != j {
		// A lookup that has missed the copy that stays, because it was inserted later, must not miss this one.
		pass(s.Version(fp))
		s.done.others.Add(1)
		pause()
	}
	for {
		flags := s.Lanes.Equal(x, fp)
		if flags == 0 { // in the first turn only, as the lock of fp is held
			return false
		}
		if atomic.CompareAndSwapUint64(&s.Words[i], x, x^fp<<s.place(flags)) {
			return true
		}
		x = atomic.LoadUint64(&s.Words[i])
	}
}

// Count returns how many fp are in buckets i and j, its pair.
func (s *Shared) Count(i, j, fp uint64) (n int) {
	if len(s.Words) == 0 {
		return 0
	}
	l := s.LockOf(fp)
	l.take()
	defer l.Free()
	n = bits.OnesCount64(s.Lanes.EqualExact(atomic.LoadUint64(&s.Words[i]), fp))
	pause()
	if i != j {
		n += bits.OnesCount64(s.Lanes.EqualExact(atomic.LoadUint64(&s.Words[j]), fp))
	}
	return n
}

// Insert stores fp in bucket i or j, its pair, and makes room if both are full. Unless it returns Stored, no class has
// more or fewer copies than before.
func (s *Shared) Insert(i, j, fp uint64) Outcome {
	if i >= uint64(len(s.Words)) || j >= uint64(len(s.Words)) {
		return NoPath // of the zero Shared
	}
	for {
		o := s.makeRoom(i, j, fp)
		if o == changed {
			if !s.fill(i, fp) && !s.fill(j, fp) {
				continue
			}
			return Stored
		}
		if o == NoPath {
			s.done.refusals.Add(1)
			if n := s.Count(i, j, fp); n == 2*int(s.lanes) || i == j && n == int(s.lanes) {
				o = Copies
			}
		}
		return o
	}
}

// InsertUnique is Insert, unless bucket i or j holds fp already, and tells whether it stored it.
func (s *Shared) InsertUnique(i, j, fp uint64) (added bool, o Outcome) {
	if len(s.Words) == 0 {
		return false, NoPath
	}
	for {
		held, full := s.fillUnique(i, j, fp)
		if held || !full {
			return !held, Stored
		}
		if o := s.makeRoom(i, j, 0); o == NoPath {
			s.done.refusals.Add(1)
			return false, NoPath
		}
	}
}

// fillUnique stores fp in a free slot of bucket i or j unless one holds it already. It tells whether one does, and
// whether there is no free slot.
func (s *Shared) fillUnique(i, j, fp uint64) (held, full bool) {
	l := s.LockOf(fp)
	l.take()
	defer l.Free()
	first := s.Lanes.Equal(atomic.LoadUint64(&s.Words[i]), fp)
	pause()
	if first|s.Lanes.Equal(atomic.LoadUint64(&s.Words[j]), fp) != 0 {
		return true, false
	}
	pause()
	return false, !s.fill(i, fp) && !s.fill(j, fp)
}

// atRest runs f while it holds every lock: nothing moves and nothing is erased.
func (s *Shared) atRest(f func()) {
	for k := range s.locks {
		s.locks[k].take()
	}
	f()
	for k := range s.locks {
		s.locks[k].Free()
	}
}

// Snapshot copies the buckets into a table of words of the same shape while nothing moves and nothing is erased, and
// returns how many fingerprints it has. One that was stored before and is not deleted until the end is in it once. Of
// inserts that run at the same time any may be in it.
func (s *Shared) Snapshot(t *packed.Table) (stored int) {
	s.atRest(func() {
		for k := range s.Words {
			x := atomic.LoadUint64(&s.Words[k])
			stored += int(s.lanes) - bits.OnesCount64(s.Lanes.ZeroExact(x))
			t.Put(8*uint64(k), x)
		}
	})
	return stored
}

// Restore fills a Shared that no other goroutine has yet with the fingerprints of a table of as many buckets, which
// have no more lanes. Each keeps its lane.
func (s *Shared) Restore(t *packed.Table) {
	for bucket := range t.Buckets() {
		for lane := range t.Lanes() {
			if fp := t.Read(bucket, lane); fp != 0 {
				s.Words[bucket] |= fp << (uint(lane) * s.Lanes.Width)
			}
		}
	}
}

// Reset empties every bucket, one after the other. Of inserts that run at the same time any may stay.
func (s *Shared) Reset() {
	s.atRest(func() {
		for k := range s.Words {
			atomic.StoreUint64(&s.Words[k], 0)
		}
		if s.done != nil {
			s.done.others.Store(s.passes())
			s.done.longest.Store(0)
			s.done.refusals.Store(0)
		}
	})
}
