package catalogue

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
)

func TestEntries_HaveDistinctNames(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Bench() {
		for _, name := range []string{s.Name, s.Label + " (label)", s.Params + " (parameters)"} {
			if seen[name] {
				t.Errorf("%q comes twice", name)
			}
			seen[name] = true
		}
		if found, err := ChooseBench(s.Name, s.Name); err != nil || len(found) != 1 || found[0].Name != s.Name {
			t.Errorf("ChooseBench(%q): %d subjects, %v", s.Name, len(found), err)
		}
	}
	if slices.Contains(Names(DefaultBench()), "cuckoo-plainxor") || len(DefaultBench()) != len(Bench())-len(Layouts())-1 {
		t.Errorf("the default is %q", Names(DefaultBench()))
	}
	got := Cuckoo(cuckoo.XOR, cuckoo.RandomWalk).Params
	if got != "filter=cuckoo/f=12/b=4/placement=xor/kick=random-walk" {
		t.Error(got)
	}
}

// The other filters hold the keys of a table that is filled, tell their size, and have names of their own.
func TestOthers_HoldTheirKeys(t *testing.T) {
	const n = 1 << 12
	keys := make([]uint64, KeysAt(n, FullLoad))
	for i := range keys {
		keys[i] = uint64(i)
	}
	names := Names(Bench())
	for _, s := range Others() {
		if slices.Contains(names, s.Name) {
			t.Errorf("%s comes twice", s.Name)
		}
		names = append(names, s.Name)
		f, err := s.Open(Size{Slots: n})
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		empty := f.SizeBytes()
		if in, err := f.Insert(keys); in != len(keys) || err != nil {
			t.Errorf("%s took %d of %d keys: %v", s.Name, in, len(keys), err)
		}
		if found := f.Contains(keys); found != len(keys) || f.Batches(100)(keys) != len(keys) {
			t.Errorf("%s has %d of %d keys", s.Name, found, len(keys))
		}
		if grew := f.SizeBytes() > empty; grew != (s.Static || strings.HasPrefix(s.Name, "scalable")) || f.SizeBytes() < n {
			t.Errorf("%s has %d bytes, %d when empty", s.Name, f.SizeBytes(), empty)
		}
		if f.Remove != nil && f.Remove(keys) != len(keys) {
			t.Errorf("%s does not delete its keys", s.Name)
		}
	}
}
