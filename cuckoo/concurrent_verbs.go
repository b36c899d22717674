package cuckoo

import (
	"sync/atomic"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// ContainsHash tells whether a key with digest h may have been inserted, as [Filter.ContainsHash] does.
func (f *Concurrent[F]) ContainsHash(h uint64) bool {
	// There is no call in what follows, and the next try begins with the digest: so there is no frame. What stands
	// where kick.Shared says why.
	for tries := f.shared.Patience; ; tries-- {
		s := &f.shared
		w := fingerprint.WidthOf[F]()
		fp := fingerprint.Of(h, widthOfWords(s, w))
		i, j := s.Scheme.Pair(h, fp)
		words := s.Words
		if i >= uint64(len(words)) || j >= uint64(len(words)) {
			return false // of the zero Concurrent
		}
		low, high := lanesOfWords(s, w)
		version := s.Version(fp)
		if tries == 0 {
			version.Add(1) // from now on moves wait
		}
		before := version.Load()
		kick.Between()
		x := atomic.LoadUint64(&words[i]) ^ low*fp
		kick.Between()
		y := atomic.LoadUint64(&words[j]) ^ low*fp
		found := ((x-low)&^x|(y-low)&^y)&high != 0
		kick.Between()
		// Whether it is found cannot be foreseen, that no move has passed can: so the version is loaded in any case.
		passed := !kick.Unchanged(before, version.Load())
		if tries <= 0 {
			version.Add(^uint64(0))
			return found
		}
		if !passed || found {
			return found
		}
	}
}

// widthOfWords returns the width of the fingerprints, given that of the type.
func widthOfWords(s *kick.Shared, ofType uint) uint {
	if ofType != 0 {
		return ofType
	}
	return s.Lanes.Width
}

// lanesOfWords returns the lowest and the highest bit of every lane: constants where the width is that of the type.
func lanesOfWords(s *kick.Shared, ofType uint) (low, high uint64) {
	if ofType == 0 {
		return s.Lanes.Low, s.Lanes.High
	}
	low = ^uint64(0) >> (64 % ofType) / (1<<ofType - 1)
	return low, low << (ofType - 1)
}

// place returns the pair of buckets and the fingerprint of a digest. It is too large to be inlined, so the verbs that are
// to have no call have it written out.
func (f *Concurrent[F]) place(h uint64) (i, j, fp uint64) {
	s := &f.shared
	fp = fingerprint.Of(h, widthOfWords(s, fingerprint.WidthOf[F]()))
	i, j = s.Scheme.Pair(h, fp)
	return i, j, fp
}

// InsertHash adds a key with digest h, as [Filter.InsertHash] does and with the same errors. After [ErrFull], no answer
// and no count are other than before. Other goroutines can fill the slots that one has found free: then it searches
// again.
func (f *Concurrent[F]) InsertHash(h uint64) error {
	s := &f.shared
	w := fingerprint.WidthOf[F]()
	fp := fingerprint.Of(h, widthOfWords(s, w))
	i, j := s.Scheme.Pair(h, fp)
	words, top := s.Words, widthOfWords(s, w)-1
	if i >= uint64(len(words)) || j >= uint64(len(words)) {
		return errUnmade
	}
	low, high := lanesOfWords(s, w)
	x, at := atomic.LoadUint64(&words[i]), i
	free := (x - low) &^ x & high
	if x>>32 != 0 {
		// Half full or more: the key goes where more room is, which saves two kicks of five. The compiler makes moves of
		// it, not branches.
		y := atomic.LoadUint64(&words[j])
		other := (y - low) &^ y & high
		if rest(y, other) < rest(x, free) {
			x, at, free = y, j, other
		}
	}
	kick.Between()
	if free != 0 && atomic.CompareAndSwapUint64(&words[at], x, x|fp*(free&-free>>(top&63))) {
		return nil
	}
	return f.outcome(s.Insert(i, j, fp))
}

// InsertUniqueHash adds a key with digest h unless the filter contains it already, as [Filter.InsertUniqueHash] does,
// which also says why not to use it for keys that you will delete. Of goroutines that call it at the same time for one
// key that is not in the filter, one is told true. An InsertHash of that key at the same time counts as later.
func (f *Concurrent[F]) InsertUniqueHash(h uint64) (bool, error) {
	if f.ContainsHash(h) {
		return false, nil
	}
	i, j, fp := f.place(h)
	added, o := f.shared.InsertUnique(i, j, fp)
	return added, f.outcome(o)
}

// DeleteHash removes one copy of a key with digest h and tells whether there was one. It touches two buckets. Delete
// only keys that were inserted, and not by InsertUnique, as [Filter.DeleteHash] explains.
func (f *Concurrent[F]) DeleteHash(h uint64) bool {
	s := &f.shared
	w := fingerprint.WidthOf[F]()
	fp := fingerprint.Of(h, widthOfWords(s, w))
	i, j := s.Scheme.Pair(h, fp)
	words, top := s.Words, widthOfWords(s, w)-1
	if i >= uint64(len(words)) || j >= uint64(len(words)) {
		return false // of the zero Concurrent
	}
	low, high := lanesOfWords(s, w)
	// No load overtakes a locked operation, so the lane is looked for before the lock is taken, and both words are looked
	// at again under it.
	x, y := atomic.LoadUint64(&words[i]), atomic.LoadUint64(&words[j])
	lock := s.LockOf(fp)
	kick.Between()
	if !lock.Taken() {
		return s.Delete(i, j, fp)
	}
	d, e := x^low*fp, y^low*fp
	flags, other := (d-low)&^d&high, (e-low)&^e&high
	if min(flags, other) != 0 { // one branch that is foreseen, not two of which the first is not
		return s.Erase(i, j, fp)
	}
	// All ones where the first bucket has none: which of the two has it nobody foresees.
	second := uint64(int64(^flags&(flags-1)) >> 63)
	at, away := i^(i^j)&second, j^(i^j)&second
	x, y = x^(x^y)&second, y^(x^y)&second
	flags |= other
	kick.Between()
	if flags == 0 || atomic.LoadUint64(&words[away]) != y ||
		!atomic.CompareAndSwapUint64(&words[at], x, x^fp*(flags&-flags>>(top&63))) {
		return s.Erase(i, j, fp)
	}
	lock.Free()
	return true
}

// CountHash returns how many fingerprints of the class of digest h are stored, as [Filter.CountHash] does.
func (f *Concurrent[F]) CountHash(h uint64) int {
	i, j, fp := f.place(h)
	return f.shared.Count(i, j, fp)
}

// ContainsHashes writes to dst[k] what [Concurrent.ContainsHash] says of hs[k], as [Filter.ContainsHashes] does.
func (f *Concurrent[F]) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	for len(hs) >= fewDigests {
		n := f.containsBlock(hs[:min(chunk, len(hs))], dst)
		if n == 0 {
			break
		}
		hs, dst = hs[n:], dst[n:]
	}
	for k, h := range hs {
		dst[k] = f.ContainsHash(h)
	}
}

// containsBlock is ContainsHashes of the first of up to chunk digests, as many as a vector kernel answers. What it
// misses is believed if no move of that fingerprint has passed since before the kernel began, and else asked again.
func (f *Concurrent[F]) containsBlock(hs []uint64, dst []bool) (answered int) {
	s := &f.shared
	if !s.HasKernel() {
		return 0
	}
	width := widthOfWords(s, fingerprint.WidthOf[F]())
	var before [chunk]uint64
	for k, h := range hs {
		before[k&(chunk-1)] = s.Version(fingerprint.Of(h, width)).Load()
	}
	answered = s.Look(hs, dst)
	for k, h := range hs[:answered] {
		if !dst[k] && !kick.Unchanged(before[k&(chunk-1)], s.Version(fingerprint.Of(h, width)).Load()) {
			dst[k] = f.ContainsHash(h)
		}
	}
	return answered
}

// InsertHashes inserts the digests hs in order until one is refused, and returns how many were inserted, as
// [Filter.InsertHashes] does.
func (f *Concurrent[F]) InsertHashes(hs []uint64) (n int, err error) {
	far := kick.IsFar(f.SizeBytes())
	for n < len(hs) {
		end := min(n+kick.PrefetchAhead, len(hs))
		if far {
			f.shared.Prefetch(hs[end:min(end+kick.PrefetchAhead, len(hs))])
		}
		for ; n < end; n++ {
			if err := f.InsertHash(hs[n]); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// InsertUniqueHashes does what [Concurrent.InsertUniqueHash] does with each of the digests hs in turn, and returns what
// [Filter.InsertUniqueHashes] does. It is as fast as one call each.
func (f *Concurrent[F]) InsertUniqueHashes(hs []uint64, added []bool) (n int, err error) {
	added = added[:len(hs):len(added)]
	for n, h := range hs {
		if added[n], err = f.InsertUniqueHash(h); err != nil {
			clear(added[n:])
			return n, err
		}
	}
	return len(hs), nil
}

// DeleteHashes deletes each of the digests hs as [Concurrent.DeleteHash] does and returns how many were found.
func (f *Concurrent[F]) DeleteHashes(hs []uint64) (n int) {
	for _, h := range hs {
		if f.DeleteHash(h) {
			n++
		}
	}
	return n
}

var _ = inlinedShared

// inlinedShared is inlined for the verbs of a Concurrent.
func inlinedShared(s *kick.Shared, h uint64) bool {
	fp := fingerprint.Of(h, 12)
	i, j := s.Scheme.Pair(h, fp)
	version := s.Version(fp)
	before := version.Load()
	version.Add(0)
	kick.Between()
	lock := s.LockOf(fp)
	if lock.Taken() {
		lock.Free()
	}
	return i == j || kick.Unchanged(before, version.Load())
}

// rest is smaller for the word with more room: lanes are filled from the lowest on, so it is mostly the smaller number.
// Without a free lane it is the largest one.
func rest(x, free uint64) uint64 { return x | uint64(int64(^free&(free-1))>>63) }
