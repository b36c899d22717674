package catalogue

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
)

func TestSubjects_HaveDistinctNames(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Subjects() {
		for _, name := range []string{s.Name, s.Label + " (label)", s.Params + " (parameters)"} {
			if seen[name] {
				t.Errorf("%q comes twice", name)
			}
			seen[name] = true
		}
		if found, err := FindSubjects(s.Name, s.Name); err != nil || len(found) != 1 || found[0].Name != s.Name {
			t.Errorf("FindSubjects(%q): %d subjects, %v", s.Name, len(found), err)
		}
	}
	for _, name := range []string{"cuckoo-additive", "cuckoo-xor", "bloom", "blocked-bloom", "split-block-bloom"} {
		if !seen[name] {
			t.Errorf("no %s among %q", name, Names(Subjects()))
		}
	}
	if slices.Contains(Names(DefaultSubjects()), "cuckoo-plainxor") || len(DefaultSubjects()) != len(Subjects())-len(Layouts())-1 {
		t.Errorf("the default is %q", Names(DefaultSubjects()))
	}
	if got := Cuckoo(cuckoo.XOR, cuckoo.RandomWalk).Params; got != "filter=cuckoo/f=12/b=4/placement=xor/kick=random-walk" {
		t.Error(got)
	}
}

func TestFind_UnknownListsTheKnown(t *testing.T) {
	_, err := FindSubjects("bloom", "sieve")
	if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), `"sieve" is unknown`) || !strings.Contains(err.Error(), "cuckoo-additive, cuckoo-xor") {
		t.Error(err)
	}
}

// The placements and policies are those that package cuckoo exports, so that a new one is timed when it lands.
func TestAxes_AreThoseOfCuckoo(t *testing.T) {
	var placements, policies []string
	for _, p := range Placements() {
		placements = append(placements, p.String())
	}
	for _, k := range Policies() {
		policies = append(policies, k.Recipe())
	}
	for _, want := range []string{"additive", "xor", "plainxor"} {
		if !slices.Contains(placements, want) {
			t.Errorf("placements %q lack %s", placements, want)
		}
	}
	for _, want := range []string{"breadth-first", "random-walk", "round-robin"} {
		if !slices.Contains(policies, want) {
			t.Errorf("policies %q lack %s", policies, want)
		}
	}
}
