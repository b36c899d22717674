package gate

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// The hard limits. The aims are lower: about 40 lines a function, 300 a file.
const (
	maxFuncLines = 70
	maxFileLines = 600
	softLines    = 500 // reported in the log
	maxBytes     = 1 << 20
	maxColumns   = 120 // characters of a line of the experiments, a tab counted as one
)

// A rule returns one message for each place where the tree breaks it.
type rule struct {
	name  string
	check func(*tree) []string
}

// rules are all the rules of tidiness. Each has cases in badTrees that break it.
var rules = []rule{
	{"function length", longFunctions},
	{"file length", longFiles},
	{"file size", largeFiles},
	{"line length", longLines},
	{"sentence length", longSentences},
	{"marks", marks},
	{"machine paths", machinePaths},
	{"white space", whiteSpace},
	{"file names", fileNames},
	{"ignored builds", ignoredBuilds},
	{"doc comments", docComments},
	{"package docs", packageDocs},
	{"purego twins", puregoTwins},
}

func TestTidy(t *testing.T) {
	loaded := realTree(t)
	if n := len(loaded.goFiles()); n < 10 {
		t.Fatalf("the walk found %d Go files: it does not see the repository", n)
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) { report(t, r.check(loaded)) })
	}
	for _, f := range loaded.goFiles() {
		if n := f.lines(); n > softLines {
			t.Logf("%s has %d lines; aim below %d", f.path, n, softLines)
		}
	}
}

func longFiles(t *tree) []string {
	var bad []string
	for _, f := range t.goFiles() {
		if n := f.lines(); n > maxFileLines {
			bad = append(bad, fmt.Sprintf("%s has %d lines, the limit is %d", f.path, n, maxFileLines))
		}
	}
	return bad
}

// longLines looks at the laboratory's code: its size is bounded in lines.
func longLines(t *tree) []string {
	var bad []string
	for _, f := range t.goFiles() {
		if !strings.HasPrefix(f.path, "experiments/") || f.isTest() {
			continue
		}
		number := 0
		for line := range strings.Lines(string(f.data)) {
			number++
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > maxColumns {
				bad = append(bad, fmt.Sprintf("%s:%d: %d characters, the limit is %d", f.path, number, n, maxColumns))
			}
		}
	}
	return bad
}

// largeFiles looks at fixtures too: a repository is cloned whole.
func largeFiles(t *tree) []string {
	var bad []string
	for _, f := range t.files {
		if len(f.data) > maxBytes {
			bad = append(bad, fmt.Sprintf("%s has %d bytes, the limit is %d", f.path, len(f.data), maxBytes))
		}
	}
	return bad
}

// The forbidden words are put together here, so that this file does not contain them.
var (
	markWords   = regexp.MustCompile(`\b(` + "TO" + "DO|FIX" + "ME|XX" + `X)\b`)
	machineDirs = regexp.MustCompile(`(^|[^\w.])/(work|root|farm|tmp)\b` + `|\.\./shar` + "ed")
)

func marks(t *tree) []string {
	return matching(t, markWords, "unfinished work is an issue, not a mark in the text")
}

func machinePaths(t *tree) []string {
	return matching(t, machineDirs, "a path of one machine")
}

// matching reports the lines of text files that match the pattern.
func matching(t *tree, pattern *regexp.Regexp, why string) []string {
	var bad []string
	for _, f := range t.texts() {
		number := 0
		for line := range strings.Lines(string(f.data)) {
			number++
			if word := pattern.FindString(line); word != "" {
				bad = append(bad, fmt.Sprintf("%s:%d: %q: %s", f.path, number, word, why))
			}
		}
	}
	return bad
}

func whiteSpace(t *tree) []string {
	var bad []string
	for _, f := range t.texts() {
		text := string(f.data)
		if text != "" && !strings.HasSuffix(text, "\n") {
			bad = append(bad, f.path+": does not end with a line feed")
		}
		if strings.HasSuffix(text, "\n\n") {
			bad = append(bad, f.path+": ends with an empty line")
		}
		number := 0
		for line := range strings.Lines(text) {
			number++
			line = strings.TrimSuffix(line, "\n")
			if line != strings.TrimRight(line, " \t\r") {
				bad = append(bad, fmt.Sprintf("%s:%d: trailing white space", f.path, number))
			}
		}
	}
	return bad
}

// fileNames finds Go files that look like tests but are compiled into the package.
func fileNames(t *tree) []string {
	var bad []string
	for _, f := range t.goFiles() {
		if strings.Contains(path.Base(f.path), "_test") && !f.isTest() {
			bad = append(bad, f.path+": contains _test but does not end in _test.go, so it is compiled into the package")
		}
	}
	return bad
}
