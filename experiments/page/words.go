package page

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/trace"
)

// sentences are the texts of the page in English and in Chinese, by name. Both take the same arguments.
var sentences = map[string][2]string{}

//go:embed words.txt
var texts string

func init() {
	for block := range strings.SplitSeq(strings.TrimSuffix(texts, "\n"), "\n\n") {
		lines := strings.Split(block, "\n")
		sentences[lines[0]] = [2]string(lines[1:])
	}
}

// A voice speaks English, which is 0, or Chinese.
type voice int

// A word is the name of a sentence that is a part of another one.
type word string

// say formats a sentence in the language.
func (v voice) say(name string, args ...any) string {
	args = slices.Clone(args)
	for i, a := range args {
		if w, ok := a.(word); ok {
			args[i] = v.say(string(w))
		}
	}
	text := sentences[name][v]
	if !strings.Contains(text, "%") {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// A Problem is something that a user asked for and cannot have.
type Problem struct {
	name   string // of the sentence that says so
	args   []any
	fields []string // the parameters that are wrong
}

// Error returns the English sentence.
func (p *Problem) Error() string { return voice(0).tell(p) }

func problem(name string, args ...any) *Problem { return &Problem{name: name, args: args} }

// problemsOf returns those that an error is made of.
func problemsOf(err error) (all []*Problem) {
	var one *Problem
	switch several, ok := err.(interface{ Unwrap() []error }); {
	case ok:
		for _, e := range several.Unwrap() {
			all = append(all, problemsOf(e)...)
		}
	case errors.As(err, &one):
		all = append(all, one)
	}
	return all
}

// tell returns the sentences of an error, and none of nil.
func (v voice) tell(err error) string {
	var all []string
	for _, p := range problemsOf(err) {
		all = append(all, v.say(p.name, p.args...))
	}
	return strings.Join(all, " ")
}

// grouped writes a number with commas between thousands.
func grouped[T int | int64](n T) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// quoted puts a key in quotes, without what cannot be shown, and not longer than a line.
func quoted(key string) string { return "“" + trace.Short(key, 40) + "”" }
