package trace

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/nestfilter/nest/experiments/claims"
)

// A Frame says how moments are drawn: a table with both buckets of the key lit, what is on its way beside it, arrows.
type Frame struct {
	Look  Look
	ID    string // begins the names of parts: pictures in one page need different ones
	Width int    // of the fingerprints
	// Roles are the words for the primary and the alternate bucket, and for a bucket that is both.
	Roles [3]string
	// Chip is the word for the fingerprint of the key, and Homeless that for one that a walk has in hand.
	Chip, Homeless string
}

// Draw returns the picture of a moment of a step, or, without a step, of a table that nothing is done with, with a line
// over it. All moments of a step have the same layout. Arrows of kicks beyond the twelfth are not drawn, their slots
// marked. Of many arrows all but the last few are faded.
func (f *Frame) Draw(s *Step, m *Moment, line string) []byte {
	p := f.start(s, m.Table)
	p.Start(p.width, p.height, line)
	p.Text(margin, 30, Bold(15), line)
	p.moment(s, m)
	return p.End()
}

// A picture is a drawing of moments under way.
type picture struct {
	Canvas
	*plan
	frame *Frame
}

// start returns a picture of a step that is laid out, and empty.
func (f *Frame) start(s *Step, t Table) *picture {
	if s == nil {
		s = new(Step)
	}
	return &picture{Canvas{Look: f.Look, ID: f.ID}, newPlan(t, s.Path, f.Width), f}
}

// SVG returns the picture of a step: the table before it with the cuckoo path as arrows, and the table after it. It is
// self-contained, and its bytes depend on the step alone. Of a path of more than 12 kicks, the first 12 are drawn.
func (r *Result) SVG(step int) []byte {
	const head, legend = 56, 40
	s, c := &r.Steps[step], r.Config
	f := &Frame{Look: Light, Width: c.FingerprintBits, Roles: [3]string{"primary", "alternate", "both"},
		Chip: "new fingerprint"}
	p := f.start(s, s.Before)
	title := fmt.Sprintf("Insert %s: %s", Shown(s.Key), s.outcome())
	p.Start(2*p.width, head+p.height+legend, title)
	p.Text(margin, 36, Bold(20), title)
	p.Text(margin, 60, "", fmt.Sprintf("digest %016x, placement %v, %s", s.Digest, c.Placement, c.Kick.Recipe()))
	before, after := s.ahead(), s.Moment(s.Moments()-1)
	after.last = 0
	for i, m := range []*Moment{&before, &after} {
		p.Add(`<g transform="translate(%d %d)">`, i*p.width, head)
		p.Text(tableLeft, 36, Bold(14), []string{"before", "after"}[i])
		p.moment(s, m)
		p.Add(`</g>`)
	}
	for u, text := range []string{stays: "stays", moved: "moved by a kick", isNew: "new"} {
		fill, ink := p.colours(use(u))
		p.box(margin+150*u, head+p.height, 140, chipHeight, fill, ink, text)
	}
	return p.End()
}

// moment draws a table, and with a step the homes of its key, what has moved, and what is on its way.
func (p *picture) moment(s *Step, m *Moment) {
	const bright = 4
	if s != nil {
		p.homes(s)
	}
	last := min(m.last, len(p.arrows))
	for k := last - 1; k >= m.first; k-- { // what lies to the right is drawn before the numbers at its left
		more := ""
		if k > 0 && k < last-m.first-bright {
			more = ` opacity="0.3"`
		}
		p.way(k, more)
	}
	for bucket, slots := range m.Table {
		y := p.rowY[bucket]
		p.Text(tableLeft-10, y+22, ToTheLeft, fmt.Sprint(bucket))
		for slot, fp := range slots {
			text, u := "", m.uses[Position{uint64(bucket), slot}]
			if fp != 0 {
				text = Hex(fp, p.frame.Width)
			}
			fill, ink := p.colours(u)
			p.box(p.slotX(slot), y, p.slotWidth, rowHeight, fill, ink, text)
		}
	}
	if s == nil {
		return
	}
	fp, word, u := s.Fingerprint, p.frame.Chip, isNew
	if m.Homeless != 0 {
		fp, word, u = m.Homeless, p.frame.Homeless, m.chip
	}
	fill, ink := p.colours(u)
	p.box(margin, headHeight-24, p.slotWidth, chipHeight, fill, ink, Hex(fp, p.frame.Width))
	p.Text(margin+p.slotWidth+8, headHeight-5, "", word)
}

// homes lights both buckets of a key and writes what they are to it: primary, alternate, or both in one.
func (p *picture) homes(s *Step) {
	words := p.frame.Roles
	if s.Primary == s.Alternate {
		words[0] = words[2]
	}
	for i, bucket := range slices.Compact([]uint64{s.Primary, s.Alternate}) {
		y := p.rowY[bucket]
		p.Add(`<rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="%s" stroke="%s"/>`,
			tableLeft-6, y-5, p.right-tableLeft+12, rowHeight+10, p.Lit, p.New)
		p.Text(tableLeft-36, y+22, ToTheLeft, words[i])
	}
}

// way adds the way of the new fingerprint, or the k-th kick with its number: a line with a tip at its end.
func (p *picture) way(k int, more string) {
	a, ink, tip := p.arrows[k], p.New, "new"
	path := fmt.Sprintf("M%d %d", a.lane, headHeight-24+chipHeight)
	if k > 0 {
		ink, tip = p.Arrow, "kick"
		path = fmt.Sprintf("M%d %dV%dH%d", a.from.x, p.rowY[a.from.at.Bucket], a.from.y, a.lane)
	}
	p.Add(`<g%s>`, more)
	p.Add(`<path d="%sV%dH%dV%d" fill="none" stroke="%s" stroke-width="2" stroke-linejoin="round" marker-end="url(#%s)"/>`,
		path, a.to.y, a.to.x, p.rowY[a.to.at.Bucket], ink, p.ID+tip)
	if y := (a.from.y + a.to.y) / 2; k > 0 {
		p.Add(`<circle cx="%d" cy="%d" r="9" fill="%s"/>`, a.lane, y, p.Arrow)
		p.Text(a.lane, y+4, fmt.Sprintf(` font-size="12" text-anchor="middle" fill="%s" font-weight="bold"`, p.OnArrow),
			fmt.Sprint(k))
	}
	p.Add(`</g>`)
}

// Pictured returns the step that a single picture shows best: the last one that took a cuckoo path,
// and if none did, the last.
func (r *Result) Pictured() int {
	for i, s := range slices.Backward(r.Steps) {
		if s.Kicks() > 0 {
			return i
		}
	}
	return len(r.Steps) - 1
}

// outcome says how the insert ended.
func (s *Step) outcome() string {
	text := claims.Count(s.Kicks(), "kick")
	if s.Kicks() > drawnKicks {
		text += fmt.Sprintf(", the first %d drawn", drawnKicks)
	}
	if s.Refused != nil {
		text = "refused, nothing changed"
	}
	return text
}

// maxKey is the number of columns of a key that a picture shows.
const maxKey = 20

// Shown quotes a key for a picture, of 20 columns at most between the quotes.
func Shown(key string) string { return `"` + Short(key, maxKey) + `"` }

// Short shortens a key with an ellipsis to a number of columns, about: characters of East Asia have two. What cannot be
// printed, or turns the direction of a text, is escaped as in Go.
func Short(key string, most int) string {
	const eastAsia = 0x1100 // nearly all characters from here on are wide
	text := strconv.Quote(key)
	text = text[1 : len(text)-1]
	n, short := 0, ""
	for i, r := range text {
		if n++; r >= eastAsia {
			n++
		}
		if n <= most-len("...") {
			short = text[:i+utf8.RuneLen(r)]
		} else if n > most {
			return short + "..."
		}
	}
	return text
}

// A Look is the set of colours of a picture. Each is a colour of SVG.
type Look struct {
	Ground, Ink, Edge string // the ground, text, and the edge of a slot
	New, OnNew        string // what is new, and text on it
	Moved, OnMoved    string // what has moved
	Used, OnUsed      string // a slot that something lies in
	Arrow, OnArrow    string
	Lit               string // behind a bucket that is meant
}

// The colours are those of Okabe and Ito (jfly.uni-koeln.de/color, 2008), as in package chart, and pale ones of our own
// for slots and lit buckets.
var (
	Light = Look{Ground: "#ffffff", Ink: "#000000", Edge: "#6e6e6e", New: "#d55e00", OnNew: "#ffffff", Moved: "#e69f00",
		OnMoved: "#000000", Used: "#cfe6f5", OnUsed: "#000000", Arrow: "#0072b2", OnArrow: "#ffffff", Lit: "#fbe3d3"}
	Dark = Look{Ground: "#181818", Ink: "#e8e8e8", Edge: "#8c8c8c", New: "#d55e00", OnNew: "#ffffff", Moved: "#e69f00",
		OnMoved: "#000000", Used: "#24506e", OnUsed: "#ffffff", Arrow: "#56b4e9", OnArrow: "#000000", Lit: "#53301a"}
)

// colours are those of a slot and of the text in it.
func (l *Look) colours(u use) (fill, ink string) {
	switch u {
	case isNew:
		return l.New, l.OnNew
	case moved:
		return l.Moved, l.OnMoved
	}
	return l.Used, l.OnUsed
}

// A Canvas is a picture under way, in SVG, without a template: so it is small enough to be compiled for a browser. What
// is drawn later lies above what was drawn before.
type Canvas struct {
	Look
	// ID begins the names of parts that other parts refer to. Pictures in one page need different ones.
	ID string
	b  bytes.Buffer
}

// Start begins the picture: its size in pixels, what it is called for those who do not see it, and its ground.
func (c *Canvas) Start(width, height int, title string) {
	c.Add(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `+
		`font-family="'Liberation Sans',Arial,Helvetica,sans-serif" font-size="13" fill="%s">`, width, height, c.Ink)
	c.Add(`<title>%s</title>`, html.EscapeString(title))
	c.Add(`<defs>`)
	for _, tip := range [][2]string{{"new", c.New}, {"kick", c.Arrow}} {
		c.Add(`<marker id="%s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" `+
			`markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="%s"/></marker>`, c.ID+tip[0], tip[1])
	}
	c.Add(`</defs>`)
	c.Add(`<rect width="%d" height="%d" fill="%s"/>`, width, height, c.Ground)
}

// Add adds a line of SVG. Texts in it have to be escaped.
func (c *Canvas) Add(format string, args ...any) { fmt.Fprintf(&c.b, format+"\n", args...) }

// Text adds a text whose left end is at x, with more attributes, such as ` font-size="20"`, or none.
func (c *Canvas) Text(x, y int, attributes, text string) {
	c.Add(`<text x="%d" y="%d"%s>%s</text>`, x, y, attributes, html.EscapeString(text))
}

// Bold are the attributes of a bold text of a size in pixels.
func Bold(size int) string { return fmt.Sprintf(` font-size="%d" font-weight="bold"`, size) }

// ToTheLeft makes a text end at its x.
const ToTheLeft = ` text-anchor="end"`

// box adds a slot with a text in its middle, or, without one, a free slot.
func (c *Canvas) box(x, y, width, height int, fill, ink, text string) {
	dotted := ""
	if text == "" {
		fill, dotted = c.Ground, ` stroke-dasharray="3 3"`
	}
	c.Add(`<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="%s" stroke="%s"%s/>`, x, y, width, height, fill, c.Edge,
		dotted)
	if text != "" {
		c.Text(x+width/2, y+height/2+5, fmt.Sprintf(` font-size="15" text-anchor="middle" fill="%s"`, ink), text)
	}
}

// End ends the picture and returns it.
func (c *Canvas) End() []byte {
	c.Add(`</svg>`)
	return c.b.Bytes()
}
