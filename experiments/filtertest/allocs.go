package filtertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// timesCalled is how often a verb is called to measure what it allocates. The result is the average
// rounded down, so that a rare allocation of something else does not count.
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
	verbs := r.verbs(f)
	var onStack [timesCalled + 1][keyBytes]byte
	for i := range onStack {
		r.write(&onStack[i], inserted, i)
	}
	for _, c := range f.OnStack {
		verbs = append(verbs, verb{c.Name + " of a key on the stack", func(i int) { c.Do(onStack[i]) }})
	}
	var wrong []string
	var measured Finding
	verbs = slices.DeleteFunc(append(verbs, r.refusedInsert()), func(v verb) bool { return v.call == nil })
	for _, v := range verbs {
		i := -1
		n := testing.AllocsPerRun(timesCalled, func() { i++; v.call(i) })
		measured = measured.with(strings.ReplaceAll(strings.ToLower(v.name), " ", "-"), n)
		if n > 0 {
			wrong = append(wrong, fmt.Sprintf("%s allocates %v times", v.name, n))
		}
	}
	out := passed("%d verbs allocate nothing", len(verbs))
	switch {
	case len(wrong) > 0 && r.AllocFree:
		out = failed("%s", strings.Join(wrong, ", "))
	case len(wrong) > 0:
		out = noted("%s", strings.Join(wrong, ", "))
	}
	out.Measures = measured.Measures
	return out
}

// called makes a verb of a function that takes one argument, one of those for each call; of none if f is nil.
func called[A, B any](name string, f func(A) B, args []A) verb {
	if f == nil {
		return verb{}
	}
	return verb{name, func(i int) { f(args[i]) }}
}

// verbs are those for keys, strings and digests, which exist beforehand.
func (r *run) verbs(f *Filter) []verb {
	// AllocsPerRun makes one call more than it counts.
	var in, out [timesCalled + 1][]byte
	for i := range in {
		in[i], out[i] = r.key(inserted, i), r.key(absent, i)
	}
	verbs := []verb{
		called("Insert", f.Insert, in[:]), called("Contains", f.Contains, in[:]), called("Contains of an absent key",
			f.Contains, out[:]),
		called("Count", f.Count, in[:]), called("Delete", f.Delete, in[:]),
	}
	if f.Len != nil {
		verbs = append(verbs, verb{"Len", func(int) { f.Len() }})
	}
	if f.Rate != nil {
		verbs = append(verbs, verb{"Rate", func(int) { f.Rate() }})
	}
	if s := f.Strings; s != nil {
		var text [timesCalled + 1]string
		for i := range text {
			text[i] = string(in[i])
		}
		verbs = append(verbs, called("Insert of a string", s.Insert, text[:]), called("Contains of a string", s.Contains,
			text[:]),
			called("Count of a string", s.Count, text[:]), called("Delete of a string", s.Delete, text[:]))
	}
	h := f.Hashes
	if h == nil {
		return verbs
	}
	hs, dst := r.digests(inserted, 0, timesCalled+1), make([]bool, timesCalled+1)
	single := slices.Collect(slices.Chunk(hs, 1))
	verbs = append(verbs, called("Insert of a digest", h.Insert, hs), called("Contains of a digest", h.Contains, hs),
		called("Delete of a digest", h.Delete, hs), called("InsertAll", h.InsertAll, single))
	if h.ContainsAll != nil {
		verbs = append(verbs, verb{"ContainsAll", func(int) { h.ContainsAll(hs, dst) }})
	}
	return append(verbs, called("DeleteAll", h.DeleteAll, single))
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
