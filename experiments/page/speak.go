package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/trace"
)

// words says what the i-th moment of an event shows, in sentences that stand for the picture.
func (l *lesson) words(v voice, e *event, i int) string {
	switch {
	case e.verb == typed:
		return v.say("%[1]s has the fingerprint %[2]s. %[3]s", quoted(e.step.Key),
			l.hex(e.step.Fingerprint), l.homes(v, &e.step))
	case e.verb == insert:
		m := e.moment(i)
		return l.insertWords(v, e, &e.step, &m)
	case e.verb == remove && e.member && i > 0:
		return v.say("%[1]s is deleted: one fingerprint %[2]s is gone from its buckets. Of other keys nothing has changed. "+
			"%[3]s.", quoted(e.step.Key), l.hex(e.step.Fingerprint), l.use(v, e.step.After))
	case e.verb == remove && e.member:
		return v.say("To delete %[1]s, the filter looks for its fingerprint %[2]s in its two buckets, and takes one away.",
			quoted(e.step.Key), l.hex(e.step.Fingerprint))
	case e.verb == remove && e.said:
		return l.askWords(v, e) + " " + v.say("It was not deleted: that would take the fingerprint of %[1]s away, and "+
			"%[1]s would be lost. Delete only what was inserted.", quoted(e.twin))
	case e.verb == remove:
		return l.askWords(v, e) + " " + v.say("There is nothing to delete.")
	}
	return l.askWords(v, e)
}

// insertWords says what a moment of an insert shows, under either policy.
func (l *lesson) insertWords(v voice, e *event, s *trace.Step, m *trace.Moment) string {
	key, kicks := quoted(s.Key), s.Kicks()
	switch m.Phase {
	case trace.Arrives:
		return v.say("%[1]s has come. Its fingerprint is %[2]s. %[3]s", key, l.hex(s.Fingerprint), l.homes(v, s))
	case trace.Found:
		return v.say("Before anything moves, the search has found a shortest path to a free slot: %[2]s. The last kick is "+
			"made first: the free end moves first, so no fingerprint is ever without a slot.", kicks, count(kicks, "kick"))
	case trace.Kicked:
		from, to := s.Path[m.Kick-1], s.Path[m.Kick]
		fp := l.hex(s.Moved()[m.Kick-1])
		if m.Homeless != 0 {
			return v.say("Kick %[1]d of %[2]d: fingerprint %[3]s loses its slot in bucket %[4]d: it is homeless and goes to "+
				"its other home, bucket %[5]d.", m.Kick, kicks, fp, from.Bucket, to.Bucket)
		}
		return v.say("Kick %[1]d of %[2]d: fingerprint %[3]s moves from bucket %[4]d to its other home, bucket %[5]d. The "+
			"free end moves first, so no fingerprint is ever without a slot.", m.Kick, kicks, fp, from.Bucket, to.Bucket)
	case trace.Refused:
		return l.refusalWords(v, e, s)
	}
	text := v.say("%[1]s is stored without a kick. %[2]s.", key, l.use(v, s.After))
	if kicks > 0 {
		text = v.say("%[1]s is stored after %[3]s. Every fingerprint that moved lies in one of its two homes, so all keys "+
			"are still found. %[4]s.", key, kicks, count(kicks, "kick"), l.use(v, s.After))
	}
	if e.member {
		text += v.say(" It was in the table before, and is now there once more.")
	}
	return text
}

// refusalWords says why a key was refused, and what became of the others.
func (l *lesson) refusalWords(v voice, e *event, s *trace.Step) string {
	why := v.say("no path leads to a free slot")
	other := func(fp uint64) bool { return fp != s.Fingerprint }
	switch {
	case !slices.ContainsFunc(s.Before[s.Primary], other) && !slices.ContainsFunc(s.Before[s.Alternate], other):
		why = v.say("every slot of its buckets holds its fingerprint already")
	case s.TakenBack > 0:
		why = v.say("after %[2]s no free slot was reached, and all of them were taken back",
			s.TakenBack, count(s.TakenBack, "kick"))
	}
	text := v.say("No room for this key: %[1]s is refused, because %[2]s. Nothing is lost: the table is what it was.",
		quoted(s.Key), why)
	if s == &e.step { // the filter of the other policy is gone and cannot be asked
		text += v.say(" Of %[2]s inserted before, the filter still says yes to %[3]s.", len(e.keys), count(len(e.keys),
			"key"), grouped(e.kept))
	}
	return text
}

// askWords says what the filter said to a key, and what is true.
func (l *lesson) askWords(v voice, e *event) string {
	s := &e.step
	key, fp := quoted(s.Key), l.hex(s.Fingerprint)
	switch {
	case !e.said:
		return v.say("No. Neither of the buckets of %[1]s holds its fingerprint %[2]s, so it is certainly not in the set.",
			key, fp)
	case e.member:
		return v.say("Yes. %[1]s was inserted, and its fingerprint %[2]s lies in one of its two buckets.", key, fp)
	}
	return v.say("Yes, and that is wrong: %[1]s was not inserted. This is a false positive. It shares the class of "+
		"%[3]s: both have the fingerprint %[2]s and the same buckets, %[4]d and %[5]d, and the filter stores nothing else "+
		"of a key.", key, fp, quoted(e.twin), s.Primary, s.Alternate)
}

// homes says where a key may live, and what there is.
func (l *lesson) homes(v voice, s *trace.Step) string {
	free := func(bucket uint64) bool { return slices.Contains(s.Before[bucket], 0) }
	switch p, a := s.Primary, s.Alternate; {
	case p == a:
		return v.say("Both of its homes are bucket %d this time.", p)
	case free(p):
		return v.say("It may live in bucket %[1]d or in bucket %[2]d; bucket %[1]d has a free slot.", p, a)
	case free(a):
		return v.say("It may live in bucket %[1]d or in bucket %[2]d; bucket %[1]d is full, bucket %[2]d has a free slot.",
			p, a)
	default:
		return v.say("It may live in bucket %[1]d or in bucket %[2]d, and both are full: somebody has to move.", p, a)
	}
}

// why says how each of the two buckets follows from the other and the fingerprint.
func (l *lesson) why(v voice, s *trace.Step) string {
	fp, p, a, m := l.hex(s.Fingerprint), s.Primary, s.Alternate, uint64(l.Buckets)
	switch {
	case m == 1:
		return v.say("The table has one bucket only, so both homes of every key coincide. With two or more buckets, a key " +
			"finds room in one home where the other is full.")
	case p == a:
		return v.say("Both homes of this key coincide: bucket %[1]d comes from the digest, and the other home, which "+
			"follows from bucket %[1]d and fingerprint %[2]s, is bucket %[1]d again. Most keys have two different homes.", p, fp)
	}
	rule := v.say("the exclusive or of the buckets is %[2]d for every key with fingerprint %[1]s, as %[3]d xor %[4]d is",
		fp, p^a, p, a)
	if l.Placement == cuckoo.Additive {
		sum := fmt.Sprintf("%d + %d = %d", p, a, p+a)
		if p+a >= m {
			sum += v.say(" = %d modulo %d", p+a-m, m)
		}
		rule = v.say("the buckets of every key with fingerprint %[1]s add up to %[2]d, counted modulo %[3]d: %[4]s", fp,
			(p+a)%m, m, sum)
	}
	return v.say("With two homes a key finds room where one would be full. Bucket %[1]d comes from the digest. Bucket "+
		"%[2]d comes from bucket %[1]d and the fingerprint alone: %[3]s. The filter does not store the key. Yet it can "+
		"move the fingerprint, because either home plus the fingerprint gives the other.", p, a, rule)
}

// use says how many slots hold something.
func (l *lesson) use(v voice, t trace.Table) string {
	slots, used, hold := l.Buckets*l.BucketSize, t.Used(), "hold"
	if used == 1 {
		hold = "holds"
	}
	return v.say("%[1]d of %[3]s %[4]s a fingerprint", used, slots, count(slots, "slot"), hold)
}

// title is the line over a picture.
func title(v voice, e *event, s *trace.Step, m *trace.Moment) string {
	line := trace.Shown(s.Key)
	if verb, ok := map[byte]string{insert: "insert", remove: "delete", ask: "look up"}[e.verb]; ok {
		line = v.say(verb) + " " + line
	}
	switch {
	case e.verb != insert:
	case m.Phase == trace.Found:
		line += v.say(": path found")
	case m.Phase == trace.Kicked:
		line += v.say(": kick %d of %d", m.Kick, s.Kicks())
	case m.Phase == trace.Stored:
		line += v.say(": stored")
	case m.Phase == trace.Refused:
		line += v.say(": refused")
	}
	return line
}

// listed are keys in the table, for the list below it.
func listed(v voice, keys []string) string {
	if len(keys) == 0 {
		return v.say("none yet")
	}
	var all []string
	for _, key := range keys {
		all = append(all, quoted(key))
	}
	return strings.Join(all, " ")
}

// rateWords says what share of other keys the filter says yes to with so many fingerprints.
func (l *lesson) rateWords(v voice, used int) string {
	const often, seldom = 0.1, 0.0001 // "1 in 1" says nothing of a share, nor does a percentage with many zeros
	rate := cuckoo.Config{Buckets: l.Buckets, BucketSize: l.BucketSize}.PredictRate(l.Width, used)
	if rate == 0 {
		return v.say("nothing is stored, so the answer is always no")
	}
	one := 1 / rate
	digit := math.Pow(10, max(0, math.Floor(math.Log10(one))-2)) // three digits are shown: it is a prediction
	share, among := percent(rate), grouped(int64(math.Round(one/digit)*digit))
	switch {
	case rate > often:
		return v.say("of keys that were not inserted, about %[1]s get a yes", share)
	case rate < seldom:
		return v.say("of keys that were not inserted, about 1 in %[1]s gets a yes", among)
	}
	return v.say("of keys that were not inserted, about %[1]s get a yes (1 in %[2]s)", share, among)
}

func (l *lesson) hex(fp uint64) string { return trace.Hex(fp, l.Width) }
