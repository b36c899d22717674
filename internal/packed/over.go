package packed

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync"

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

// Check reads the whole table, large ones on all cores, and returns how many lanes are not empty. A table that no
// verb can have made is an errs.Corrupt that says at which byte of the table: bits behind the last lane that are not
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
	return t.inParts(minCheckPart, t.checkPart)
}

// minCheckPart is the least number of buckets that is worth a goroutine: some tens of microseconds.
const minCheckPart = 1 << 14

// inParts has parts of the table checked at the same time, each of at least so many buckets, and returns the sum of what
// they return, or the error of the first part that has one.
func (t *Table) inParts(least uint64, check func(from, to uint64) (used uint64, err error)) (used uint64, err error) {
	parts := max(min(uint64(runtime.GOMAXPROCS(0)), t.buckets/least), 1)
	counts, failed := make([]uint64, parts), make([]error, parts)
	begin := func(part uint64) uint64 { return t.buckets/parts*part + min(t.buckets%parts, part) }
	var wait sync.WaitGroup
	for part := uint64(1); part < parts; part++ {
		wait.Go(func() { counts[part], failed[part] = check(begin(part), begin(part+1)) })
	}
	counts[0], failed[0] = check(0, begin(1))
	wait.Wait()
	for part, n := range counts {
		if failed[part] != nil {
			return 0, failed[part]
		}
		used += n
	}
	return used, nil
}

// checkPart is Check for some buckets.
func (t *Table) checkPart(from, to uint64) (used uint64, err error) {
	switch {
	case t.ordered() && t.sorted.one:
		return t.checkSortedWords(from, to)
	case t.ordered():
		return t.checkSorted(from, to)
	case t.Layout == Word:
		free := uint64(0)
		last := t.Last
		for bit, end := from*t.bucketBits, to*t.bucketBits; bit < end; bit += t.bucketBits {
			free += uint64(bits.OnesCount64(last.ZeroExact(t.word(bit))))
		}
		return (to-from)*uint64(t.lanes) - free, nil
	}
	for bucket := from; bucket < to; bucket++ {
		used += uint64(t.lanes) - uint64(t.Count(bucket, 0))
	}
	return used, nil
}

// tuples is the number of indexes of semi-sorted buckets.
const tuples = 3876

// checkSorted is checkPart for semi-sorted buckets.
func (t *Table) checkSorted(from, to uint64) (used uint64, err error) {
	for bucket := from; bucket < to; bucket++ {
		v := t.open(bucket)
		if t.Word(bucket)&indexMask >= tuples || v.a > v.b || v.b > v.c || v.c > v.d {
			return 0, corrupt(t.Offset(bucket), "the fingerprints of bucket %d are out of order", bucket)
		}
		used += uint64(sortedLanes - v.count(0))
	}
	return used, nil
}

// traits says of each index what a check of the rests has to know, without an unpredictable branch: in bits 0 to 3
// which prefixes are 0, in bits 4 to 6 which are equal to the one behind them. Bit 7 is set where no index is.
var traits = indexTraits()

func indexTraits() (out [1 << IndexBits]uint8) {
	for index, p := range prefixes {
		for lane := range sortedLanes {
			if p>>(4*lane)&15 == 0 {
				out[index] |= 1 << lane
			}
			if lane+1 < sortedLanes && p>>(4*lane)&15 == p>>(4*lane+4)&15 {
				out[index] |= 0x10 << lane
			}
		}
		if index >= tuples {
			out[index] |= 0x80
		}
	}
	return out
}

// checkSortedWords is checkSorted where a word holds a bucket: lanes are out of order only where prefixes are equal
// and rests fall, and empty where both are 0.
func (t *Table) checkSortedWords(from, to uint64) (used uint64, err error) {
	rest, mask := t.sorted.rest&31, t.sorted.mask
	free := uint64(0)
	for bucket := from; bucket < to; bucket++ {
		x := t.Word(bucket)
		trait := uint64(traits[x&indexMask])
		x >>= IndexBits
		a, b := x&mask, x>>rest&mask
		x >>= 2 * rest & 63
		c, d := x&mask, x>>rest&mask
		// Rests have up to 28 bits, so that the sign of a difference tells which is less.
		falls := (b-a)>>63<<4 | (c-b)>>63<<5 | (d-c)>>63<<6 | 0x80
		if trait&falls != 0 {
			return t.checkSorted(bucket, to)
		}
		zeros := (a-1)>>63 | (b-1)>>63<<1 | (c-1)>>63<<2 | (d-1)>>63<<3
		free += uint64(bits.OnesCount64(trait & zeros))
	}
	return (to-from)*sortedLanes - free, nil
}

// corrupt returns an errs.Corrupt about a byte of the table.
func corrupt(at uint64, format string, args ...any) error {
	return fmt.Errorf("%w: at byte %d of the table: "+format, append([]any{errs.Corrupt, at}, args...)...)
}
