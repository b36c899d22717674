package trace

import (
	"testing"

	"github.com/nestfilter/nest/cuckoo"
)

// checkPlan holds a layout to keep its lines apart: tracks, lanes and places at a slot all differ, and
// lie where there is no text.
func checkPlan(t *testing.T, p *plan) {
	t.Helper()
	tracks, lanes := map[int]bool{}, map[int]bool{}
	places := map[end]bool{}
	for _, e := range p.ends() {
		row := e.at.Bucket
		floor := p.head
		if row > 0 {
			floor = p.rowY[row-1] + rowHeight
		}
		slot := p.slotX(e.at.Slot)
		switch {
		case tracks[e.y] || places[end{at: e.at, x: e.x}]:
			t.Errorf("two lines share a piece at %v", e.at)
		case e.y <= floor || e.y > p.rowY[row]-12:
			t.Errorf("track %d is not in the gap %d to %d over row %d", e.y, floor, p.rowY[row], row)
		case e.x <= slot || e.x >= slot+p.slotWidth:
			t.Errorf("a line at %d misses the slot at %d", e.x, slot)
		}
		tracks[e.y], places[end{at: e.at, x: e.x}] = true, true
	}
	for k, a := range p.arrows {
		if lanes[a.lane] || k > 0 && (a.lane <= p.right || a.lane+9 > p.gutter) {
			t.Errorf("kick %d has lane %d, the table ends at %d", k, a.lane, p.right)
		}
		lanes[a.lane] = true
	}
	if last := p.after + p.right - p.before; last+margin > p.width || p.rowY[len(p.rowY)-1]+rowHeight >= p.height {
		t.Errorf("the tables do not fit into %d x %d", p.width, p.height)
	}
}

func TestPlan_LinesKeepApart(t *testing.T) {
	long, again := false, false
	everyInsert(t, func(m *Machine, _ cuckoo.KickPolicy, key string) Step {
		s := m.Insert(key)
		checkPlan(t, newPlan(s.Before, s.Path, uint(m.config.FingerprintBits), 2))
		long, again = long || s.Kicks() > drawnKicks, again || s.newAt() > 0
		return s
	})
	if !long || !again {
		t.Errorf("paths of more than %d kicks: %t; that kick the new fingerprint on: %t", drawnKicks, long, again)
	}
}
