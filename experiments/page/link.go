package page

import (
	"errors"
	"maps"
	"net/url"
	"slices"
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
	var all, ops []string
	for i, value := range s.values() {
		all = append(all, names[i]+"="+value)
	}
	for _, o := range s.ops {
		ops = append(ops, string(rune(o.verb))+":"+url.QueryEscape(o.key))
	}
	return strings.Join(append(all, "do="+strings.Join(ops, ",")), "&")
}

// parseLink reads a state. Parameters that are not named have their defaults.
func parseLink(link string) (*state, error) {
	s := &state{Params: defaults()}
	if len(link) > maxText {
		return nil, problem("long-link", grouped(len(link)), grouped(maxText))
	}
	values, err := url.ParseQuery(strings.ReplaceAll(link, ",", "&do=")) // a comma in a key is escaped
	if err != nil {
		return nil, problem("bad-link", quoted(err.Error()))
	}
	var all []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			if name != "do" {
				all = append(all, s.set(name, value))
			} else if value != "" {
				all = append(all, s.parseOp(value))
			}
		}
	}
	return s, errors.Join(append(all, s.check())...)
}

// parseOp adds something that was done.
func (s *state) parseOp(step string) error {
	verb, key, found := strings.Cut(step, ":")
	if !found || len(verb) != 1 || !strings.Contains("idlf", verb) {
		return problem("no-step", quoted(step))
	}
	s.ops = append(s.ops, op{verb[0], key})
	return checkKey(key)
}

// checkKey reports a key that is too long to be looked at.
func checkKey(key string) error {
	if len(key) > maxKeyBytes {
		return problem("long-key", grouped(len(key)), grouped(maxKeyBytes))
	}
	return nil
}
