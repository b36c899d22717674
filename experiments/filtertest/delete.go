package filtertest

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// checkDelete deletes every second key and then the rest, and looks for those that remain.
func checkDelete(r *run) Finding {
	f, accepted := r.openDeleter(r.most())
	hits := r.found(f, absent, r.Queries)
	var halves [2][]int
	for j, i := range accepted {
		halves[j%2] = append(halves[j%2], i)
	}
	slices.Reverse(halves[1]) // the other direction
	r.right(r.deleteAll(f, halves[0], halves[1]), "%s")
	r.right(r.deleteAll(f, halves[1], nil), "%s")
	left := len(accepted) - r.lost(f, accepted)
	if exceeds(left, len(accepted), hits, r.Queries, r.FalseAlarm) {
		return failed("%d of %d deleted keys are still found", left, len(accepted))
	}
	return passed("%d keys are deleted, and those that remain are found", len(accepted)).counts("still-found", left)
}

// deleteAll deletes keys in order, looks every now and then for those that must remain, and says
// what is wrong.
func (r *run) deleteAll(f *Filter, keys, others []int) string {
	// What was lost before any delete is for other checks.
	before, denied := r.lost(f, keys)+r.lost(f, others), 0
	step := max(1, len(keys)/16)
	for j, i := range keys {
		count(&denied, !f.Delete(r.key(inserted, i)))
		if (j+1)%step != 0 && j != len(keys)-1 {
			continue
		}
		if n := r.lost(f, keys[j+1:]) + r.lost(f, others) - before; n > 0 {
			return fmt.Sprintf("deleting %s keys loses %s of %s others", thousands(j+1), thousands(n),
				thousands(len(keys)-j-1+len(others)))
		}
	}
	if denied > before {
		return fmt.Sprintf("Delete says no to %s of %s keys that were inserted", thousands(denied), thousands(len(keys)))
	}
	return wrongLen(f, len(others))
}

// maxCopies is how often the check of operations inserts one key.
const maxCopies = 3

// oracle holds exactly how often each of the keys 0..len-1 is in the filter.
type oracle struct {
	copies  []int
	total   int
	present []int // the keys with copies, and where each stands in there
	place   []int
}

// add changes the number of copies of key i by 1 or -1.
func (o *oracle) add(i, by int) {
	o.copies[i] += by
	o.total += by
	switch {
	case by > 0 && o.copies[i] == 1:
		o.place[i] = len(o.present)
		o.present = append(o.present, i)
	case by < 0 && o.copies[i] == 0:
		last := o.present[len(o.present)-1]
		o.present[o.place[i]], o.place[last] = last, o.place[i]
		o.present = o.present[:len(o.present)-1]
	}
}

// checkOperations makes random inserts and deletes, duplicates included, against an exact multiset.
func checkOperations(r *run) Finding {
	f, _ := r.openDeleter(0)
	rng := rand.New(rand.NewPCG(r.Seed, 0))
	keys := max(1, r.Capacity/2)
	o := &oracle{copies: make([]int, keys), place: make([]int, keys)}
	copies := maxCopies
	if r.Set {
		copies = 1
	}
	operations := 8 * r.Capacity
	for op := range operations {
		r.right(r.operate(f, o, rng, copies), "operation %d: %s", op+1)
		if (op+1)%r.Capacity == 0 {
			r.keeps(f, o.present, 0, "%d of %d present keys are lost after %d operations", op+1)
		}
	}
	for len(o.present) > 0 {
		i := o.present[0]
		o.add(i, -1)
		if !f.Delete(r.key(inserted, i)) {
			return failed("Delete says no to a present key in the end")
		}
	}
	r.right(wrongLen(f, 0), "after deleting everything %s")
	return passed("%d inserts and deletes agree with an exact multiset", operations)
}

// operate makes one random operation on filter and oracle and says what is wrong.
func (r *run) operate(f *Filter, o *oracle, rng *rand.Rand, copies int) string {
	i := rng.IntN(len(o.copies))
	if len(o.present) > 0 && (rng.IntN(2) == 0 || o.total >= r.most()) {
		i = o.present[rng.IntN(len(o.present))]
		if !f.Delete(r.key(inserted, i)) {
			return "Delete says no to a present key"
		}
		o.add(i, -1)
	} else if o.copies[i] < copies && f.Insert(r.key(inserted, i)) {
		o.add(i, 1)
	}
	if o.copies[i] > 0 && !f.Contains(r.key(inserted, i)) {
		return fmt.Sprintf("a key with %d copies is not found", o.copies[i])
	}
	if f.Count != nil {
		if n := f.Count(r.key(inserted, i)); n < o.copies[i] && (f.CountLimit == 0 || n < f.CountLimit) {
			return fmt.Sprintf("Count is %d for a key with %d copies", n, o.copies[i])
		}
	}
	return wrongLen(f, o.total)
}

// checkAbsentDelete deletes keys that the filter says it does not contain, which must do nothing.
func checkAbsentDelete(r *run) Finding {
	f, accepted := r.openDeleter(r.most())
	lost, before := r.lost(f, accepted), r.look(f)
	deleted, asked := 0, 0
	for i := range r.Queries {
		if f.Contains(r.key(absent, i)) {
			continue
		}
		asked++
		count(&deleted, f.Delete(r.key(absent, i)))
	}
	if deleted > 0 {
		return failed("Delete says yes to %d of %d keys that Contains denied", deleted, asked)
	}
	r.keeps(f, accepted, lost, "%d of %d keys are lost by deletes of absent keys")
	r.unchanged(f, before, "deletes of absent keys change the filter: %s")
	return passed("%d deletes of absent keys do nothing", asked)
}

// background is the number of other keys in a filter when copies of one key go in and out.
func (r *run) background() int { return r.Capacity / 4 }

// openForCopies returns a filter with some keys in it for the checks of duplicates.
func (r *run) openForCopies() (*Filter, []int) {
	f, others := r.openDeleter(r.background())
	r.need(!r.Set, "the filter holds a key once")
	return f, others
}

// checkDuplicates inserts keys 2 to 9 times and deletes them as often as they were accepted.
func checkDuplicates(r *run) Finding {
	f, others := r.openForCopies()
	refused, keys := 0, max(1, min(16, r.Capacity/64))
	for times := 2; times <= 9; times++ {
		for i := range keys {
			accepted, wrong := r.inAndOut(f, r.Capacity+times*keys+i, times)
			r.right(wrong, "a key inserted %d times: %s", times)
			refused += times - accepted
		}
		r.keeps(f, others, 0, "%d of %d other keys are lost with keys inserted %d times", times)
	}
	r.right(wrongLen(f, len(others)), "after deleting all duplicates %s")
	return passed("2 to 9 copies are deleted one by one; %d copies were refused", refused).counts("refused", refused)
}

// inAndOut inserts key i some times, up to the first refusal, and deletes every accepted copy. It
// looks for the key as long as a copy is left, and says what is wrong.
func (r *run) inAndOut(f *Filter, i, times int) (accepted int, wrong string) {
	for accepted < times && f.Insert(r.key(inserted, i)) {
		accepted++
	}
	for deleted := range accepted {
		if !f.Contains(r.key(inserted, i)) {
			return accepted, fmt.Sprintf("after %s inserts and %s deletes it is not found", thousands(accepted),
				thousands(deleted))
		}
		if !f.Delete(r.key(inserted, i)) {
			return accepted, fmt.Sprintf("Delete says no to copy %s of %s", thousands(deleted+1), thousands(accepted))
		}
	}
	return accepted, ""
}

// saturating are numbers of copies beyond counters of 4, 8 and 16 bits.
var saturating = []int{20, 300, 70_000}

// checkSaturation inserts a key more often than a counter can count and deletes it one by one. The
// filter may refuse copies, and it may forget how many there were; it must not forget the key.
func checkSaturation(r *run) Finding {
	f, others := r.openForCopies()
	most := 0
	for k, times := range saturating {
		accepted, wrong := r.inAndOut(f, r.Capacity+k, times)
		r.right(wrong, "a key inserted %d times: %s", times)
		r.keeps(f, others, 0, "%d of %d other keys are lost by a key inserted %d times", times)
		most = max(most, accepted)
	}
	return passed("a key is found until its last of %d accepted copies is deleted", most).counts("copies", most)
}
