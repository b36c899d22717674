package filtertest

import "slices"

// checkQueries asks a filter everything that it can be asked and looks for changes.
func checkQueries(r *run) Finding {
	f, accepted := r.openFilled(r.most())
	lost, first := r.lost(f, accepted), r.look(f)
	for i := range r.Queries {
		f.Contains(r.key(absent, i))
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
	r.unchanged(f, first, "queries change the filter: %s")
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
		before := r.look(turn.other)
		mine := append(slices.Clone(accepted), r.fill(turn.changed, turn.from, turn.from+half)...)
		if n := r.lost(turn.changed, mine); n > 0 {
			return failed("%s loses %d of its %d keys", turn.name, n, len(mine))
		}
		if turn.changed.Reset != nil {
			turn.changed.Reset()
		}
		r.unchanged(turn.other, before, "%s changes the other: %s", turn.name)
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
