package trace

import (
	"bytes"
	"fmt"
	"html"
)

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
