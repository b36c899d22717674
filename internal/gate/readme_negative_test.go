package gate

import (
	"strings"
	"testing"
)

// exampleSource is a made-up package with Examples, the first one tested.
const exampleSource = `package x_test

import (
	"fmt"
	"os"
)

func Example_basic() {
	f := 1
	if f > 0 {

		g()
	}
	// Output:
	// 1
}

func Example_silent() {
	g()
}

func Example_prints() {
	fmt.Println(1)
	// Output: 1
}
`

const basicBlock = "```go\nf := 1\nif f > 0 {\n\n\tg()\n}\n```\n"

// program is a page whose program is Example_prints, with these imports.
func program(imports string) string {
	return "<!-- example: x.Example_prints -->\n```go\npackage main\n\nimport (\n" + imports +
		"\n)\n\nfunc main() {\n\tfmt.Println(1)\n}\n```\n"
}

func TestReadme_AcceptsCopies(t *testing.T) {
	comment := "<!-- example: x.Example_basic -->\n"
	indented := "```go\n\tf := 1\n\tif f > 0 {\n\n\t\tg()\n\t}\n```\n"
	report(t, untestedSnippets(fakeTree(t,
		"x/x_test.go", exampleSource,
		"README.md", "# A\n\n"+comment+basicBlock+"\n"+comment+"\n"+indented,
		"docs/B.md", "```sh\ngo test ./...\n```\n\n````text\n```go\nquoted()\n```\n````\n")))
	report(t, untestedSnippets(fakeTree(t, "x/x_test.go", exampleSource, "README.md", program(`"fmt"`))))
	report(t, untestedSnippets(fakeTree(t, "a_test.go", exampleSource,
		"README.md", "<!-- example: nest.Example_basic -->\n"+basicBlock)))
}

func TestReadme_FindsUntestedCode(t *testing.T) {
	for _, c := range []struct{ name, markdown, want string }{
		{"no comment", "text\n" + basicBlock, "README.md:2: Go code without a comment"},
		{"comment used up", "<!-- example: x.Example_basic -->\n" + basicBlock + basicBlock, "README.md:9: Go code without"},
		{"text between", "<!-- example: x.Example_basic -->\ntext\n" + basicBlock, "README.md:3: Go code without"},
		{"code differs", "<!-- example: x.Example_basic -->\n```go\nf := 2\n```\n", "differs from x.Example_basic"},
		{"fence left open", "<!-- example: x.Example_basic -->\n```go\nf := 1\n", "differs from x.Example_basic"},
		{"no such example", "<!-- example: x.Example_other -->\n" + basicBlock, "there is no Example_other in the tests of x"},
		{"no such package", "<!-- example: y.Example_basic -->\n" + basicBlock, "there is no Example_basic in the tests of y"},
		{"not an example", "<!-- example: x.TestMain -->\n" + basicBlock, "does not name an Example"},
		{"example that never runs", "<!-- example: x.Example_silent -->\n```go\ng()\n```\n", "has no output comment"},
		{"no import", program(""), "a program imports"},
		{"import too many", program("\"fmt\"\n\"os\""), "a program imports"},
		{"declares what no test has", strings.Replace(program(`"fmt"`), "func main", "type t struct{}\n\nfunc main", 1), "type t struct{}"},
		{"no program", "<!-- example: x.Example_prints -->\n```go\npackage main\n\nfunc main() {\n```\n", "expected"},
		{"other language", "<!-- example: x.Example_basic -->\n```\nf := 1\n```\n", "not marked go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found(t, untestedSnippets(fakeTree(t, "x/x_test.go", exampleSource, "README.md", c.markdown)), c.want)
		})
	}
}

func TestReadme_AcceptsLinks(t *testing.T) {
	report(t, deadLinks(fakeTree(t,
		"README.md", "# Use it: `now`\n\n[a](docs/A.md) [b](docs/A.md#two-words) ![c](img/c.png \"C\") [d](#use-it-now) [e](docs)\n"+
			"<img src=\"img/c.png\"> [f](https://example.org/x) `[g](gone.md)`\n\n[h]: docs/A.md#two-words-1\n\n```\n[i](gone.md)\n```\n",
		"docs/A.md", "## Two words\n\n## Two words\n\n[up](../README.md) [m](mailto:a@example.org)\n",
		"img/c.png", "\x00")))
}

func TestReadme_FindsDeadLinks(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"file", "[a](gone.md)\n", "link to gone.md: there is no such file"},
		{"image", "![a](gone.png)\n", "link to gone.png: there is no such file"},
		{"tag", "<img src=\"gone.svg\">\n", "link to gone.svg: there is no such file"},
		{"label", "[a]: gone.md\n", "link to gone.md: there is no such file"},
		{"relative to the root", "[a](docs/A.md)\n", "link to docs/A.md: there is no such file"},
		{"outside", "[a](../../x.md)\n", "link to ../../x.md: there is no such file"},
		{"heading", "[a](#nothing)\n", "link to #nothing: there is no such heading"},
		{"heading elsewhere", "[a](../README.md#nothing)\n", "link to ../README.md#nothing: there is no such heading"},
		{"heading inside a block", "```\n# Fake\n```\n[a](#fake)\n", "link to #fake: there is no such heading"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found(t, deadLinks(fakeTree(t, "docs/A.md", c.text, "README.md", "# Hello\n")), c.want)
		})
	}
}

func TestReadme_FindsMissingText(t *testing.T) {
	loaded := fakeTree(t, "README.md", "go test\n")
	found(t, missingText(loaded, "go test ./...", "README.md"), "README.md is missing or does not contain")
	found(t, missingText(loaded, "go", "x"), "x is missing")
	report(t, missingText(loaded, "go test", "README.md"))
}
