package catalogue

import (
	"slices"
	"testing"
)

// Register adds a copy of an entry under names of its own to the list, for a test.
func Register(t *testing.T, of, name, label string, k Kind) {
	t.Helper()
	e, ok := Find(of)
	if !ok {
		t.Fatalf("no %s", of)
	}
	was := list
	t.Cleanup(func() { list = was })
	e.Name, e.Label, e.Params, e.Kind = name, label, "filter="+name, k
	list = append(slices.Clip(list), e)
}

// Must is the value of a call that must not fail.
func Must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
