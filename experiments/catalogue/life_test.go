package catalogue

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/nestfilter/nest/experiments/measure"
)

// smallLife is a life that takes a few milliseconds.
var smallLife = LifeSize{Q: 9, rounds: 1, Lookups: 64, Probes: 1 << 10}

// Table 3 and figures 5 and 8 are about a filter that is filled in one go: to 90% where it is the quotient filter,
// although that goes on to 95% for figures 6 and 7.
func TestLife_IsFullWhereAFillEnds(t *testing.T) {
	const seed = 13
	z := smallLife
	for _, k := range Table3() {
		f, _, err := k.traced(t.Context(), z.Q, seed)
		if err != nil {
			t.Fatal(err)
		}
		items := f.Stored
		names := []string{"table3", "fig5", "fig7", "fig8"}
		if f.Remove == nil {
			names = names[:3]
		}
		all := Must(z.Live(t.Context(), k, seed, names))(t)
		var counts [][]int
		for _, name := range names {
			counts = append(counts, all[name])
		}
		// The first two of Table 3, the first of figure 5, the second of figure 8.
		got, want := []int{counts[0][0], counts[0][1], counts[1][0]}, []int{items, f.SizeBytes(), items}
		if f.Remove != nil {
			got, want = append(got, counts[3][1]), append(want, items)
		}
		if !slices.Equal(got, want) || counts[0][2] != 0 {
			t.Errorf("%s, seed %d: %v, want %v; %d are lost", k.Name, seed, got, want, counts[0][2])
		}
		if err := stepsAddUp(k, items, counts); err != nil {
			t.Errorf("%s, seed %d: %v", k.Name, seed, err)
		}
	}
}

// stepsAddUp compares the steps of inserting with what fits into them, for a small filter may refuse a key beyond the
// last of them, and those of deleting with all items.
func stepsAddUp(k Entry, items int, counts [][]int) error {
	sum := func(counts []int, width, column int) (n int) {
		for i := column; i < len(counts); i += width {
			n += counts[i]
		}
		return n
	}
	room := k.room(smallLife.Q) * k.fullest / 1000
	if k.Items(smallLife.Q) == 0 {
		room = min(room, items)
	}
	if inserts := sum(counts[2], 6, 2); inserts != room {
		return fmt.Errorf("%d inserts in steps, %d items, room for %d", inserts, items, room)
	}
	if len(counts) == 4 && sum(counts[3], 5, 2) != counts[3][1] {
		return fmt.Errorf("%d deletes in steps, %d items", sum(counts[3], 5, 2), counts[3][1])
	}
	return nil
}

// Each filter, and what one way through its steps counts.
func TestLook_CountsAddUp(t *testing.T) {
	const q, seed = 9, 7
	for _, k := range WithBreadthFirst() {
		w := Must(k.open(t.Context(), q, seed))(t)
		room := k.room(q)
		for _, to := range k.Windows() {
			before, spent := w.Stored, w.Spent
			if _, err := w.Fill(room * to / 1000); measure.Unfilled(err) != nil || w.Stored > before && w.Spent <= spent {
				t.Fatalf("%s: %d inserts in %v, %v", k.Name, w.Stored-before, w.Spent-spent, err)
			}
		}
		if w.Stored < room*6/10 || w.Stored > room*k.fullest/1000 {
			t.Errorf("%s, seed %d: %d stored, room for %d", k.Name, seed, w.Stored, room)
		}
		for _, form := range LookupForms {
			l, err := newSearcher(seed, 1).look(w, 1000, 0.25, form)
			// 250 of 1000 within 5 standard deviations of 13.7: outside once in 1.7 million.
			if err != nil || l.Keys != 1000 || l.Hits < 180 || l.Hits > 320 || l.Found < l.Hits {
				t.Errorf("%s, seed %d: %+v, %v", k.Name, seed, l, err)
			}
		}
	}
}

func TestLook_OfNothingIsAnError(t *testing.T) {
	w := Must(mustFind("CF").open(t.Context(), 9, 1))(t)
	if _, err := newSearcher(1, 1).look(w, 10, 1, 0); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty filter: %v", err)
	}
}
