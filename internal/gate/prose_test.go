package gate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxWords is how many words a sentence of a user page may have.
const maxWords = 40

// userPages are the pages that users read. The others are for who works on nest, or are written by commands.
var userPages = []string{
	"README.md", "docs/CHOOSING.md", "docs/COMMANDS.md", "docs/EXPERIMENTS.md", "docs/INTEROP.md", "docs/MAPLETS.md",
	"docs/PERFORMANCE.md", "docs/REDIS.md", "docs/REPRODUCING.md", "docs/SCALABLE.md",
}

// notProse begins a line that is a table, a heading, a comment or a picture, or code.
var notProse = regexp.MustCompile(`^(\||#|<!--|!\[|    )`)

// sentenceEnd is a mark and white space, behind which a sentence begins.
var sentenceEnd = regexp.MustCompile(`[.:;?!]['")]*\s+`)

// longSentences finds prose of the user pages that is hard to read: sentences of more than 40 words, where a colon or a
// semicolon ends one too, and lines of more than 120 columns.
func longSentences(t *tree) []string {
	var bad []string
	for _, f := range t.files {
		if !slices.Contains(userPages, f.path) {
			continue
		}
		code, first, paragraph := false, 0, ""
		for number, line := range strings.Split(string(f.data)+"\n", "\n") {
			fence := strings.HasPrefix(strings.TrimSpace(line), "```")
			prose := !code && !fence && strings.TrimSpace(line) != "" && !notProse.MatchString(line)
			if n := utf8.RuneCountInString(line); prose && n > maxColumns && !strings.Contains(line, "](") {
				bad = append(bad, fmt.Sprintf("%s:%d: %d characters, the limit is %d", f.path, number+1, n, maxColumns))
			}
			if prose {
				if item := strings.TrimLeft(line, " "); strings.HasPrefix(item, "- ") {
					paragraph += "."
				}
				if paragraph == "" {
					first = number + 1
				}
				paragraph += " " + line
				continue
			}
			for _, sentence := range sentenceEnd.Split(paragraph, -1) {
				if n := len(strings.Fields(sentence)); n > maxWords {
					bad = append(bad, fmt.Sprintf("%s:%d: a sentence of %d words, the limit is %d: %.60s", f.path, first, n, maxWords,
						strings.TrimSpace(sentence)))
				}
			}
			paragraph, code = "", code != fence
		}
	}
	return bad
}
