package trace

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/nestfilter/nest/experiments/stat"
)

// Colours of Okabe and Ito (jfly.uni-koeln.de/color, 2008), as those of package chart, and the pale
// blue of a slot that something lies in.
const (
	colorNew   = "#d55e00" // vermillion
	colorMoved = "#e69f00" // orange
	colorArrow = "#0072b2" // blue
	colorUsed  = "#cfe6f5"
)

//go:embed picture.svg
var pictureText string

var pictureTemplate = template.Must(template.New("picture").Parse(pictureText))

// A picture is what the template draws.
type picture struct {
	*plan
	Title, Key, Filter string
	Labels, Numbers    []label
	Boxes              []box
	Arrows             []line
}

// A label is a text at a place.
type label struct {
	X, Y int
	Text string
}

// A box is a slot with its fingerprint, or without text a free one.
type box struct {
	label
	Width, Height int
	Fill, Ink     string
}

// Middle and Base are the place of the text in the box.
func (b box) Middle() int { return b.Width / 2 }
func (b box) Base() int   { return b.Height/2 + 5 }

// A line is an arrow in a colour, whose tip has an ID.
type line struct{ Path, Ink, Tip string }

// SVG returns the picture of a step: the table before it with the cuckoo path as arrows, and the
// table after it. It is self-contained, and its bytes depend on the step alone. Keys are shortened to
// maxKey characters and quoted in ASCII. Of a path of more than 12 kicks, the first 12 are drawn.
func (r *Result) SVG(step int) ([]byte, error) {
	s, c := &r.Steps[step], r.Config
	p := &picture{plan: newPlan(s, r.digits()), Title: fmt.Sprintf("Insert %s: %s", shown(s.Key), s.outcome())}
	buckets := fmt.Sprintf("buckets %d and %d", s.Primary, s.Alternate)
	if s.Primary == s.Alternate {
		buckets = fmt.Sprintf("bucket %d (primary and alternate coincide)", s.Primary)
	}
	p.Key = fmt.Sprintf("digest %016x, fingerprint %s, %s", s.Digest, r.hex(s.Fingerprint), buckets)
	p.Filter = fmt.Sprintf("%s of %s, fingerprints of %s, placement %v, kick policy %s", stat.Count(c.Buckets, "bucket"),
		stat.Count(c.BucketSize, "slot"), stat.Count(int(r.Width), "bit"), c.Placement, c.Kick.Recipe())
	p.table(r, s.Before, p.Before, s.colorBefore)
	p.table(r, s.After, p.After, s.colorAfter)
	p.role(s.Primary, "primary")
	p.role(s.Alternate, "alternate")
	if s.Primary == s.Alternate {
		p.Labels = p.Labels[:len(p.Labels)-2]
		p.role(s.Primary, "both")
	}
	for k, a := range p.arrows {
		p.arrow(k, a)
	}
	slices.Reverse(p.Arrows) // the numbers of later kicks lie below earlier ones
	p.Boxes = append(p.Boxes, box{label{margin, chipY, r.hex(s.Fingerprint)}, p.slotWidth, chipHeight, colorNew, "#ffffff"})
	var b bytes.Buffer
	err := pictureTemplate.Execute(&b, p)
	return b.Bytes(), err
}

// Inks are the colours of the arrows with the IDs of their tips.
func (p *picture) Inks() []line {
	return []line{{Ink: colorNew, Tip: "new"}, {Ink: colorArrow, Tip: "kick"}}
}

// table adds a table whose slots begin at x.
func (p *picture) table(r *Result, t Table, x int, color func(Position) string) {
	for bucket, slots := range t {
		y := p.rowY[bucket]
		p.Labels = append(p.Labels, label{x - 10, y + 22, fmt.Sprint(bucket)})
		for slot, fp := range slots {
			b := box{label{X: p.slotX(slot) - p.Before + x, Y: y}, p.slotWidth, rowHeight, "#ffffff", "#000000"}
			if fp != 0 {
				b.Text, b.Fill = r.hex(fp), color(Position{uint64(bucket), slot})
			}
			if b.Fill == colorNew {
				b.Ink = "#ffffff"
			}
			p.Boxes = append(p.Boxes, b)
		}
	}
}

// role names what a bucket is to the new key.
func (p *picture) role(bucket uint64, text string) {
	p.Labels = append(p.Labels, label{p.Before - 36, p.rowY[bucket] + 22, text})
}

// arrow adds the way of the new fingerprint, or the k-th kick with its number.
func (p *picture) arrow(k int, a *arrow) {
	l := line{fmt.Sprintf("M%d %d", a.lane, chipY+chipHeight), colorNew, "new"}
	if k > 0 {
		l = line{fmt.Sprintf("M%d %dV%dH%d", a.from.x, p.rowY[a.from.at.Bucket], a.from.y, a.lane), colorArrow, "kick"}
		p.Numbers = append(p.Numbers, label{a.lane, (a.from.y + a.to.y) / 2, fmt.Sprint(k)})
	}
	l.Path += fmt.Sprintf("V%dH%dV%d", a.to.y, a.to.x, p.rowY[a.to.at.Bucket])
	p.Arrows = append(p.Arrows, l)
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

// maxKey is the number of characters of a key that a picture shows.
const maxKey = 20

// shown quotes a key for the picture: in ASCII, shortened with an ellipsis.
func shown(key string) string {
	quoted := strconv.QuoteToASCII(key)
	if len(quoted) <= maxKey+2 {
		return quoted
	}
	for len(quoted) > maxKey-1 && key != "" {
		_, size := utf8.DecodeLastRuneInString(key)
		key = key[:len(key)-size]
		quoted = strconv.QuoteToASCII(key)
	}
	return quoted[:len(quoted)-1] + `..."`
}

// outcome says how the insert ended.
func (s *Step) outcome() string {
	switch kicks := s.Kicks(); {
	case s.Refused != nil:
		return "refused, nothing changed"
	case kicks == 0:
		return "a slot was free"
	case kicks > drawnKicks:
		return fmt.Sprintf("%d kicks, the first %d drawn", kicks, drawnKicks)
	default:
		return stat.Count(kicks, "kick")
	}
}

// colorBefore highlights the fingerprints that are going to move.
func (s *Step) colorBefore(p Position) string {
	if slices.Contains(s.Path[:s.Kicks()], p) {
		return colorMoved
	}
	return colorUsed
}

// colorAfter highlights the new fingerprint and those that have moved.
func (s *Step) colorAfter(p Position) string {
	switch {
	case !slices.Contains(s.Path, p):
		return colorUsed
	case p == s.Path[s.newAt()]:
		return colorNew
	}
	return colorMoved
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
