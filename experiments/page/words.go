package page

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/nestfilter/nest/experiments/trace"
)

// A Problem is something that a user asked for and cannot have, in a sentence of both languages.
type Problem struct {
	en, zh string
	fields []string // the parameters that are wrong
}

// Error returns the English sentence.
func (p *Problem) Error() string { return p.en }

// of names the parameters that are wrong.
func (p *Problem) of(fields ...string) *Problem { p.fields = fields; return p }

// add adds another problem, if err is one.
func (p *Problem) add(err error) {
	if other, ok := err.(*Problem); ok {
		p.en, p.zh = strings.TrimSpace(p.en+" "+other.en), p.zh+other.zh
		p.fields = append(p.fields, other.fields...)
	}
}

// problem formats a sentence in both languages.
func problem(en string, args ...any) *Problem {
	return &Problem{en: voice{}.say(en, args...), zh: voice{chinese: true}.say(en, args...)}
}

// translations are the sentences of the page, each on a line, and in the next line in Chinese. Both take the same
// arguments.
//
//go:embed zh.txt
var translations string

// chinese are the translations, by the English sentence.
var chinese = map[string]string{}

func init() {
	for pair := range strings.SplitSeq(strings.TrimSuffix(translations, "\n"), "\n\n") {
		en, zh, _ := strings.Cut(pair, "\n")
		chinese[en] = zh
	}
}

// A voice speaks one of the languages.
type voice struct{ chinese bool }

// say formats a sentence, given in English, in the language.
func (v voice) say(en string, args ...any) string {
	if zh, ok := chinese[en]; ok && v.chinese {
		en = zh
	}
	return fmt.Sprintf(en, args...)
}

// tell returns the sentence of an error, and none of nil.
func (v voice) tell(err error) string {
	if err == nil {
		return ""
	}
	if p, ok := err.(*Problem); ok && v.chinese {
		return p.zh
	}
	return err.Error()
}

// count counts things in English: "1 kick", "2 kicks".
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return grouped(n) + " " + thing
}

// grouped writes a number with commas between thousands.
func grouped[T int | int64](n T) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// percent writes a share with three digits: 1.23%, or 1.23e-05% where it is tiny.
func percent(x float64) string {
	if x == 0 {
		return "0%"
	}
	return strings.TrimSuffix(fmt.Sprintf("%#.3g", 100*x), ".") + "%"
}

// quoted puts a key in quotes, without what cannot be shown, and not longer than a line.
func quoted(key string) string { return "“" + trace.Short(key, 40) + "”" }
