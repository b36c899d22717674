package experiments

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/must"
)

// outsideOutput is what the program in testdata/outside/figures prints: a line for each figure with the names of its
// lines, the program's own among them, and what its own experiment and the sweep find.
const outsideOutput = `fig2: m = 2^6; m = 2^8; breadth-first; first slot; two independent hashes; m = 2^8, 0 becomes 1; m = 2^8, 2^f values; m = 2^8, 2^f values, 0 in one bucket
fig3: b = 2; b = 4; b = 8; b = 4, multiply; bitmap; CF, first slot; CF, multiply
twins: cuckoo
  2b copies at b = 1: holds, ours 2.000
  2b copies at b = 2: holds, ours 4.000
  2b copies at b = 4: holds, ours 8.000
  2b copies at b = 8: holds, ours 16.000
sweep:
`

// TestOutside_CallsFromGo runs a program of another module, as a user's would be.
func TestOutside_CallsFromGo(t *testing.T) {
	got := outside(t, outsideModule(t), "go", "run", "./figures")
	if !strings.HasPrefix(got, outsideOutput) {
		t.Errorf("the program prints\n%s\nwant\n%s...", got, outsideOutput)
	}
	for _, policy := range []string{"f=8 random-walk: full at ", "f=12 first slot: full at "} {
		if !strings.Contains(got, policy) {
			t.Errorf("no %q in\n%s", policy, got)
		}
	}
}

// TestOutside_IsTheWholeCommand builds the command of another module and finds that module's parts in the report that
// it makes, as results, lines of charts and text.
func TestOutside_IsTheWholeCommand(t *testing.T) {
	dir := outsideModule(t)
	nest := filepath.Join(dir, "nest")
	outside(t, dir, "go", "build", "-o", nest, ".")
	outside(t, dir, nest, "reproduce", "--profile", "tiny", "--only", "fig2,fig3,fig5,fig8,table3,twins", "--formats", "svg", "--out", "report")
	for file, wants := range map[string][]string{
		"fig2.csv":   {"\nfirst slot,4,20,256,"},
		"fig2.svg":   {"first slot"},
		"fig3.csv":   {"\nbitmap,,8,2048,", "\n\"b = 4, multiply\",4,9,"},
		"fig3.svg":   {">bitmap<", ">b = 4, multiply<"},
		"fig5.csv":   {"\nbitmap,2048,1024,5,", "\n\"CF, multiply\",2048,,1,"},
		"fig5.svg":   {">bitmap<", ">CF, first slot<", ">CF, multiply<"},
		"fig8.csv":   {"\n\"CF, first slot\",2048,1000,", "\n\"CF, multiply\",2048,50,"},
		"table3.csv": {"\nbitmap,2048,1,"},
		"table3.svg": {">bitmap<"},
		"twins.csv":  {"\ncuckoo,8,2,"},

		"REPRODUCING.md": {"not built in: filter \"bitmap\"", "policy \"first slot\", recipe first-slot."},
		"manifest.json":  {"\"own parts\": ", ", recipe first-slot"},
		"report.md":      {"CF, first slot is a filter of one's own, made for", "## Copies of one key", "| bitmap |"},
	} {
		data := must.Get(os.ReadFile(filepath.Join(dir, "report", file)))(t)
		for _, want := range wants {
			if !strings.Contains(string(data), want) {
				t.Errorf("no %q in %s", want, file)
			}
		}
		if file == "fig8.csv" && strings.Contains(string(data), "bitmap") {
			t.Error("figure 8 has a filter that cannot delete")
		}
	}
	outside(t, dir, nest, "report", "redraw", "report", "--formats", "svg", "--out", "again")
	outside(t, dir, nest, "report", "diff", "report", "again")
	got := outside(t, dir, nest, "sweep", "--kick", "first slot", "--hash", "multiply", "--filter", "cuckoo,bitmap", "--slots", "2^10", "--probes", "1024")
	for _, want := range []string{"\ncuckoo,12,4,additive,first slot,multiply,1024,", "\nbitmap,8,,,,multiply,1024,"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// outsideModule is a copy of the packages in testdata/outside as a module that takes this one from here. Its go.mod and
// go.sum are made of this module's, so that it requires the same versions whatever becomes of them: no version is
// looked up, and nothing is fetched that this module does not need.
func outsideModule(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "outside"))))
	root := must.Get(filepath.Abs(".."))(t)
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const nest = "github.com/nestfilter/nest"
	outside(t, dir, "go", "mod", "edit", "-module=example.org/outside", "-require="+nest+"@v0.0.0", "-replace="+nest+"="+root)
	return dir
}

// outside runs a program in a module of its own and returns its standard output.
func outside(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}
