package claims

import "testing"

func TestStatus_HasNames(t *testing.T) {
	for s, want := range []string{"not measured", "holds", "differs", "unexplained", "undecided", "Status(5)"} {
		if got := Status(s).String(); got != want {
			t.Errorf("%d is %q, want %q", s, got, want)
		}
	}
}
