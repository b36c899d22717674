package trace

// Lengths of the picture, in pixels.
const (
	margin     = 28
	rowHeight  = 34
	slotGap    = 8
	chipHeight = rowHeight - 6
	headHeight = 76 // over the table
	tableLeft  = margin + 116
	minWidth   = 344
	plainGap   = 12 // between rows without lines
	tipGap     = 14 // between the last line over a row and the row
	trackStep  = 8  // between the lines over a row
	laneStep   = 24 // between the vertical lines beside the table, which carry the numbers
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
	slotWidth     int
	rowY          []int // the top of each row
	right         int   // the slots end here
	arrows        []arrow
	width, height int
}

// slotX returns the left edge of a slot.
func (p *plan) slotX(slot int) int { return tableLeft + slot*(p.slotWidth+slotGap) }

// newPlan lays out a table with the arrows of a path. No two arrows share a piece of a line: each end has an x and a
// track of its own, each arrow a lane.
func newPlan(t Table, path []Position, bits int) *plan {
	p := &plan{slotWidth: max(10*len(Hex(0, bits))+16, 46), height: headHeight}
	p.right = p.slotX(len(t[0])) - slotGap
	path = path[:min(len(path), drawnKicks+1)]
	inRow, inSlot, given := make([]int, len(t)), map[Position]int{}, map[Position]int{}
	for k, at := range path {
		ends := min(2, len(path)-k) // nothing leaves the last slot
		inRow[at.Bucket] += ends
		inSlot[at] += ends
	}
	for _, ends := range inRow {
		p.height += plainGap + min(ends, 1)*(tipGap-trackStep) + ends*trackStep
		p.rowY = append(p.rowY, p.height)
		p.height += rowHeight
	}
	place := func(at Position) end {
		inRow[at.Bucket]--
		given[at]++
		return end{at, p.slotX(at.Slot) + given[at]*p.slotWidth/(inSlot[at]+1),
			p.rowY[at.Bucket] - tipGap - inRow[at.Bucket]*trackStep}
	}
	for k, to := range path {
		a := arrow{lane: margin + 16}
		if k > 0 {
			a.lane, a.from = p.right+k*laneStep, place(path[k-1])
		}
		a.to = place(to)
		p.arrows = append(p.arrows, a)
	}
	p.width, p.height = max(p.right+max(len(path), 1)*laneStep, minWidth), p.height+margin/2
	return p
}
