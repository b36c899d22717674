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
	return fmt.Sprintf("cuckoo.Filter{%v len=%d load=%.4f}", f.config, f.len, f.LoadFactor())
}

// GoString draws the table, so that %#v shows it: how many slots are used, and then a line a bucket, with the
// fingerprints in hexadecimal and a dot for an empty slot. It stops after 32 buckets. Of a [Scalable] the buckets of
// side 0 come first, and while it grows the table is the new one, which some entries have not reached.
func (f *held) GoString() string {
	return fmt.Sprintf("cuckoo: %d of %d slots used%s", f.len+f.extra, f.slots, drawTable(&f.engine.Table))
}

// String returns the width, the configuration and the content in numbers, on one line.
func (f *Concurrent[F]) String() string {
	return fmt.Sprintf("cuckoo.Concurrent{%v len=%d load=%.4f}", f.config, f.Len(), f.LoadFactor())
}

// String returns the width, the configuration and the content in numbers, on one line.
func (s *scalableReader[F]) String() string {
	return fmt.Sprintf("cuckoo.Scalable{%v doublings=%d len=%d load=%.4f}",
		s.config, s.Doublings(), s.len, s.LoadFactor())
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
