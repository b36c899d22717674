package trace

import (
	"fmt"
	"io"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/stat"
)

// textWidth is the number of characters of a line of text for people.
const textWidth = 80

// WriteText writes the filter and its table as it was at first, in lines of at most 80 characters, and then each step:
// what the key became, where it went, each kick, and the table after it. Keys are quoted, so that any bytes can be told
// apart. The error is the writer's.
func (r *Result) WriteText(w io.Writer) error {
	var b strings.Builder
	if r.Filled > 0 {
		refused := ""
		if r.FillRefused > 0 {
			refused = fmt.Sprintf(" (%d refused)", r.FillRefused)
		}
		fmt.Fprintf(&b, "After %s%s:\n", stat.Count(r.Filled, "random key"), refused)
	}
	column := 0
	for i, word := range strings.Split(r.Filter, "/") {
		if i > 0 && column+1+len(word) > textWidth {
			b.WriteString("\n" + word)
			column = len(word)
			continue
		}
		if i > 0 {
			word = " " + word
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteString("\n")
	r.writeTable(&b, r.Start)
	for i := range r.Steps {
		r.writeStep(&b, i)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeTable writes a bucket a line.
func (r *Result) writeTable(b *strings.Builder, t Table) {
	for bucket, slots := range t {
		fmt.Fprintf(b, "%*d |", len(fmt.Sprint(len(t)-1)), bucket)
		for _, fp := range slots {
			text := "."
			if fp != 0 {
				text = Hex(fp, r.width())
			}
			fmt.Fprintf(b, " %*s", Digits(r.width()), text)
		}
		b.WriteString("\n")
	}
}

// writeStep writes the i-th step.
func (r *Result) writeStep(b *strings.Builder, i int) {
	s := &r.Steps[i]
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "   %-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(b, "\n%d. insert %q\n", i+1, s.Key)
	line("digest", "0x%016x", s.Digest)
	line("fingerprint", "%s of %s", Hex(s.Fingerprint, r.width()), stat.Count(int(r.width()), "bit"))
	if s.Primary == s.Alternate {
		line("buckets", "%d, primary and alternate: they coincide", s.Primary)
	} else {
		line("buckets", "%d primary, %d alternate", s.Primary, s.Alternate)
	}
	if s.Refused != nil {
		line("refused", "%v", s.Refused)
		if s.TakenBack > 0 {
			line("", "%s made and taken back", stat.Count(s.TakenBack, "kick"))
		}
		line("", "nothing changed")
		return
	}
	line("stored", "%s, %s", s.Path[0], r.how(s))
	for k, fp := range s.Moved() {
		line(fmt.Sprintf("kick %d", k+1), "%s from %v to %v", Hex(fp, r.width()), s.Path[k], s.Path[k+1])
	}
	fmt.Fprintf(b, "%d of %s in use\n", s.After.Used(), stat.Count(len(s.After)*r.Config.BucketSize, "slot"))
	r.writeTable(b, s.After)
}

// how says how the new fingerprint got its slot.
func (r *Result) how(s *Step) string {
	kicks := s.Kicks()
	switch {
	case kicks == 0 && s.Path[0].Bucket == s.Primary:
		return "which was free"
	case kicks == 0:
		return "which was free: the primary bucket is full"
	}
	text := "with " + stat.Count(kicks, "kick")
	if kicks > 1 && r.Config.Kick == cuckoo.BreadthFirst {
		text += ", made from the last to the first"
	}
	if at := s.newAt(); at > 0 {
		text += fmt.Sprintf("; the path comes back and kicks it on to %v", s.Path[at])
	}
	return text
}

// Hex writes a fingerprint with as many digits as its width needs.
func Hex(fp uint64, width uint) string { return fmt.Sprintf("%0*x", Digits(width), fp) }

// Digits returns the number of hexadecimal digits of a fingerprint.
func Digits(width uint) int { return int(width+3) / 4 }
