package gate

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A block is one fenced piece of code of a Markdown file.
type block struct {
	line     int    // of the opening fence
	language string // the first word after the fence
	example  string // of the comment above: "cuckoo.Example_basic"
	code     string
}

var (
	exampleComment = regexp.MustCompile(`^<!-- example: (\S+) -->$`)
	outputComment  = regexp.MustCompile(`(?i)^\s*// (unordered )?output:`)
)

// blocksOf cuts a Markdown text into its fenced blocks and the prose between them, which keeps its
// line numbers. A fence that is never closed gives a block to the end.
func blocksOf(text string) (blocks []block, prose string) {
	var outside, code strings.Builder
	var open *block
	fence, above := "", ""
	number := 0
	for line := range strings.Lines(text) {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case open != nil && trimmed == fence:
			open.code = code.String()
			blocks = append(blocks, *open)
			open, above = nil, ""
		case open != nil:
			code.WriteString(line)
		case strings.HasPrefix(trimmed, "```"):
			info := strings.TrimLeft(trimmed, "`")
			fence = trimmed[:len(trimmed)-len(info)]
			language, _, _ := strings.Cut(strings.TrimSpace(info), " ")
			open = &block{line: number, language: language}
			if m := exampleComment.FindStringSubmatch(above); m != nil {
				open.example = m[1]
			}
			code.Reset()
		default:
			outside.WriteString(line)
			if trimmed != "" {
				above = trimmed
			}
			continue
		}
		outside.WriteString("\n")
	}
	if open != nil {
		open.code = code.String()
		blocks = append(blocks, *open)
	}
	return blocks, outside.String()
}

// normal strips trailing white space, empty lines at both ends, and the indentation that all lines
// share, counted in tabs.
func normal(code string) string {
	lines := strings.Split(strings.Trim(code, "\n"), "\n")
	shared := -1
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
		tabs := len(l) - len(strings.TrimLeft(l, "\t"))
		if lines[i] != "" && (shared < 0 || tabs < shared) {
			shared = tabs
		}
	}
	for i, l := range lines {
		if l != "" {
			lines[i] = l[shared:]
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n")) + "\n"
}

// exampleBody returns the body of an Example without its output comment, and its file. The name is the package's path
// below the module, a dot and the function: "cuckoo.Example_basic"; the root is "nest".
func (t *tree) exampleBody(name string) (string, *file, error) {
	dot := strings.LastIndex(name, ".")
	if dot < 0 || !strings.HasPrefix(name[dot+1:], "Example") {
		return "", nil, fmt.Errorf("%q does not name an Example as package.ExampleName", name)
	}
	dir, function := name[:dot], name[dot+1:]
	if dir == path.Base(module) {
		dir = "."
	}
	for _, f := range t.goFiles() {
		if path.Dir(f.path) != dir || !f.isTest() {
			continue
		}
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == function && fn.Recv == nil {
				from, to := t.fset.Position(fn.Body.Lbrace).Offset+1, t.fset.Position(fn.Body.Rbrace).Offset
				body, err := testedBody(name, string(f.data[from:to]))
				return body, f, err
			}
		}
	}
	return "", nil, fmt.Errorf("there is no %s in the tests of %s", function, dir)
}

// mainBody returns the body of main in a program. That has to import what it uses of the imports of a test file, and no
// more, and what it declares before main has to stand in that file.
func mainBody(program string, test *file) (string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", program, 0)
	if err != nil {
		return "", err
	}
	var want, have []string
	for _, spec := range test.syntax.Imports {
		name := path.Base(strings.Trim(spec.Path.Value, `"`))
		if slices.ContainsFunc(f.Unresolved, func(id *ast.Ident) bool { return id.Name == name }) {
			want = append(want, spec.Path.Value)
		}
	}
	for _, spec := range f.Imports {
		have = append(have, spec.Path.Value)
	}
	last, ok := f.Decls[len(f.Decls)-1].(*ast.FuncDecl)
	if !ok || last.Name.Name != "main" || !slices.Equal(have, want) {
		return "", fmt.Errorf("a program imports %v and ends with main; this one imports %v", want, have)
	}
	for _, d := range f.Decls[1 : len(f.Decls)-1] {
		text := program[fset.Position(d.Pos()).Offset:fset.Position(d.End()).Offset]
		if !strings.Contains(string(test.data), text) {
			return "", fmt.Errorf("%s does not have what the program declares: %s", test.path, text)
		}
	}
	return program[fset.Position(last.Body.Lbrace).Offset+1 : fset.Position(last.Body.Rbrace).Offset], nil
}

// testedBody cuts the output comment off. An Example without one is compiled but not run, so it
// proves nothing.
func testedBody(name, body string) (string, error) {
	lines := strings.Split(body, "\n")
	end := slices.IndexFunc(lines, outputComment.MatchString)
	if end < 0 {
		return "", fmt.Errorf("%s has no output comment, so no test runs it", name)
	}
	return normal(strings.Join(lines[:end], "\n")), nil
}

// markdown returns the Markdown files.
func (t *tree) markdown() []*file {
	return t.where(func(f *file) bool { return strings.HasSuffix(f.path, ".md") && !f.fixture })
}

// untestedSnippets finds Go blocks of Markdown files that are not copies of tested Examples.
func untestedSnippets(t *tree) []string {
	var bad []string
	for _, f := range t.markdown() {
		blocks, _ := blocksOf(string(f.data))
		for _, b := range blocks {
			where := fmt.Sprintf("%s:%d: ", f.path, b.line)
			switch {
			case b.language != "go" && b.example == "":
			case b.language != "go":
				bad = append(bad, where+"an example comment stands above a block that is not marked go")
			case b.example == "":
				bad = append(bad, where+"Go code without a comment <!-- example: package.ExampleName --> above it")
			default:
				want, test, err := t.exampleBody(b.example)
				code := b.code
				if err == nil && strings.HasPrefix(code, "package main\n") {
					code, err = mainBody(code, test)
				}
				if err != nil {
					bad = append(bad, where+err.Error())
				} else if got := normal(code); got != want {
					bad = append(bad, fmt.Sprintf("%sdiffers from %s; it should be:\n%s", where, b.example, want))
				}
			}
		}
	}
	return bad
}

func TestReadme_GoCodeIsTested(t *testing.T) {
	report(t, untestedSnippets(realTree(t)))
}

func TestReadme_LinksResolve(t *testing.T) {
	report(t, deadLinks(realTree(t)))
}

// TestReadme_CommandsAreWhatCIRuns holds the README to the commands that CI reads from it: the main job and the tests.
func TestReadme_CommandsAreWhatCIRuns(t *testing.T) {
	const mark = "<!-- run by CI -->"
	for _, command := range []string{"go run ./experiments/cmd/nest reproduce --out report", "go test ./..."} {
		report(t, missingText(realTree(t), "\n"+mark+"\n```\n"+command+"\n```\n", "README.md"))
	}
	report(t, missingText(realTree(t), mark, ".ci/run"))
}

// missingText reports the files that do not exist or lack the text.
func missingText(t *tree, text string, paths ...string) []string {
	var bad []string
	for _, p := range paths {
		if !slices.ContainsFunc(t.files, func(f *file) bool { return f.path == p && strings.Contains(string(f.data), text) }) {
			bad = append(bad, fmt.Sprintf("%s is missing or does not contain %q", p, text))
		}
	}
	return bad
}
