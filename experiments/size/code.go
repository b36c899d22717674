package size

import (
	"fmt"
	"go/format"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/tabular"
)

// Code returns the imports and a function of Go source that makes the planned filter with the
// Capacity of s and, of the kinds that are sized by it, the rate of s; where that is 0, the table is
// the plan's. It compiles as it is in a file with a package clause before it.
func Code(p Plan, s Spec) string {
	typ, call := code(p, s)
	comment := fmt.Sprintf("newFilter returns an empty filter for %s keys. With all of them in it, the predicted false-positive rate is %.3g; "+
		"the table takes %s bytes.", group(s.Keys, ','), p.FPR, group(p.Bytes, ','))
	return function(comment, typ, call)
}

// function returns the imports and a function that returns what the call makes, which is of the type of a package of this
// module, perhaps of a fingerprint.
func function(comment, typ, call string) string {
	pkg, _, _ := strings.Cut(typ, ".")
	var b strings.Builder
	fmt.Fprintf(&b, "import (\n%q\n", "github.com/nestfilter/nest/"+pkg)
	if strings.Contains(typ, "[") {
		fmt.Fprintf(&b, "%q\n", "github.com/nestfilter/nest/fingerprint")
	}
	b.WriteString(")\n\n")
	for line := range strings.Lines(tabular.Wrap("", comment, tabular.TextWidth-len("// "))) {
		b.WriteString("// " + line)
	}
	fmt.Fprintf(&b, "func newFilter() (*%s, error) {\n\treturn %s\n}\n", typ, call)
	source, err := format.Source([]byte(b.String()))
	if err != nil {
		return b.String() // it is still readable; a test compiles every form of it
	}
	return string(source)
}

// code returns the type of the filter and the call that makes it.
func code(p Plan, s Spec) (typ, call string) {
	r, width := rowOf(p.Spec), ""
	fields := "Capacity: " + group(s.Keys, '_')
	switch {
	case p.isCuckoo():
		width = fmt.Sprintf("[fingerprint.Bits%d]", p.Width)
		if r.goLayout != "" {
			fields += ", Layout: cuckoo." + r.goLayout
		}
		if p.BucketSize != 4 {
			fields += fmt.Sprintf(", BucketSize: %d", p.BucketSize)
		}
		if p.Placement == cuckoo.XOR {
			fields += ", Placement: cuckoo.XOR"
		}
	case s.FPR != 0:
		fields += ", FalsePositiveRate: " + strconv.FormatFloat(s.FPR, 'g', -1, 64)
	case r.slots != "":
		fields = fmt.Sprintf("%s: %s, Hashes: %d", r.slots, group(p.Slots, '_'), p.Hashes)
	default:
		fields += fmt.Sprintf(", RemainderBits: %d", p.Width)
	}
	if p.Bytes > defaultMaxBytes {
		fields += ", MaxBytes: " + group(p.Bytes, '_')
	}
	return r.pkg + "." + r.typ + width, r.pkg + ".New" + strings.TrimPrefix(r.typ, "Filter") + width + "(" + r.pkg + "." + r.config + "{" + fields + "})"
}

// defaultMaxBytes is what the filters' MaxBytes is by default on the smallest machine: a larger
// table must ask for it.
const defaultMaxBytes = 1 << 30

// group writes n with a separator between groups of three digits.
func group(n int, sep byte) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + string(sep) + s[i:]
	}
	return s
}
