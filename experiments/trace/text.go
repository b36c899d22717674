package trace

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
)

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
		fmt.Fprintf(&b, "After %s%s:\n", claims.Count(r.Filled, "random key"), refused)
	}
	words := strings.ReplaceAll(r.Filter, "/", " ")
	b.WriteString(regexp.MustCompile(`(.{1,80})(?: |$)`).ReplaceAllString(words, "$1\n"))
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
			text := Hex(fp, r.Config.FingerprintBits)
			if fp == 0 {
				text = fmt.Sprintf("%*s", len(text), ".")
			}
			b.WriteString(" " + text)
		}
		b.WriteString("\n")
	}
}

// writeStep writes the i-th step.
func (r *Result) writeStep(b *strings.Builder, i int) {
	s, bits := &r.Steps[i], r.Config.FingerprintBits
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "   %-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(b, "\n%d. insert %q\n", i+1, s.Key)
	line("digest", "0x%016x", s.Digest)
	line("fingerprint", "%s of %s", Hex(s.Fingerprint, bits), claims.Count(bits, "bit"))
	if s.Primary == s.Alternate {
		line("buckets", "%d, primary and alternate: they coincide", s.Primary)
	} else {
		line("buckets", "%d primary, %d alternate", s.Primary, s.Alternate)
	}
	if s.Refused != nil {
		line("refused", "%v", s.Refused)
		if s.TakenBack > 0 {
			line("", "%s made and taken back", claims.Count(s.TakenBack, "kick"))
		}
		line("", "nothing changed")
		return
	}
	line("stored", "%s, %s", s.Path[0], s.how())
	for k, fp := range s.Moved() {
		line(fmt.Sprintf("kick %d", k+1), "%s from %v to %v", Hex(fp, bits), s.Path[k], s.Path[k+1])
	}
	fmt.Fprintf(b, "%d of %s in use\n", s.After.Used(), claims.Count(len(s.After)*r.Config.BucketSize, "slot"))
	r.writeTable(b, s.After)
}

// how says how the new fingerprint got its slot.
func (s *Step) how() string {
	switch kicks := s.Kicks(); {
	case kicks > 1 && s.searched():
		return fmt.Sprintf("with %d kicks, made from the last to the first", kicks)
	case kicks > 0:
		return "with " + claims.Count(kicks, "kick")
	case s.Path[0].Bucket != s.Primary:
		return "which was free: the primary bucket is full"
	}
	return "which was free"
}

// Hex writes a fingerprint in hexadecimal, with as many digits as its width needs.
func Hex(fp uint64, width int) string { return fmt.Sprintf("%0*x", (width+3)/4, fp) }
