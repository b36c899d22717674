package trace

import (
	"testing"
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
	for _, policy := range Policies() {
		for seed := range 2 * seeds() {
			for _, o := range []Options{
				{Buckets: 8, BucketSize: 2, Width: 12}, {Buckets: 3, BucketSize: 8, Width: 32}, {Buckets: 32, BucketSize: 1,
					Width: 4},
			} {
				o.Kick, o.Seed = policy, seed
				o.Keys = randomKeys(seed, 0, o.Buckets*o.BucketSize+2)
				r := mustRun(t, o)
				for i := range r.Steps {
					s := &r.Steps[i]
					p := newPlan(s.Before, s.Path, o.Width, 2)
					checkPlan(t, p)
					long = long || s.Kicks() > drawnKicks
					again = again || s.newAt() > 0
				}
			}
		}
	}
	if !long || !again {
		t.Errorf("paths of more than %d kicks: %t; that kick the new fingerprint on: %t", drawnKicks, long, again)
	}
}
