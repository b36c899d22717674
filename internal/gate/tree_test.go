package gate

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"unicode/utf8"
)

// A file is one file of the tree.
type file struct {
	path string // relative to the root, with slashes
	data []byte
	// fixture is set below a testdata directory: such files are input of tests, not text of ours.
	fixture bool
	// syntax is the parsed file, nil unless it is Go and no fixture.
	syntax *ast.File
}

// A tree is what git would track of a repository, as far as its root .gitignore tells.
type tree struct {
	fset  *token.FileSet
	files []*file
}

// loadTree reads every file below fsys but those that are ignored.
func loadTree(fsys fs.FS) (*tree, error) {
	t := &tree{fset: token.NewFileSet()}
	ignored, err := ignoreRules(fsys)
	if err != nil {
		return nil, err
	}
	return t, fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p != "." && ignored(p, d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		f := &file{path: p, fixture: strings.Contains("/"+p, "/testdata/")}
		if f.data, err = fs.ReadFile(fsys, p); err != nil {
			return err
		}
		if strings.HasSuffix(p, ".go") && !f.fixture {
			f.syntax, err = parser.ParseFile(t.fset, p, f.data, parser.ParseComments|parser.SkipObjectResolution)
		}
		t.files = append(t.files, f)
		return err
	})
}

// ignoreRules reads the root .gitignore: lines "/dir/" and "*.ext", which is all that ours needs.
// A line of another form is an error, so that the walk cannot silently differ from git.
func ignoreRules(fsys fs.FS) (func(p string, dir bool) bool, error) {
	data, err := fs.ReadFile(fsys, ".gitignore")
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var dirs, globs []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "/") && strings.HasSuffix(line, "/"):
			dirs = append(dirs, strings.Trim(line, "/"))
		case strings.HasPrefix(line, "*."):
			globs = append(globs, line)
		default:
			return nil, fmt.Errorf(".gitignore: the tree walk understands /dir/ and *.ext, not %q", line)
		}
	}
	return func(p string, dir bool) bool {
		for _, d := range dirs {
			if dir && p == d {
				return true
			}
		}
		for _, g := range globs {
			if ok, _ := path.Match(g, path.Base(p)); ok {
				return true
			}
		}
		return path.Base(p) == ".git"
	}, nil
}

// isText says whether the file is text that people write: not a fixture, not binary, and no drawing,
// which a program writes.
func (f *file) isText() bool {
	return !f.fixture && !strings.HasSuffix(f.path, ".svg") &&
		bytes.IndexByte(f.data, 0) < 0 && utf8.Valid(f.data)
}

// isTest says whether the file is compiled into tests only.
func (f *file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// lines counts the lines of the file.
func (f *file) lines() int { return bytes.Count(f.data, []byte("\n")) }

// texts returns the files that text rules apply to.
func (t *tree) texts() []*file {
	return t.where((*file).isText)
}

// goFiles returns the parsed Go files.
func (t *tree) goFiles() []*file {
	return t.where(func(f *file) bool { return f.syntax != nil })
}

func (t *tree) where(keep func(*file) bool) []*file {
	var kept []*file
	for _, f := range t.files {
		if keep(f) {
			kept = append(kept, f)
		}
	}
	return kept
}

// at formats a message about a position of a Go file.
func (t *tree) at(pos token.Pos, format string, args ...any) string {
	p := t.fset.Position(pos)
	return fmt.Sprintf("%s:%d: ", p.Filename, p.Line) + fmt.Sprintf(format, args...)
}

// realTree loads the repository that the test runs in.
func realTree(t *testing.T) *tree {
	t.Helper()
	loaded, err := loadTree(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}
