package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// module is the path of the module whose packages the table rules.
const module = "github.com/nestfilter/nest"

// A room is a set of packages under one rule about what they may import. Everybody may import the
// standard library.
type room struct {
	name string
	// packages are paths below the module: "." is its root, "x/..." is everything below x.
	packages []string
	// above are the rooms directly below this one. What those may import, this one may too.
	above []string
	// peers lets the packages of the room import each other.
	peers bool
	// external are the packages of other modules that it may import; anything is every package.
	external []string
}

// anything, as an external package, permits every module.
const anything = "*"

// hashModules are what a library package may take from outside: a consumer that imports one filter
// gets these, hash functions and the types of integer keys, and nothing else.
var hashModules = []string{
	"github.com/cespare/xxhash/v2",
	"github.com/dchest/siphash",
	"github.com/dgryski/go-metro",
	"golang.org/x/exp/constraints",
}

// rooms is the architecture, lowest room first. Add a new package to the lowest room that permits
// what it imports; do not widen a room to make a build pass.
var rooms = []room{
	{name: "base", packages: []string{"internal/cpu", "internal/errs", "internal/hashtest", "internal/invariants", "internal/memory"}, peers: true},
	{name: "kernels", packages: []string{"internal/simd"}, above: []string{"base"}},
	{name: "gate", packages: []string{"internal/gate"}},
	{name: "hashing", packages: []string{"hashing", "hashing/secret"}, peers: true, above: []string{"kernels"}, external: hashModules},
	{name: "fingerprint", packages: []string{"fingerprint"}, above: []string{"base"}, external: hashModules},
	{name: "core", packages: []string{"internal/kick", "internal/packed"}, above: []string{"hashing", "fingerprint"}, peers: true},
	{name: "configuration", packages: []string{"internal/config"}, above: []string{"hashing"}},
	{name: "container", packages: []string{"internal/container"}, above: []string{"configuration", "fingerprint"}},
	{name: "file tests", packages: []string{"internal/filetest"}, above: []string{"container"}},
	{name: "bloom core", packages: []string{"internal/bloomcore"}, above: []string{"container"}},
	{name: "bloom", packages: []string{"bloom"}, above: []string{"core", "configuration", "bloom core"}},
	{name: "bloom subpackages", packages: []string{"bloom/..."}, above: []string{"bloom"}},
	{name: "counting", packages: []string{"counting"}, above: []string{"bloom"}},
	{name: "cuckoo", packages: []string{"cuckoo"}, above: []string{"core", "container"}},
	{name: "cuckoo subpackages", packages: []string{"cuckoo/..."}, above: []string{"cuckoo"}},
	{name: "redis wire", packages: []string{"cuckoo/rediscf/wire", "cuckoo/rediscf/wire/wiretest"}, above: []string{"cuckoo subpackages"}, peers: true},
	{name: "nest", packages: []string{"."}, above: []string{"counting", "redis wire", "bloom subpackages"}},
	{name: "laboratory ground", packages: []string{
		"experiments/chart", "experiments/claims", "experiments/integerhash", "experiments/quotient",
	}, above: []string{"nest"}, peers: true, external: []string{anything}},
	{name: "reports", packages: []string{"experiments/report"}, above: []string{"laboratory ground"}, peers: true},
	{name: "lab", packages: []string{"experiments/lab"}, above: []string{"reports"}},
	{name: "measure", packages: []string{"experiments/measure"}, above: []string{"lab"}},
	{name: "catalogue", packages: []string{"experiments/catalogue"}, above: []string{"measure"}},
	{name: "figures", packages: []string{"experiments/folklore", "experiments/guard", "experiments/paper", "experiments/panels", "experiments/speed"}, above: []string{"catalogue"}},
	{name: "experiments", packages: []string{"experiments"}, above: []string{"figures"}},
	{name: "commands", packages: []string{"experiments/..."}, above: []string{"experiments"}, peers: true},
}

// unsafePackages may import package unsafe: the unaligned loads, the one hidden pointer, strings seen
// as bytes, and words seen as the memory that they are. Under the tag purego no library package may.
var unsafePackages = []string{"internal/memory", "hashing"}

// A node is one package of an import graph.
type node struct {
	standard bool
	imports  []string
}

// graph maps import paths to packages, dependencies included.
type graph map[string]node

// below returns the path of a package relative to the module, "." for its root.
func below(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// roomOf returns the room of a package of the module. A name goes before a pattern.
func roomOf(table []room, name string) (room, bool) {
	for _, r := range table {
		if slices.Contains(r.packages, name) {
			return r, true
		}
	}
	for _, r := range table {
		for _, p := range r.packages {
			if dir, ok := strings.CutSuffix(p, "..."); ok && strings.HasPrefix(name, dir) {
				return r, true
			}
		}
	}
	return room{}, false
}

// reach returns r with its permissions made explicit: above is every room below r at any distance,
// external includes what those rooms have.
func reach(table []room, r room) room {
	full := room{name: r.name, peers: r.peers, external: slices.Clone(r.external)}
	for _, lower := range table {
		if slices.Contains(r.above, lower.name) {
			l := reach(table, lower)
			full.above = append(append(full.above, lower.name), l.above...)
			full.external = append(full.external, l.external...)
		}
	}
	return full
}

// permitsExternal says whether one of the allowed packages is path or holds it.
func permitsExternal(allowed []string, path string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		return a == anything || path == a || strings.HasPrefix(path, a+"/")
	})
}

// checkImports returns what the packages of the module import against the table, sorted. Package
// unsafe is for those named in mayUnsafe, and for rooms that may import anything.
func checkImports(table []room, g graph, mayUnsafe []string) []string {
	var bad []string
	for path, n := range g {
		name, ours := below(path)
		if !ours {
			continue
		}
		r, ok := roomOf(table, name)
		if !ok {
			bad = append(bad, fmt.Sprintf("%s is in no room: add it to the table rooms in internal/gate/arch_test.go, "+
				"to the lowest room that permits what it imports", name))
			continue
		}
		full := reach(table, r)
		for _, imp := range n.imports {
			why := judge(table, full, g, imp)
			if imp == "unsafe" && !slices.Contains(mayUnsafe, name) && !permitsExternal(full.external, imp) {
				why = fmt.Sprintf("only %q may in this build", mayUnsafe)
			}
			if why != "" {
				bad = append(bad, fmt.Sprintf("%s (room %s) imports %s: %s", name, r.name, imp, why))
			}
		}
		for _, dep := range externals(g, path) {
			if !permitsExternal(full.external, dep) {
				bad = append(bad, fmt.Sprintf("%s (room %s) depends on %s, at whatever distance", name, r.name, dep))
			}
		}
	}
	slices.Sort(bad)
	return bad
}

// judge says why a package of the room full, as reach returns it, may not import imp; nothing if it
// may.
func judge(table []room, full room, g graph, imp string) string {
	target, known := g[imp]
	lower, ours := below(imp)
	switch {
	case !known:
		return "it is not in the import graph (cgo?)"
	case target.standard:
		return ""
	case !ours:
		if permitsExternal(full.external, imp) {
			return ""
		}
		return "the room may not import this module"
	}
	r, ok := roomOf(table, lower)
	if !ok || slices.Contains(full.above, r.name) || r.name == full.name && full.peers {
		return "" // a package without a room is reported where it stands
	}
	return "room " + r.name + " is not below it"
}

// externals returns the packages outside the module and the standard library that path reaches.
func externals(g graph, path string) []string {
	var found []string
	seen := map[string]bool{}
	var visit func(string)
	visit = func(p string) {
		if seen[p] || g[p].standard {
			return
		}
		seen[p] = true
		if _, ours := below(p); !ours && p != "C" {
			found = append(found, p)
		}
		for _, imp := range g[p].imports {
			visit(imp)
		}
	}
	visit(path)
	slices.Sort(found)
	return found
}

// checkTable returns what is wrong with the table itself.
func checkTable(table []room) []string {
	var bad []string
	owner := map[string]string{}
	names := map[string]bool{}
	for _, r := range table {
		for _, a := range r.above {
			if !names[a] {
				bad = append(bad, fmt.Sprintf("room %s stands above %q, which is not an earlier room", r.name, a))
			}
		}
		if names[r.name] {
			bad = append(bad, "two rooms are called "+r.name)
		}
		names[r.name] = true
		for _, p := range r.packages {
			if other, twice := owner[p]; twice {
				bad = append(bad, fmt.Sprintf("%s is in the rooms %s and %s", p, other, r.name))
			}
			owner[p] = r.name
		}
	}
	return bad
}

func report(t *testing.T, bad []string) {
	t.Helper()
	for _, b := range bad {
		t.Error(b)
	}
}
