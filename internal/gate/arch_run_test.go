package gate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// root is the repository's root, seen from this package's directory where its tests run.
const root = "../.."

// listed is what this package reads of the output of go list -json.
type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

// listGraph runs go list on the pattern with the given flags and returns the graph of what is built
// without tests.
func listGraph(t *testing.T, pattern string, flags ...string) graph {
	t.Helper()
	args := append([]string{"list", "-deps", "-json=ImportPath,Standard,Imports"}, flags...)
	cmd := exec.Command("go", append(args, pattern)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, stderr.Bytes())
	}
	g := graph{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return g
		} else if err != nil {
			t.Fatalf("%s: output is not JSON: %v", cmd, err)
		}
		g[p.ImportPath] = node{standard: p.Standard, imports: p.Imports}
	}
}

func TestArch_TableIsAPartialOrder(t *testing.T) {
	report(t, checkTable(rooms))
}

func TestArch_ImportsFollowTheRooms(t *testing.T) {
	for tags, mayUnsafe := range map[string][]string{"": unsafePackages, "invariants": unsafePackages, "purego": nil} {
		t.Run("tags="+tags, func(t *testing.T) {
			g := listGraph(t, "./...", "-tags="+tags)
			if _, ok := g[module+"/internal/gate"]; !ok {
				t.Fatalf("go list ./... did not list this very package among %d", len(g))
			}
			report(t, checkImports(rooms, g, mayUnsafe))
		})
	}
}

// TestArch_CuckooBringsHashModulesOnly is what a consumer of the main filter sees: the charts and the
// command line of experiments are not in its build.
func TestArch_CuckooBringsHashModulesOnly(t *testing.T) {
	deps := externals(listGraph(t, "./cuckoo"), module+"/cuckoo")
	if len(deps) == 0 {
		t.Error("cuckoo reaches no hash module at all: the listing is not what this test thinks it is")
	}
	for _, dep := range deps {
		if !permitsExternal(hashModules, dep) {
			t.Errorf("a program that imports cuckoo also builds %s", dep)
		}
	}
}

// fakeGraph builds a graph from "importer imported imported..." lines, all paths below the module
// unless they contain a dot in the first element or name a standard package used here.
func fakeGraph(lines ...string) graph {
	standard := []string{"fmt", "unsafe", "math/bits"}
	full := func(p string) string {
		first, _, _ := strings.Cut(p, "/")
		switch {
		case p == ".":
			return module
		case p == "C", slices.Contains(standard, p), strings.Contains(first, "."):
			return p
		}
		return module + "/" + p
	}
	g := graph{}
	for _, s := range standard {
		g[s] = node{standard: true}
	}
	for _, line := range lines {
		words := strings.Fields(line)
		var n node
		for _, w := range words[1:] {
			n.imports = append(n.imports, full(w))
			if _, ok := g[full(w)]; !ok && w != "C" {
				g[full(w)] = node{}
			}
		}
		g[full(words[0])] = n
	}
	return g
}

func TestArch_CheckerAcceptsTheDesign(t *testing.T) {
	g := fakeGraph(
		"internal/memory unsafe internal/invariants",
		"hashing github.com/cespare/xxhash/v2 internal/errs",
		"internal/packed fingerprint internal/memory math/bits",
		"internal/kick internal/packed",
		"bloom hashing internal/packed",
		"counting bloom internal/errs",
		"cuckoo internal/kick hashing golang.org/x/exp/constraints",
		"cuckoo/rediscf cuckoo internal/packed",
		". cuckoo cuckoo/rediscf counting",
		"experiments/chart gonum.org/v1/plot fmt",
		"experiments/lab experiments/claims experiments/report",
		"experiments/panels experiments/catalogue experiments/measure experiments/lab",
		"experiments/cmd/nest experiments/chart github.com/spf13/cobra . unsafe",
	)
	report(t, checkImports(rooms, g, unsafePackages))
}

func TestArch_CheckerFindsViolations(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"upward", "hashing cuckoo", "hashing (room hashing) imports " + module + "/cuckoo: room cuckoo is not below it"},
		{"sideways", "cuckoo bloom", "room bloom is not below it"},
		{"sideways at one level", "hashing fingerprint", "room fingerprint is not below it"},
		{"library on experiments", "bloom experiments/chart", "room laboratory ground is not below it"},
		{"engine on a figure", "experiments/lab experiments/paper", "room figures is not below it"},
		{"paper on panels", "experiments/paper experiments/panels", "room figures is not below it"},
		{"claims on the engine", "experiments/claims experiments/lab", "room lab is not below it"},
		{"library on the root", "cuckoo .", "room nest is not below it"},
		{"subpackages of one another", "cuckoo/rediscf cuckoo/other", "room cuckoo subpackages is not below it"},
		{"module in a library", "counting github.com/spf13/cobra", "may not import this module"},
		{"module in the root", ". gonum.org/v1/gonum/stat", "may not import this module"},
		{"module in the base", "internal/memory github.com/cespare/xxhash/v2", "may not import this module"},
		{"name that only begins alike", "hashing github.com/dchest/siphash2", "may not import this module"},
		{"gate on the project", "internal/gate internal/errs", "room base is not below it"},
		{"unsafe elsewhere", "cuckoo unsafe", `only ["internal/memory" "hashing"] may`},
		{"cgo", "cuckoo C", "not in the import graph"},
		{"unknown package", "internal/novel fmt", "internal/novel is in no room: add it to the table rooms in internal/gate/arch_test.go"},
		{"unknown public package", "sketch fmt", "sketch is in no room"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found(t, checkImports(rooms, fakeGraph(c.line), unsafePackages), c.want)
		})
	}
}

func TestArch_CheckerFollowsForeignModules(t *testing.T) {
	g := fakeGraph("hashing github.com/dchest/siphash", "github.com/dchest/siphash gonum.org/v1/plot", "cuckoo hashing")
	bad := checkImports(rooms, g, nil)
	found(t, bad, "hashing (room hashing) depends on gonum.org/v1/plot")
	found(t, bad, "cuckoo (room cuckoo) depends on gonum.org/v1/plot")
}

func TestArch_CheckerFindsUnsafeUnderPurego(t *testing.T) {
	found(t, checkImports(rooms, fakeGraph("internal/memory unsafe"), nil), "internal/memory (room base) imports unsafe: only [] may")
}

func TestArch_TableCheckFindsDefects(t *testing.T) {
	found(t, checkTable([]room{{name: "a", above: []string{"b"}}, {name: "b"}}), `room a stands above "b"`)
	found(t, checkTable([]room{{name: "a", above: []string{"a"}}}), `room a stands above "a"`)
	found(t, checkTable([]room{{name: "a"}, {name: "a"}}), "two rooms are called a")
	found(t, checkTable([]room{{name: "a", packages: []string{"x"}}, {name: "b", packages: []string{"x"}}}), "x is in the rooms a and b")
}

// found fails unless one of the messages contains want.
func found(t *testing.T, messages []string, want string) {
	t.Helper()
	if !slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, want) }) {
		t.Errorf("no message contains %q among %d: %q", want, len(messages), messages)
	}
}
