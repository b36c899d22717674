package experiments

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// outsideOutput is what the program in testdata/outside prints: a line for each figure with the names of its lines,
// the program's own among them, and what its own experiment and the sweep find.
const outsideOutput = `fig2: m = 2^6; m = 2^8; breadth-first; first slot
fig3: b = 2; b = 4; b = 8; b = 4, multiply; bitmap
twins: cuckoo
  2b copies at b = 1, 2, 4, 8: holds, ours 2 2 2 4 4 4 8 8 8 16 16 16
sweep: 4 cells
`

// TestOutside_AddsItsParts builds a module that imports this one, as a user's would, and runs it.
func TestOutside_AddsItsParts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "outside"))); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	// What the module needs indirectly is what this one has: nothing is fetched.
	outside(t, dir, "mod", "edit", "-replace=github.com/nestfilter/nest="+root)
	got := outside(t, dir, "run", "-mod=mod", ".")
	if !strings.HasPrefix(got, outsideOutput) {
		t.Errorf("the program prints\n%s\nwant\n%s...", got, outsideOutput)
	}
	for _, policy := range []string{"f=8 random-walk: full at ", "f=12 first slot: full at "} {
		if !strings.Contains(got, policy) {
			t.Errorf("no %q in\n%s", policy, got)
		}
	}
}

// outside runs the go command in a module of its own.
func outside(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
