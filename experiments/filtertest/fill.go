package filtertest

import (
	"fmt"
	"strings"
)

// fillLimit is how many times its capacity a filter is offered that does not refuse.
const fillLimit = 4

// checkCapacity offers as many keys as announced, and then more up to the first refusal.
func checkCapacity(r *run) Finding {
	f, first, refused := r.open(), -1, 0
	for i := 0; i < r.Capacity || first < 0 && i < fillLimit*r.Capacity; i++ {
		if f.Insert(r.key(inserted, i)) {
			continue
		}
		if first < 0 {
			first = i
		}
		if i < r.Capacity {
			refused++
		}
	}
	if first < 0 {
		return passed("%d keys are taken and none is refused", fillLimit*r.Capacity)
	}
	out := passed("first refusal after %d keys of %d", first, r.Capacity).counts("first-refusal refused", first, refused)
	if f.Slots != nil {
		load := float64(first) / float64(f.Slots())
		out.Evidence += fmt.Sprintf(", at load factor %.3f", load)
		out = out.with("load-at-first-refusal", load)
	}
	switch {
	case refused > 0 && r.CapacityIsTarget:
		out.Status = Noted
	case refused > 0:
		out.Status = Failed
		out.Evidence += "; " + thousands(refused) + " are refused"
	}
	return out
}

// checkFilling looks for every key again and again while the filter fills up to its capacity or its
// first refusal.
func checkFilling(r *run) Finding {
	f, step := r.open(), max(1, r.Capacity/32)
	var accepted []int
	for i := range r.Capacity {
		if !f.Insert(r.key(inserted, i)) {
			// What the refusal did to the others is for other checks.
			return passed("no key is lost among %d before the first refusal", len(accepted))
		}
		accepted = append(accepted, i)
		r.right(wrongLen(f, len(accepted)), "%s")
		if len(accepted)%step != 0 && i != r.Capacity-1 {
			continue
		}
		if n := r.lost(f, accepted); n > 0 {
			return failed("%d of %d accepted keys are lost, with none refused", n, len(accepted)).counts("lost accepted", n,
				len(accepted))
		}
	}
	return passed("no key is lost among %d", len(accepted))
}

// sampled is the number of accepted keys looked for after a refused insert.
const sampled = 64

// checkOverfilling inserts far beyond the capacity, looks for some accepted keys after each refusal
// and for all of them in the end.
func checkOverfilling(r *run) (out Finding) {
	f := r.open()
	var accepted []int
	refusals, firstLoss, next := 0, 0, 0
	for i := 0; i < fillLimit*r.Capacity && refusals < r.Refusals; i++ {
		if f.Insert(r.key(inserted, i)) {
			accepted = append(accepted, i)
			continue
		}
		refusals++
		for range min(sampled, len(accepted)) {
			next = (next + 1) % len(accepted)
			if firstLoss == 0 && !f.Contains(r.key(inserted, accepted[next])) {
				firstLoss = refusals
			}
		}
	}
	n := r.lost(f, accepted)
	switch {
	case n > 0:
		out = failed("%d of %d accepted keys are lost after %d refusals", n, len(accepted), refusals)
	case firstLoss > 0:
		out = failed("a key was lost for a while, after refusal %d", firstLoss)
	default:
		out = passed("no key is lost among %d accepted, after %d refusals", len(accepted), refusals)
	}
	return out.counts("lost accepted refusals", n, len(accepted), refusals)
}

// probes is the number of absent keys whose answers a refused insert must not change.
const probes = 128

// damage counts what refused inserts changed.
type damage struct {
	refusals, keptKeys, lens, counts, states, answers int
}

// String lists the damage; it is empty if there is none.
func (d damage) String() string {
	var parts []string
	add := func(n int, format string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, thousands(n)))
		}
	}
	add(d.keptKeys, "%s of the refused keys are found that were not before")
	add(d.lens, "Len changed %s times")
	add(d.counts, "Count of the key changed %s times")
	add(d.states, "the table changed %s times")
	add(d.answers, "%s answers to other absent keys changed")
	return strings.Join(parts, ", ")
}

// A view is what can be seen of a filter from outside, to be compared with a later one.
type view struct {
	len     int
	state   any
	answers [probes]bool
}

func (r *run) look(f *Filter) (v view) {
	if f.Len != nil {
		v.len = f.Len()
	}
	if f.State != nil {
		v.state = f.State()
	}
	for i := range v.answers {
		v.answers[i] = f.Contains(r.key(absent, i))
	}
	return v
}

// count counts what happened.
func count(n *int, happened bool) {
	if happened {
		*n++
	}
}

// compare adds to d what differs between two views.
func (r *run) compare(d *damage, before, after view) {
	count(&d.lens, before.len != after.len)
	count(&d.states, before.state != nil && !r.sameState(before.state, after.state))
	for i := range before.answers {
		count(&d.answers, before.answers[i] != after.answers[i])
	}
}

// unchanged ends the check, with the format and the damage, if the filter does not look as before.
func (r *run) unchanged(f *Filter, before view, format string, args ...any) {
	var d damage
	r.compare(&d, before, r.look(f))
	r.right(d.String(), format, args...)
}

// A witness offers keys to a filter and compares everything that can be seen before and after each
// refusal.
type witness struct {
	*run
	f      *Filter
	d      damage
	before view
	seen   bool // a key was refused
	fresh  bool // before is up to date
}

// offer inserts key i and tells whether it was accepted.
func (w *witness) offer(i int) bool {
	// Views cost more than inserts, so they are taken from the first refusal on.
	if w.seen && !w.fresh {
		w.before, w.fresh = w.look(w.f), true
	}
	had, copies := w.f.Contains(w.key(inserted, i)), w.count(i)
	if w.f.Insert(w.key(inserted, i)) {
		w.fresh = false
		return true
	}
	w.d.refusals++
	count(&w.d.keptKeys, !had && w.f.Contains(w.key(inserted, i)))
	count(&w.d.counts, w.count(i) != copies)
	if w.fresh {
		after := w.look(w.f)
		w.compare(&w.d, w.before, after)
		w.before = after
	}
	w.seen = true
	return false
}

// count returns what the filter counts of an inserted key, 0 if it does not count.
func (w *witness) count(i int) int {
	if w.f.Count == nil {
		return 0
	}
	return w.f.Count(w.key(inserted, i))
}

// refusedCopies is how many copies of one key are offered after the first that is refused.
const refusedCopies = 8

// checkRefusal watches refusals of too many copies of a key, in a filter that is not full, and then
// of new keys in one that is.
func checkRefusal(r *run) Finding {
	w := witness{run: r, f: r.open()}
	next := 0
	for ; next < r.background(); next++ {
		w.offer(next)
	}
	for range r.Capacity / 4 {
		if !w.offer(next) && w.d.refusals >= refusedCopies {
			break
		}
	}
	for ; next < fillLimit*r.Capacity && w.d.refusals < r.Refusals+refusedCopies; next++ {
		w.offer(next)
	}
	return r.judgeRefusals(w.d)
}

func (r *run) judgeRefusals(d damage) (out Finding) {
	switch {
	case d.refusals == 0:
		out = skipped("none of %d keys is refused", fillLimit*r.Capacity)
		if out.Status = map[Full]Status{MayRefuse: Skipped, Refuses: Failed, Absorbs: Passed}[r.Full]; r.Full == MayRefuse {
			return out
		}
	case r.Full == Absorbs:
		out = failed("%d keys are refused by a filter that should take any number", d.refusals)
	case d.String() != "":
		out = failed("after %d refused inserts: %v", d.refusals, d)
	default:
		out = passed("%d refused inserts change nothing", d.refusals)
	}
	return out.counts("refusals kept-keys table-changes answer-changes", d.refusals, d.keptKeys, d.states, d.answers)
}

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
