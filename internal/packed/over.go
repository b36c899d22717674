package packed

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync"

	"github.com/nestfilter/nest/internal/errs"
)

// Check reads the whole table, large ones on all cores, and returns how many lanes are not empty. A table that no
// verb can have made is an errs.Corrupt that says at which byte of the table: bits behind the last lane that are not
// 0, and semi-sorted buckets that are out of order or have an index beyond the last.
func (t *Table) Check() (used uint64, err error) {
	if err := t.checkEnd(); err != nil {
		return 0, err
	}
	return t.inParts(minCheckPart, t.checkPart)
}

// checkEnd checks what is behind the last bucket.
func (t *Table) checkEnd() error {
	total := t.buckets * t.bucketBits
	end := total >> 3
	if rest := t.data[end]; rest>>(total&7) != 0 {
		return corrupt(end, "bits behind the last bucket are not 0")
	}
	for at := end + 1; at < uint64(len(t.data)); at++ {
		if t.data[at] != 0 {
			return corrupt(at, "bytes behind the last bucket are not 0")
		}
	}
	return nil
}

// minCheckPart is the least number of buckets that is worth a goroutine: some tens of microseconds.
const minCheckPart = 1 << 14

// inParts has parts of the table checked at the same time, each of at least so many buckets, and returns the sum of
// what they return, or the error of the first part that has one.
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
	if t.Ordered() {
		return t.checkSorted(from, to)
	}
	if err := t.checkSpare(from, to); err != nil {
		return 0, err
	}
	if t.groups == 1 {
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

// corrupt returns an errs.Corrupt about a byte of the table.
func corrupt(at uint64, format string, args ...any) error {
	return fmt.Errorf("%w: at byte %d of the table: "+format, append([]any{errs.Corrupt, at}, args...)...)
}
