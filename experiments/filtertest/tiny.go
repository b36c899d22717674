package filtertest

// tinyCapacities is the largest capacity that the check of tiny filters tries; it tries all below.
const tinyCapacities = 64

// checkTiny fills filters of the smallest capacities, looking for every key after every insert, and
// empties them again.
func checkTiny(r *run) Finding {
	early, keys := 0, 0
	for capacity := 1; capacity <= tinyCapacities; capacity++ {
		f := r.openFor(capacity)
		var accepted []int
		for len(accepted) < capacity && f.Insert(r.key(inserted, len(accepted))) {
			accepted = append(accepted, len(accepted))
			if n := r.lost(f, accepted); n > 0 {
				return failed("capacity %d: %d of %d keys are lost", capacity, n, len(accepted))
			}
		}
		keys += len(accepted)
		if len(accepted) < capacity {
			early++
			continue // what the refusal did is for other checks
		}
		r.right(wrongLen(f, capacity), "capacity %d: %s", capacity)
		if f.Delete != nil {
			r.right(r.deleteAll(f, accepted, nil), "capacity %d: %s", capacity)
		}
	}
	out := passed("capacities 1 to %d: no key is lost, %d refuse one early", tinyCapacities, early)
	switch {
	case early > 0 && r.CapacityIsTarget:
		out.Status = Noted
	case early > 0:
		out = failed("%d of the capacities 1 to %d are refused a key early", early, tinyCapacities)
	}
	return out.counts("early keys", early, keys)
}
