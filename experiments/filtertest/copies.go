package filtertest

import "fmt"

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
			return accepted, fmt.Sprintf("after %s inserts and %s deletes it is not found", thousands(accepted), thousands(deleted))
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
