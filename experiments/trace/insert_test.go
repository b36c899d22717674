package trace

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
)

// shape is a filter of m buckets of b slots with f bits.
func shape(m, b, f int) cuckoo.Config {
	return cuckoo.Config{Buckets: m, BucketSize: b, FingerprintBits: f}
}

// of returns a configuration with another placement, policy, seed and limit.
func of(c cuckoo.Config, p cuckoo.Placement, policy cuckoo.KickPolicy, seed uint64, maxKicks int) cuckoo.Config {
	c.Placement, c.Kick, c.Seed, c.MaxKicks = p, policy, seed, maxKicks
	return c
}

// TestInsert_EveryStepIsTrue overfills tables of every shape under every policy and holds each step against a model, its
// moments and its pictures. What was kicked in all must be what the filter itself counted.
func TestInsert_EveryStepIsTrue(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	long := false
	for _, policy := range Policies() {
		for seed := range seeds {
			for _, c := range []cuckoo.Config{
				of(shape(1, 1, 1), 0, policy, seed, 0), of(shape(1, 4, 8), 0, policy, seed, 0),
				of(shape(3, 8, 2), 0, policy, seed, 0), of(shape(8, 2, 8), cuckoo.XOR, policy, seed, 0),
				of(shape(32, 1, 32), 0, policy, seed, 0), of(shape(16, 4, 5), cuckoo.PlainXOR, policy, seed, 0),
				of(shape(31, 8, 13), 0, policy, seed, 0), of(shape(6, 2, 3), 0, policy, seed, 7),
				of(shape(8, 2, 8), 0, policy, seed, 0), of(shape(4, 4, 3), 0, policy, seed, 0),
			} {
				t.Run(fmt.Sprintf("%s/m=%d/b=%d/f=%d/seed=%d", policy.Recipe(), c.Buckets, c.BucketSize, c.FingerprintBits, seed),
					func(t *testing.T) { long = overfill(t, c) || long })
			}
		}
	}
	if !long {
		t.Errorf("no path of more than %d kicks", drawnKicks)
	}
}

// overfill inserts one and a half times the keys that fit, and tells whether there was a path too long to be drawn.
func overfill(t *testing.T, c cuckoo.Config) (long bool) {
	m := must(NewMachine(c))(t)
	replica, kicks, refused := m.Table.clone(), 0, 0
	for _, key := range randomKeys(c.Seed, 0, c.Buckets*c.BucketSize*3/2+1) {
		for _, other := range Policies() { // an insert that is only tried changes nothing
			s := m.Try(other, key)
			if s.Refused == nil && s.After.Used() != m.Table.Used()+1 || !reflect.DeepEqual(m.read(), m.Table) {
				t.Fatal(s)
			}
		}
		tried, s := m.Try(c.Kick, key), m.Insert(key)
		if !reflect.DeepEqual(tried, s) {
			t.Fatalf("%q: tried %+v, inserted %+v", key, tried, s)
		}
		if s.Refused != nil {
			refused++
			if !reflect.DeepEqual(s.Before, s.After) || len(s.Path) > 0 || !errors.Is(s.Refused, cuckoo.ErrFull) {
				t.Fatalf("%q was refused and changed something: %+v", key, s)
			}
		} else if err := replay(replica, m, &s); err != nil {
			t.Fatalf("%q: %v", key, err)
		}
		if !reflect.DeepEqual(replica, s.After) || s.After.Used() != m.filter.Len() {
			t.Fatalf("%q: the path %v leads to\n%v, the table is\n%v", key, s.Path, replica, s.After)
		}
		checkMoments(t, &s)
		checkPlan(t, newPlan(s.Before, s.Path, c.FingerprintBits))
		if c.Buckets <= 8 {
			checkFrames(t, &s)
		}
		kicks += s.Kicks()
		long = long || s.Kicks() > drawnKicks
	}
	if got := m.filter.Stats(); got.Kicks != uint64(kicks) || got.Refusals != uint64(refused) || refused == 0 {
		t.Errorf("%d kicks and %d refusals were shown, the filter counted %+v", kicks, refused, got)
	}
	return long
}

// replay makes the moves of a step on a table of its own, one fingerprint after the other, and takes nothing from the
// package but the rule that pairs buckets. It holds each of them to be one that the fingerprint may make.
func replay(table Table, m *Machine, s *Step) error {
	moving := s.Fingerprint
	for k, p := range s.Path {
		switch {
		case k == 0 && p.Bucket != s.Primary && p.Bucket != s.Alternate:
			return fmt.Errorf("the new fingerprint is in %v, its buckets are %d and %d", p, s.Primary, s.Alternate)
		case k > 0 && p.Bucket != m.scheme.Alternate(s.Path[k-1].Bucket, moving):
			return fmt.Errorf("kick %d: %x went to %v", k, moving, p)
		case k > 0 && s.Moved()[k-1] != moving:
			return fmt.Errorf("kick %d: Moved says %x, the table %x", k, s.Moved()[k-1], moving)
		}
		moving, table[p.Bucket][p.Slot] = table[p.Bucket][p.Slot], moving
	}
	if moving != 0 {
		return fmt.Errorf("%x is left over", moving)
	}
	return nil
}

// contents counts the fingerprints of a table.
func contents(t Table) map[uint64]int {
	all := map[uint64]int{}
	for _, fp := range slices.Concat(t...) {
		if fp != 0 {
			all[fp]++
		}
	}
	return all
}

// checkMoments holds each fingerprint to be at every moment in the table, in hand, or the one that arrives, and the last
// moment to be the table after the step.
func checkMoments(t *testing.T, s *Step) {
	t.Helper()
	want, n := contents(s.Before), s.Moments()
	want[s.Fingerprint]++
	for i := range n {
		at := s.Moment(i)
		got := contents(at.Table)
		switch {
		case at.Homeless != 0:
			got[at.Homeless]++
		case at.Phase != Stored:
			got[s.Fingerprint]++
		}
		if k := at.Kick; !maps.Equal(got, want) || (at.Phase == Kicked) != (k >= 1 && k <= s.Kicks()) {
			t.Fatalf("%q, moment %d of %d, phase %d, kick %d: %v, want %v", s.Key, i, n, at.Phase, k, got, want)
		}
	}
	last := s.Moment(n - 1)
	if !reflect.DeepEqual(last.Table, s.After) || (last.Phase == Stored) != (s.Refused == nil) {
		t.Fatalf("%q: the last moment has\n%v, the table is\n%v", s.Key, last.Table, s.After)
	}
	for p, u := range last.uses {
		if u == isNew && s.After.at(p) != s.Fingerprint {
			t.Fatalf("%q: not found in %v", s.Key, p)
		}
	}
}

// checkFrames holds every moment to be drawn as XML in one size for all moments of its step, in the colours of its look,
// with names of its own.
func checkFrames(t *testing.T, s *Step) {
	t.Helper()
	f := Frame{Look: Dark, ID: "left-", Width: 8, Roles: [3]string{"primary", "alternate", "both"}, Chip: "<new>",
		Homeless: "homeless"}
	size, lit := "", len(slices.Compact([]uint64{s.Primary, s.Alternate}))
	for i := range s.Moments() {
		at := s.Moment(i)
		svg := string(f.Draw(s, &at, `a "line"`))
		head, _, _ := strings.Cut(svg, " font-family")
		if i == 0 {
			size = head
		}
		arrow := at.first < at.last && at.first <= drawnKicks
		if head != size || strings.Contains(svg, Light.Lit) || strings.Count(svg, Dark.Lit) != lit ||
			strings.Contains(svg, "homeless") != (at.Homeless != 0) || arrow && !strings.Contains(svg, "url(#left-") {
			t.Fatalf("%q, moment %d: %s, the first %s\n%s", s.Key, i, head, size, svg)
		}
		wellFormed(t, []byte(svg))
	}
}

// checkPlan holds a layout to keep its lines apart: tracks, lanes and places at a slot all differ, and
// lie where there is no text.
func checkPlan(t *testing.T, p *plan) {
	t.Helper()
	tracks, lanes, places := map[int]bool{}, map[int]bool{}, map[end]bool{}
	var ends []end
	for k, a := range p.arrows {
		if ends = append(ends, a.to); k > 0 {
			ends = append(ends, a.from)
		}
		if lanes[a.lane] || k > 0 && (a.lane <= p.right || a.lane+9 > p.width) {
			t.Errorf("kick %d has lane %d, the table ends at %d", k, a.lane, p.right)
		}
		lanes[a.lane] = true
	}
	for _, e := range ends {
		row, floor := e.at.Bucket, headHeight
		if row > 0 {
			floor = p.rowY[row-1] + rowHeight
		}
		slot, place := p.slotX(e.at.Slot), end{at: e.at, x: e.x}
		switch {
		case tracks[e.y] || places[place]:
			t.Errorf("two lines share a piece at %v", e.at)
		case e.y <= floor || e.y > p.rowY[row]-12:
			t.Errorf("track %d is not in the gap %d to %d over row %d", e.y, floor, p.rowY[row], row)
		case e.x <= slot || e.x >= slot+p.slotWidth:
			t.Errorf("a line at %d misses the slot at %d", e.x, slot)
		}
		tracks[e.y], places[place] = true, true
	}
	if p.right > p.width || p.rowY[len(p.rowY)-1]+rowHeight >= p.height {
		t.Errorf("the table does not fit into %d x %d", p.width, p.height)
	}
}

func TestDelete_TakesOneFingerprint(t *testing.T) {
	m := must(NewMachine(shape(4, 2, 8)))(t)
	if s := m.Insert("key"); s.Refused != nil || !m.Contains("key") || m.filter.Len() != 1 {
		t.Fatal(s)
	}
	s, found := m.Delete("key")
	if !found || s.Before.Used() != 1 || s.After.Used() != 0 || m.Table.Used() != 0 || m.Contains("key") {
		t.Errorf("%v, %+v", found, s)
	}
	if asked := s.Asked(); len(asked.uses) != 1 || s.Deleted().Table.Used() != 0 {
		t.Errorf("asked %+v", asked)
	}
	if s, found = m.Delete("key"); found || !reflect.DeepEqual(s.Before, s.After) {
		t.Error("it is deleted a second time")
	}
}
