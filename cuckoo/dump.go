package cuckoo

import (
	"fmt"
	"strings"

	"github.com/nestfilter/nest/internal/packed"
)

// dumpBuckets is the number of buckets that GoString draws before it says how many more there are.
const dumpBuckets = 32

// String returns the width, the configuration and the content in numbers, on one line.
func (f *Filter[F]) String() string {
	return fmt.Sprintf("cuckoo.Filter[%s]{%v len=%d load=%.4f}", typeName[F](), f.config, f.len, f.LoadFactor())
}

// GoString draws the table, so that %#v shows it: a line a bucket, the fingerprints in hexadecimal
// and a dot for an empty slot. It stops after 32 buckets.
func (f *Filter[F]) GoString() string {
	var b strings.Builder
	b.WriteString(f.String())
	drawTable(&b, &f.engine.Table)
	return b.String()
}

// drawTable writes the lines of the first buckets of a table.
func drawTable(b *strings.Builder, t *packed.Table) {
	digits := (int(t.Width()) + 3) / 4
	shown := min(t.Buckets(), dumpBuckets)
	label := len(fmt.Sprint(shown - 1))
	for bucket := range shown {
		fmt.Fprintf(b, "\n%*d |", label, bucket)
		for lane := range t.Lanes() {
			if fp := t.Read(bucket, lane); fp != 0 {
				fmt.Fprintf(b, " %0*x", digits, fp)
			} else {
				fmt.Fprintf(b, " %*s", digits, ".")
			}
		}
	}
	if more := t.Buckets() - shown; more > 0 {
		fmt.Fprintf(b, "\n... %d more", more)
	}
}
