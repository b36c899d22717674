package cuckoo

import (
	"fmt"
	"strings"

	"github.com/nestfilter/nest/internal/packed"
)

// dumpBuckets is the number of buckets of a table that GoString draws before it says how many more there are.
const dumpBuckets = 32

// String returns the width, the configuration and the content in numbers, on one line.
func (f *reader[F]) String() string {
	return fmt.Sprintf("cuckoo.Filter[%s]{%v len=%d load=%.4f}", typeName[F](), f.config, f.len, f.LoadFactor())
}

// GoString draws the table, so that %#v shows it: a line a bucket, the fingerprints in hexadecimal
// and a dot for an empty slot. It stops after 32 buckets.
func (f *reader[F]) GoString() string { return f.String() + drawTable(&f.engine.Table) }

// String returns the width, the configuration and the content in numbers, on one line.
func (f *Concurrent[F]) String() string {
	return fmt.Sprintf("cuckoo.Concurrent[%s]{%v len=%d load=%.4f}", typeName[F](), f.config, f.Len(), f.LoadFactor())
}

// GoString draws a copy of the table as [Filter.GoString] does.
func (f *Concurrent[F]) GoString() string { return f.String() + drawTable(&f.Filter().engine.Table) }

// String returns the width, the configuration and the content in numbers, on one line.
func (s *scalableReader[F]) String() string {
	return fmt.Sprintf("cuckoo.Scalable[%s]{%v doublings=%d len=%d load=%.4f}", typeName[F](), s.config, s.Doublings(), s.len, s.LoadFactor())
}

// GoString draws the table, as [Filter.GoString] does, first the buckets of side 0. A filter that is growing is drawn as it
// is when it has grown.
func (s *scalableReader[F]) GoString() string {
	t := s.settled()
	return s.String() + drawTable(&t)
}

// drawTable returns the lines of the first buckets of a table.
func drawTable(t *packed.Table) string {
	var b strings.Builder
	digits := (int(t.Width()) + 3) / 4
	shown := min(t.Buckets(), dumpBuckets)
	label := len(fmt.Sprint(shown - 1))
	for bucket := range shown {
		fmt.Fprintf(&b, "\n%*d |", label, bucket)
		for lane := range t.Lanes() {
			if fp := t.Read(bucket, lane); fp != 0 {
				fmt.Fprintf(&b, " %0*x", digits, fp)
			} else {
				fmt.Fprintf(&b, " %*s", digits, ".")
			}
		}
	}
	if more := t.Buckets() - shown; more > 0 {
		fmt.Fprintf(&b, "\n... %d more", more)
	}
	return b.String()
}
