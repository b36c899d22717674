package gate

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

func longFunctions(t *tree) []string {
	var bad []string
	for _, f := range t.goFiles() {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			name := "function literal"
			switch n := n.(type) {
			case *ast.FuncDecl:
				name = n.Name.Name
			case *ast.FuncLit:
			default:
				return true
			}
			lines := t.fset.Position(n.End()).Line - t.fset.Position(n.Pos()).Line + 1
			if lines > maxFuncLines {
				bad = append(bad, t.at(n.Pos(), "%s has %d lines, the limit is %d", name, lines, maxFuncLines))
			}
			return true
		})
	}
	return bad
}

// isPublic says whether other modules can import what the file declares.
func (f *file) isPublic() bool {
	return !f.isTest() && f.syntax.Name.Name != "main" && !strings.Contains("/"+f.path, "/internal/")
}

// docComments finds exported declarations and methods that nothing is said about, and, outside the
// experiments, struct fields: there a point's X and Y may go without. A comment on a group in
// parentheses speaks for its members.
func docComments(t *tree) []string {
	var bad []string
	for _, f := range t.goFiles() {
		if !f.isPublic() {
			continue
		}
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && receiverExported(d) && d.Doc == nil {
					bad = append(bad, t.at(d.Pos(), "func %s has no doc comment", d.Name.Name))
				}
			case *ast.GenDecl:
				bad = append(bad, t.undocumentedSpecs(d, !strings.HasPrefix(f.path, "experiments/"))...)
			}
		}
	}
	return bad
}

// receiverExported says whether a method's type is exported; a function counts as exported.
func receiverExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	for e := d.Recv.List[0].Type; ; {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr: // whose index is a type parameter
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// undocumentedSpecs looks at the types, with or without their fields, the variables and the constants
// of one declaration.
func (t *tree) undocumentedSpecs(d *ast.GenDecl, fields bool) []string {
	var bad []string
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if !s.Name.IsExported() {
				continue
			}
			if d.Doc == nil && s.Doc == nil && s.Comment == nil {
				bad = append(bad, t.at(s.Pos(), "type %s has no doc comment", s.Name.Name))
			}
			bad = append(bad, t.undocumentedMembers(s, fields)...)
		case *ast.ValueSpec:
			if d.Doc == nil && s.Doc == nil && s.Comment == nil {
				bad = append(bad, t.exported(s.Names, s.Pos(), d.Tok.String())...)
			}
		}
	}
	return bad
}

// undocumentedMembers looks at the methods of an interface and, if fields is set, the named fields of
// a struct.
func (t *tree) undocumentedMembers(s *ast.TypeSpec, fields bool) []string {
	var members []*ast.Field
	switch body := s.Type.(type) {
	case *ast.StructType:
		if fields {
			members = body.Fields.List
		}
	case *ast.InterfaceType:
		members = body.Methods.List
	}
	var bad []string
	for _, field := range members {
		if field.Doc == nil && field.Comment == nil {
			bad = append(bad, t.exported(field.Names, field.Pos(), s.Name.Name+" member")...)
		}
	}
	return bad
}

// exported reports the exported ones of undocumented names.
func (t *tree) exported(names []*ast.Ident, pos token.Pos, kind string) []string {
	var bad []string
	for _, n := range names {
		if n.IsExported() {
			bad = append(bad, t.at(pos, "%s %s has no doc comment", kind, n.Name))
		}
	}
	return bad
}

// packageDocs finds packages without a package comment. Packages of tests alone need none.
func packageDocs(t *tree) []string {
	documented := map[string]bool{}
	for _, f := range t.goFiles() {
		if !f.isTest() {
			dir := path.Dir(f.path)
			// Text drops directives, so that a build constraint does not pass for a comment.
			documented[dir] = documented[dir] || strings.TrimSpace(f.syntax.Doc.Text()) != ""
		}
	}
	var bad []string
	for _, dir := range slices.Sorted(maps.Keys(documented)) {
		if !documented[dir] {
			bad = append(bad, fmt.Sprintf("package in %s has no package comment", dir))
		}
	}
	return bad
}
