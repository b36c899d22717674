package filtertest

import (
	"fmt"
	"strings"
	"testing"
)

// timesCalled is how often a verb is called to measure what it allocates. The result is the average
// rounded down, so that a rare allocation of something else does not count.
const timesCalled = 100

// A verb is a call to be measured; i counts from 0.
type verb struct {
	name string
	call func(i int)
}

// checkAllocations measures what every verb allocates.
func checkAllocations(r *run) Finding {
	f, err := r.openFor(max(r.Capacity, 8*timesCalled))
	if err != nil {
		return failed("%v", err)
	}
	r.fill(f, 0, timesCalled)
	verbs := r.keyVerbs(f)
	verbs = append(verbs, r.stringVerbs(f.Strings)...)
	verbs = append(verbs, r.hashVerbs(f.Hashes)...)
	var onStack [timesCalled + 1][keyBytes]byte
	for i := range onStack {
		r.write(&onStack[i], inserted, i)
	}
	for _, c := range f.OnStack {
		verbs = append(verbs, verb{c.Name + " of a key on the stack", func(i int) { c.Do(onStack[i]) }})
	}
	verbs = append(verbs, r.refusedInserts()...)

	var measures []Measure
	var wrong []string
	for _, v := range verbs {
		i := -1
		n := testing.AllocsPerRun(timesCalled, func() { i++; v.call(i) })
		measures = append(measures, Measure{strings.ReplaceAll(strings.ToLower(v.name), " ", "-"), n})
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
	out.Measures = measures
	return out
}

// keyVerbs are the verbs for keys. The keys exist beforehand.
func (r *run) keyVerbs(f *Filter) []verb {
	// AllocsPerRun makes one call more than it counts.
	var in, out [timesCalled + 1][]byte
	for i := range in {
		in[i], out[i] = r.key(inserted, i), r.key(absent, i)
	}
	verbs := []verb{
		{"Insert", func(i int) { f.Insert(in[i]) }},
		{"Contains", func(i int) { f.Contains(in[i]) }},
		{"Contains of an absent key", func(i int) { f.Contains(out[i]) }},
	}
	if f.Count != nil {
		verbs = append(verbs, verb{"Count", func(i int) { f.Count(in[i]) }})
	}
	if f.Delete != nil {
		verbs = append(verbs, verb{"Delete", func(i int) { f.Delete(in[i]) }})
	}
	if f.Len != nil {
		verbs = append(verbs, verb{"Len", func(int) { f.Len() }})
	}
	if f.Rate != nil {
		verbs = append(verbs, verb{"Rate", func(int) { f.Rate() }})
	}
	return verbs
}

func (r *run) stringVerbs(s *Strings) (verbs []verb) {
	if s == nil {
		return nil
	}
	var text [timesCalled + 1]string
	for i := range text {
		text[i] = r.text(inserted, i)
	}
	if s.Insert != nil {
		verbs = append(verbs, verb{"Insert of a string", func(i int) { s.Insert(text[i]) }})
	}
	if s.Contains != nil {
		verbs = append(verbs, verb{"Contains of a string", func(i int) { s.Contains(text[i]) }})
	}
	if s.Count != nil {
		verbs = append(verbs, verb{"Count of a string", func(i int) { s.Count(text[i]) }})
	}
	if s.Delete != nil {
		verbs = append(verbs, verb{"Delete of a string", func(i int) { s.Delete(text[i]) }})
	}
	return verbs
}

func (r *run) hashVerbs(h *Hashes) []verb {
	if h == nil {
		return nil
	}
	hs, dst := r.digests(inserted, 0, timesCalled+1), make([]bool, timesCalled+1)
	verbs := []verb{
		{"Insert of a digest", func(i int) { h.Insert(hs[i]) }},
		{"Contains of a digest", func(i int) { h.Contains(hs[i]) }},
	}
	if h.Delete != nil {
		verbs = append(verbs, verb{"Delete of a digest", func(i int) { h.Delete(hs[i]) }})
	}
	if h.InsertAll != nil {
		verbs = append(verbs, verb{"InsertAll", func(i int) { h.InsertAll(hs[i : i+1]) }})
	}
	if h.ContainsAll != nil {
		verbs = append(verbs, verb{"ContainsAll", func(int) { h.ContainsAll(hs, dst) }})
	}
	if h.DeleteAll != nil {
		verbs = append(verbs, verb{"DeleteAll", func(i int) { h.DeleteAll(hs[i : i+1]) }})
	}
	return verbs
}

// refusedInserts returns an insert into a filter that is full, or nothing for filters that never are.
func (r *run) refusedInserts() []verb {
	f, err := r.open()
	if err != nil {
		return nil
	}
	for i := range fillLimit * r.Capacity {
		if f.Insert(r.key(inserted, i)) {
			continue
		}
		// A key that was refused is mostly refused again.
		key := r.key(inserted, i)
		return []verb{{"Insert into a full filter", func(int) { f.Insert(key) }}}
	}
	return nil
}
