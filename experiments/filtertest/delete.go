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
	return passed("%d keys are deleted, and those that remain are found", len(accepted))
}

// deleteAll deletes keys in order, looks every now and then for those that must remain, and says what is wrong.
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
			return english.Sprintf("deleting %d keys loses %d of %d others", j+1, n, len(keys)-j-1+len(others))
		}
	}
	if denied > before {
		return english.Sprintf("Delete says no to %d of %d keys that were inserted", denied, len(keys))
	}
	return wrongLen(f, len(others))
}

// maxCopies is how often the check of operations inserts one key.
const maxCopies = 3

// oracle holds exactly which copies of keys are in the filter.
type oracle struct {
	held   []int // the numbers of keys, one for each copy
	copies map[int]int
}

// checkOperations makes random inserts and deletes, duplicates included, against an exact multiset.
func checkOperations(r *run) Finding {
	f, _ := r.openDeleter(0)
	rng := rand.New(rand.NewPCG(r.Seed, 0))
	o := &oracle{copies: map[int]int{}}
	copies := maxCopies
	if r.Set {
		copies = 1
	}
	operations := 8 * r.Capacity
	for op := range operations {
		r.right(r.operate(f, o, rng, copies), "operation %d: %s", op+1)
		if (op+1)%r.Capacity == 0 {
			r.keeps(f, o.held, 0, "%d of %d present keys are lost after %d operations", op+1)
		}
	}
	for _, i := range o.held {
		if !f.Delete(r.key(inserted, i)) {
			return failed("Delete says no to a present key in the end")
		}
	}
	r.right(wrongLen(f, 0), "after deleting everything %s")
	return passed("%d inserts and deletes agree with an exact multiset", operations)
}

// operate makes one random operation on filter and oracle and says what is wrong.
func (r *run) operate(f *Filter, o *oracle, rng *rand.Rand, copies int) string {
	i := rng.IntN(max(1, r.Capacity/2))
	if len(o.held) > 0 && (rng.IntN(2) == 0 || len(o.held) >= r.most()) {
		place := rng.IntN(len(o.held))
		i = o.held[place]
		if !f.Delete(r.key(inserted, i)) {
			return "Delete says no to a present key"
		}
		last := len(o.held) - 1
		o.held[place], o.held = o.held[last], o.held[:last]
		o.copies[i]--
	} else if o.copies[i] < copies && f.Insert(r.key(inserted, i)) {
		o.held = append(o.held, i)
		o.copies[i]++
	}
	if o.copies[i] > 0 && !f.Contains(r.key(inserted, i)) {
		return fmt.Sprintf("a key with %d copies is not found", o.copies[i])
	}
	if f.Count != nil {
		if n := f.Count(r.key(inserted, i)); n < o.copies[i] && (f.CountLimit == 0 || n < f.CountLimit) {
			return fmt.Sprintf("Count is %d for a key with %d copies", n, o.copies[i])
		}
	}
	return wrongLen(f, len(o.held))
}

// checkAbsentDelete deletes keys that the filter says it does not contain, which must do nothing.
func checkAbsentDelete(r *run) Finding {
	f, accepted := r.openDeleter(r.most())
	lost, before := r.lost(f, accepted), r.glance(f)
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
	r.right(before.differ(r.glance(f)), "deletes of absent keys change the filter: %s")
	return passed("%d deletes of absent keys do nothing", asked)
}

// background is the number of other keys in a filter when copies of one key go in and out.
func (r *run) background() int { return r.Capacity / 4 }

// checkDuplicates inserts keys 2 to 9 times and deletes them as often as they were accepted.
func checkDuplicates(r *run) Finding {
	keys := max(1, min(16, r.Capacity/64))
	f, others, refused, _ := r.copiesInAndOut(r.Capacity+2*keys, keys, 2, 3, 4, 5, 6, 7, 8, 9)
	r.right(wrongLen(f, others), "after deleting all duplicates %s")
	return passed("2 to 9 copies are deleted one by one; %d copies were refused", refused)
}

// checkSaturation inserts a key more often than a counter of 4, 8 or 16 bits can count and deletes it one by one. The
// filter may refuse copies, and it may forget how many there were; it must not forget the key.
func checkSaturation(r *run) Finding {
	_, _, _, most := r.copiesInAndOut(r.Capacity, 1, 20, 300, 70_000)
	return passed("a key is found until its last of %d accepted copies is deleted", most)
}

// copiesInAndOut inserts some keys, from a number on, as often as each of the times, up to the first refusal, and
// deletes every accepted copy. It looks for the key as long as a copy is left, and for others that are in the filter.
// It returns how many those are, how many copies were refused, and the largest number of one key that was accepted.
func (r *run) copiesInAndOut(first, keys int, each ...int) (f *Filter, left, refused, most int) {
	f, others := r.openDeleter(r.background())
	r.need(!r.Set, "the filter holds a key once")
	for at, times := range each {
		for i := range keys {
			accepted, key := 0, func() []byte { return r.key(inserted, first+at*keys+i) }
			for accepted < times && f.Insert(key()) {
				accepted++
			}
			for deleted := range accepted {
				if !f.Contains(key()) {
					r.fail("a key inserted %d times: after %d inserts and %d deletes it is not found", times, accepted, deleted)
				} else if !f.Delete(key()) {
					r.fail("a key inserted %d times: Delete says no to copy %d of %d", times, deleted+1, accepted)
				}
			}
			refused, most = refused+times-accepted, max(most, accepted)
		}
		r.keeps(f, others, 0, "%d of %d other keys are lost with keys inserted %d times", times)
	}
	return f, len(others), refused, most
}
