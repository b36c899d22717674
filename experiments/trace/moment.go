package trace

import (
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/drawing"
)

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

// A Moment is one instant of a step.
type Moment struct {
	Phase Phase
	Kick  int // the number of the kick, 1 to Step.Kicks, in the phase Kicked
	// Table is the table at this instant. In a search, a fingerprint that has moved has left its slot free.
	Table Table
	// Homeless is the fingerprint that a walk has in hand after a kick, or 0.
	Homeless uint64

	chip   use   // of the homeless fingerprint, or of the key's
	arrows []int // of the path, that are drawn
	uses   map[Position]use
}

// Moments returns the number of moments of an insert under a policy. A search finds its path first and then moves
// fingerprints from its free end backwards; a walk moves them as it goes.
func (s *Step) Moments(policy cuckoo.KickPolicy) int {
	n := s.Kicks() + 2
	if s.searched(policy) {
		n++
	}
	return n
}

// searched tells whether the step has the moment Found.
func (s *Step) searched(policy cuckoo.KickPolicy) bool {
	return policy == cuckoo.BreadthFirst && s.Kicks() > 0
}

// Moment returns the i-th moment, 0 <= i < Moments, of an insert under a policy. It takes time proportional to the table and
// to i.
func (s *Step) Moment(policy cuckoo.KickPolicy, i int) Moment {
	m := Moment{Phase: Kicked, Kick: i, Table: s.Before.clone(), chip: isNew, uses: map[Position]use{}}
	switch last := s.Moments(policy) - 1; {
	case i == 0:
		m.Phase, m.Kick = Arrives, 0
		return m
	case s.Refused != nil:
		m.Phase, m.Kick = Refused, 0
		return m
	case i == last:
		m.Phase, m.Kick = Stored, 0
		for k := range s.Path {
			m.arrows = append(m.arrows, k)
		}
	}
	if s.searched(policy) {
		s.search(&m, i)
	} else {
		s.walk(&m, i)
	}
	return m
}

// search makes the moves of the first i moments of a search: from the free end, after the moment in which the path is found.
func (s *Step) search(m *Moment, i int) {
	kicks := s.Kicks()
	for k := kicks - 1; k >= 0 && k > kicks-i; k-- {
		from, to := s.Path[k], s.Path[k+1]
		m.Table[to.Bucket][to.Slot], m.Table[from.Bucket][from.Slot] = m.Table.at(from), 0
		m.uses[to] = moved
	}
	switch {
	case m.Phase == Stored:
		m.Table[s.Path[0].Bucket][s.Path[0].Slot] = s.Fingerprint
		m.uses[s.Path[0]] = isNew
	case i == 1:
		m.Phase, m.Kick = Found, 0
		for k, p := range s.Path {
			m.arrows = append(m.arrows, k)
			if k < kicks {
				m.uses[p] = moved
			}
		}
	default:
		m.Kick = kicks - i + 2
		m.arrows = []int{m.Kick}
	}
}

// walk makes the first i moves of a walk.
func (s *Step) walk(m *Moment, i int) {
	m.Homeless = s.Fingerprint
	for _, p := range s.Path[:i] {
		kickedOn := m.uses[p] // of what was there
		m.Table[p.Bucket][p.Slot], m.Homeless = m.Homeless, m.Table.at(p)
		m.uses[p] = m.chip
		m.chip = moved
		if kickedOn == isNew {
			m.chip = isNew
		}
	}
	if m.Phase == Kicked {
		m.arrows = []int{i - 1}
	}
}

// Asked returns the moment of a lookup: the fingerprints of the key's class are marked. There are as many as the filter's
// Count says.
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

// A Frame says how moments are drawn: a table with both buckets of the key lit, what is on its way beside it, and arrows.
type Frame struct {
	Look  drawing.Look
	ID    string // begins the names of parts: pictures in one page need different ones
	Width uint   // of the fingerprints
	// Roles are the words for the primary and the alternate bucket, and for a bucket that is both.
	Roles [3]string
	// Chip is the word for the fingerprint of the key, and Homeless that for one that a walk has in hand.
	Chip, Homeless string
}

// Draw returns the picture of a moment, which has a line over it, in SVG. All moments of a step have the same layout. Arrows
// of kicks beyond the twelfth are not drawn; their slots are marked.
func (f *Frame) Draw(s *Step, m *Moment, line string) []byte {
	digits := Digits(f.Width)
	p := &picture{plan: newPlan(s.Before, s.Path, digits, 1), digits: digits}
	p.Look, p.ID = f.Look, f.ID
	p.Start(p.width, p.height, line)
	p.Text(margin, 30, drawing.Bold(15), line)
	p.light(s.Primary)
	if s.Alternate != s.Primary {
		p.light(s.Alternate)
	}
	p.numbers(m.Table, p.before)
	p.roles(s.Primary, s.Alternate, f.Roles)
	for _, k := range m.arrows {
		if k < len(p.arrows) {
			p.fadedWay(k, k > 0 && k < min(len(m.arrows), len(p.arrows))-bright)
		}
	}
	p.boxes(m.Table, p.before, func(at Position) use { return m.uses[at] })
	for _, k := range m.arrows {
		if k < len(p.arrows) {
			p.number(k)
		}
	}
	p.chip(s, m, f)
	return p.End()
}

// DrawTable returns the picture of a table that nothing is done with. It has the layout of a step without a path.
func (f *Frame) DrawTable(t Table, line string) []byte {
	p := &picture{plan: newPlan(t, nil, Digits(f.Width), 1), digits: Digits(f.Width)}
	p.Look, p.ID = f.Look, f.ID
	p.Start(p.width, p.height, line)
	p.Text(margin, 30, drawing.Bold(15), line)
	p.numbers(t, p.before)
	p.boxes(t, p.before, func(Position) use { return stays })
	return p.End()
}

// bright is the number of the last kicks of a path whose lines a moment shows at full strength: those of more hide each other.
const bright = 4

// fadedWay adds the way of the new fingerprint, or the k-th kick, and may fade it.
func (p *picture) fadedWay(k int, fade bool) {
	if !fade {
		p.way(k)
		return
	}
	p.Add(`<g opacity="0.3">`)
	p.way(k)
	p.Add(`</g>`)
}

// light marks a bucket.
func (p *picture) light(bucket uint64) {
	p.Add(`<rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="%s" stroke="%s"/>`, p.before-6, p.rowY[bucket]-5, p.right-p.before+12, rowHeight+10, p.Lit, p.New)
}

// chip adds what is beside the table: the homeless fingerprint, or that of the key.
func (p *picture) chip(s *Step, m *Moment, f *Frame) {
	fp, word := s.Fingerprint, f.Chip
	if m.Homeless != 0 {
		word = f.Homeless
		fp = m.Homeless
	}
	fill, ink := p.New, p.OnNew
	if m.chip == moved && m.Homeless != 0 {
		fill, ink = p.Moved, p.OnMoved
	}
	p.Box(margin, p.chipY(), p.slotWidth, chipHeight, fill, ink, fmt.Sprintf("%0*x", p.digits, fp))
	p.Text(margin+p.slotWidth+8, p.chipY()+19, "", word)
}
