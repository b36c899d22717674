package gate

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// Links in Markdown: [text](target), ![text](target), [label]: target, and HTML attributes.
var (
	linkForms = []*regexp.Regexp{
		regexp.MustCompile(`\]\(<?([^()\s<>]+)>?(?:\s+"[^"]*")?\)`),
		regexp.MustCompile(`(?m)^\s*\[[^\]]+\]:\s*<?([^\s<>]+)>?`),
		regexp.MustCompile(`\b(?:src|href|srcset)="([^"\s]+)"`),
	}
	codeSpan = regexp.MustCompile("`[^`\n]*`")
	scheme   = regexp.MustCompile(`^([a-z][a-z0-9+.-]*:|//)`)
	heading  = regexp.MustCompile(`(?m)^#{1,6}\s+(.*)$`)
)

// linksOf returns the targets of the links in the prose of a Markdown text.
func linksOf(text string) []string {
	_, prose := blocksOf(text)
	prose = codeSpan.ReplaceAllString(prose, "")
	var targets []string
	for _, form := range linkForms {
		for _, m := range form.FindAllStringSubmatch(prose, -1) {
			targets = append(targets, m[1])
		}
	}
	return targets
}

// deadLinks finds links within the repository whose file or heading does not exist. Links with a
// scheme are not followed.
func deadLinks(t *tree) []string {
	known, texts := t.paths(), map[string]string{}
	for _, f := range t.markdown() {
		texts[f.path] = string(f.data)
	}
	var bad []string
	for _, f := range t.markdown() {
		for _, target := range linksOf(string(f.data)) {
			if scheme.MatchString(target) {
				continue
			}
			name, anchor, hasAnchor := strings.Cut(target, "#")
			to := f.path
			if name != "" {
				to = path.Join(path.Dir(f.path), name)
			}
			text, isMarkdown := texts[to]
			switch {
			case !known[to]:
				bad = append(bad, fmt.Sprintf("%s: link to %s: there is no such file", f.path, target))
			case hasAnchor && isMarkdown && !anchorsOf(text)[anchor]:
				bad = append(bad, fmt.Sprintf("%s: link to %s: there is no such heading", f.path, target))
			}
		}
	}
	return bad
}

// paths returns every file of the tree and every directory that holds one.
func (t *tree) paths() map[string]bool {
	known := map[string]bool{".": true}
	for _, f := range t.files {
		for p := f.path; !known[p]; p = path.Dir(p) {
			known[p] = true
		}
	}
	return known
}

// anchorsOf returns the anchors of a text's headings by GitHub's rule: lower case, punctuation
// dropped, a hyphen for each space, and -1, -2, ... after the second and later of one name.
func anchorsOf(text string) map[string]bool {
	_, prose := blocksOf(text)
	anchors := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(prose, -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(m[1]))
		name := slug
		for n := 1; anchors[name]; n++ {
			name = fmt.Sprintf("%s-%d", slug, n)
		}
		anchors[name] = true
	}
	return anchors
}
