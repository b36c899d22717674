package gate

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A recipe of docs/HACKING.md lists the library files that one kind or file type is named in. DLeft is the one that is
// counted: no other has letters that other words have too.
type recipe struct {
	title string // of its section
	// names tells whether a file of the library names the subject.
	names func(*file) bool
}

var kindRecipes = []recipe{
	{"A kind", namesKind},
	{"A file type", namesType},
}

// dleftWord finds the kind in code, comments and strings.
var dleftWord = regexp.MustCompile(`(?i)d-?left`)

// namesKind tells whether the front or an internal package names the kind at all, or its own package names it in code:
// what the comments of that package say of it is the package's affair.
func namesKind(f *file) bool {
	if !strings.HasPrefix(f.path, "counting/") {
		return dleftWord.Match(f.data)
	}
	found := false
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		found = found || ok && dleftWord.MatchString(name.Name)
		return !found
	})
	return found
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

// quoted finds the paths in a list of a recipe: code that ends in .go.
var quoted = regexp.MustCompile("`([^`\\s]+\\.go)`")

// listOf returns the paths that a recipe lists, of which some are patterns: those in the paragraph that begins with the
// word Counted.
func (t *tree) listOf(title string) (list []string, err error) {
	for _, f := range t.files {
		if f.path != "docs/HACKING.md" {
			continue
		}
		_, section, ok := strings.Cut(string(f.data), "\n### "+title+"\n")
		section, _, _ = strings.Cut("\n"+section, "\n### ")
		_, counted, listed := strings.Cut(section, "\n\nCounted ")
		counted, _, _ = strings.Cut(counted, "\n\n")
		if !ok || !listed {
			return nil, fmt.Errorf("docs/HACKING.md has no section %q with a paragraph that begins with Counted", title)
		}
		for _, m := range quoted.FindAllStringSubmatch(counted, -1) {
			list = append(list, m[1])
		}
	}
	return list, nil
}

// check compares the list of a recipe with the files that name its subject.
func (r recipe) check(t *tree) (bad []string) {
	list, err := t.listOf(r.title)
	if err != nil {
		return []string{err.Error()}
	}
	unused := map[string]bool{}
	for _, pattern := range list {
		unused[pattern] = true
	}
	for _, f := range t.goFiles() {
		if f.isTest() || strings.HasPrefix(f.path, "experiments/") || strings.HasPrefix(f.path, "tools/") || !r.names(f) {
			continue
		}
		at := slices.IndexFunc(list, func(pattern string) bool {
			ok, _ := path.Match(pattern, f.path)
			return ok
		})
		if at < 0 {
			bad = append(bad, fmt.Sprintf("%s names the d-left filter and is not in the recipe %q of docs/HACKING.md", f.path, r.title))
			continue
		}
		delete(unused, list[at])
	}
	for _, pattern := range slices.Sorted(maps.Keys(unused)) {
		bad = append(bad, fmt.Sprintf("the recipe %q of docs/HACKING.md lists %s, which does not name the d-left filter", r.title, pattern))
	}
	return bad
}

// TestRecipes_KindAndFileType holds the recipes to what an existing kind and file type touch.
func TestRecipes_KindAndFileType(t *testing.T) {
	loaded := realTree(t)
	for _, r := range kindRecipes {
		report(t, r.check(loaded))
	}
}

// TestRecipes_AreBroken breaks both recipes of a made-up repository, in each way there is.
func TestRecipes_AreBroken(t *testing.T) {
	const doc = "# Hacking\n\n### A kind\n\nText `spec.go`.\n\nCounted on DLeft: `kind.go`, `internal/container/header.go` and\n`counting/dleft*.go`.\n\n" +
		"### A file type\n\nCounted on it: `internal/container/header.go`, `counting/dleft_file.go`.\n\n### More\n\nCounted `more.go`.\n"
	base := []string{
		"docs/HACKING.md", doc,
		"kind.go", "package nest\n\n// Kind is \"d-left\" or another.\ntype Kind string\n",
		"counting/dleft.go", "package counting\n\ntype DLeft struct{}\n",
		"counting/dleft_file.go", "package counting\n\nvar dleftType = container.DLeft\n",
		"counting/doc.go", "// Package counting has DLeft.\npackage counting\n",
		"internal/container/header.go", "package container\n\nconst DLeft = 6\n",
		"x_test.go", "package nest\n\nvar dleft = container.DLeft\n",
		"experiments/x.go", "package experiments\n\nvar dleft = container.DLeft\n",
	}
	for _, c := range []struct {
		path, content string
		want          []string
	}{
		{"y.go", "package nest\n", nil},
		{"plan.go", "package nest\n\n// plan knows DLeft.\nfunc plan() {}\n", []string{`plan.go names the d-left filter and is not in the recipe "A kind"`}},
		{"view.go", "package nest\n\nvar v = container.DLeft\n", []string{`view.go names the d-left filter and is not in the recipe "A kind"`, `view.go names the d-left filter and is not in the recipe "A file type"`}},
		{"kind.go", "package nest\n", []string{`"A kind" of docs/HACKING.md lists kind.go, which does not`}},
		{"docs/HACKING.md", "# Hacking\n", []string{`no section "A kind"`, `no section "A file type"`}},
	} {
		var bad []string
		broken := fakeTree(t, append(slices.Clone(base), c.path, c.content)...)
		for _, r := range kindRecipes {
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
