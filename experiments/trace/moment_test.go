package trace

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/drawing"
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
			for _, o := range []Options{{Buckets: 8, BucketSize: 2, Width: 8}, {Buckets: 4, BucketSize: 4, Width: 3}, {Buckets: 32, BucketSize: 1, Width: 12}} {
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

// At every moment each fingerprint is in the table, in hand, or the one that arrives; the last moment is the table after the step.
func TestMoment_LosesNothing(t *testing.T) {
	everyInsert(t, func(m *Machine, policy cuckoo.KickPolicy, key string) Step {
		s, err := m.Insert(key)
		if err != nil {
			t.Fatal(err)
		}
		want := contents(s.Before)
		want[s.Fingerprint]++
		n := s.Moments(policy)
		for i := range n {
			at := s.Moment(policy, i)
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
		if last := s.Moment(policy, n-1); !last.Table.Equal(s.After) || (last.Phase == Stored) != (s.Refused == nil) {
			t.Fatalf("%s, %q: the last moment has\n%v, the table is\n%v", policy.Recipe(), key, last.Table, s.After)
		}
		return s
	})
}

// An insert that is only tried changes nothing, and under the policy of the filter it is the insert that follows.
func TestTry_IsWhatAnInsertWouldDo(t *testing.T) {
	everyInsert(t, func(m *Machine, policy cuckoo.KickPolicy, key string) Step {
		for _, other := range Policies() {
			if s, err := m.Try(other, key); err != nil || s.Refused == nil && s.After.Used() != m.Table().Used()+1 {
				t.Fatal(s, err)
			}
		}
		tried, err := m.Try(policy, key)
		if err != nil {
			t.Fatal(err)
		}
		s, err := m.Insert(key) // which compares both filters
		if err != nil {
			t.Fatal(err)
		}
		if !tried.After.Equal(s.After) || !slices.Equal(tried.Path, s.Path) || !errors.Is(tried.Refused, s.Refused) || tried.TakenBack != s.TakenBack {
			t.Fatalf("%s, %q: tried %+v, inserted %+v", policy.Recipe(), key, tried, s)
		}
		return s
	})
}

func TestDelete_TakesOneFingerprint(t *testing.T) {
	m, err := NewMachine(Options{Buckets: 4, BucketSize: 2, Width: 8})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Insert("key"); err != nil || !m.Contains("key") || m.Filter().Len() != 1 {
		t.Fatal(err)
	}
	s, found, err := m.Delete("key")
	if err != nil || !found || s.Before.Used() != 1 || s.After.Used() != 0 || m.Table().Used() != 0 || m.Contains("key") {
		t.Errorf("%v, %v, %+v", found, err, s)
	}
	if asked := s.Asked(); len(asked.uses) != 1 || s.Deleted().Table.Used() != 0 {
		t.Errorf("asked %+v", asked)
	}
	if s, found, err = m.Delete("key"); err != nil || found || !s.Before.Equal(s.After) {
		t.Errorf("the second time: %v, %v", found, err)
	}
	if _, err := NewMachine(Options{Buckets: 33, BucketSize: 2, Width: 8}); !errors.Is(err, cuckoo.ErrConfig) {
		t.Errorf("33 buckets: %v", err)
	}
}

// Every moment is drawn as XML in one size for all moments of its step, in the colours of its look, with names of its own.
func TestFrame_DrawsEveryMoment(t *testing.T) {
	f := Frame{Look: drawing.Dark, ID: "left-", Width: 8, Roles: [3]string{"primary", "alternate", "both"}, Chip: "<new>", Homeless: "homeless"}
	everyInsert(t, func(m *Machine, policy cuckoo.KickPolicy, key string) Step {
		s, err := m.Insert(key)
		if err != nil {
			t.Fatal(err)
		}
		size := ""
		for i := range s.Moments(policy) {
			at := s.Moment(policy, i)
			svg := f.Draw(&s, &at, `a "line"`)
			head, _, _ := strings.Cut(string(svg), " font-family")
			if size == "" {
				size = head
			}
			lit := 2
			if s.Primary == s.Alternate {
				lit = 1
			}
			if head != size || bytes.Contains(svg, []byte(drawing.Light.Ground)) && drawing.Light.Ground != drawing.Dark.OnNew || bytes.Count(svg, []byte(drawing.Dark.Lit)) != lit {
				t.Fatalf("%s, moment %d: %s, the first %s\n%s", policy.Recipe(), i, head, size, svg)
			}
			if strings.Contains(string(svg), "homeless") != (at.Homeless != 0) || len(at.arrows) > 0 && at.arrows[0] <= drawnKicks && !bytes.Contains(svg, []byte("url(#left-")) {
				t.Fatalf("%s, moment %d:\n%s", policy.Recipe(), i, svg)
			}
			for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%v\n%s", err, svg)
				}
			}
		}
		return s
	})
}
