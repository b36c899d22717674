package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/nestfilter/nest/experiments/must"
)

// asCommand makes the test program run main, so that no other test has drawn from the generator of the process before.
const asCommand = "NEST_CONFORMANCE_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

var madeWith = regexp.MustCompile(`with go\S+ on \S+; do not edit`)

// The page in docs, and its chart, are what the command writes now. Only the version of Go and the platform
// that it names may differ.
func TestPage_IsWhatTheCommandWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs for most of a minute")
	}
	dir := t.TempDir()
	c := exec.Command(must.Get(os.Executable())(t), "--out", dir)
	c.Env = append(os.Environ(), asCommand+"=1", "GODEBUG=randautoseed=0", "GOGC=800")
	if table := must.Get(c.Output())(t); !bytes.Contains(table, []byte("taken at first refusal")) {
		t.Errorf("no table: %s", table)
	}
	for _, name := range []string{"CONFORMANCE.md", "conformance.svg"} {
		got := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
		want := must.Get(os.ReadFile(filepath.Join("../../../docs/results", name)))(t)
		if !bytes.Equal(madeWith.ReplaceAll(got, nil), madeWith.ReplaceAll(want, nil)) {
			t.Errorf("docs/results/%s is not what the command writes: go run ./conformance --out ../../docs/results", name)
		}
	}
}
