package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/trace"
)

// Params are the parameters of the small table: Buckets, BucketSize, Width, Placement, Kick and Seed. The large one has
// the same but for its size.
type Params trace.Options

// defaults are the parameters of a page that nobody has changed.
func defaults() Params {
	return Params{Buckets: 8, BucketSize: 2, Width: 8, Placement: cuckoo.Additive, Kick: cuckoo.BreadthFirst, Seed: 1}
}

// placements are those for which a table may be small.
var placements = []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR, cuckoo.PlainXOR}

// The names of the parameters, in links and as names of places, in their order.
var names = []string{"m", "b", "f", "place", "kick", "seed"}

// values are the parameters as texts, in the order of names.
func (p Params) values() []string {
	return []string{fmt.Sprint(p.Buckets), fmt.Sprint(p.BucketSize), fmt.Sprint(p.Width), p.Placement.String(),
		p.Kick.Recipe(), fmt.Sprint(p.Seed)}
}

// setAll changes all parameters, whose values are in the order of names, and reports all that is wrong with them at
// once.
func (p *Params) setAll(values []string) error {
	all := new(Problem)
	for i, name := range names {
		all.add(p.set(name, values[i]))
	}
	if all.add(p.check()); len(all.fields) > 0 {
		return all
	}
	return nil
}

// set changes the parameter of a name. One of a wrong value fits with any other.
func (p *Params) set(name, value string) (err error) {
	switch name {
	case "m":
		p.Buckets, err = number(value, 1, trace.MaxBuckets, "number of buckets")
	case "b":
		p.BucketSize, err = number(value, 1, 8, "bucket size")
	case "f":
		var width int
		width, err = number(value, 1, 32, "width in bits")
		p.Width = uint(width)
	case "place":
		p.Placement, err = oneOf(value, placements, cuckoo.Placement.String, "placement")
	case "kick":
		p.Kick, err = oneOf(value, trace.Policies(), cuckoo.KickPolicy.Recipe, "kick policy")
	case "seed":
		if p.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			err = problem("The seed is a number from 0 to 18446744073709551615, not %s.", quoted(value))
		}
	default:
		err = problem("There is no parameter %s.", quoted(name))
	}
	if wrong, ok := err.(*Problem); ok {
		wrong.of(name)
	}
	return err
}

// check reports what the parameters may not be together.
func (p Params) check() error {
	switch {
	case p.BucketSize&(p.BucketSize-1) != 0:
		return problem("The bucket size is 1, 2, 4 or 8, not %d.", p.BucketSize).of("b")
	case p.Placement != cuckoo.Additive && p.Buckets&(p.Buckets-1) != 0:
		return problem("The placement %[2]s needs 1, 2, 4, 8, 16 or 32 buckets, not %[1]d.", p.Buckets, p.Placement).of("m",
			"place")
	}
	return nil
}

// number reads a number from least to most.
func number(value string, least, most int, what string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < least || n > most {
		return 0, problem("The %[1]s is a number from %[3]d to %[4]d, not %[5]s.", what, chinese[what], least, most,
			quoted(value))
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
	return things[0], problem("The %[1]s is one of %[3]s, not %[4]s.", what, chinese[what], strings.Join(all, ", "),
		quoted(value))
}
