package window

import "github.com/nestfilter/nest/internal/kick"

// The digest form of each verb stands here, and in key_verbs.go what follows from it.

// TouchHash remembers a key with digest h from now on, for a window. It tells whether the key was added: false if it
// was remembered already. It touches two buckets and those that it sweeps. If both are full, it searches up to 700
// buckets for a cuckoo path.
//
// The error of a new key that finds no room is [ErrFull], and that of the zero Filter [ErrConfig]; then the keys and
// their ages are as they were. Only with ForgetEarly generations may be gone, if without them Len is still Capacity or
// more. A key that is remembered is never refused. After a refusal at a load that Capacity does not promise, searches
// examine 128 buckets at most until a generation has expired, so that a stream of refusals is not slow.
func (f *Filter[F]) TouchHash(h uint64) (added bool, err error) { return f.touch(h, true) }

// InsertUniqueHash adds a key with digest h unless it is remembered already, and tells whether it did. In contrast to
// [Filter.TouchHash] the time of a key that is remembered goes on: the first of a series is what counts. The errors are
// those of TouchHash.
func (f *Filter[F]) InsertUniqueHash(h uint64) (added bool, err error) { return f.touch(h, false) }

// InsertHash is [Filter.TouchHash] for who does not ask whether the key was added.
func (f *Filter[F]) InsertHash(h uint64) error {
	_, err := f.touch(h, true)
	return err
}

// ContainsHash tells whether a key with digest h was touched within the window: always if it was, never if it was
// forgotten or never touched, except for a share of [Filter.FalsePositiveRate]. It touches two buckets.
func (t *table) ContainsHash(h uint64) bool {
	p := &t.lanes
	fp := p.Fingerprint(h)
	i, j := t.engine.Scheme.Pair(h, fp)
	if !t.single {
		return t.containsWide(i, j, fp)
	}
	lanes := &t.engine.Table
	var x, y uint64
	if whole := lanes.WholeBytes; whole != 0 {
		x, y = lanes.At(i*whole), lanes.At(j*whole)
	} else {
		x, y = lanes.Word(i), lanes.Word(j)
	}
	wanted := p.Dead | p.Low*fp
	return p.Live(x, wanted)|p.Live(y, wanted) != 0
}

// ContainsHashes writes to dst[i] what [Filter.ContainsHash] says of hs[i]. It is faster than one call each. It panics,
// as copying into an array does, if dst is shorter than hs.
func (t *table) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	for k := t.engine.ContainsAged(&t.lanes, hs, dst); k < len(hs); k++ {
		dst[k] = t.ContainsHash(hs[k])
	}
}

// TouchHashes does what [Filter.TouchHash] does with each of the digests hs in turn, until one is refused. It writes to
// added[i] whether hs[i] was added, and returns the number of digests before the refused one; added[n:] is false. The
// error is nil exactly if n = len(hs). In a table of several megabytes it is faster than one call each, because buckets
// are fetched ahead. It panics if added is shorter than hs.
func (f *Filter[F]) TouchHashes(hs []uint64, added []bool) (n int, err error) {
	return f.touchAll(hs, added[:len(hs):len(added)], true)
}

// InsertUniqueHashes is TouchHashes of [Filter.InsertUniqueHash].
func (f *Filter[F]) InsertUniqueHashes(hs []uint64, added []bool) (n int, err error) {
	return f.touchAll(hs, added[:len(hs):len(added)], false)
}

// InsertHashes is [Filter.TouchHashes] for who does not ask which keys were added.
func (f *Filter[F]) InsertHashes(hs []uint64) (n int, err error) { return f.touchAll(hs, nil, true) }

// touchAll is TouchHashes or InsertUniqueHashes. added may be nil.
func (t *table) touchAll(hs []uint64, added []bool, refresh bool) (n int, err error) {
	clear(added)
	far := kick.IsFar(t.SizeBytes())
	for n < len(hs) {
		end := min(n+kick.PrefetchAhead, len(hs))
		if far {
			t.fetch(hs[end:min(end+kick.PrefetchAhead, len(hs))])
		}
		for ; n < end; n++ {
			is, err := t.touch(hs[n], refresh)
			if err != nil {
				return n, err
			}
			if added != nil {
				added[n] = is
			}
		}
	}
	return n, nil
}

// fetch asks the memory for both buckets of up to [kick.PrefetchAhead] digests, as a new key looks at both.
func (t *table) fetch(hs []uint64) {
	var buckets [2 * kick.PrefetchAhead]uint64
	for k, h := range hs {
		_, buckets[2*k], buckets[2*k+1] = t.pair(h)
	}
	t.engine.PrefetchBuckets(buckets[:2*len(hs)])
}
