package page

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/trace"
	"github.com/nestfilter/nest/hashing"
)

// An event is what came of one op, or of one key of a fill.
type event struct {
	verb byte // of an op, or typed
	step trace.Step
	// rival is the same insert into the same table under another policy, nil if there was nothing to choose.
	rival *trace.Step

	said   bool     // what the filter said to a lookup or a delete
	member bool     // whether the key was in the table, as the page remembers
	twin   string   // a stored key of the same class, where the filter said yes to a key that is not in the table
	before []string // the keys in the table before it
	keys   []string // and after it
	kept   int      // after a refusal: how many of them the filter still says yes to
}

// A lesson is a small table with all that was done to it.
type lesson struct {
	state
	machine *trace.Machine
	events  []event
	moments []moment // of all events
	keys    []string // those in the table, in the order in which they came
	drawn   uint64   // random keys so far
}

// A moment is the i-th of an event.
type moment struct{ event, i int }

// newLesson does all that a state says, whose parameters are right.
func newLesson(s *state) (*lesson, error) {
	c := cuckoo.Config(s.Params)
	c.Hash = hashing.XXH64(0) // in all versions, for links say keys and no digests
	m, err := trace.NewMachine(c)
	if err != nil {
		return nil, err
	}
	l := &lesson{state: state{Params: s.Params}, machine: m}
	return l, l.do(s.ops...)
}

// do carries ops out, all of them or, if there would be too many, none.
func (l *lesson) do(ops ...op) error {
	if n := len(l.ops) + len(ops); n > maxOps {
		return problem("many-steps", grouped(n), grouped(maxOps))
	}
	for _, o := range ops {
		l.ops = append(l.ops, o)
		switch o.verb {
		case insert:
			l.insert(o.key)
		case remove:
			l.remove(o.key)
		case ask:
			l.record(l.asked(o.key))
		default:
			for l.insert(l.random()) {
			}
		}
	}
	return nil
}

// insert inserts a key and tells whether it was stored.
func (l *lesson) insert(key string) bool {
	e := event{verb: insert, member: slices.Contains(l.keys, key)}
	full := func(bucket uint64) bool { return !slices.Contains(l.machine.Table[bucket], 0) }
	if at := l.machine.Locate(key); full(at.Primary) && full(at.Alternate) { // so that a policy is asked
		other := cuckoo.RandomWalk
		if l.Kick == other {
			other = cuckoo.BreadthFirst
		}
		rival := l.machine.Try(other, key)
		e.rival = &rival
	}
	if e.step = l.machine.Insert(key); e.step.Refused == nil {
		l.keys = append(l.keys, key)
	} else {
		e.kept = len(slices.DeleteFunc(slices.Clone(l.keys), func(k string) bool { return !l.machine.Contains(k) }))
	}
	l.record(e)
	return e.step.Refused == nil
}

// remove deletes a key that is in the table. Of any other it makes a lookup: to delete it would take the fingerprint of
// another key, if any.
func (l *lesson) remove(key string) {
	e := l.asked(key)
	e.verb = remove
	if e.member {
		e.step, e.said = l.machine.Delete(key)
		at := slices.Index(l.keys, key)
		l.keys = slices.Delete(l.keys, at, at+1)
	}
	l.record(e)
}

// asked looks a key up. If the filter says yes to one that is not in the table, there is a stored key of its class: of
// the same fingerprint and buckets.
func (l *lesson) asked(key string) event {
	e := event{verb: ask, step: l.machine.Locate(key), said: l.machine.Contains(key), member: slices.Contains(l.keys, key)}
	if e.said && !e.member {
		e.twin = l.keys[slices.IndexFunc(l.keys, func(k string) bool {
			s, u := l.machine.Locate(k), e.step
			return s.Fingerprint == u.Fingerprint && (s.Primary == u.Primary || s.Primary == u.Alternate)
		})]
	}
	return e
}

// random returns the next random key.
func (l *lesson) random() string {
	l.drawn++
	return fmt.Sprintf("key-%05x", hashing.Mix64(l.Seed^l.drawn<<32)>>44)
}

// record adds an event to the history.
func (l *lesson) record(e event) {
	if n := len(l.events); n > 0 {
		e.before = l.events[n-1].keys
	}
	e.keys = slices.Clone(l.keys)
	for i := range e.moments() {
		l.moments = append(l.moments, moment{len(l.events), i})
	}
	l.events = append(l.events, e)
}

// maxGuesses is the number of keys among which a false positive is looked for.
const maxGuesses = 200_000

// guess returns a key that was not inserted and that the filter says yes to, "" if there is none among them.
func (l *lesson) guess() string {
	for n := range maxGuesses {
		if key := fmt.Sprintf("guess-%d", n); l.machine.Contains(key) && !slices.Contains(l.keys, key) {
			return key
		}
	}
	return ""
}

// moments is the number of moments at which an event shows something new.
func (e *event) moments() int {
	if e.rival != nil {
		return max(e.ends()+1, e.rival.Moments())
	}
	return e.ends() + 1
}

// ends is the number of the moment from which on the event's own step is over; a rival may take longer.
func (e *event) ends() int {
	switch {
	case e.verb == insert:
		return e.step.Moments() - 1
	case e.verb == remove && e.member:
		return 1
	}
	return 0
}

// moment returns one of them.
func (e *event) moment(i int) trace.Moment {
	switch {
	case e.verb == insert || e.verb == typed:
		return e.step.Moment(min(i, e.ends()))
	case i > 0:
		return e.step.Deleted()
	}
	return e.step.Asked()
}
