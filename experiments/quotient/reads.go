package quotient

// Reads tells which parts of the table [Filter.ContainsHash] reads for a key with digest h: it calls visit
// with the offset of each, in bytes from the beginning of the table, and its size, in the order of the
// reads and with repeats, and returns what ContainsHash does. It is there to count memory references,
// and slower than ContainsHash.
func (f *Filter) Reads(h uint64, visit func(offset, size int)) bool {
	q, remainder := f.split(h)
	t := traced{&f.slots, visit}
	if t.get(q)&occupied == 0 {
		return false
	}
	for slot := t.runStart(q); ; {
		if have := t.get(slot) >> metadataBits; have >= remainder {
			return have == remainder
		}
		if slot = t.next(slot); t.get(slot)&continuation == 0 {
			return false
		}
	}
}

// traced is slots whose reads are visited. Its walk is that of slots.find and of what find calls, step
// by step: TestReads_AreOfContains compares the answers.
type traced struct {
	*slots
	visit func(offset, size int)
}

func (t *traced) get(i uint64) uint64 {
	t.visit(int(i*t.width>>6)*8, 16) // two words, always
	return t.slots.get(i)
}

func (t *traced) runStart(q uint64) uint64 {
	quotient := q
	for t.get(quotient)&shifted != 0 {
		quotient = (quotient - 1) & t.last
	}
	start := quotient
	for quotient != q {
		for start = t.next(start); t.get(start)&continuation != 0; start = t.next(start) {
		}
		for quotient = t.next(quotient); t.get(quotient)&occupied == 0; quotient = t.next(quotient) {
		}
	}
	return start
}
