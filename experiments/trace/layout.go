package trace

import (
	"cmp"
	"math"
	"slices"
)

// Lengths of the picture, in pixels.
const (
	margin     = 28
	rowHeight  = 34
	slotGap    = 8
	trackStep  = 8  // between the lines in the gap over a row
	laneStep   = 24 // between the vertical lines beside the table, which carry the numbers
	plainGap   = 12 // between rows without lines
	digitWidth = 10 // at least, of a digit of a fingerprint in a slot
	chipHeight = rowHeight - 6

	// Of a whole step: over its tables, in front of the first, and the least width, for the title and the legend.
	headHeight, labelWidth, minWidth = 116, 150, 820
	// Of one moment, which has a line over its table that says what is done.
	headFrame, labelFrame, minFrame = 76, 116, 344
)

// drawnKicks is the number of kicks whose arrows are drawn; more of them hide the table.
const drawnKicks = 12

// An end is where an arrow leaves or enters a slot: over it, at x, on a track of its own in the gap over the row.
type end struct {
	at   Position
	x, y int // of the track
}

// An arrow is one kick, or the way of the new fingerprint, which has no start.
type arrow struct {
	from, to end
	lane     int // x of its vertical part
}

// A plan is where everything of a picture lies.
type plan struct {
	bits          uint // of a fingerprint
	slotWidth     int
	head          int   // the rows begin below it
	rowY          []int // the top of each row
	before, right int   // of the first table's slots
	gutter        int   // the first table with its lines ends here
	after         int   // the second table's slots begin here
	width, height int
	arrows        []*arrow // the first is that of the new fingerprint
}

// hex writes a fingerprint.
func (p *plan) hex(fp uint64) string { return Hex(fp, p.bits) }

// chipY is the top of the new fingerprint's box.
func (p *plan) chipY() int { return p.head - 24 }

// newPlan lays out a table with the arrows of a path, and with tables = 2 the table after it beside it. No two arrows
// share a piece of a line: each end has an x and a track of its own, each arrow a lane.
func newPlan(t Table, path []Position, bits uint, tables int) *plan {
	p := &plan{bits: bits, slotWidth: max(len(Hex(0, bits))*digitWidth+16, 46), head: headHeight,
		before: margin + labelWidth}
	if tables == 1 {
		p.head, p.before = headFrame, margin+labelFrame
	}
	p.right = p.slotX(len(t[0])) - slotGap
	for k, to := range path[:min(len(path), drawnKicks+1)] {
		a := &arrow{to: end{at: to}}
		if k > 0 {
			a.from.at = path[k-1]
		}
		p.arrows = append(p.arrows, a)
	}
	ends := p.ends()
	p.spreadX(ends)
	p.placeRows(ends, len(t))
	p.placeLanes()
	p.gutter = p.right + 24 + max(len(p.arrows)-1, 0)*laneStep
	p.after = p.gutter + 70
	if tables == 1 {
		p.width, p.height = max(p.gutter, minFrame), p.height+margin/2
	} else {
		p.width, p.height = max(p.after+p.right-p.before+margin, minWidth), p.height+78
	}
	return p
}

// ends returns every end of the arrows.
func (p *plan) ends() (ends []*end) {
	for k, a := range p.arrows {
		if k > 0 {
			ends = append(ends, &a.from)
		}
		ends = append(ends, &a.to)
	}
	return ends
}

// slotX returns the left edge of a slot of the first table.
func (p *plan) slotX(slot int) int { return p.before + slot*(p.slotWidth+slotGap) }

// spreadX gives the ends at one slot places side by side.
func (p *plan) spreadX(ends []*end) {
	total, given := map[Position]int{}, map[Position]int{}
	for _, e := range ends {
		total[e.at]++
	}
	for _, e := range ends {
		given[e.at]++
		e.x = p.slotX(e.at.Slot) + given[e.at]*p.slotWidth/(total[e.at]+1)
	}
}

// placeRows makes the gap over each row as high as its tracks need. The leftmost end gets the highest
// track, so that the lines of one gap, which run to the right, do not cross. The new fingerprint comes
// from the left and gets the lowest.
func (p *plan) placeRows(ends []*end, rows int) {
	order := func(e *end) int {
		if e == &p.arrows[0].to {
			return math.MaxInt
		}
		return e.x
	}
	y := p.head
	for row := range rows {
		here := slices.DeleteFunc(slices.Clone(ends), func(e *end) bool { return e.at.Bucket != uint64(row) })
		slices.SortStableFunc(here, func(a, b *end) int { return cmp.Compare(order(a), order(b)) })
		for i, e := range here {
			e.y = y + plainGap + i*trackStep
		}
		y += plainGap
		if len(here) > 0 {
			y += (len(here)-1)*trackStep + 14 // room for the tip
		}
		p.rowY = append(p.rowY, y)
		y += rowHeight
	}
	p.height = y
}

// placeLanes gives each kick a vertical lane, the shortest nearest to the table, where they cross fewest lines.
func (p *plan) placeLanes() {
	if len(p.arrows) == 0 {
		return
	}
	p.arrows[0].lane = margin + 16
	kicks := slices.Clone(p.arrows[1:])
	span := func(a *arrow) int { return max(a.from.y-a.to.y, a.to.y-a.from.y) }
	slices.SortStableFunc(kicks, func(a, b *arrow) int { return cmp.Compare(span(a), span(b)) })
	for i, a := range kicks {
		a.lane = p.right + 24 + i*laneStep
	}
}
