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

	chip        use // of the homeless fingerprint
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
	kicks, last := s.Kicks(), i == s.Moments()-1
	switch {
	case i == 0:
		return m
	case s.Refused != nil:
		m.Phase = Refused
		return m
	case last:
		m.Phase, m.last = Stored, len(s.Path)
	case !s.searched():
		m.Phase, m.Kick, m.first, m.last = Kicked, i, i-1, i
	case i == 1:
		return s.ahead()
	default:
		k := kicks - i + 2
		m.Phase, m.Kick, m.first, m.last = Kicked, k, k, k+1
	}
	if !s.searched() {
		m.Homeless = s.Fingerprint
		for _, p := range s.Path[:i] {
			kickedOn := m.uses[p] // of what was there
			m.Homeless, m.Table[p.Bucket][p.Slot] = m.Table.at(p), m.Homeless
			m.uses[p], m.chip = m.chip, max(kickedOn, moved)
		}
		return m
	}
	for k := kicks; k > max(0, kicks-i+1); k-- {
		from, to := s.Path[k-1], s.Path[k]
		m.Table[to.Bucket][to.Slot], m.Table[from.Bucket][from.Slot] = m.Table.at(from), 0
		m.uses[to] = moved
	}
	if last {
		p := s.Path[0]
		m.Table[p.Bucket][p.Slot], m.uses[p] = s.Fingerprint, isNew
	}
	return m
}

// ahead returns the moment before the first kick, with the path that the kicks take.
func (s *Step) ahead() Moment {
	m := Moment{Phase: Found, Table: s.Before, last: len(s.Path), uses: map[Position]use{}}
	for _, p := range s.Path[:s.Kicks()] {
		m.uses[p] = moved
	}
	return m
}

// Asked returns the moment of a lookup: the fingerprints of the key's class are marked, as many as Count says.
func (s *Step) Asked() Moment {
	m := Moment{Table: s.Before, uses: map[Position]use{}}
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
func (s *Step) Deleted() Moment { return Moment{Table: s.After} }

// Moved returns the fingerprints that the kicks moved: the k-th went from Path[k] to Path[k+1].
func (s *Step) Moved() (moved []uint64) {
	now, fp := s.Before.clone(), s.Fingerprint // a walk may kick a slot more than once
	for _, p := range s.Path[:s.Kicks()] {
		fp, now[p.Bucket][p.Slot] = now.at(p), fp
		moved = append(moved, fp)
	}
	return moved
}
