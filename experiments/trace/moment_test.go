package trace

import (
	"bytes"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
)

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

// everyInsert overfills small tables under every policy and hands each insert with its machine over, before it is made.
func everyInsert(t *testing.T, do func(m *Machine, policy cuckoo.KickPolicy, key string) Step) {
	t.Helper()
	long := false
	for _, policy := range Policies() {
		for seed := range 2 * seeds() {
			for _, o := range []cuckoo.Config{{Buckets: 8, BucketSize: 2, FingerprintBits: 8}, {Buckets: 4, BucketSize: 4, FingerprintBits: 3},
				{Buckets: 32, BucketSize: 1, FingerprintBits: 12}, {Buckets: 3, BucketSize: 8, FingerprintBits: 32}} {
				o.Kick, o.Seed = policy, seed
				m, err := NewMachine(o)
				if err != nil {
					t.Fatal(err)
				}
				for _, key := range randomKeys(seed, 0, o.Buckets*o.BucketSize+2) {
					s := do(m, policy, key)
					long = long || s.Kicks() > 3
				}
			}
		}
	}
	if !long {
		t.Error("no path of more than 3 kicks was tried")
	}
}

// At every moment each fingerprint is in the table, in hand, or the one that arrives; the last moment is the table
// after the step.
func TestMoment_LosesNothing(t *testing.T) {
	everyInsert(t, func(m *Machine, policy cuckoo.KickPolicy, key string) Step {
		s := m.Insert(key)
		want := contents(s.Before)
		want[s.Fingerprint]++
		n := s.Moments()
		for i := range n {
			at := s.Moment(i)
			got := contents(at.Table)
			switch {
			case at.Homeless != 0:
				got[at.Homeless]++
			case at.Phase != Stored:
				got[s.Fingerprint]++
			}
			if !maps.Equal(got, want) {
				t.Fatalf("%s, %q, moment %d of %d: %v, want %v", policy.Recipe(), key, i, n, got, want)
			}
			if k := at.Kick; (at.Phase == Kicked) != (k >= 1 && k <= s.Kicks()) {
				t.Errorf("%s: moment %d of %d has phase %d and kick %d of %d", policy.Recipe(), i, n, at.Phase, k, s.Kicks())
			}
		}
		if last := s.Moment(n - 1); !reflect.DeepEqual(last.Table, s.After) || (last.Phase == Stored) != (s.Refused == nil) {
			t.Fatalf("%s, %q: the last moment has\n%v, the table is\n%v", policy.Recipe(), key, last.Table, s.After)
		}
		return s
	})
}

// An insert that is only tried changes nothing, and under the policy of the filter it is the insert that follows.
func TestTry_IsWhatAnInsertWouldDo(t *testing.T) {
	everyInsert(t, func(m *Machine, policy cuckoo.KickPolicy, key string) Step {
		for _, other := range Policies() {
			if s := m.Try(other, key); s.Refused == nil && s.After.Used() != m.Table.Used()+1 || !reflect.DeepEqual(m.read(), m.Table) {
				t.Fatal(s)
			}
		}
		tried, s := m.Try(policy, key), m.Insert(key)
		if !reflect.DeepEqual(tried.After, s.After) || !slices.Equal(tried.Path, s.Path) ||
			!errors.Is(tried.Refused, s.Refused) || tried.TakenBack != s.TakenBack {
			t.Fatalf("%s, %q: tried %+v, inserted %+v", policy.Recipe(), key, tried, s)
		}
		return s
	})
}

func TestDelete_TakesOneFingerprint(t *testing.T) {
	m, err := NewMachine(cuckoo.Config{Buckets: 4, BucketSize: 2, FingerprintBits: 8})
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := NewMachine(cuckoo.Config{Buckets: 33, BucketSize: 2, FingerprintBits: 8}); !errors.Is(err, cuckoo.ErrConfig) {
		t.Errorf("33 buckets: %v", err)
	}
}

// Every moment is drawn as XML in one size for all moments of its step, in the colours of its look, with names of its
// own.
func TestFrame_DrawsEveryMoment(t *testing.T) {
	f := Frame{Look: Dark, ID: "left-", Width: 8, Roles: [3]string{"primary", "alternate", "both"}, Chip: "<new>",
		Homeless: "homeless"}
	everyInsert(t, func(m *Machine, policy cuckoo.KickPolicy, key string) Step {
		s, size := m.Insert(key), ""
		for i := range s.Moments() {
			at := s.Moment(i)
			svg := f.Draw(&s, &at, `a "line"`)
			head, _, _ := strings.Cut(string(svg), " font-family")
			if size == "" {
				size = head
			}
			lit := len(slices.Compact([]uint64{s.Primary, s.Alternate}))
			if head != size || bytes.Contains(svg, []byte(Light.Lit)) || bytes.Count(svg, []byte(Dark.Lit)) != lit {
				t.Fatalf("%s, moment %d: %s, the first %s\n%s", policy.Recipe(), i, head, size, svg)
			}
			arrow := at.first < at.last && at.first <= drawnKicks
			if strings.Contains(string(svg), "homeless") != (at.Homeless != 0) || arrow && !bytes.Contains(svg,
				[]byte("url(#left-")) {
				t.Fatalf("%s, moment %d:\n%s", policy.Recipe(), i, svg)
			}
			wellFormed(t, svg)
		}
		return s
	})
}

// checkPlan holds a layout to keep its lines apart: tracks, lanes and places at a slot all differ, and
// lie where there is no text.
func checkPlan(t *testing.T, p *plan) {
	t.Helper()
	tracks, lanes := map[int]bool{}, map[int]bool{}
	places := map[end]bool{}
	var ends []end
	for k, a := range p.arrows {
		if ends = append(ends, a.to); k > 0 {
			ends = append(ends, a.from)
		}
	}
	for _, e := range ends {
		row := e.at.Bucket
		floor := headHeight
		if row > 0 {
			floor = p.rowY[row-1] + rowHeight
		}
		slot := p.slotX(e.at.Slot)
		switch {
		case tracks[e.y] || places[end{at: e.at, x: e.x}]:
			t.Errorf("two lines share a piece at %v", e.at)
		case e.y <= floor || e.y > p.rowY[row]-12:
			t.Errorf("track %d is not in the gap %d to %d over row %d", e.y, floor, p.rowY[row], row)
		case e.x <= slot || e.x >= slot+p.slotWidth:
			t.Errorf("a line at %d misses the slot at %d", e.x, slot)
		}
		tracks[e.y], places[end{at: e.at, x: e.x}] = true, true
	}
	for k, a := range p.arrows {
		if lanes[a.lane] || k > 0 && (a.lane <= p.right || a.lane+9 > p.width) {
			t.Errorf("kick %d has lane %d, the table ends at %d", k, a.lane, p.right)
		}
		lanes[a.lane] = true
	}
	if p.right > p.width || p.rowY[len(p.rowY)-1]+rowHeight >= p.height {
		t.Errorf("the table does not fit into %d x %d", p.width, p.height)
	}
}

func TestPlan_LinesKeepApart(t *testing.T) {
	long := false
	everyInsert(t, func(m *Machine, _ cuckoo.KickPolicy, key string) Step {
		s := m.Insert(key)
		checkPlan(t, newPlan(s.Before, s.Path, m.config.FingerprintBits))
		long = long || s.Kicks() > drawnKicks
		return s
	})
	if !long {
		t.Errorf("no path of more than %d kicks", drawnKicks)
	}
}
