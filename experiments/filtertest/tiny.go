package filtertest

// tinyCapacities is the largest capacity that the check of tiny filters tries; it tries all below.
const tinyCapacities = 64

// checkTiny fills filters of the smallest capacities, looking for every key after every insert, and
// empties them again.
func checkTiny(r *run) Finding {
	early, keys := 0, 0
	for capacity := 1; capacity <= tinyCapacities; capacity++ {
		f, err := r.openFor(capacity)
		if err != nil {
			return failed("%v", err)
		}
		var accepted []int
		for len(accepted) < capacity {
			next := len(accepted)
			if !f.Insert(r.key(inserted, next)) {
				early++
				break
			}
			accepted = append(accepted, next)
			if n := r.lost(f, accepted); n > 0 {
				return failed("capacity %d: %d of %d keys are lost", capacity, n, len(accepted))
			}
		}
		keys += len(accepted)
		if len(accepted) < capacity {
			continue // what the refusal did is for other checks
		}
		if wrong := wrongLen(f, capacity); wrong != "" {
			return failed("capacity %d: %s", capacity, wrong)
		}
		if f.Delete == nil {
			continue
		}
		if wrong := r.deleteAll(f, accepted, nil); wrong != "" {
			return failed("capacity %d: %s", capacity, wrong)
		}
	}
	out := passed("capacities 1 to %d: no key is lost, %d refuse one early", tinyCapacities, early)
	if early > 0 {
		out.Status = Noted
		if !r.CapacityIsTarget {
			out = failed("%d of the capacities 1 to %d are refused a key early", early, tinyCapacities)
		}
	}
	return out.with("early", float64(early)).with("keys", float64(keys))
}
