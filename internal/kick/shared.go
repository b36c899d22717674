package kick

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/nestfilter/nest/internal/invariants"
	"github.com/nestfilter/nest/internal/memory"
	"github.com/nestfilter/nest/internal/packed"
)

// Shared is a table of fingerprints that any number of goroutines ask and change at once. Every bucket is one word
// (packed.NewWords), which is read and written with package sync/atomic only.
//
//   - An insert into a free slot is a compare-and-swap of the word. It takes no lock.
//   - What moves or erases a fingerprint, or has to see a class at rest, takes the locks of both of its buckets: kicks, deletes,
//     counts and unique inserts.
//   - A lookup takes no lock and waits for nobody.
//
// A class is an unordered pair of buckets and a fingerprint. Contains, Delete, Count and InsertUnique are linearizable for each
// class, and so is an insert that is not refused. What follows is why; docs/DESIGN.md has the proof.
//
// A move copies a fingerprint to its other bucket, adds one to the version that the fingerprint has, and erases the fingerprint
// from the first bucket, in this order. A lookup that finds nothing in its two words believes that only if the version was the
// same before and after. Then every copy that was made before the lookup was made before the first load, and every erasure of a
// move that began later comes after the last one: a fingerprint that is there all the time is in the bucket where it was
// at the beginning. The version says when the copy is complete, not when the move begins or ends, so one increment for a
// move is enough, and a lookup need not wait for a move under way. Words that are read twice and compared would not do: a
// fingerprint that moves there and back leaves them as they were.
//
// The same happens without a move if one of two copies of a class is deleted and the other one was inserted meanwhile. So a
// delete that leaves a copy in the other bucket adds one to the version before it erases.
//
// A lookup that has seen the version change [tries] times adds itself to the lowest bits of the version, its readers. While there
// are any, no move passes: a mover waits. So the lookup then ends after one more look.
type Shared struct {
	// Scheme pairs the buckets. Its Buckets are 0 of the zero Shared, which is empty and takes nothing.
	Scheme Scheme
	// Lanes is the arithmetic of a bucket's word.
	Lanes packed.Lanes
	// Words are the buckets.
	Words []uint64

	versions *[versions]atomic.Uint64
	locks    []sync.Mutex // a power of two of them
	stored   *memory.Counter
	done     *sharedStats
	plans    *sync.Pool // of *search
	lanes    uint
	patience int // how often a lookup tries before it asks moves to wait
}

const (
	// versions is the number of versions: 4 KiB of them, which stay in the first-level cache. Fingerprints are spread evenly, so
	// the version of one is that of its lowest bits. It could be that of a pair of buckets as well, but the smaller of two
	// buckets takes a branch that nobody foresees.
	versions = 512
	// maxLocks is the largest number of locks, 8 KiB.
	maxLocks = 1024
	// readerBits are the lowest bits of a version, which count the lookups that moves wait for: fewer than 2^24 at once. The other 40
	// bits count moves. A lookup could be wrong if it were interrupted while exactly a multiple of 2^40 moves pass, hours of
	// nothing else.
	readerBits  = 24
	readersMask = 1<<readerBits - 1
	onePass     = 1 << readerBits

	// tries is how many looks a lookup takes before it asks moves to wait.
	tries = 3
)

// sharedStats are the Stats of a Shared.
type sharedStats struct{ kicks, longest, refusals atomic.Uint64 }

// Init makes s an empty table with lanes of that width, for a scheme and at most limit full buckets examined for an insert.
// It allocates all that is ever needed but the memory of searches, one for each that runs at a time. A Shared must not be
// copied afterwards.
func (s *Shared) Init(width uint, scheme Scheme, limit int) {
	lanes := packed.WordLanes(width)
	limit = int(min(uint64(limit), scheme.Buckets))
	locks := 1 << bits.Len64(min(scheme.Buckets, maxLocks)-1)
	*s = Shared{
		Scheme: scheme, Lanes: packed.NewLanes(width, lanes), Words: memory.Words(int(scheme.Buckets)),
		versions: new([versions]atomic.Uint64), locks: make([]sync.Mutex, locks), stored: new(memory.Counter), done: new(sharedStats),
		plans: &sync.Pool{New: func() any { p := newSearch(limit); return &p }},
		lanes: lanes, patience: tries,
	}
}

// Version returns the version of the classes with that fingerprint.
func (s *Shared) Version(fp uint64) *atomic.Uint64 { return &s.versions[fp%versions] }

// Unchanged tells whether no move has passed between two loads of a version.
func Unchanged(before, after uint64) bool {
	return before>>readerBits == after>>readerBits
}

// Between is called between the loads of a lookup, for tests.
func Between() { pause() }

// has tells whether bucket i or j holds fp, each in one load.
func (s *Shared) has(i, j, fp uint64) bool {
	if i >= uint64(len(s.Words)) || j >= uint64(len(s.Words)) {
		return false
	}
	wanted := s.Lanes.Spread(fp)
	x := atomic.LoadUint64(&s.Words[i]) ^ wanted
	pause()
	y := atomic.LoadUint64(&s.Words[j]) ^ wanted
	return s.Lanes.Zero(x)|s.Lanes.Zero(y) != 0
}

// Contains tells whether fp is in bucket i or j, which must be its pair. It takes no lock.
func (s *Shared) Contains(i, j, fp uint64) bool {
	if s.versions == nil {
		return false
	}
	v := s.Version(fp)
	for range s.patience {
		before := v.Load()
		pause()
		if s.has(i, j, fp) {
			return true
		}
		pause()
		if Unchanged(before, v.Load()) {
			return false
		}
	}
	v.Add(1)
	defer v.Add(^uint64(0))
	before := v.Load()
	pause()
	if s.has(i, j, fp) {
		return true
	}
	if invariants.Enabled && !Unchanged(before, v.Load()) {
		panic("kick: a move passed a lookup that it has to wait for")
	}
	return false
}

// pass adds one to a version, as soon as there are no readers.
func pass(v *atomic.Uint64) {
	for {
		old := v.Load()
		if old&readersMask != 0 {
			runtime.Gosched()
			continue
		}
		if v.CompareAndSwap(old, old+onePass) {
			return
		}
	}
}

// fill stores fp in the lowest free slot of a bucket, if there is one.
func (s *Shared) fill(bucket, fp uint64) bool {
	if bucket >= uint64(len(s.Words)) {
		return false
	}
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

// erase removes fp from a bucket that has it and whose lock is held, so that it stays there meanwhile.
func (s *Shared) erase(bucket, fp uint64) bool {
	word := &s.Words[bucket]
	for {
		x := atomic.LoadUint64(word)
		flags := s.Lanes.Equal(x, fp)
		if flags == 0 {
			return false // only without the lock
		}
		pause()
		if atomic.CompareAndSwapUint64(word, x, x^fp<<s.place(flags)) {
			return true
		}
	}
}

// lock takes the locks of two buckets, in the order of their numbers. Of buckets that share a lock it takes that once.
func (s *Shared) lock(i, j uint64) {
	i, j = s.ordered(i, j)
	s.locks[i].Lock()
	if i != j {
		s.locks[j].Lock()
	}
}

// unlock gives back what lock took.
func (s *Shared) unlock(i, j uint64) {
	i, j = s.ordered(i, j)
	if i != j {
		s.locks[j].Unlock()
	}
	s.locks[i].Unlock()
}

// ordered returns the numbers of the locks of two buckets, the lower one first.
func (s *Shared) ordered(i, j uint64) (low, high uint64) {
	last := uint64(len(s.locks) - 1)
	i, j = i&last, j&last
	return min(i, j), max(i, j)
}

// count adds to Len.
func (s *Shared) count(bucket uint64, n int64) { s.stored.Add(bucket, n) }

// Len returns the number of fingerprints stored. Operations that end while it counts may or may not be in it.
func (s *Shared) Len() int {
	if s.stored == nil {
		return 0
	}
	return int(max(s.stored.Sum(), 0))
}

// Stats returns what inserts have counted.
func (s *Shared) Stats() Stats {
	if s.done == nil {
		return Stats{}
	}
	return Stats{Kicks: s.done.kicks.Load(), LongestPath: s.done.longest.Load(), Refusals: s.done.refusals.Load()}
}

// Delete removes one fp from bucket i or j, its pair, and tells whether there was one.
func (s *Shared) Delete(i, j, fp uint64) bool {
	if len(s.Words) == 0 {
		return false
	}
	s.lock(i, j)
	defer s.unlock(i, j)
	first := s.Lanes.Equal(atomic.LoadUint64(&s.Words[i]), fp) != 0
	pause()
	second := i != j && s.Lanes.Equal(atomic.LoadUint64(&s.Words[j]), fp) != 0
	pause()
	switch {
	case first && second:
		// A lookup that has missed the copy that stays, because it was inserted later, must not miss this one.
		pass(s.Version(fp))
		pause()
	case second:
		i = j
	case !first:
		return false
	}
	if s.erase(i, fp) {
		s.count(i, -1)
	}
	return true
}

// Count returns how many fp are in buckets i and j, its pair.
func (s *Shared) Count(i, j, fp uint64) (n int) {
	if len(s.Words) == 0 {
		return 0
	}
	s.lock(i, j)
	defer s.unlock(i, j)
	n = bits.OnesCount64(s.Lanes.EqualExact(atomic.LoadUint64(&s.Words[i]), fp))
	pause()
	if i != j {
		n += bits.OnesCount64(s.Lanes.EqualExact(atomic.LoadUint64(&s.Words[j]), fp))
	}
	return n
}

// Insert stores fp in bucket i or j, its pair, and makes room if both are full. Unless it returns Stored, no class has more or
// fewer copies than before.
func (s *Shared) Insert(i, j, fp uint64) Outcome {
	if s.fill(i, fp) || s.fill(j, fp) {
		s.count(i, 1)
		return Stored
	}
	return s.kick(i, j, fp)
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

// fillUnique stores fp in a free slot of bucket i or j unless one holds it already. It tells whether one does, and whether there is no
// free slot.
func (s *Shared) fillUnique(i, j, fp uint64) (held, full bool) {
	s.lock(i, j)
	defer s.unlock(i, j)
	if s.has(i, j, fp) {
		return true, false
	}
	pause()
	if s.fill(i, fp) || s.fill(j, fp) {
		s.count(i, 1)
		return false, false
	}
	return false, true
}

// lockAll takes every lock: nothing moves and nothing is erased until unlockAll.
func (s *Shared) lockAll() {
	for k := range s.locks {
		s.locks[k].Lock()
	}
}

// unlockAll gives back what lockAll took.
func (s *Shared) unlockAll() {
	for k := range s.locks {
		s.locks[k].Unlock()
	}
}

// Snapshot copies the buckets into a table of words of the same shape while nothing moves and nothing is erased, and returns how many
// fingerprints it has. One that was stored before and is not deleted until the end is in it once. Of inserts that run at the
// same time any may be in it.
func (s *Shared) Snapshot(t *packed.Table) (stored int) {
	s.lockAll()
	defer s.unlockAll()
	for k := range s.Words {
		x := atomic.LoadUint64(&s.Words[k])
		stored += s.used(x)
		t.Put(8*uint64(k), x)
	}
	return stored
}

// Restore fills a Shared that no other goroutine has yet with the fingerprints of a table of as many buckets, which have no more lanes.
func (s *Shared) Restore(t *packed.Table) {
	for bucket := range t.Buckets() {
		for lane := range t.Lanes() {
			if fp := t.Read(bucket, lane); fp != 0 {
				s.fill(bucket, fp)
				s.count(bucket, 1)
			}
		}
	}
}

// used returns how many lanes of a word are not empty.
func (s *Shared) used(x uint64) int { return int(s.lanes) - bits.OnesCount64(s.Lanes.ZeroExact(x)) }

// Reset empties every bucket, one after the other. Of inserts that run at the same time any may stay.
func (s *Shared) Reset() {
	s.lockAll()
	defer s.unlockAll()
	for k := range s.Words {
		x := atomic.SwapUint64(&s.Words[k], 0)
		s.count(uint64(k), -int64(s.used(x)))
	}
	if s.done != nil {
		s.done.kicks.Store(0)
		s.done.longest.Store(0)
		s.done.refusals.Store(0)
	}
}
