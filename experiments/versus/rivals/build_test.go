package rivals

import (
	"runtime"
	"strings"
	"testing"
)

// What was measured in a program that was built in another way is of another run, and the page says how.
func TestSource_TellsBuildsApart(t *testing.T) {
	plain := Source{Machine: "a machine", Go: "go1.26", Level: "GOAMD64=v1"}
	high, guided := plain, plain
	high.Level, guided.Profile = "GOAMD64=v3", "league.prof"
	for _, other := range []Source{high, guided} {
		if told := plain.same(other); !strings.Contains(told, other.Build()) {
			t.Errorf("%q for %q", told, other.Build())
		}
	}
	if told := guided.same(guided); told != "" {
		t.Error(told)
	}
	if got := guided.Where(); got != "a machine, GOAMD64=v1 -pgo=league.prof" {
		t.Error(got)
	}
	if got := (Source{Machine: "a machine"}).Where(); got != "a machine" {
		t.Error(got)
	}
	if got := guided.Command("--n 2^16"); got != "GOAMD64=v1 go run -pgo=league.prof ./league --n 2^16" {
		t.Error(got)
	}
	if got := (Source{}).Command("--n 2^16"); got != "go run ./league --n 2^16" {
		t.Error(got)
	}
}

// The go command records the level in what it builds.
func TestBuildSettings_HaveTheLevel(t *testing.T) {
	level, _ := buildSettings()
	if runtime.GOARCH == "amd64" && !strings.HasPrefix(level, "GOAMD64=v") {
		t.Errorf("level %q", level)
	}
}
