package packed

import (
	"fmt"
	"math/bits"

	"github.com/nestfilter/nest/internal/errs"
	"github.com/nestfilter/nest/internal/hugepage"
)

// Over returns the table of that shape whose bytes are data, as [Table.Data] returned them. The table
// is over data itself, not a copy. The caller has checked the shape, as for [New], and that data has
// the [Size] of it; another length panics. What data holds is for [Table.Check].
func Over(width, lanes uint, buckets uint64, data []byte, pages hugepage.Mode) Table {
	size, ok := Size(width, lanes, buckets)
	return NewPaged(width, lanes, 1, pages).over(buckets, data, ok && size == len(data))
}

// OverSorted is Over for semi-sorted buckets and [SizeSorted].
func OverSorted(width uint, buckets uint64, data []byte, pages hugepage.Mode) Table {
	size, ok := SizeSorted(width, buckets)
	return NewSorted(width, 1, pages).over(buckets, data, ok && size == len(data))
}

// over returns a table of one bucket stretched over data.
func (t Table) over(buckets uint64, data []byte, fits bool) Table {
	if !fits {
		panic(fmt.Sprintf("packed: no table of %d buckets in %d bytes", buckets, len(data)))
	}
	t.buckets, t.data = buckets, data
	return t
}

// Check reads the whole table and returns how many lanes are not empty. A table that no verb can have
// made is an errs.Corrupt that says at which byte of the table: bits behind the last lane that are not
// 0, and semi-sorted buckets that are out of order or have an index beyond the last.
func (t *Table) Check() (used uint64, err error) {
	total := t.buckets * t.bucketBits
	end := total >> 3
	if rest := t.data[end]; rest>>(total&7) != 0 {
		return 0, corrupt(end, "bits behind the last bucket are not 0")
	}
	for at := end + 1; at < uint64(len(t.data)); at++ {
		if t.data[at] != 0 {
			return 0, corrupt(at, "bytes behind the last bucket are not 0")
		}
	}
	if t.Groups == 0 {
		return t.checkSorted()
	}
	if t.Groups == 1 {
		free := uint64(0)
		last := t.Last
		for bit := uint64(0); bit < total; bit += t.bucketBits {
			free += uint64(bits.OnesCount64(last.ZeroExact(t.word(bit))))
		}
		return t.buckets*uint64(t.lanes) - free, nil
	}
	for bucket := range t.buckets {
		used += uint64(t.lanes) - uint64(t.Count(bucket, 0))
	}
	return used, nil
}

// tuples is the number of indexes of semi-sorted buckets.
const tuples = 3876

// checkSorted is Check for semi-sorted buckets.
func (t *Table) checkSorted() (used uint64, err error) {
	for bucket := range t.buckets {
		v := t.open(bucket)
		if t.Word(bucket)&indexMask >= tuples || v.a > v.b || v.b > v.c || v.c > v.d {
			return 0, corrupt(t.Offset(bucket), "the fingerprints of bucket %d are out of order", bucket)
		}
		used += uint64(sortedLanes - v.count(0))
	}
	return used, nil
}

// corrupt returns an errs.Corrupt about a byte of the table.
func corrupt(at uint64, format string, args ...any) error {
	return fmt.Errorf("%w: at byte %d of the table: "+format, append([]any{errs.Corrupt, at}, args...)...)
}
