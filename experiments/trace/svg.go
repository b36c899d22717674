package trace

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Colours of Okabe and Ito (jfly.uni-koeln.de/color, 2008), as those of package chart, and the pale
// blue of a slot that something lies in.
const (
	colorNew    = "#d55e00" // vermillion
	colorMoved  = "#e69f00" // orange
	colorArrow  = "#0072b2" // blue
	colorUsed   = "#cfe6f5"
	colorBorder = "#6e6e6e"
)

// SVG returns the picture of a step: the table before it with the cuckoo path as arrows, and the
// table after it. It is self-contained, and its bytes depend on the step alone. Keys are shortened to
// maxKey characters and quoted in ASCII. Of a path of more than 12 kicks, the first 12 are drawn.
func (r *Result) SVG(step int) []byte {
	s := &r.Steps[step]
	d := &drawing{plan: newPlan(s, r.digits()), r: r, s: s}
	d.head()
	d.table(s.Before, 0, "before", d.colorBefore)
	d.arrows()
	d.table(s.After, d.plan.after-d.plan.left, "after", d.colorAfter)
	d.legend()
	d.printf("</svg>\n")
	return []byte(d.b.String())
}

// Pictured returns the step that a single picture shows best: the last one that took a cuckoo path,
// and if none did, the last.
func (r *Result) Pictured() int {
	for i := len(r.Steps) - 1; i >= 0; i-- {
		if r.Steps[i].Kicks() > 0 {
			return i
		}
	}
	return len(r.Steps) - 1
}

// A drawing is an SVG file in the making.
type drawing struct {
	*plan
	r *Result
	s *Step
	b strings.Builder
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

// text writes a line of text, which it escapes.
func (d *drawing) text(x, y, size int, attributes, text string) {
	if attributes != "" {
		attributes = " " + attributes
	}
	d.printf(`<text x="%d" y="%d" font-size="%d"%s>%s</text>`+"\n", x, y, size, attributes, html.EscapeString(text))
}

// maxKey is the number of characters of a key that a picture shows.
const maxKey = 20

// shown quotes a key for the picture: in ASCII, shortened with an ellipsis.
func shown(key string) string {
	quoted := strconv.QuoteToASCII(key)
	if len(quoted) <= maxKey+2 {
		return quoted
	}
	for utf8.RuneCountInString(key) > 0 {
		_, size := utf8.DecodeLastRuneInString(key)
		key = key[:len(key)-size]
		if quoted = strconv.QuoteToASCII(key); len(quoted) <= maxKey-1 {
			break
		}
	}
	return quoted[:len(quoted)-1] + `..."`
}

// head writes the start of the file and the lines over the tables.
func (d *drawing) head() {
	s, c := d.s, d.r.Config
	title := fmt.Sprintf("Insert %s: %s", shown(s.Key), d.outcome())
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="'Liberation Sans',Arial,Helvetica,sans-serif" fill="#000000">`+"\n",
		d.width, d.height, d.width, d.height)
	d.printf("<title>%s</title>\n", html.EscapeString(title))
	d.printf(`<defs>`)
	for _, color := range []string{colorNew, colorArrow} {
		d.printf(`<marker id="tip%s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="%s"/></marker>`, color[1:], color)
	}
	d.printf("</defs>\n")
	d.printf(`<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", d.width, d.height)
	d.text(margin, 36, 20, `font-weight="bold"`, title)
	buckets := fmt.Sprintf("buckets %d and %d", s.Primary, s.Alternate)
	if s.Primary == s.Alternate {
		buckets = fmt.Sprintf("bucket %d (primary and alternate coincide)", s.Primary)
	}
	d.text(margin, 60, 13, "", fmt.Sprintf("digest %016x, fingerprint %s, %s", s.Digest, d.r.hex(s.Fingerprint), buckets))
	d.text(margin, 79, 13, "", fmt.Sprintf("%s of %s, fingerprints of %s, placement %v, kick policy %s", count(c.Buckets, "bucket"),
		count(c.BucketSize, "slot"), count(int(d.r.Width), "bit"), c.Placement, c.Kick.Recipe()))
}

// outcome says how the insert ended.
func (d *drawing) outcome() string {
	switch kicks := d.s.Kicks(); {
	case d.s.Refused != nil:
		return "refused, nothing changed"
	case kicks == 0:
		return "a slot was free"
	case kicks > drawnKicks:
		return fmt.Sprintf("%d kicks, the first %d drawn", kicks, drawnKicks)
	default:
		return count(kicks, "kick")
	}
}

// table writes a table whose slots begin dx to the right of the first one's.
func (d *drawing) table(t Table, dx int, heading string, colors func(Position, uint64) (fill, ink string)) {
	d.text(d.left+dx, headHeight-10, 14, `font-weight="bold"`, heading)
	for bucket, slots := range t {
		y := d.rowY[bucket]
		label := fmt.Sprint(bucket)
		d.text(d.left+dx-10, y+22, 13, `text-anchor="end"`, label)
		if role := d.role(uint64(bucket)); role != "" && dx == 0 {
			d.text(d.left-36, y+22, 13, fmt.Sprintf(`text-anchor="end" fill="%s"`, colorBorder), role)
		}
		for slot, fp := range slots {
			x := d.slotX(slot) + dx
			if fp == 0 {
				d.box(x, y, "#ffffff", true)
				continue
			}
			fill, ink := colors(Position{uint64(bucket), slot}, fp)
			d.box(x, y, fill, false)
			d.text(x+d.slotWidth/2, y+22, 15, fmt.Sprintf(`text-anchor="middle" fill="%s"`, ink), d.r.hex(fp))
		}
	}
}

// role names what a bucket is to the new key.
func (d *drawing) role(bucket uint64) string {
	switch {
	case bucket == d.s.Primary && bucket == d.s.Alternate:
		return "both"
	case bucket == d.s.Primary:
		return "primary"
	case bucket == d.s.Alternate:
		return "alternate"
	}
	return ""
}

// box draws a slot.
func (d *drawing) box(x, y int, fill string, free bool) {
	dash := ""
	if free {
		dash = ` stroke-dasharray="3 3"`
	}
	d.printf(`<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="%s" stroke="%s"%s/>`+"\n",
		x, y, d.slotWidth, rowHeight, fill, colorBorder, dash)
}

// colorBefore highlights the fingerprints that are going to move.
func (d *drawing) colorBefore(p Position, _ uint64) (fill, ink string) {
	for _, from := range d.s.Path[:d.s.Kicks()] {
		if from == p {
			return colorMoved, "#000000"
		}
	}
	return colorUsed, "#000000"
}

// colorAfter highlights the new fingerprint and those that have moved.
func (d *drawing) colorAfter(p Position, _ uint64) (fill, ink string) {
	path := d.s.Path
	switch at := slices.Index(path, p); {
	case at < 0:
		return colorUsed, "#000000"
	case p == path[d.s.newAt()]:
		return colorNew, "#ffffff"
	}
	return colorMoved, "#000000"
}

// newAt returns where in the path the new fingerprint lies in the end. A walk that comes back to it
// kicks it on.
func (s *Step) newAt() (at int) {
	for k := 1; k < len(s.Path); k++ {
		if s.Path[k] == s.Path[at] {
			k++
			at = k
		}
	}
	return at
}

// arrows draws the new fingerprint beside the table, its way into it, and the kicks with their numbers.
func (d *drawing) arrows() {
	for k := len(d.plan.arrows) - 1; k >= 0; k-- { // the numbers of later kicks lie below earlier ones
		a, color := d.plan.arrows[k], colorArrow
		if k == 0 {
			color = colorNew
			d.printf(`<path d="M%d %d`, a.lane, chipY+rowHeight-6)
		} else {
			d.printf(`<path d="M%d %dV%dH%d`, a.from.x, d.rowY[a.from.at.Bucket], a.from.y, a.lane)
		}
		d.printf(`V%dH%dV%d" fill="none" stroke="%s" stroke-width="2" stroke-linejoin="round" marker-end="url(#tip%s)"/>`+"\n",
			a.to.y, a.to.x, d.rowY[a.to.at.Bucket], color, color[1:])
	}
	for k := range d.plan.arrows {
		if a := d.plan.arrows[k]; k > 0 {
			d.number(a.lane, (a.from.y+a.to.y)/2, fmt.Sprint(k))
		}
	}
	d.chip(margin, chipY, d.slotWidth, d.r.hex(d.s.Fingerprint))
}

// chipY is the top of the new fingerprint's box.
const chipY = headHeight - 24

// chip draws the new fingerprint.
func (d *drawing) chip(x, y, width int, text string) {
	d.printf(`<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="%s"/>`+"\n", x, y, width, rowHeight-6, colorNew)
	d.text(x+width/2, y+19, 15, `text-anchor="middle" fill="#ffffff"`, text)
}

// number draws a kick's number.
func (d *drawing) number(x, y int, text string) {
	d.printf(`<circle cx="%d" cy="%d" r="9" fill="%s"/>`+"\n", x, y, colorArrow)
	d.text(x, y+4, 12, `text-anchor="middle" fill="#ffffff" font-weight="bold"`, text)
}

// legend explains the colours.
func (d *drawing) legend() {
	y := d.height - margin - 16
	x := margin
	for _, e := range []struct{ fill, text string }{
		{colorNew, "new fingerprint"}, {colorMoved, "moved by a kick"}, {colorUsed, "stays"}, {"", "free slot"},
	} {
		stroke := ""
		if e.fill == "" {
			e.fill, stroke = "#ffffff", ` stroke-dasharray="3 3"`
		}
		d.printf(`<rect x="%d" y="%d" width="26" height="18" rx="3" fill="%s" stroke="%s"%s/>`+"\n", x, y, e.fill, colorBorder, stroke)
		d.text(x+34, y+14, 13, "", e.text)
		x += 34 + 7*len(e.text) + 20
	}
	d.number(x+9, y+9, "n")
	d.text(x+26, y+14, 13, "", "n-th kick of the cuckoo path")
}
