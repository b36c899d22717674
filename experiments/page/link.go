package page

import (
	"net/url"
	"strings"
)

// The limits of what a page takes, and so of what a link can hold.
const (
	maxKeyBytes = 1000 // of one key
	maxText     = 1 << 16
	maxOps      = 1000
)

// An op is something that was done to the table: a verb and, but for fill, a key.
type op struct {
	verb byte // insert, remove, ask or fill
	key  string
}

// The verbs, as links have them.
const (
	insert = 'i'
	remove = 'd'
	ask    = 'l'
	fill   = 'f' // random keys up to the first refusal
	typed  = 0   // of no op: a key is being typed
)

// A state is all that a link holds. The same state makes the same table, the same history and the same pictures.
type state struct {
	Params
	ops []op
}

// link returns the state as the part of an address behind the #.
func (s *state) link() string {
	var b strings.Builder
	for i, value := range s.values() {
		b.WriteString(names[i] + "=" + value + "&")
	}
	b.WriteString("do=")
	for i, o := range s.ops {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(rune(o.verb)) + ":" + url.QueryEscape(o.key))
	}
	return b.String()
}

// parseLink reads a state. Parameters that are not named have their defaults.
func parseLink(link string) (*state, error) {
	s := &state{Params: defaults()}
	if len(link) > maxText {
		return nil, problem("The link has %s bytes; a link has at most %s.", grouped(len(link)), grouped(maxText))
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(link, "#"), "&") {
		name, value, found := strings.Cut(part, "=")
		var err error
		switch {
		case part == "":
		case !found:
			err = problem("The link holds %s, where a name and a value are expected.", quoted(part))
		case name == "do":
			s.ops, err = parseOps(value)
		default:
			if value, err = url.QueryUnescape(value); err == nil {
				err = s.set(name, value)
			} else {
				err = badEscape(value)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return s, s.check()
}

// parseOps reads what was done.
func parseOps(text string) (ops []op, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		step, err := url.QueryUnescape(part)
		if err != nil {
			return nil, badEscape(part)
		}
		verb, key, found := strings.Cut(step, ":")
		if !found || len(verb) != 1 || !strings.Contains("idlf", verb) {
			return nil, problem("The link holds the step %s; a step begins with i: (insert), d: (delete), l: (look up) or f: "+
				"(fill).", quoted(step))
		}
		if err := checkKey(key); err != nil {
			return nil, err
		}
		ops = append(ops, op{verb[0], key})
	}
	if len(ops) > maxOps {
		return nil, tooManyOps(len(ops))
	}
	return ops, nil
}

func badEscape(text string) error {
	return problem("The link holds %s, where %% stands without two hexadecimal digits.", quoted(text))
}

func tooManyOps(n int) error {
	return problem("That would be %s steps; a page takes at most %s.", grouped(n), grouped(maxOps))
}

// checkKey reports a key that is too long to be looked at.
func checkKey(key string) error {
	if len(key) > maxKeyBytes {
		return problem("This key has %s bytes. The filter would take it; this page takes keys of at most %s bytes.",
			grouped(len(key)), grouped(maxKeyBytes))
	}
	return nil
}
