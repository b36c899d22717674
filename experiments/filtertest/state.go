package filtertest

import "slices"

// checkQueries asks a filter everything that it can be asked and looks for changes.
func checkQueries(r *run) Finding {
	f, accepted := r.openFilled(r.most())
	lost, first := r.lost(f, accepted), r.glance(f)
	r.found(f, absent, r.Queries)
	for i := range r.Queries {
		if f.Count != nil {
			f.Count(r.key(absent, i))
		}
	}
	if f.Rate != nil {
		r.predicted(f)
	}
	for _, ask := range []func() int{f.Len, f.Slots, f.SizeBytes} {
		if ask != nil {
			ask()
		}
	}
	if f.Clone != nil {
		f.Clone()
	}
	r.keeps(f, accepted, lost, "%d of %d keys are lost by queries")
	r.right(first.differ(r.glance(f)), "queries change the filter: %s")
	return passed("%d queries change nothing", r.Queries)
}

// checkReset compares a filter that was filled and reset with a fresh one, empty and filled again.
func checkReset(r *run) Finding {
	f, _ := r.openFilled(r.Capacity + r.Capacity/4)
	r.need(f.Reset != nil, "the filter has no Reset")
	fresh := r.open()
	f.Reset()
	r.right(wrongLen(f, 0), "after Reset %s")
	r.alike(f, fresh, r.Capacity, "a reset and a fresh filter: %s")
	accepted := r.fill(f, 0, r.Capacity)
	r.fill(fresh, 0, r.Capacity)
	r.keeps(f, accepted, r.lost(fresh, accepted), "%d of %d keys are lost in a reset filter")
	r.alike(f, fresh, r.Capacity, "a reset and a fresh filter, filled alike: %s")
	return passed("a reset filter is like a fresh one")
}

// checkClone changes a filter and its clone in turn and looks for effects on the other.
func checkClone(r *run) Finding {
	half := r.most() / 2
	f, accepted := r.openFilled(half)
	r.need(f.Clone != nil, "the filter has no Clone")
	c := f.Clone()
	if c == nil || c.Insert == nil || c.Contains == nil {
		return failed("Clone returned no filter")
	}
	r.right(r.differ(f, c, half), "a filter and its clone: %s")
	for _, turn := range []struct {
		name           string
		changed, other *Filter
		from           int
	}{{"changing the filter", f, c, half}, {"changing the clone", c, f, 2 * half}} {
		before := r.glance(turn.other)
		mine := append(slices.Clone(accepted), r.fill(turn.changed, turn.from, turn.from+half)...)
		if n := r.lost(turn.changed, mine); n > 0 {
			return failed("%s loses %d of its %d keys", turn.name, n, len(mine))
		}
		if turn.changed.Reset != nil {
			turn.changed.Reset()
		}
		r.right(before.differ(r.glance(turn.other)), "%s changes the other: %s", turn.name)
	}
	return passed("a filter and its clone share nothing")
}

// checkDeterminism fills two filters alike, beyond their capacity, and compares them.
func checkDeterminism(r *run) Finding {
	const sixth = 6
	n := r.Capacity + r.Capacity/sixth
	f, accepted := r.openFilled(n)
	g, _ := r.openFilled(n)
	if f.Delete != nil {
		for _, i := range accepted[:len(accepted)/sixth] {
			f.Delete(r.key(inserted, i))
			g.Delete(r.key(inserted, i))
		}
	}
	wrong := r.differ(f, g, r.Capacity+r.Queries)
	switch {
	case wrong == "":
		return passed("two filters filled alike are alike")
	case r.Random:
		return noted("two filters filled alike: %s", wrong)
	}
	return failed("two filters filled alike: %s", wrong)
}

// batchSizes are the lengths of batches: none, one, and both sides of what loops are unrolled to.
var batchSizes = []int{0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 200}

// checkBatches compares the digest verbs with each other: batches with single calls on a filter of the same content,
// and digests with keys.
func checkBatches(r *run) Finding {
	f, g := r.open(), r.open()
	h := f.Hashes
	r.need(h != nil, "the filter takes no digests")
	if h.InsertAll != nil {
		r.insertBatches(f, g)
	}
	if h.ContainsAll != nil {
		r.containsBatches(h)
	}
	if h.InsertAll != nil && h.DeleteAll != nil && h.Delete != nil {
		r.deleteBatches(f, g)
	}
	if h.Digest != nil {
		r.fill(f, 0, r.most())
		for i := range 2 * r.Queries {
			key := r.either(i)
			if yes := h.Contains(h.Digest(key)); yes != f.Contains(key) {
				return failed("Contains says %v of a digest and %v of its key", yes, !yes)
			}
		}
	}
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
	refusals := 0
	for at, k := 0, 0; at < 2*r.Capacity && refusals < r.Refusals; k++ {
		hs, want := r.digests(inserted, at, batchSizes[k%len(batchSizes)]), 0
		for want < len(hs) && g.Hashes.Insert(hs[want]) {
			want++
		}
		if got := f.Hashes.InsertAll(hs); got != want {
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

// containsBatches asks in batches for digests of which half were inserted. What stands in dst before does not matter,
// and stays there behind the batch.
func (r *run) containsBatches(h *Hashes) {
	for k, n := range batchSizes {
		hs := append(r.digests(inserted, 50*k, n/2), r.digests(absent, 50*k, n-n/2)...)
		for _, before := range []bool{false, true} {
			dst := slices.Repeat([]bool{before}, n+3)
			h.ContainsAll(hs, dst)
			for i, got := range dst {
				if want := i < n && h.Contains(hs[i]) || i >= n && before; got != want {
					r.fail("ContainsAll says %v at %d of %d digests, the single call %v", got, i, n, want)
				}
			}
		}
	}
}

// deleteBatches deletes digests from f in batches and from g one by one. Both may hold digests that were never
// inserted to them; that the two agree is all that is asked.
func (r *run) deleteBatches(f, g *Filter) {
	for k, n := range batchSizes {
		hs, want := r.digests(inserted, 200*k, n), 0
		for _, h := range hs {
			count(&want, g.Hashes.Delete(h))
		}
		if got := f.Hashes.DeleteAll(hs); got != want && !r.Random {
			r.fail("DeleteAll says %d of %d digests, single calls %d", got, n, want)
		}
	}
	r.alike(f, g, r.Queries, "after DeleteAll and single calls: %s")
}

// checkStrings does the same with strings to one filter and with bytes to another.
func checkStrings(r *run) Finding {
	f, g := r.open(), r.open()
	s := f.Strings
	r.need(s != nil, "the filter takes no strings")
	agree := func(verb string, ofString, ofBytes any) {
		if ofString != ofBytes {
			r.fail("%s of a string and of its bytes disagree", verb)
		}
	}
	n := r.Capacity + r.Capacity/4
	for i := range n {
		key := r.key(inserted, i)
		insert := func(text string) bool { return f.Insert([]byte(text)) }
		if s.Insert != nil {
			insert = s.Insert
		}
		if yes, want := insert(string(key)), g.Insert(key); !r.Random {
			agree("Insert", yes, want)
		}
	}
	for i := range 2 * n {
		key := r.either(i)
		if s.Contains != nil {
			agree("Contains", s.Contains(string(key)), f.Contains(key))
		}
		if s.Count != nil && f.Count != nil {
			agree("Count", s.Count(string(key)), f.Count(key))
		}
	}
	if s.Delete != nil && g.Delete != nil && !r.Random {
		for i := range r.Capacity / 2 { // refused keys too
			agree("Delete", s.Delete(string(r.key(inserted, i))), g.Delete(r.key(inserted, i)))
		}
	}
	r.alike(f, g, r.Capacity, "after the same with strings and with bytes: %s")
	return passed("strings do what their bytes do")
}
