package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/trace"
)

// words says what the i-th moment of an event shows, in sentences that stand for the picture.
func (l *lesson) words(v voice, e *event, i int) string {
	m := e.moment(i)
	key, fp := quoted(e.step.Key), l.hex(e.step.Fingerprint)
	switch {
	case e.verb == typed:
		return v.say("typed", key, fp, l.homes(v, &e.step))
	case e.verb == insert:
		return l.insertWords(v, e, &e.step, &m)
	case e.verb == remove && e.member && i > 0:
		return v.say("deleted", key, fp, l.use(v, e.step.After))
	case e.verb == remove && e.member:
		return v.say("deletes", key, fp)
	case e.verb == remove && e.said:
		return l.askWords(v, e) + " " + v.say("not-deleted", quoted(e.twin))
	case e.verb == remove:
		return l.askWords(v, e) + " " + v.say("nothing-to-delete")
	}
	return l.askWords(v, e)
}

// insertWords says what a moment of an insert shows, under either policy.
func (l *lesson) insertWords(v voice, e *event, s *trace.Step, m *trace.Moment) string {
	key, kicks := quoted(s.Key), s.Kicks()
	switch m.Phase {
	case trace.Arrives:
		return v.say("arrives", key, l.hex(s.Fingerprint), l.homes(v, s))
	case trace.Found:
		return v.say("found", kicks, claims.Count(kicks, "kick"))
	case trace.Kicked:
		name := "kicked"
		if m.Homeless != 0 {
			name = "kicked-out"
		}
		return v.say(name, m.Kick, kicks, l.hex(s.Moved()[m.Kick-1]), s.Path[m.Kick-1].Bucket, s.Path[m.Kick].Bucket)
	case trace.Refused:
		return l.refusalWords(v, e, s)
	}
	text := v.say("stored", key, l.use(v, s.After))
	if kicks > 0 {
		text = v.say("stored-kicks", key, kicks, claims.Count(kicks, "kick"), l.use(v, s.After))
	}
	if e.member {
		text += v.say("again")
	}
	return text
}

// refusalWords says why a key was refused, and what became of the others.
func (l *lesson) refusalWords(v voice, e *event, s *trace.Step) string {
	why := v.say("no-path")
	other := func(fp uint64) bool { return fp != s.Fingerprint }
	switch {
	case !slices.ContainsFunc(slices.Concat(s.Before[s.Primary], s.Before[s.Alternate]), other):
		why = v.say("all-same")
	case s.TakenBack > 0:
		why = v.say("taken-back", s.TakenBack, claims.Count(s.TakenBack, "kick"))
	}
	text := v.say("refused", quoted(s.Key), why)
	if s == &e.step { // the filter of the other policy is gone and cannot be asked
		text += v.say("kept", len(e.keys), claims.Count(len(e.keys), "key"), grouped(e.kept))
	}
	return text
}

// askWords says what the filter said to a key, and what is true.
func (l *lesson) askWords(v voice, e *event) string {
	s := &e.step
	name := "wrong"
	switch {
	case !e.said:
		name = "no"
	case e.member:
		name = "yes"
	}
	return v.say(name, quoted(s.Key), l.hex(s.Fingerprint), quoted(e.twin), s.Primary, s.Alternate)
}

// homes says where a key may live, and what there is.
func (l *lesson) homes(v voice, s *trace.Step) string {
	free := func(bucket uint64) bool { return slices.Contains(s.Before[bucket], 0) }
	name := "both-full"
	switch p, a := s.Primary, s.Alternate; {
	case p == a:
		return v.say("one-home", p)
	case free(p):
		name = "first-free"
	case free(a):
		name = "second-free"
	}
	return v.say(name, s.Primary, s.Alternate)
}

// why says how each of the two buckets follows from the other and the fingerprint.
func (l *lesson) why(v voice, s *trace.Step) string {
	fp, p, a, m := l.hex(s.Fingerprint), s.Primary, s.Alternate, uint64(l.Buckets)
	switch {
	case m == 1:
		return v.say("why-one")
	case p == a:
		return v.say("why-same", p, fp)
	}
	rule := v.say("why-xor", fp, p^a, p, a)
	if l.Placement == cuckoo.Additive {
		sum := fmt.Sprintf("%d + %d = %d", p, a, p+a)
		if p+a >= m {
			sum += v.say("modulo", p+a-m, m)
		}
		rule = v.say("why-sum", fp, (p+a)%m, m, sum)
	}
	return v.say("why", p, a, rule)
}

// use says how many slots hold a fingerprint.
func (l *lesson) use(v voice, t trace.Table) string {
	slots := l.Buckets * l.BucketSize
	return v.say("use", t.Used(), slots, claims.Count(slots, "slot"))
}

// What a title says of a verb, and of what has come of an insert.
var (
	verbs  = map[byte]string{insert: "insert", remove: "delete", ask: "look-up"}
	phases = map[trace.Phase]string{trace.Found: "title-found", trace.Kicked: "title-kick", trace.Stored: "title-stored",
		trace.Refused: "title-refused"}
)

// title is the line over a picture.
func title(v voice, e *event, s *trace.Step, m *trace.Moment) string {
	line := strings.TrimSpace(v.say(verbs[e.verb]) + " " + trace.Shown(s.Key))
	if e.verb == insert {
		line += v.say(phases[m.Phase], m.Kick, s.Kicks())
	}
	return line
}

// listed are keys in the table, for the list below it.
func listed(v voice, keys []string) string {
	var all []string
	for _, key := range keys {
		all = append(all, quoted(key))
	}
	return cmp.Or(strings.Join(all, " "), v.say("none-yet"))
}

// rateWords says what share of other keys the filter says yes to with so many fingerprints.
func (l *lesson) rateWords(v voice, used int) string {
	const often, seldom = 0.1, 0.0001 // "1 in 1" says nothing of a share, nor does a percentage with many zeros
	rate, name := cuckoo.Config(l.Params).PredictRate(used), "rate"
	switch {
	case rate == 0:
		return v.say("rate-none")
	case rate > often:
		name = "rate-often"
	case rate < seldom:
		name = "rate-seldom"
	}
	digit := math.Pow(10, max(0, math.Floor(-math.Log10(rate))-2)) // three digits are shown: it is a prediction
	return v.say(name, claims.Percent(rate, 3), grouped(int64(math.Round(1/rate/digit)*digit)))
}

func (l *lesson) hex(fp uint64) string { return trace.Hex(fp, l.FingerprintBits) }
