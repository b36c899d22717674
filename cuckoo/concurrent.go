package cuckoo

import (
	"sync/atomic"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// Concurrent is a cuckoo filter that any number of goroutines use at once, inserts and deletes included. Its fingerprints have as
// many bits as the array type F has elements, 8 to 32. Make one with [NewConcurrent], or of the keys of a filter with
// [Filter.Concurrent]. The zero Concurrent is empty and takes no keys.
//
// A lookup takes no lock and waits for nobody. An insert that finds a free slot takes no lock either. Deletes, counts, inserts that
// have to kick and unique inserts take the lock of a fingerprint, one of 512, for as long as they move or compare a few
// fingerprints. An insert that kicks, or a delete of one of two copies, can wait for a lookup, if moves of others have
// made that lookup start again three times.
//
// Every verb happens at one moment between its call and its return, as far as answers about one class tell: [Concurrent.ContainsHash]
// does not deny a key while an insert moves its fingerprint or while another copy of it is deleted, no copy is counted or
// deleted twice, and of several goroutines that insert a new key with InsertUnique one is told that it has added it. Batches are
// not one operation but as many as they have digests.
//
// The table has the layout [Words]: a bucket is a word, and b follows from the width. So bits per item, and the rate at the same
// width, differ from those of a [Filter] of 4 slots: at 16 bits both are equal, at 12 bits b is 5. docs/CHOOSING.md
// compares the two, and says when a Filter behind a sync.RWMutex will do.
//
// Config, Slots, SizeBytes and the digests that a verb makes of keys never change, unless UnmarshalBinary or ReadFrom replace the
// filter: these two need it to themselves. A Concurrent must not be copied.
type Concurrent[F fingerprint.Width] struct {
	shared kick.Shared
	base
	fixed
}

// NewConcurrent returns an empty filter. It allocates the table, 8 bytes for each bucket, and some 16 KiB for locks and counters.
// Inserts that kick allocate a search of about 16 KiB for each that runs at a time, and use it again.
//
// Of the fields of Config, Layout is Packed, the zero value, or Words, which both stand for Words; BucketSize is 0 or the b of
// that width; Kick is nil or BreadthFirst; and Seed is 0, as nothing here is random. The error is [ErrConfig], which names each field that is
// wrong, also for fingerprints of fewer than 8 bits, or [ErrTooLarge] if the table is beyond Config.MaxBytes.
func NewConcurrent[F fingerprint.Width](c Config) (*Concurrent[F], error) {
	c, err := c.resolveConcurrent(fingerprint.WidthOf[F]())
	if err != nil {
		return nil, err
	}
	f := new(Concurrent[F])
	f.init(c)
	return f, nil
}

// ContainsHash tells whether a key with digest h may have been inserted. It never says no of a key
// that is in the filter; it says yes of others at the rate that [Concurrent.FalsePositiveRate]
// predicts. It touches two buckets and changes nothing.
func (f *Concurrent[F]) ContainsHash(h uint64) bool {
	// There is no call in what follows, and the next try begins with the digest: so there is no frame. What stands where
	// kick.Shared says why.
	for tries := f.shared.Patience; ; tries-- {
		s := &f.shared
		w := fingerprint.WidthOf[F]()
		fp := fingerprint.Of(h, widthOfWords(s, w))
		i, j := s.Scheme.Pair(h, fp)
		words := s.Words
		if i >= uint64(len(words)) || j >= uint64(len(words)) {
			return false // of the zero Concurrent
		}
		low, high := s.Lanes.Low, s.Lanes.High
		if w != 0 {
			low, high = wordLow(w), wordLow(w)<<(w-1)
		}
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

// wordLow returns a word with the lowest bit of every lane set: a constant where the width is one.
func wordLow(width uint) uint64 { return ^uint64(0) >> (64 % width) / (1<<width - 1) }

// place returns the pair of buckets and the fingerprint of a digest.
func (f *Concurrent[F]) place(h uint64) (i, j, fp uint64) {
	s := &f.shared
	fp = fingerprint.Of(h, widthOfWords(s, fingerprint.WidthOf[F]()))
	i, j = s.Scheme.Pair(h, fp)
	return i, j, fp
}

// InsertHash adds a key with digest h. If a slot of its two buckets is free, it touches no more than
// those. If both are full, it searches for a shortest cuckoo path, examining at most Config.MaxKicks buckets.
//
// If there is none, InsertHash returns [ErrFull], and no answer and no count are other than before. Equal keys are stored once for each
// insert. So the copy after 2*b (b where the buckets coincide) is ErrFull at any load, and so is a different key of the same
// class. Other goroutines can fill the slots that one has found free. Then it searches again.
//
// Small integers are no digests: their high bits, which choose the bucket, are all 0. hashing.Mix makes
// digests of integers. The error for the zero Concurrent is [ErrConfig].
func (f *Concurrent[F]) InsertHash(h uint64) error {
	i, j, fp := f.place(h)
	return f.outcome(f.shared.Insert(i, j, fp))
}

// outcome returns the error of an insert.
func (f *Concurrent[F]) outcome(o kick.Outcome) error {
	switch {
	case o == kick.Stored:
		return nil
	case f.config.Buckets == 0:
		return errUnmade
	}
	return outcome(o)
}

// InsertUniqueHash adds a key with digest h unless the filter contains it already. It returns true
// if it was added, false and no error if Contains says yes, which refuses a new key at the
// false-positive rate, and [ErrFull] as [Concurrent.InsertHash] does. Of goroutines that call it at the same time for one key
// that is not in the filter, one is told true. An InsertHash of that key at the same time counts as later.
//
// Do not use it for keys that you will delete, as [Filter.InsertUniqueHash] explains.
func (f *Concurrent[F]) InsertUniqueHash(h uint64) (bool, error) {
	if f.ContainsHash(h) {
		return false, nil
	}
	i, j, fp := f.place(h)
	added, o := f.shared.InsertUnique(i, j, fp)
	return added, f.outcome(o)
}

// DeleteHash removes one copy of a key with digest h and tells whether there was one. It touches two
// buckets.
//
// Delete only keys that were inserted, and not by InsertUnique, as [Filter.DeleteHash] explains.
func (f *Concurrent[F]) DeleteHash(h uint64) bool {
	i, j, fp := f.place(h)
	return f.shared.Delete(i, j, fp)
}

// CountHash returns how many fingerprints of the class of digest h are stored: at least the number
// of times a key with that digest was inserted and not deleted, and more where other keys share its
// class. It touches two buckets; a pair that coincides is counted once.
func (f *Concurrent[F]) CountHash(h uint64) int {
	i, j, fp := f.place(h)
	return f.shared.Count(i, j, fp)
}

// ContainsHashes writes to dst[k] what [Concurrent.ContainsHash] says of hs[k]. It is faster than one call each, because the cache
// misses of many lookups overlap. It panics, as copying into an array does, if dst is shorter than hs.
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

// containsBlock is ContainsHashes of the first of up to chunk digests, as many as a vector kernel answers. What it misses is
// believed if no move of that fingerprint has passed since before the kernel began, and else asked again.
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

// InsertHashes inserts the digests hs in order, as [Concurrent.InsertHash] does, until one is refused.
// It returns how many were inserted: hs[:n] are in the filter and hs[n:] are not. The error is nil
// exactly if n = len(hs). In a table of several megabytes it is faster than one call each, because buckets are fetched ahead.
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

// InsertUniqueHashes does what [Concurrent.InsertUniqueHash] does with each of the digests hs in turn, until
// one is refused. It writes to added[k] whether hs[k] was added, and returns the number of digests before
// the refused one; none of hs[n:] was added, and added[n:] is false. The error is nil exactly if n = len(hs).
// It panics, as copying into an array does, if added is shorter than hs.
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

// DeleteHashes deletes each of the digests hs as [Concurrent.DeleteHash] does and returns how many
// were found and deleted.
func (f *Concurrent[F]) DeleteHashes(hs []uint64) (n int) {
	for _, h := range hs {
		if f.DeleteHash(h) {
			n++
		}
	}
	return n
}

var _ = inlinedShared

// inlinedShared uses every function that the verbs of Concurrent want inlined, in code that is not generic: see inlined.
func inlinedShared(s *kick.Shared, h uint64) bool {
	fp := fingerprint.Of(h, 12)
	i, j := s.Scheme.Pair(h, fp)
	version := s.Version(fp)
	before := version.Load()
	version.Add(0)
	kick.Between()
	return i == j || kick.Unchanged(before, version.Load())
}
