package trace

import "github.com/nestfilter/nest/cuckoo"

// A Phase is what a moment of an insert shows.
type Phase int

// The phases, in their order.
const (
	Arrives Phase = iota // the key has come, nothing has moved
	Found                // the search has found a path, nothing has moved; walks have no such moment
	Kicked               // a fingerprint has moved
	Stored               // all is done
	Refused              // the key found no slot; the table is as it was
)

// A use is what a slot is filled for, and so its colour.
type use int

const (
	stays use = iota
	moved
	isNew
)

// A Moment is one instant of a step.
type Moment struct {
	Phase Phase
	Kick  int // the number of the kick, 1 to Step.Kicks, in the phase Kicked
	// Table is the table at this instant. In a search, a fingerprint that has moved has left its slot free.
	Table Table
	// Homeless is the fingerprint that a walk has in hand after a kick, or 0.
	Homeless uint64

	chip        use // of the homeless fingerprint, or of the key's
	first, last int // the arrows of the path that are drawn, without the last
	uses        map[Position]use
}

// Moments returns the number of moments of an insert. A search finds its path first, then moves fingerprints from its
// free end backwards; a walk moves them as it goes.
func (s *Step) Moments() int {
	n := s.Kicks() + 2
	if s.searched() {
		n++
	}
	return n
}

// searched tells whether the step has the moment Found.
func (s *Step) searched() bool { return s.Policy == cuckoo.BreadthFirst && s.Kicks() > 0 }

// Moment returns the i-th moment, 0 <= i < Moments, of an insert. It takes time proportional to the table and to i.
func (s *Step) Moment(i int) Moment {
	m := Moment{Table: s.Before.clone(), chip: isNew, uses: map[Position]use{}}
	kicks := s.Kicks()
	switch {
	case i == 0:
		return m
	case s.Refused != nil:
		m.Phase = Refused
		return m
	case i == s.Moments()-1:
		m.Phase, m.last = Stored, len(s.Path)
	case !s.searched():
		m.Phase, m.Kick, m.first, m.last = Kicked, i, i-1, i
	case i == 1:
		m.Phase, m.last = Found, len(s.Path)
		for _, p := range s.Path[:kicks] {
			m.uses[p] = moved
		}
	default:
		k := kicks - i + 2
		m.Phase, m.Kick, m.first, m.last = Kicked, k, k, k+1
	}
	if !s.searched() {
		m.Homeless = s.Fingerprint
		for _, p := range s.Path[:i] {
			kickedOn := m.uses[p] // of what was there
			m.Homeless, m.Table[p.Bucket][p.Slot] = m.Table.at(p), m.Homeless
			m.uses[p] = m.chip
			m.chip = max(kickedOn, moved)
		}
		return m
	}
	for k := kicks; k > max(0, kicks-i+1); k-- {
		from, to := s.Path[k-1], s.Path[k]
		m.Table[to.Bucket][to.Slot], m.Table[from.Bucket][from.Slot] = m.Table.at(from), 0
		m.uses[to] = moved
	}
	if m.Phase == Stored {
		p := s.Path[0]
		m.Table[p.Bucket][p.Slot], m.uses[p] = s.Fingerprint, isNew
	}
	return m
}

// Asked returns the moment of a lookup: the fingerprints of the key's class are marked, as many as Count says.
func (s *Step) Asked() Moment {
	m := Moment{Table: s.Before, chip: isNew, uses: map[Position]use{}}
	for _, bucket := range []uint64{s.Primary, s.Alternate} {
		for slot, fp := range s.Before[bucket] {
			if fp == s.Fingerprint {
				m.uses[Position{bucket, slot}] = isNew
			}
		}
	}
	return m
}

// Deleted returns the moment after a delete.
func (s *Step) Deleted() Moment { return Moment{Table: s.After, chip: isNew} }

// Moved returns the fingerprints that the kicks moved: the k-th went from Path[k] to Path[k+1].
func (s *Step) Moved() (moved []uint64) {
	now := map[Position]uint64{} // a walk may kick a slot more than once
	fp := s.Fingerprint
	for _, p := range s.Path[:s.Kicks()] {
		out, ok := now[p]
		if !ok {
			out = s.Before.at(p)
		}
		now[p], fp = fp, out
		moved = append(moved, out)
	}
	return moved
}

// newAt returns where in the path the new fingerprint lies in the end. A walk that comes back to it kicks it on.
func (s *Step) newAt() (at int) {
	for k := 1; k < len(s.Path); k++ {
		if s.Path[k] == s.Path[at] {
			k++
			at = k
		}
	}
	return at
}
