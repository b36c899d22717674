package page

import (
	"errors"
	"fmt"
	"math"
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

// setAll changes all parameters, whose values are in the order of names, and reports all that is wrong with them at
// once.
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
