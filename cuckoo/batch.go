package cuckoo

import (
	"fmt"
	"runtime"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// InsertHashes inserts the digests hs in order, as [Filter.InsertHash] does, until one is refused. It returns how many
// were inserted: hs[:n] are in the filter and hs[n:] are not. The error is nil exactly if n = len(hs). In a table of
// several megabytes it is faster than one call each, because buckets are fetched ahead; of 8 MiB or more [Build] is
// faster still.
func (f *Filter[F]) InsertHashes(hs []uint64) (n int, err error) {
	far := kick.IsFar(f.SizeBytes())
	for n < len(hs) {
		end := min(n+kick.PrefetchAhead, len(hs))
		if far {
			f.engine.Prefetch(hs[end:min(end+kick.PrefetchAhead, len(hs))])
		}
		for ; n < end; n++ {
			if err := f.InsertHash(hs[n]); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// InsertUniqueHashes does what [Filter.InsertUniqueHash] does with each of the digests hs in turn, until one is
// refused. It writes to added[i] whether hs[i] was added, and returns the number of digests before the refused one;
// none of hs[n:] was added, and added[n:] is false. The error is nil exactly if n = len(hs). It is faster than one call
// each, because the cache misses of many lookups overlap. It panics, as copying into an array does, if added is shorter
// than hs.
func (f *Filter[F]) InsertUniqueHashes(hs []uint64, added []bool) (n int, err error) {
	return insertUnique(hs, added, f.insertUniqueChunk)
}

// insertUniqueChunk is InsertUniqueHashes of up to chunk digests. What the lookup finds ahead of the inserts stays
// found. Repetitions within hs it misses, and InsertUniqueHash does not.
func (f *Filter[F]) insertUniqueChunk(hs []uint64, added []bool) (n int, err error) {
	f.ContainsHashes(hs, added)
	for k, h := range hs {
		if added[k] {
			added[k] = false
			continue
		}
		if added[k], err = f.InsertUniqueHash(h); err != nil {
			return k, err
		}
	}
	return len(hs), nil
}

// chunk is how many digests are looked up together where more than one step follows: enough for their cache misses to
// overlap, few enough for the stack.
const chunk = 128

// insertUnique is InsertUniqueHashes of a filter that does it with up to chunk digests. None after a refused one
// was added, whatever some and the caller have written there.
func insertUnique(hs []uint64, added []bool, some func(hs []uint64, added []bool) (int, error)) (n int, err error) {
	added = added[:len(hs):len(added)] // the third index: spare capacity is not room
	for len(hs) > 0 {
		part := min(chunk, len(hs))
		done, err := some(hs[:part], added[:part])
		n += done
		if err != nil {
			clear(added[done:])
			return n, err
		}
		hs, added = hs[part:], added[part:]
	}
	return n, nil
}

// ContainsHashes writes to dst[i] what [Filter.ContainsHash] says of hs[i]. It is faster than one call each, because
// the cache misses of neighbouring digests overlap. It panics, as copying into an array does, if dst is shorter than
// hs.
func (f *reader[F]) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	answered := f.engine.Contains(hs, dst)
	hs, dst = hs[answered:], dst[answered:]
	t, s, w := &f.engine.Table, &f.engine.Scheme, fingerprint.WidthOf[F]()
	if t.Layout != packed.Word { // where slots are paired, the kernel has answered most
		for k, h := range hs {
			dst[k] = f.ContainsHash(h)
		}
		return
	}
	for k, h := range hs {
		fp := fingerprint.Of(h, widthIn(t, w))
		i, j := s.Pair(h, fp)
		if isQuad(t, w) {
			dst[k] = quadOf(t, w).has(t, i, j, fp)
		} else {
			dst[k] = wordEqual(t, i, fp)|wordEqual(t, j, fp) != 0
		}
	}
}

// DeleteHashes deletes each of the digests hs in order, as [Filter.DeleteHash] does, and returns how many were found
// and deleted. It is faster than one call each, because the cache misses of neighbouring digests overlap.
func (f *Filter[F]) DeleteHashes(hs []uint64) (n int) {
	for len(hs) >= fewDigests && f.engine.Locates() {
		located, deleted := f.deleteLocated(hs[:min(chunk, len(hs))])
		hs = hs[located:]
		n += deleted
	}
	far := kick.IsFar(f.SizeBytes())
	for k, h := range hs {
		if far && k%kick.PrefetchAhead == 0 {
			f.engine.PrefetchPairs(hs[k:min(k+kick.PrefetchAhead, len(hs))])
		}
		if f.DeleteHash(h) {
			n++
		}
	}
	return n
}

// fewDigests is the number of digests below which it takes longer to clear the memory of deleteLocated than it saves.
const fewDigests = 16

// deleteLocated is DeleteHashes of the first of fewDigests to chunk digests, as many as it returns, more than half. A
// vector kernel finds all of their fingerprints before the first is deleted. Deletes only empty lanes: a fingerprint
// that was not there then is not there later, and one that is no longer there was found for an earlier digest of the
// same class.
func (f *Filter[F]) deleteLocated(hs []uint64) (located, deleted int) {
	var at, lanes [chunk]uint64
	located = f.engine.Locate(hs, at[:], lanes[:])
	t, again := &f.engine.Table, 0
	for k, lane := range lanes[:located] {
		if x := t.At(at[k]); x&lane != 0 {
			t.Put(at[k], x&^lane)
			deleted++
		} else if lane != 0 && f.DeleteHash(hs[k]) {
			again++
		}
	}
	f.len -= deleted // once: from one digest to the next it would go through memory
	return located, deleted + again
}

// Build returns a filter of the configuration that holds the digests hs, each as often as it occurs. In tables of 8 MiB
// and more that takes 0.4 to 1 times as long as [Filter.InsertHashes] (AMD EPYC, 12 bits). Between 2 and 8 MiB one core
// takes up to 1.7 times as long, and two cores 0.6 to 1.3 times; smaller tables, and those of other policies than
// BreadthFirst, are filled by InsertHashes itself.
//
// Build uses as many goroutines as GOMAXPROCS says, and some 4 bytes of scratch memory for each digest, 16 MiB at
// least. It inserts in an order of its own, so the table can differ from one that InsertHashes fills. Equal arguments
// give equal tables on every machine. [Stats] counts the kicks.
//
// The errors are those of [New], and [ErrFull], with the number of digests that were inserted, if they do not fit.
func Build[F fingerprint.Width](c Config, hs []uint64) (*Filter[F], error) {
	f, err := New[F](c)
	if err != nil {
		return nil, err
	}
	var n int
	if f.config.Kick == BreadthFirst && f.SizeBytes() >= kick.FarTable {
		var o kick.Outcome
		n, o = f.engine.InsertBulk(hs, runtime.GOMAXPROCS(0))
		f.len, err = n, outcome(o)
	} else {
		n, err = f.InsertHashes(hs)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %d of %d digests were inserted", err, n, len(hs))
	}
	return f, nil
}
