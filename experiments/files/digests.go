package files

import "slices"

const (
	// partShift leaves the bits of a digest that choose its part, 256 of them: parts so small that they are
	// sorted in the cache, at 20 million digests.
	partShift = 56
	// chunkSize is how many digests are allocated at a time. The 256 chunks begun take 8 MiB.
	chunkSize = 4096
	// firstKept is how many digests are kept before repeated ones are dropped for the first time.
	firstKept = 1 << 20
)

// A digestSet keeps digests, 8 bytes each, and drops repeated ones when they may be as many as the others. Memory
// grows by chunks, as a slice that is enlarged by copying takes three times its size meanwhile.
type digestSet struct {
	parts  [1 << (64 - partShift)][][]uint64 // of chunks, of which all but the last of a part are full
	n      int
	limit  int // how many are kept before repeated ones are dropped
	copies bool
}

// newDigestSet returns a set without digests, which keeps repeated ones if copies is set.
func newDigestSet(copies bool) *digestSet { return &digestSet{limit: firstKept, copies: copies} }

func (d *digestSet) add(hs []uint64) {
	if d.n+len(hs) > d.limit && !d.copies {
		d.compact()
		d.limit = max(d.limit, 2*d.n) // else one digest more could sort them all again
	}
	for _, h := range hs {
		p := &d.parts[h>>partShift]
		last := len(*p) - 1
		if last < 0 || len((*p)[last]) == chunkSize {
			*p = append(*p, make([]uint64, 0, chunkSize))
			last++
		}
		(*p)[last] = append((*p)[last], h)
	}
	d.n += len(hs)
}

// compact sorts the digests and drops repeated ones.
func (d *digestSet) compact() {
	var part []uint64
	d.n = 0
	for i, p := range d.parts {
		part = part[:0]
		for _, c := range p {
			part = append(part, c...)
		}
		slices.Sort(part)
		part = slices.Compact(part)
		d.n += len(part)
		used := 0
		for piece := range slices.Chunk(part, chunkSize) {
			p[used] = append(p[used][:0], piece...)
			used++
		}
		clear(p[used:])
		d.parts[i] = p[:used]
	}
}

// chunks returns all digests, in rising order if compact was the last thing done. They are the set's.
func (d *digestSet) chunks() [][]uint64 { return slices.Concat(d.parts[:]...) }
