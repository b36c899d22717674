package panels

import (
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/hashing"
)

// TestWindows_HoldEveryKey fills small tables: every key is in one slot, of one of its windows, and a key is refused
// only where the slots that can be reached from its own are all full.
func TestWindows_HoldEveryKey(t *testing.T) {
	for seed := range uint64(50) {
		const slots = 64
		table, h := newWindowTable(slots), hashing.Mix64(seed)
		for table.insert(windowsOf(h, slots)) {
			h = hashing.Mix64(h + 1)
		}
		found := make([]int, len(table.keys))
		for slot, key := range table.slots {
			if w := table.keys[key]; key != 0 && slot-int(w[0]) != 0 && slot-int(w[0]) != 1 && slot-int(w[1]) != 0 &&
				slot-int(w[1]) != 1 {
				t.Fatalf("seed %d: key %d is in slot %d, its windows begin at %v", seed, key, slot, w)
			}
			found[key]++
		}
		for key, n := range found[1:] {
			if n != 1 {
				t.Fatalf("seed %d: key %d is in %d slots", seed, key+1, n)
			}
		}
		if len(found)-1 < slots/2 {
			t.Errorf("seed %d: refused after %d keys", seed, len(found)-1)
		}
		for _, n := range table.queue {
			for _, start := range table.keys[table.slots[n.slot]] {
				for slot := start; slot < start+2; slot++ {
					if table.slots[slot] == 0 || table.seen[slot] != int32(len(table.keys)) {
						t.Fatalf("seed %d: slot %d can be reached and was not looked at", seed, slot)
					}
				}
			}
		}
	}
}

// TestWindows_LeadBack holds both windows of a key to follow from each other by the fingerprint.
func TestWindows_LeadBack(t *testing.T) {
	for seed := range uint64(1000) {
		h := hashing.Mix64(seed)
		w := windowsOf(h, 1<<10)
		other := windowsOf(uint64(w[1])<<54|h&(1<<32-1), 1<<10)
		if other[0] != w[1] || other[1] != w[0] {
			t.Fatalf("digest %#x: windows %v, and from the second one %v", h, w, other)
		}
	}
}

func TestWindows_Verdicts(t *testing.T) {
	load := map[string]int{windowSeries: 9588, pairedFourSeries: 9590, pairedEightSeries: 9700, semiSortedSeries: 9740}
	good := func(r lab.Row) []int { return []int{100_000, 10*load[r.Series] + r.Trial} }
	is := func(prefix string, stored int) func(r lab.Row, counts []int) {
		return func(r lab.Row, counts []int) {
			if strings.HasPrefix(r.Series, prefix) {
				counts[1] = stored + r.Trial
			}
		}
	}
	expectRefuted(t, overlappingWindows(), good, map[string]refutation{
		"windows fill less":    {is("windows", 94_000), []int{0, 1}},
		"windows fill more":    {is("windows", 98_000), []int{1, 2}},
		"pairs fill less":      {is(pairedFourSeries, 94_000), []int{1}},
		"eight fill more":      {is(pairedEightSeries, 99_000), []int{2}},
		"semi-sorted as plain": {is("semi-sorted", 90_000), []int{2}},
	})
}
