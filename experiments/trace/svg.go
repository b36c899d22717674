package trace

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/drawing"
	"github.com/nestfilter/nest/experiments/stat"
)

// A picture is a drawing of tables under way.
type picture struct {
	drawing.Canvas
	*plan
	digits int
}

// A use is what a slot is filled for, and so its colour.
type use int

const (
	stays use = iota
	moved
	isNew
)

// SVG returns the picture of a step: the table before it with the cuckoo path as arrows, and the
// table after it. It is self-contained, and its bytes depend on the step alone. Keys are shortened to
// maxKey columns and quoted. Of a path of more than 12 kicks, the first 12 are drawn.
func (r *Result) SVG(step int) []byte {
	s := &r.Steps[step]
	digits := Digits(r.Width)
	p := &picture{plan: newPlan(s.Before, s.Path, digits, 2), digits: digits}
	p.Look = drawing.Light
	p.heading(s, r.Width, r.Config)
	p.numbers(s.Before, p.before)
	p.numbers(s.After, p.after)
	p.roles(s.Primary, s.Alternate, [3]string{"primary", "alternate", "both"})
	for k := range slices.Backward(p.arrows) { // the numbers of later kicks lie below earlier ones
		p.way(k)
	}
	p.boxes(s.Before, p.before, s.useBefore)
	p.boxes(s.After, p.after, s.useAfter)
	p.Box(margin, p.chipY(), p.slotWidth, chipHeight, p.New, p.OnNew, Hex(s.Fingerprint, r.Width))
	for k := range p.arrows {
		p.number(k)
	}
	p.legend()
	return p.End()
}

// heading begins the picture of a whole step and says above it what it shows.
func (p *picture) heading(s *Step, width uint, c cuckoo.Config) {
	title := fmt.Sprintf("Insert %s: %s", Shown(s.Key), s.outcome())
	p.Start(p.width, p.height, title)
	p.Text(margin, 36, drawing.Bold(20), title)
	buckets := fmt.Sprintf("buckets %d and %d", s.Primary, s.Alternate)
	if s.Primary == s.Alternate {
		buckets = fmt.Sprintf("bucket %d (primary and alternate coincide)", s.Primary)
	}
	p.Text(margin, 60, "", fmt.Sprintf("digest %016x, fingerprint %s, %s", s.Digest, Hex(s.Fingerprint, width), buckets))
	p.Text(margin, 79, "", fmt.Sprintf("%s of %s, fingerprints of %s, placement %v, kick policy %s", stat.Count(c.Buckets, "bucket"),
		stat.Count(c.BucketSize, "slot"), stat.Count(int(width), "bit"), c.Placement, c.Kick.Recipe()))
	p.Text(p.before, 106, drawing.Bold(14), "before")
	p.Text(p.after, 106, drawing.Bold(14), "after")
}

// numbers writes the numbers of the buckets in front of a table whose slots begin at x.
func (p *picture) numbers(t Table, x int) {
	for bucket := range t {
		p.Text(x-10, p.rowY[bucket]+22, drawing.ToTheLeft, fmt.Sprint(bucket))
	}
}

// boxes adds the slots of a table, which begin at x.
func (p *picture) boxes(t Table, x int, of func(Position) use) {
	for bucket, slots := range t {
		for slot, fp := range slots {
			text, fill, ink := "", p.Used, p.OnUsed
			if fp != 0 {
				text = fmt.Sprintf("%0*x", p.digits, fp)
				switch of(Position{uint64(bucket), slot}) {
				case isNew:
					fill, ink = p.New, p.OnNew
				case moved:
					fill, ink = p.Moved, p.OnMoved
				}
			}
			p.Box(p.slotX(slot)-p.before+x, p.rowY[bucket], p.slotWidth, rowHeight, fill, ink, text)
		}
	}
}

// roles writes what the buckets are to a key: primary, alternate, or both in one.
func (p *picture) roles(primary, alternate uint64, words [3]string) {
	if primary == alternate {
		p.role(primary, words[2])
		return
	}
	p.role(primary, words[0])
	p.role(alternate, words[1])
}

func (p *picture) role(bucket uint64, text string) {
	p.Text(p.before-36, p.rowY[bucket]+22, drawing.ToTheLeft, text)
}

// way adds the way of the new fingerprint, or the k-th kick.
func (p *picture) way(k int) {
	a := p.arrows[k]
	path := fmt.Sprintf("M%d %d", a.lane, p.chipY()+chipHeight)
	if k > 0 {
		path = fmt.Sprintf("M%d %dV%dH%d", a.from.x, p.rowY[a.from.at.Bucket], a.from.y, a.lane)
	}
	p.Way(fmt.Sprintf("%sV%dH%dV%d", path, a.to.y, a.to.x, p.rowY[a.to.at.Bucket]), k == 0)
}

// number adds the number of the k-th kick; the way of the new fingerprint has none.
func (p *picture) number(k int) {
	if a := p.arrows[k]; k > 0 {
		p.Number(a.lane, (a.from.y+a.to.y)/2, k)
	}
}

// legend says below the tables what the colours mean.
func (p *picture) legend() {
	p.Add(`<g transform="translate(%d %d)">`, margin, p.height-44)
	sample := func(place, fill, more, text string, x int) {
		p.Add(`<rect%s width="26" height="18" rx="3" fill="%s" stroke="%s"%s/><text x="%d" y="14">%s</text>`, place, fill, p.Edge, more, x, text)
	}
	sample("", p.New, "", "new fingerprint", 34)
	sample(` x="159"`, p.Moved, "", "moved by a kick", 193)
	sample(` x="318"`, p.Used, "", "stays", 352)
	sample(` x="407"`, p.Ground, ` stroke-dasharray="3 3"`, "free slot", 441)
	p.Add(`<circle cx="533" cy="9" r="9" fill="%s"/><text x="533" y="13" font-size="12" text-anchor="middle" fill="%s" font-weight="bold">n</text>`, p.Arrow, p.OnArrow)
	p.Text(550, 14, "", "n-th kick of the cuckoo path")
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

// maxKey is the number of columns of a key that a picture shows.
const maxKey = 20

// Shown quotes a key for a picture, shortened with an ellipsis to 20 columns between the quotes. What cannot be printed, such as
// control characters and those that turn the direction of a text, is escaped as in Go.
func Shown(key string) string {
	quoted := strconv.Quote(key)
	if columns(quoted) <= maxKey+2 {
		return quoted
	}
	head := key[:min(len(key), utf8.UTFMax*maxKey)] // the columns of more runes are too many
	for columns(quoted) > maxKey-1 && head != "" {
		_, size := utf8.DecodeLastRuneInString(head)
		head = head[:len(head)-size]
		quoted = strconv.Quote(head)
	}
	return quoted[:len(quoted)-1] + `..."`
}

// columns is about the width of a text, in that of a letter: characters of East Asia have twice as much.
func columns(text string) (n int) {
	const eastAsia = 0x1100 // nearly all characters from here on are wide
	for _, r := range text {
		if n++; r >= eastAsia {
			n++
		}
	}
	return n
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

// useBefore tells which fingerprints are going to move.
func (s *Step) useBefore(p Position) use {
	if slices.Contains(s.Path[:s.Kicks()], p) {
		return moved
	}
	return stays
}

// useAfter tells which fingerprint is new and which have moved.
func (s *Step) useAfter(p Position) use {
	switch {
	case !slices.Contains(s.Path, p):
		return stays
	case p == s.Path[s.newAt()]:
		return isNew
	}
	return moved
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
