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
	paths, typ, call := code(p, s)
	comment := fmt.Sprintf("newFilter returns an empty filter for %s keys. With all of them in it, the predicted false-positive rate is %.3g; "+
		"the table takes %s bytes.", group(s.Keys, ','), p.FPR, group(p.Bytes, ','))
	return function(paths, comment, typ, call)
}

// function returns the imports and a function that returns what the call makes.
func function(paths []string, comment, typ, call string) string {
	var b strings.Builder
	b.WriteString("import (\n")
	for _, path := range paths {
		fmt.Fprintf(&b, "%q\n", "github.com/nestfilter/nest/"+path)
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

// code returns the packages to import, the type of the filter and the call that makes it.
func code(p Plan, s Spec) (paths []string, typ, call string) {
	fields := "Capacity: " + group(s.Keys, '_')
	switch {
	case p.isCuckoo():
		if p.Kind == SemiSorted {
			fields += ", Layout: cuckoo.SemiSorted"
		}
		if p.BucketSize != 4 {
			fields += fmt.Sprintf(", BucketSize: %d", p.BucketSize)
		}
		if p.Placement == cuckoo.XOR {
			fields += ", Placement: cuckoo.XOR"
		}
	case s.FPR != 0:
		fields += ", FalsePositiveRate: " + strconv.FormatFloat(s.FPR, 'g', -1, 64)
	case p.Kind == DLeft:
		fields += fmt.Sprintf(", RemainderBits: %d", p.Width)
	case p.Kind == Counting:
		fields = fmt.Sprintf("Counters: %s, Hashes: %d", group(p.Slots, '_'), p.Hashes)
	default:
		fields = fmt.Sprintf("Bits: %s, Hashes: %d", group(p.Slots, '_'), p.Hashes)
	}
	if p.Bytes > defaultMaxBytes {
		fields += ", MaxBytes: " + group(p.Bytes, '_')
	}
	switch p.Kind {
	case Cuckoo, SemiSorted:
		width := fmt.Sprintf("[fingerprint.Bits%d]", p.Width)
		return []string{"cuckoo", "fingerprint"}, "cuckoo.Filter" + width, "cuckoo.New" + width + "(cuckoo.Config{" + fields + "})"
	case Blocked:
		return []string{"bloom"}, "bloom.Blocked", "bloom.NewBlocked(bloom.Config{" + fields + "})"
	case SplitBlock:
		return []string{"bloom"}, "bloom.SplitBlock", "bloom.NewSplitBlock(bloom.Config{" + fields + "})"
	case DLeft:
		return []string{"counting"}, "counting.DLeft", "counting.NewDLeft(counting.DLeftConfig{" + fields + "})"
	case Counting:
		return []string{"counting"}, "counting.Filter", "counting.New(counting.Config{" + fields + "})"
	default:
		return []string{"bloom"}, "bloom.Filter", "bloom.New(bloom.Config{" + fields + "})"
	}
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
