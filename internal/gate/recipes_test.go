package gate

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A recipe of docs/HACKING.md lists the library files that adding a part touches: those that name a part which exists.
type recipe struct {
	title string // of its section
	part  string // the existing part
	// names tells whether a file of the library names that part.
	names func(*file) bool
}

var recipes = []recipe{
	{"A kind", "DLeft", namesKind}, // no other kind has letters that other words have too
	{"A file type", "DLeft", namesType},
	{"A placement", "PlainXOR", namesInCode(`(?i)plainxor`)},
	{"A bucket layout", "SemiSorted", namesInCode(`(?i)semi-?sort|sorted`)},
	{"A layout that says where a fingerprint may be", "PairedSlots", namesInCode(`(?i)paired|pairslots|pairbits`)},
	{"A kick policy", "LookAhead", namesInCode(`(?i)look-?ahead`)},
	{"A hash family", "FNV1a", namesInCode(`(?i)fnv`)},
}

// guide is the document that has the recipes.
const guide = "docs/HACKING.md"

// listItem matches an item of a recipe's list, the file and what to do there; quoted matches the paths in a paragraph.
var (
	listItem = regexp.MustCompile("(?m)^- `([^`\\s]+\\.go)`: ")
	quoted   = regexp.MustCompile("`([^`\\s]+\\.go)`")
)

// generated matches the mark of generated files, which no recipe lists.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// isLibrary tells whether a file is a hand-written one of the library or of the generator of its verbs: no test,
// experiment or other tool.
func isLibrary(f *file) bool {
	for _, dir := range []string{"experiments/", "tools/capacity/", "tools/coverfloor/", "internal/gate/"} {
		if strings.HasPrefix(f.path, dir) {
			return false
		}
	}
	return f.syntax != nil && !f.isTest() && !generated.Match(f.data)
}

// namesInCode returns a function that tells whether an identifier or a string of a file matches. Functions of package
// slices are not parts of ours.
func namesInCode(pattern string) func(*file) bool {
	part := regexp.MustCompile(pattern)
	return func(f *file) (found bool) {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "slices" {
					return false
				}
			case *ast.Ident:
				found = found || part.MatchString(n.Name)
			case *ast.BasicLit:
				found = found || n.Kind == token.STRING && part.MatchString(n.Value)
			}
			return !found
		})
		return found
	}
}

// dleftWord finds the kind in code, comments and strings, dleftName in code alone.
var (
	dleftWord = regexp.MustCompile(`(?i)d-?left`)
	dleftName = namesInCode(`(?i)d-?left`)
)

// namesKind tells whether the front or an internal package names the kind at all, or its own package names it in code:
// what the comments of that package say of it is the package's affair.
func namesKind(f *file) bool {
	if strings.HasPrefix(f.path, "counting/") {
		return dleftName(f)
	}
	return dleftWord.Match(f.data)
}

// namesType tells whether a file names the constant of the file type.
func namesType(f *file) bool {
	found := false
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			found = found || ok && x.Name == "container" && n.Sel.Name == "DLeft"
		case *ast.ValueSpec:
			for _, name := range n.Names {
				found = found || f.syntax.Name.Name == "container" && name.Name == "DLeft"
			}
		}
		return !found
	})
	return found
}

// listOf returns the paths that a recipe lists, of which some are patterns: the items of its list, and what is quoted in
// the paragraph that begins with the word Counted.
func (r recipe) listOf(t *tree) (list []string, err error) {
	for _, f := range t.files {
		if f.path != guide {
			continue
		}
		_, section, _ := strings.Cut(string(f.data), "\n### "+r.title+"\n")
		section, _, _ = strings.Cut("\n"+section, "\n#")
		for _, m := range listItem.FindAllStringSubmatch(section, -1) {
			list = append(list, m[1])
		}
		_, counted, _ := strings.Cut(section, "\n\nCounted ")
		counted, _, _ = strings.Cut(counted, "\n\n")
		for _, m := range quoted.FindAllStringSubmatch(counted, -1) {
			list = append(list, m[1])
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no section %q that lists files", guide, r.title)
	}
	return list, nil
}

// check compares the list of a recipe with the files that name its part.
func (r recipe) check(t *tree) (bad []string) {
	list, err := r.listOf(t)
	if err != nil {
		return []string{err.Error()}
	}
	unused := map[string]bool{}
	for _, pattern := range list {
		unused[pattern] = true
	}
	for _, f := range t.goFiles() {
		if !isLibrary(f) || !r.names(f) {
			continue
		}
		at := slices.IndexFunc(list, func(pattern string) bool {
			ok, _ := path.Match(pattern, f.path)
			return ok
		})
		if at < 0 {
			bad = append(bad, fmt.Sprintf("%s names %s and is not in the recipe %q of %s", f.path, r.part, r.title, guide))
			continue
		}
		delete(unused, list[at])
	}
	for _, pattern := range slices.Sorted(maps.Keys(unused)) {
		bad = append(bad, fmt.Sprintf("the recipe %q of %s lists %s, which does not name %s", r.title, guide, pattern, r.part))
	}
	return bad
}

// TestRecipes_ListTheFilesThatNameAPart holds the recipes to what existing parts touch.
func TestRecipes_ListTheFilesThatNameAPart(t *testing.T) {
	loaded := realTree(t)
	for _, r := range recipes {
		report(t, r.check(loaded))
	}
}

// TestRecipes_AreHeldToTheCode breaks recipes of a made-up repository, in each way there is.
func TestRecipes_AreHeldToTheCode(t *testing.T) {
	const doc = "# Hacking\n\n### A kind\n\nText `spec.go`.\n\nCounted on DLeft: `kind.go`, `internal/container/header.go` and\n`counting/dleft*.go`.\n\n" +
		"### A file type\n\nCounted on it: `internal/container/header.go`, `counting/dleft_file.go`.\n\n" +
		"### A placement\n\n- `a.go`: the row, as in `b.go`.\n\n### More\n\n- `more.go`: no recipe.\n\nCounted `more.go`.\n"
	base := []string{
		guide, doc,
		"a.go", "package a\n\nvar name = \"plainxor\"\n",
		"kind.go", "package nest\n\n// Kind is \"d-left\" or another.\ntype Kind string\n",
		"counting/dleft.go", "package counting\n\ntype DLeft struct{}\n",
		"counting/dleft_file.go", "package counting\n\nvar dleftType = container.DLeft\n",
		"counting/doc.go", "// Package counting has DLeft.\npackage counting\n",
		"internal/container/header.go", "package container\n\nconst DLeft = 6\n",
		"x_test.go", "package nest\n\nvar dleft, plainxor = container.DLeft, 1\n",
		"experiments/x.go", "package experiments\n\nvar dleft, plainxor = container.DLeft, 1\n",
		"g.go", "// Code generated by x; DO NOT EDIT.\n\npackage a\n\nvar plainxor int\n",
	}
	for _, c := range []struct {
		path, content string
		want          []string
	}{
		{"y.go", "package nest\n\n// y knows plainxors.\nvar y = slices.PlainXOR\n", nil},
		{"plan.go", "package nest\n\n// plan knows DLeft.\nfunc plan() {}\n", []string{`plan.go names DLeft and is not in the recipe "A kind"`}},
		{"view.go", "package nest\n\nvar v = container.DLeft\n", []string{`view.go names DLeft and is not in the recipe "A kind"`, `view.go names DLeft and is not in the recipe "A file type"`}},
		{"kind.go", "package nest\n", []string{`"A kind" of docs/HACKING.md lists kind.go, which does not`}},
		{"b.go", "package a\n\nvar maxPlainXOR int\n", []string{`b.go names PlainXOR and is not in the recipe "A placement"`}},
		{"a.go", "package a\n", []string{`"A placement" of docs/HACKING.md lists a.go, which does not`}},
		{guide, "# Hacking\n", []string{`no section "A kind"`, `no section "A file type"`, `no section "A placement"`}},
	} {
		var bad []string
		broken := fakeTree(t, append(slices.Clone(base), c.path, c.content)...)
		for _, r := range recipes[:3] {
			bad = append(bad, r.check(broken)...)
		}
		if len(bad) != len(c.want) {
			t.Errorf("%s: %q, want %q", c.path, bad, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(bad[i], want) {
				t.Errorf("%s: %q, want %q", c.path, bad[i], want)
			}
		}
	}
}
