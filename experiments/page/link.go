package page

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/trace"
)

// Params are the parameters of the small table: Buckets, BucketSize, FingerprintBits, Placement, Kick and Seed. The
// large one has the same but for its size.
type Params cuckoo.Config

// defaults are the parameters of a page that nobody has changed.
func defaults() Params {
	return Params{Buckets: 8, BucketSize: 2, FingerprintBits: 8, Placement: cuckoo.Additive, Kick: cuckoo.BreadthFirst,
		Seed: 1}
}

// placements are those for which a table may be small.
var placements = []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR, cuckoo.PlainXOR}

// The names of the parameters, in links, as names of places and of what they are called, in their order.
var names = []string{"m", "b", "f", "place", "kick", "seed"}

// values are the parameters as texts, in the order of names.
func (p Params) values() []string {
	return []string{fmt.Sprint(p.Buckets), fmt.Sprint(p.BucketSize), fmt.Sprint(p.FingerprintBits), p.Placement.String(),
		p.Kick.Recipe(), fmt.Sprint(p.Seed)}
}

// setAll changes all parameters, whose values are in the order of names, and reports all that is wrong together.
func (p *Params) setAll(values []string) error {
	var all []error
	for i, name := range names {
		all = append(all, p.set(name, values[i]))
	}
	return errors.Join(append(all, p.check())...)
}

// set changes the parameter of a name. One of a wrong value fits with any other.
func (p *Params) set(name, value string) (err error) {
	switch name {
	case "m":
		p.Buckets, err = number(value, 1, trace.MaxBuckets, name)
	case "b":
		p.BucketSize, err = oneOf(value, []int{1, 2, 4, 8}, strconv.Itoa, name)
	case "f":
		p.FingerprintBits, err = number(value, 1, 32, name)
	case "place":
		p.Placement, err = oneOf(value, placements, cuckoo.Placement.String, name)
	case "kick":
		p.Kick, err = oneOf(value, trace.Policies(), cuckoo.KickPolicy.Recipe, name)
	case "seed":
		if p.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			err = problem("no-number", word(name), 0, uint64(math.MaxUint64), quoted(value))
		}
	default:
		err = problem("no-parameter", quoted(name))
	}
	if wrong, ok := err.(*Problem); ok {
		wrong.fields = []string{name}
	}
	return err
}

// check reports what the parameters may not be together.
func (p Params) check() error {
	if p.Placement == cuckoo.Additive || p.Buckets&(p.Buckets-1) == 0 {
		return nil
	}
	wrong := problem("powers", p.Buckets, p.Placement)
	wrong.fields = []string{"m", "place"}
	return wrong
}

// number reads a number from least to most.
func number(value string, least, most int, what string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < least || n > most {
		return least, problem("no-number", word(what), least, most, quoted(value))
	}
	return n, nil
}

// oneOf returns the one of some things that has the name.
func oneOf[T any](value string, things []T, name func(T) string, what string) (T, error) {
	var all []string
	for _, thing := range things {
		if name(thing) == value {
			return thing, nil
		}
		all = append(all, name(thing))
	}
	return things[0], problem("not-one-of", word(what), strings.Join(all, ", "), quoted(value))
}

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
