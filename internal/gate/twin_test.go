package gate

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"maps"
	"path"
	"slices"
	"strings"
)

// constraintOf returns the build constraint above the package clause of a Go file, nil if none.
func (f *file) constraintOf() constraint.Expr {
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			if c.Pos() > f.syntax.Package {
				return nil
			}
			if constraint.IsGoBuild(c.Text) || constraint.IsPlusBuild(c.Text) {
				if expr, err := constraint.Parse(c.Text); err == nil {
					return expr
				}
			}
		}
	}
	return nil
}

// tagsOf returns the tags that a constraint names.
func tagsOf(expr constraint.Expr) []string {
	tags := map[string]bool{}
	collect(expr, tags)
	return slices.Sorted(maps.Keys(tags))
}

// collect adds the tags below expr. It walks the expression because Eval stops at the first operand
// that decides.
func collect(expr constraint.Expr, tags map[string]bool) {
	switch e := expr.(type) {
	case *constraint.TagExpr:
		tags[e.Tag] = true
	case *constraint.NotExpr:
		collect(e.X, tags)
	case *constraint.AndExpr:
		collect(e.X, tags)
		collect(e.Y, tags)
	case *constraint.OrExpr:
		collect(e.X, tags)
		collect(e.Y, tags)
	}
}

// ignoredBuilds finds files that no build compiles, which rot.
func ignoredBuilds(t *tree) []string {
	var bad []string
	for _, f := range t.goFiles() {
		if slices.Contains(tagsOf(f.constraintOf()), "ignore") {
			bad = append(bad, f.path+": no build compiles it; make it a command, a test or a go:generate of a package")
		}
	}
	return bad
}

// puregoTwins finds files chosen by the tag purego that have no counterpart. In every build, with
// the tag and without, on each architecture that a constraint names and on one that none names, the
// tagged files of a directory must declare the same exported names.
func puregoTwins(t *tree) []string {
	tagged := map[string][]*file{}
	for _, f := range t.goFiles() {
		if !f.isTest() && slices.Contains(tagsOf(f.constraintOf()), "purego") {
			tagged[path.Dir(f.path)] = append(tagged[path.Dir(f.path)], f)
		}
	}
	var bad []string
	for _, dir := range slices.Sorted(maps.Keys(tagged)) {
		bad = append(bad, missingTwins(dir, tagged[dir])...)
	}
	return bad
}

// missingTwins compares what the tagged files of one directory declare in each build.
func missingTwins(dir string, files []*file) []string {
	arches, all := map[string]bool{"another": true}, map[string]bool{}
	for _, f := range files {
		for _, tag := range tagsOf(f.constraintOf()) {
			arches[tag] = true
		}
		maps.Copy(all, exportedNames(f.syntax))
	}
	delete(arches, "purego")
	var bad []string
	for _, arch := range slices.Sorted(maps.Keys(arches)) {
		for _, purego := range []bool{false, true} {
			built, names := 0, map[string]bool{}
			for _, f := range files {
				if f.constraintOf().Eval(func(tag string) bool { return tag == arch || tag == "purego" && purego }) {
					built++
					maps.Copy(names, exportedNames(f.syntax))
				}
			}
			if built == 0 || !maps.Equal(names, all) {
				bad = append(bad, fmt.Sprintf("%s: with tag %s and purego=%v its tagged files declare %q, of %q",
					dir, arch, purego,
					strings.Join(slices.Sorted(maps.Keys(names)), " "), strings.Join(slices.Sorted(maps.Keys(all)), " ")))
			}
		}
	}
	return bad
}

// exportedNames returns the exported names that a file declares, methods left out.
func exportedNames(f *ast.File) map[string]bool {
	names := map[string]bool{}
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names[id.Name] = true
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						add(id)
					}
				}
			}
		}
	}
	return names
}
