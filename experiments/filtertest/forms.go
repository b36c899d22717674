package filtertest

import "slices"

// batchSizes are the lengths of batches: none, one, and both sides of what loops are unrolled to.
var batchSizes = []int{0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 200}

// checkBatches compares the digest verbs with each other: batches with single calls on a filter of
// the same content, and digests with keys.
func checkBatches(r *run) Finding {
	f := r.open()
	r.need(f.Hashes != nil, "the filter takes no digests")
	g := r.open()
	r.insertBatches(f, g)
	r.containsBatches(f)
	r.deleteBatches(f, g)
	r.digestOfKeys(f)
	return passed("batches of 0 to %d digests do what single calls do", batchSizes[len(batchSizes)-1])
}

// digests returns numbers from..from+n-1 of a stream.
func (r *run) digests(stream, from, n int) []uint64 {
	hs := make([]uint64, n)
	for i := range hs {
		hs[i] = r.digest(stream, from+i)
	}
	return hs
}

// insertBatches inserts digests into f in batches and into g one by one, refused ones included.
func (r *run) insertBatches(f, g *Filter) {
	if f.Hashes.InsertAll == nil {
		return
	}
	refusals := 0
	for at, k := 0, 0; at < 2*r.Capacity && refusals < r.Refusals; k++ {
		hs := r.digests(inserted, at, batchSizes[k%len(batchSizes)])
		got := f.Hashes.InsertAll(hs)
		want := 0
		for want < len(hs) && g.Hashes.Insert(hs[want]) {
			want++
		}
		if got != want {
			r.fail("InsertAll says %d of %d digests where single calls insert %d", got, len(hs), want)
		}
		at += want
		if want < len(hs) {
			refusals++
			at++ // the one that was refused
		}
	}
	r.alike(f, g, r.Queries, "after InsertAll and single calls: %s")
}

// containsBatches asks in batches for digests of which half were inserted.
func (r *run) containsBatches(f *Filter) {
	if f.Hashes.ContainsAll == nil {
		return
	}
	const spare = 3
	for k, n := range batchSizes {
		hs := append(r.digests(inserted, 50*k, n/2), r.digests(absent, 50*k, n-n/2)...)
		for _, before := range []bool{false, true} {
			dst := slices.Repeat([]bool{before}, n+spare)
			f.Hashes.ContainsAll(hs, dst)
			for i, got := range dst {
				want := before // beyond the batch
				if i < n {
					want = f.Hashes.Contains(hs[i])
				}
				if got != want {
					r.fail("ContainsAll says %v at %d of %d digests, the single call %v", got, i, n, want)
				}
			}
		}
	}
}

// deleteBatches deletes digests from f in batches and from g one by one. Both may hold digests
// that were never inserted to them; that the two agree is all that is asked.
func (r *run) deleteBatches(f, g *Filter) {
	if f.Hashes.DeleteAll == nil || f.Hashes.Delete == nil || f.Hashes.InsertAll == nil {
		return
	}
	for k, n := range batchSizes {
		hs := r.digests(inserted, 200*k, n)
		want := 0
		for _, h := range hs {
			if g.Hashes.Delete(h) {
				want++
			}
		}
		if got := f.Hashes.DeleteAll(hs); got != want && !r.Random {
			r.fail("DeleteAll says %d of %d digests, single calls %d", got, n, want)
		}
	}
	r.alike(f, g, r.Queries, "after DeleteAll and single calls: %s")
}

// digestOfKeys checks that a key and its digest get one answer.
func (r *run) digestOfKeys(f *Filter) {
	if f.Hashes.Digest == nil {
		return
	}
	r.fill(f, 0, r.most())
	for i := range r.Queries {
		for _, stream := range []int{inserted, absent} {
			key := r.key(stream, i)
			if byDigest := f.Hashes.Contains(f.Hashes.Digest(key)); byDigest != f.Contains(key) {
				r.fail("Contains says %v of a digest and %v of its key", byDigest, !byDigest)
			}
		}
	}
}

// checkStrings does the same with strings to one filter and with bytes to another.
func checkStrings(r *run) Finding {
	f := r.open()
	s := f.Strings
	r.need(s != nil, "the filter takes no strings")
	g := r.open()
	insert := func(i int) bool { return f.Insert(r.key(inserted, i)) }
	if s.Insert != nil {
		insert = func(i int) bool { return s.Insert(r.text(inserted, i)) }
	}
	for i := range r.Capacity + r.Capacity/4 {
		if insert(i) != g.Insert(r.key(inserted, i)) && !r.Random {
			return failed("Insert of a string and of its bytes disagree at key %d", i)
		}
	}
	for i := range r.Capacity + r.Capacity/4 {
		for _, stream := range []int{inserted, absent} {
			key, text := r.key(stream, i), r.text(stream, i)
			if s.Contains != nil && s.Contains(text) != f.Contains(key) {
				return failed("Contains of a string and of its bytes disagree")
			}
			if s.Count != nil && f.Count != nil && s.Count(text) != f.Count(key) {
				return failed("Count of a string and of its bytes disagree")
			}
		}
	}
	if s.Delete != nil && g.Delete != nil && !r.Random {
		// Both are asked to delete refused keys too, and must do the same.
		for i := range r.Capacity / 2 {
			if s.Delete(r.text(inserted, i)) != g.Delete(r.key(inserted, i)) {
				return failed("Delete of a string and of its bytes disagree at key %d", i)
			}
		}
	}
	r.alike(f, g, r.Capacity, "after the same with strings and with bytes: %s")
	return passed("strings do what their bytes do")
}
