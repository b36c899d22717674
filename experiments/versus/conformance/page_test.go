package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// asCommand makes the test program run main, so that no other test has drawn from the generator of the
// process before.
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
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := exec.Command(program, "--out", dir, "--formats", "md,svg")
	c.Env = append(os.Environ(), asCommand+"=1", "GODEBUG=randautoseed=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"CONFORMANCE.md", "conformance.svg"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("../../../docs", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(madeWith.ReplaceAll(got, nil), madeWith.ReplaceAll(want, nil)) {
			t.Errorf("docs/%s is not what the command writes: go run ./conformance --formats md,svg --out ../../docs", name)
		}
	}
}
