package filtertest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// timesCalled is how often a verb is called to measure what it allocates. The result is the average rounded down, so
// that a rare allocation of something else does not count.
const timesCalled = 100

// A verb is a call to be measured; i counts from 0. Without a call there is no such verb.
type verb struct {
	name string
	call func(i int)
}

// checkAllocations measures what every verb allocates.
func checkAllocations(r *run) Finding {
	f := r.openFor(max(r.Capacity, 8*timesCalled))
	r.fill(f, 0, timesCalled)
	var wrong []string
	verbs := slices.DeleteFunc(append(r.verbs(f), r.refusedInsert()), func(v verb) bool { return v.call == nil })
	for _, v := range verbs {
		i := -1
		n := testing.AllocsPerRun(timesCalled, func() { i++; v.call(i) })
		if n > 0 {
			wrong = append(wrong, fmt.Sprintf("%s allocates %v times", v.name, n))
		}
	}
	switch {
	case len(wrong) == 0:
		return passed("%d verbs allocate nothing", len(verbs))
	case r.AllocFree:
		r.fail("%s", strings.Join(wrong, ", "))
	}
	return noted("%s", strings.Join(wrong, ", "))
}

// called makes a verb of a function that takes one argument, one of those for each call; of none if f is nil.
func called[A, B any](name string, f func(A) B, args []A) verb {
	if f == nil {
		return verb{}
	}
	return verb{name, func(i int) { f(args[i]) }}
}

// asked makes a verb of a function without arguments.
func asked[B any](name string, f func() B) verb {
	if f == nil {
		return verb{}
	}
	return verb{name, func(int) { f() }}
}

// verbs are those for keys, strings and digests, which exist beforehand.
func (r *run) verbs(f *Filter) []verb {
	const calls = timesCalled + 1 // AllocsPerRun makes one more than it counts
	in, out, text := make([][]byte, calls), make([][]byte, calls), make([]string, calls)
	for i := range in {
		in[i], out[i] = r.key(inserted, i), r.key(absent, i)
		text[i] = string(in[i])
	}
	s, h := cmp.Or(f.Strings, new(Strings)), cmp.Or(f.Hashes, new(Hashes))
	hs, dst := r.digests(inserted, 0, calls), make([]bool, calls)
	single := slices.Collect(slices.Chunk(hs, 1))
	verbs := []verb{
		called("Insert", f.Insert, in), called("Contains", f.Contains, in),
		called("Contains of an absent key", f.Contains, out), called("Count", f.Count, in),
		called("Delete", f.Delete, in), asked("Len", f.Len), asked("Rate", f.Rate),
		called("Insert of a string", s.Insert, text), called("Contains of a string", s.Contains, text),
		called("Count of a string", s.Count, text), called("Delete of a string", s.Delete, text),
		called("Insert of a digest", h.Insert, hs), called("Contains of a digest", h.Contains, hs),
		called("Delete of a digest", h.Delete, hs), called("InsertAll", h.InsertAll, single),
		called("DeleteAll", h.DeleteAll, single),
	}
	if h.ContainsAll != nil {
		verbs = append(verbs, verb{"ContainsAll", func(int) { h.ContainsAll(hs, dst) }})
	}
	if f.OnStack != nil {
		verbs = append(verbs, verb{"A verb of a key on the stack", func(i int) { f.OnStack([keyBytes]byte(in[i])) }})
	}
	return verbs
}

// refusedInsert is an insert into a filter that is full, or no verb of filters that never are.
func (r *run) refusedInsert() verb {
	f := r.open()
	for i := range fillLimit * r.Capacity {
		if key := r.key(inserted, i); !f.Insert(key) {
			// A key that was refused is mostly refused again.
			return verb{"Insert into a full filter", func(int) { f.Insert(key) }}
		}
	}
	return verb{}
}
