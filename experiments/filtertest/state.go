package filtertest

import "slices"

// checkQueries asks a filter everything that it can be asked and looks for changes.
func checkQueries(r *run) Finding {
	f, accepted, err := r.openFilled(r.most())
	if err != nil {
		return failed("%v", err)
	}
	lost, first := r.lost(f, accepted), r.look(f)
	for i := range r.Queries {
		f.Contains(r.key(absent, i))
		if f.Count != nil {
			f.Count(r.key(absent, i))
		}
	}
	if f.Rate != nil {
		if rate := f.Rate(); !(rate >= 0 && rate <= 1) {
			return failed("the predicted rate is %v", rate)
		}
	}
	for _, ask := range []func() int{f.Len, f.Slots, f.SizeBytes} {
		if ask != nil {
			ask()
		}
	}
	if f.Clone != nil {
		f.Clone()
	}
	if n := r.lost(f, accepted) - lost; n > 0 {
		return failed("%d of %d keys are lost by queries", n, len(accepted))
	}
	var d damage
	r.compare(&d, first, r.look(f))
	if d.any() {
		return failed("queries change the filter: %v", d)
	}
	return passed("%d queries change nothing", r.Queries)
}

// checkReset compares a filter that was filled and reset with a fresh one, empty and filled again.
func checkReset(r *run) Finding {
	f, _, err := r.openFilled(r.Capacity + r.Capacity/4)
	switch {
	case err != nil:
		return failed("%v", err)
	case f.Reset == nil:
		return skipped("the filter has no Reset")
	}
	fresh, err := r.open()
	if err != nil {
		return failed("%v", err)
	}
	f.Reset()
	if wrong := wrongLen(f, 0); wrong != "" {
		return failed("after Reset %s", wrong)
	}
	if wrong := r.differ(f, fresh, r.Capacity); wrong != "" && !r.Random {
		return failed("a reset and a fresh filter: %s", wrong)
	}
	accepted := r.fill(f, 0, r.Capacity)
	r.fill(fresh, 0, r.Capacity)
	if n := r.lost(f, accepted) - r.lost(fresh, accepted); n > 0 {
		return failed("%d of %d keys are lost in a reset filter", n, len(accepted))
	}
	if wrong := r.differ(f, fresh, r.Capacity); wrong != "" && !r.Random {
		return failed("a reset and a fresh filter, filled alike: %s", wrong)
	}
	return passed("a reset filter is like a fresh one")
}

// checkClone changes a filter and its clone in turn and looks for effects on the other.
func checkClone(r *run) Finding {
	half := r.most() / 2
	f, accepted, err := r.openFilled(half)
	switch {
	case err != nil:
		return failed("%v", err)
	case f.Clone == nil:
		return skipped("the filter has no Clone")
	}
	c := f.Clone()
	if c == nil || c.Insert == nil || c.Contains == nil {
		return failed("Clone returned no filter")
	}
	if wrong := r.differ(f, c, half); wrong != "" {
		return failed("a filter and its clone: %s", wrong)
	}
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
		var d damage
		r.compare(&d, before, r.look(turn.other))
		if d.any() {
			return failed("%s changes the other: %v", turn.name, d)
		}
	}
	return passed("a filter and its clone share nothing")
}

// checkDeterminism fills two filters alike, beyond their capacity, and compares them.
func checkDeterminism(r *run) Finding {
	const sixth = 6
	f, g, accepted, err := r.openPair(r.Capacity + r.Capacity/sixth)
	if err != nil {
		return failed("%v", err)
	}
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
