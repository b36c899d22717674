package maplet

import (
	"iter"

	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/simd"
)

// InsertHashes inserts the pairs of the digests hs and the values vs in order, as [Map.InsertHash] does, until one is
// refused. It returns how many were inserted; the error is nil exactly if n = len(hs). If hs and vs have different
// lengths the error is [ErrConfig], and nothing was inserted. In a table of several megabytes it is faster than one
// call each.
func (m *Map[F]) InsertHashes(hs, vs []uint64) (n int, err error) {
	if len(hs) != len(vs) {
		return 0, errBatch
	}
	for n < len(hs) {
		for end := m.fetch(hs, n); n < end; n++ {
			if err := m.insert(hs[n], vs[n]); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// LookupHashes returns the candidates of all digests hs, each with the index of its digest, in order. In a table of
// several megabytes it is faster than one call each, because the cache misses of neighbouring digests overlap. What is
// said of [Map.LookupHash] holds.
func (t *table) LookupHashes(hs []uint64) iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) { t.visitAll(hs, yield) }
}

// ContainsHashes writes to dst[i] what [Map.ContainsHash] says of hs[i]. In a table of several megabytes it is faster
// than one call each. It panics, as copying into an array does, if dst is shorter than hs.
func (t *table) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	var g group
	for from := 0; from < len(hs); from += len(g) {
		some := hs[from:min(from+len(g), len(hs))]
		t.gather(some, &g)
		for k := range some {
			dst[from+k] = t.find(g[k].i, g[k].j, g[k].fp) != 0
		}
	}
}

// DeleteHashes deletes the pairs of the digests hs and the values vs as [Map.DeleteHash] does, and returns how many
// were found and deleted. It panics if vs is shorter than hs.
func (m *Map[F]) DeleteHashes(hs, vs []uint64) (deleted int) {
	vs = vs[:len(hs):len(vs)] // the third index: spare capacity is not room
	for n := 0; n < len(hs); {
		for end := m.fetch(hs, n); n < end; n++ {
			if m.remove(hs[n], vs[n]) {
				deleted++
			}
		}
	}
	return deleted
}

// fetch returns the end of the next few digests from n on. In a large table it asks the memory for the primary buckets
// of those that come after them.
func (t *table) fetch(hs []uint64, n int) (end int) {
	end = min(n+kick.PrefetchAhead, len(hs))
	if kick.IsFar(t.SizeBytes()) {
		ahead := hs[end:min(end+kick.PrefetchAhead, len(hs))]
		var at [kick.PrefetchAhead]uint64
		for k, h := range ahead {
			_, i, _ := t.pair(h)
			at[k] = t.engine.Table.Offset(i)
		}
		simd.Prefetch(t.engine.Table.Data(), at[:len(ahead)])
	}
	return end
}

// A group is some digests with their fingerprints and buckets.
type group [kick.PrefetchAhead]struct{ fp, i, j uint64 }

// gather computes what is known of up to kick.PrefetchAhead digests, and asks the memory for both buckets of each.
func (t *table) gather(hs []uint64, g *group) {
	var primary, alternate [kick.PrefetchAhead]uint64
	for k, h := range hs {
		fp, i, j := t.pair(h)
		g[k].fp, g[k].i, g[k].j = fp, i, j
		primary[k], alternate[k] = t.engine.Table.Offset(i), t.engine.Table.Offset(j)
	}
	if kick.IsFar(t.SizeBytes()) {
		simd.Prefetch(t.engine.Table.Data(), primary[:len(hs)])
		simd.Prefetch(t.engine.Table.Data(), alternate[:len(hs)])
	}
}

// visitAll yields the candidates of digests, as [Map.LookupHashes] has them.
func (t *table) visitAll(hs []uint64, yield func(int, uint64) bool) {
	var g group
	for from := 0; from < len(hs); from += len(g) {
		some := hs[from:min(from+len(g), len(hs))]
		t.gather(some, &g)
		for k := range some {
			d := &g[k]
			for found := t.find(d.i, d.j, d.fp); found != 0; found &= found - 1 {
				if !yield(from+k, t.value(d.i, d.j, found)) {
					return
				}
			}
		}
	}
}
