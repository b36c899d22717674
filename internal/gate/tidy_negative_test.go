package gate

import (
	"strings"
	"testing"
	"testing/fstest"
)

// fakeTree loads a made-up repository from pairs of path and content.
func fakeTree(t *testing.T, pairs ...string) *tree {
	t.Helper()
	fsys := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		fsys[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	loaded, err := loadTree(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// stretched puts n line feeds between two pieces of text.
func stretched(before string, n int, after string) string {
	return before + strings.Repeat("\n", n) + after
}

// A badTree is a made-up repository that breaks one rule.
type badTree struct {
	rule, path, content, want string
}

// badTrees has at least one case for every rule. The forbidden words are put together here as in
// the rules themselves.
var badTrees = []badTree{
	{"function length", "a.go", stretched("package a\nfunc f() {", maxFuncLines, "}\n"), "a.go:2: f has 71 lines, the limit is 70"},
	{"function length", "a_test.go", stretched("package a\nvar f = func() {", maxFuncLines, "}\n"), "function literal has 71 lines"},
	{"file length", "a.go", stretched("package a", maxFileLines+1, ""), "a.go has 601 lines, the limit is 600"},
	{"file size", "x/testdata/big.csv", strings.Repeat("0", maxBytes+1), "x/testdata/big.csv has 1048577 bytes"},
	{"line length", "experiments/a.go", "package a\n\n// " + strings.Repeat("é", maxColumns-2) + "\n", "experiments/a.go:3: 121 characters"},
	{"sentence length", "README.md", "# A\n\n" + strings.Repeat("word ", maxWords) + "word.\n", "README.md:3: a sentence of 41 words"},
	{"sentence length", "docs/REDIS.md", strings.Repeat("é", maxColumns+1) + "\n", "docs/REDIS.md:1: 121 characters"},
	{"marks", "a.go", "package a\n\n// TO" + "DO: more\n", "a.go:3:"},
	{"marks", "docs/A.md", "FIX" + "ME\n", "docs/A.md:1:"},
	{"marks", "run", "# XX" + "X\n", "run:1:"},
	{"machine paths", "a.md", "See /wo" + "rk/main.\n", "a.md:1:"},
	{"machine paths", "a.go", "package a\n\nconst d = \"/ro" + "ot/x\"\n", "a.go:3:"},
	{"machine paths", "a.md", "(/fa" + "rm)\n", "a.md:1:"},
	{"machine paths", "a.md", "/t" + "mp/report\n", "a.md:1:"},
	{"machine paths", "a.md", "[d](../shar" + "ed/D.md)\n", "a.md:1:"},
	{"white space", "a.md", "one \ntwo\n", "a.md:1: trailing white space"},
	{"white space", "a.txt", "one\r\n", "a.txt:1: trailing white space"},
	{"white space", "a.md", "one", "a.md: does not end with a line feed"},
	{"white space", "a.md", "one\n\n", "a.md: ends with an empty line"},
	{"file names", "issue_test_1.25.go", "package a\n", "issue_test_1.25.go: contains _test"},
	{"ignored builds", "gen.go", "//go:build ignore\n\npackage main\n", "gen.go: no build compiles it"},
	{"ignored builds", "gen.go", "// Licence.\n\n//go:build linux || ignore\n\npackage main\n", "gen.go: no build"},
	{"doc comments", "a.go", "package a\n\nfunc F() {}\n", "a.go:3: func F has no doc comment"},
	{"doc comments", "a.go", "package a\n\n// T is.\ntype T[P any] int\n\nfunc (t *T[P]) M() {}\n", "func M has no doc comment"},
	{"doc comments", "a.go", "package a\n\ntype T int\n", "type T has no doc comment"},
	{"doc comments", "a.go", "package a\n\nvar a, B = 1, 2\n", "var B has no doc comment"},
	{"doc comments", "a.go", "package a\n\n// T is.\ntype T struct{ Field int }\n", "T member Field has no doc comment"},
	{"doc comments", "a.go", "package a\n\n// T is.\ntype T interface{ M() }\n", "T member M has no doc comment"},
	{"doc comments", "experiments/a.go", "package a\n\n// T is.\ntype T interface{ M() }\n", "T member M has no doc comment"},
	{"package docs", "x/a.go", "package x\n", "package in x has no package comment"},
	{"package docs", "x/a.go", "//go:build linux\n\npackage x\n", "package in x has no package comment"},
	{"package docs", "x/a.go", "//go:build linux\npackage x\n", "package in x has no package comment"},
	{"purego twins", "x/fast.go", "//go:build !purego\n\npackage x\n", "x: with tag another and purego=true"},
	{"purego twins", "x/safe.go", "//go:build purego\n\npackage x\n", "x: with tag another and purego=false"},
	{"purego twins", "x/fast.go", "//go:build purego || amd64\n\npackage x\n", "x: with tag another and purego=false"},
}

func TestTidy_EachRuleFindsItsViolations(t *testing.T) {
	tried := map[string]bool{}
	for _, c := range badTrees {
		tried[c.rule] = true
		t.Run(c.rule+"/"+c.path, func(t *testing.T) {
			for _, r := range rules {
				if r.name == c.rule {
					found(t, r.check(fakeTree(t, c.path, c.content)), c.want)
					return
				}
			}
			t.Errorf("there is no rule %q", c.rule)
		})
	}
	for _, r := range rules {
		if !tried[r.name] {
			t.Errorf("no case of badTrees breaks the rule %q", r.name)
		}
	}
}

// TestTidy_TwinsMustDeclareTheSame has a twin, but one that lacks a name on one architecture.
func TestTidy_TwinsMustDeclareTheSame(t *testing.T) {
	fast := "//go:build !purego && amd64\n\npackage x\n\nfunc A() {}\n\nfunc B() {}\n"
	safe := "//go:build purego || !amd64\n\npackage x\n\nfunc A() {}\n\nvar b int\n"
	found(t, puregoTwins(fakeTree(t, "x/fast.go", fast, "x/safe.go", safe)),
		`x: with tag another and purego=false its tagged files declare "A", of "A B"`)
	report(t, puregoTwins(fakeTree(t, "x/fast.go", fast, "x/safe.go", safe+"\nfunc B() {}\n")))
}

// TestTidy_GoodTreeBreaksNoRule holds the rules against false alarms: everything here is close to a
// violation.
func TestTidy_GoodTreeBreaksNoRule(t *testing.T) {
	loaded := fakeTree(t,
		".gitignore", "/report/\n*.test\n",
		"report/r.md", "ignored \n",
		"a.test", "ignored \n",
		".git/config", "ignored \n",
		"x/testdata/input.txt", "fixture /wo"+"rk/ \n\n",
		"x/testdata/broken.go", "not Go",
		"plot.svg", "<svg/>",
		"plot.png", "\x89PNG\x00 ",
		"empty.txt", "",
		"x/doc.go", "// Package x has a comment.\npackage x\n",
		"x/long.go", stretched("package x\n\nfunc f() {", maxFuncLines-1, "}\n"),
		"x/longest.go", stretched("package x\n\nvar _ int", maxFileLines-3, "var _ int\n"),
		"x/api.go", "package x\n\n// Kinds.\nconst (\n\tA = 1\n\tB = 2\n)\n\ntype t struct{ F int }\n\nfunc (t) M() {}\n",
		"x/x_test.go", "package x\n\nfunc TestX() {}\n",
		"internal/y/y.go", "// Package y is internal.\npackage y\n\nfunc F() {}\n",
		"cmd/z/main.go", "// Command z runs.\npackage main\n\nfunc Exported() {}\n",
		"experiments/e.go", "// Package e draws.\npackage e\n\n// P is a point.\ntype P struct{ X, Y float64 }\n",
		"docs/A.md", "github.com/wo"+"rk/x, $dir/tmp/y, ./ro"+"ot/z, XXH64, TO"+"DOs, mktemp XX"+"XX"+"XX\n",
	)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) { report(t, r.check(loaded)) })
	}
}

func TestTree_RefusesWhatItCannotFollow(t *testing.T) {
	for name, fsys := range map[string]fstest.MapFS{
		"pattern of .gitignore": {".gitignore": {Data: []byte("build\n")}},
		"broken Go":             {"a.go": {Data: []byte("package\n")}},
	} {
		if _, err := loadTree(fsys); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
