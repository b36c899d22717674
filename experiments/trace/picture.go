package trace

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/claims"
)

// A picture is a drawing of tables under way.
type picture struct {
	Canvas
	*plan
}

// SVG returns the picture of a step: the table before it with the cuckoo path as arrows, and the table after it. It is
// self-contained, and its bytes depend on the step alone. Of a path of more than 12 kicks, the first 12 are drawn.
func (r *Result) SVG(step int) []byte {
	s := &r.Steps[step]
	p := &picture{Canvas: Canvas{Look: Light}, plan: newPlan(s.Before, s.Path, uint(r.Config.FingerprintBits), 2)}
	p.heading(s, r.Config)
	p.numbers(s.Before, p.before)
	p.numbers(s.After, p.after)
	p.roles(s.Primary, s.Alternate, [3]string{"primary", "alternate", "both"})
	for k := range slices.Backward(p.arrows) { // the numbers of later kicks lie below earlier ones
		p.way(k)
	}
	before, after := map[Position]use{}, map[Position]use{}
	for k, at := range s.Path {
		if after[at] = moved; k < s.Kicks() {
			before[at] = moved
		}
	}
	if s.Refused == nil {
		after[s.Path[s.newAt()]] = isNew
	}
	p.boxes(s.Before, p.before, before)
	p.boxes(s.After, p.after, after)
	p.chip(s.Fingerprint, p.New, p.OnNew)
	for k := range p.arrows {
		p.number(k)
	}
	p.legend()
	return p.End()
}

// heading begins the picture of a whole step and says above it what it shows.
func (p *picture) heading(s *Step, c cuckoo.Config) {
	title := fmt.Sprintf("Insert %s: %s", Shown(s.Key), s.outcome())
	p.Start(p.width, p.height, title)
	p.Text(margin, 36, Bold(20), title)
	buckets := fmt.Sprintf("buckets %d and %d", s.Primary, s.Alternate)
	if s.Primary == s.Alternate {
		buckets = fmt.Sprintf("bucket %d (primary and alternate coincide)", s.Primary)
	}
	p.Text(margin, 60, "", fmt.Sprintf("digest %016x, fingerprint %s, %s", s.Digest, p.hex(s.Fingerprint), buckets))
	p.Text(margin, 79, "", fmt.Sprintf("%s of %s, fingerprints of %s, placement %v, kick policy %s",
		claims.Count(c.Buckets, "bucket"), claims.Count(c.BucketSize, "slot"), claims.Count(c.FingerprintBits, "bit"),
		c.Placement, c.Kick.Recipe()))
	p.Text(p.before, 106, Bold(14), "before")
	p.Text(p.after, 106, Bold(14), "after")
}

// numbers writes the numbers of the buckets in front of a table whose slots begin at x.
func (p *picture) numbers(t Table, x int) {
	for bucket := range t {
		p.Text(x-10, p.rowY[bucket]+22, ToTheLeft, fmt.Sprint(bucket))
	}
}

// boxes adds the slots of a table, which begin at x.
func (p *picture) boxes(t Table, x int, uses map[Position]use) {
	for bucket, slots := range t {
		for slot, fp := range slots {
			text, fill, ink := "", p.Used, p.OnUsed
			if fp != 0 {
				text = p.hex(fp)
				switch uses[Position{uint64(bucket), slot}] {
				case isNew:
					fill, ink = p.New, p.OnNew
				case moved:
					fill, ink = p.Moved, p.OnMoved
				}
			}
			p.box(p.slotX(slot)-p.before+x, p.rowY[bucket], p.slotWidth, rowHeight, fill, ink, text)
		}
	}
}

// chip adds a fingerprint that is on its way, beside the table.
func (p *picture) chip(fp uint64, fill, ink string) {
	p.box(margin, p.chipY(), p.slotWidth, chipHeight, fill, ink, p.hex(fp))
}

// roles writes what the buckets are to a key: primary, alternate, or both in one.
func (p *picture) roles(primary, alternate uint64, words [3]string) {
	if primary == alternate {
		words[0] = words[2]
	}
	for i, bucket := range slices.Compact([]uint64{primary, alternate}) {
		p.Text(p.before-36, p.rowY[bucket]+22, ToTheLeft, words[i])
	}
}

// way adds the way of the new fingerprint, or the k-th kick: a line with a tip at its end.
func (p *picture) way(k int) {
	a, ink, tip := p.arrows[k], p.New, "new"
	path := fmt.Sprintf("M%d %d", a.lane, p.chipY()+chipHeight)
	if k > 0 {
		ink, tip = p.Arrow, "kick"
		path = fmt.Sprintf("M%d %dV%dH%d", a.from.x, p.rowY[a.from.at.Bucket], a.from.y, a.lane)
	}
	p.Add(`<path d="%sV%dH%dV%d" fill="none" stroke="%s" stroke-width="2" stroke-linejoin="round" marker-end="url(#%s)"/>`,
		path, a.to.y, a.to.x, p.rowY[a.to.at.Bucket], ink, p.ID+tip)
}

// number adds the number of the k-th kick, in a disc; the way of the new fingerprint has none.
func (p *picture) number(k int) {
	if k == 0 {
		return
	}
	a := p.arrows[k]
	p.Add(`<g transform="translate(%d %d)">`, a.lane, (a.from.y+a.to.y)/2)
	p.Add(`<circle r="9" fill="%s"/>`, p.Arrow)
	p.Add(`<text y="4" font-size="12" text-anchor="middle" fill="%s" font-weight="bold">%d</text>`, p.OnArrow, k)
	p.Add(`</g>`)
}

// legend says below the tables what the colours mean.
func (p *picture) legend() {
	p.Add(`<g transform="translate(%d %d)">`, margin, p.height-44)
	sample := func(place, fill, more, text string, x int) {
		p.Add(`<rect%s width="26" height="18" rx="3" fill="%s" stroke="%s"%s/><text x="%d" y="14">%s</text>`,
			place, fill, p.Edge, more, x, text)
	}
	sample("", p.New, "", "new fingerprint", 34)
	sample(` x="159"`, p.Moved, "", "moved by a kick", 193)
	sample(` x="318"`, p.Used, "", "stays", 352)
	sample(` x="407"`, p.Ground, dotted, "free slot", 441)
	p.Add(`<circle cx="533" cy="9" r="9" fill="%s"/>`+
		`<text x="533" y="13" font-size="12" text-anchor="middle" fill="%s" font-weight="bold">n</text>`, p.Arrow, p.OnArrow)
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
		return claims.Count(kicks, "kick")
	}
}

// maxKey is the number of columns of a key that a picture shows.
const maxKey = 20

// Shown quotes a key for a picture, of 20 columns at most between the quotes.
func Shown(key string) string { return `"` + Short(key, maxKey) + `"` }

// Short shortens a key with an ellipsis to a number of columns, about: characters of East Asia have two. What cannot be
// printed, or turns the direction of a text, is escaped as in Go.
func Short(key string, most int) string {
	const eastAsia = 0x1100 // nearly all characters from here on are wide
	text, short, n := "", "", 0
	for len(key) > 0 {
		_, size := utf8.DecodeRuneInString(key)
		part := strconv.Quote(key[:size])
		part, key = part[1:len(part)-1], key[size:]
		for _, r := range part {
			if n++; r >= eastAsia {
				n++
			}
		}
		if n > most {
			return short + "..."
		}
		if text += part; n <= most-len("...") {
			short = text
		}
	}
	return text
}

// A Frame says how moments are drawn: a table with both buckets of the key lit, what is on its way beside it, arrows.
type Frame struct {
	Look  Look
	ID    string // begins the names of parts: pictures in one page need different ones
	Width uint   // of the fingerprints
	// Roles are the words for the primary and the alternate bucket, and for a bucket that is both.
	Roles [3]string
	// Chip is the word for the fingerprint of the key, and Homeless that for one that a walk has in hand.
	Chip, Homeless string
}

// Draw returns the picture of a moment of a step, or, without a step, of a table that nothing is done with, with a line
// over it. All moments of a step have the same layout. Arrows of kicks beyond the twelfth are not drawn, their slots
// marked. Of many arrows all but the last few are faded.
func (f *Frame) Draw(s *Step, m *Moment, line string) []byte {
	const bright = 4
	var path []Position
	if s != nil {
		path = s.Path
	}
	p := &picture{Canvas: Canvas{Look: f.Look, ID: f.ID}, plan: newPlan(m.Table, path, f.Width, 1)}
	p.Start(p.width, p.height, line)
	p.Text(margin, 30, Bold(15), line)
	if s == nil {
		p.numbers(m.Table, p.before)
		p.boxes(m.Table, p.before, nil)
		return p.End()
	}
	for _, bucket := range slices.Compact([]uint64{s.Primary, s.Alternate}) {
		p.Add(`<rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="%s" stroke="%s"/>`,
			p.before-6, p.rowY[bucket]-5, p.right-p.before+12, rowHeight+10, p.Lit, p.New)
	}
	p.numbers(m.Table, p.before)
	p.roles(s.Primary, s.Alternate, f.Roles)
	last := min(m.last, len(p.arrows))
	for k := m.first; k < last; k++ {
		if faded := k > 0 && k < last-m.first-bright; faded {
			p.Add(`<g opacity="0.3">`)
			p.way(k)
			p.Add(`</g>`)
		} else {
			p.way(k)
		}
	}
	p.boxes(m.Table, p.before, m.uses)
	for k := m.first; k < last; k++ {
		p.number(k)
	}
	fp, word, fill, ink := s.Fingerprint, f.Chip, p.New, p.OnNew
	if m.Homeless != 0 {
		fp, word = m.Homeless, f.Homeless
		if m.chip == moved {
			fill, ink = p.Moved, p.OnMoved
		}
	}
	p.chip(fp, fill, ink)
	p.Text(margin+p.slotWidth+8, p.chipY()+19, "", word)
	return p.End()
}
