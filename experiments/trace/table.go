package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/widths"
	"github.com/nestfilter/nest/internal/kick"
)

// A Table is the content of a filter: Table[bucket][slot] is a fingerprint, or 0 where the slot is free.
type Table [][]uint64

// A Position is a slot of a table.
type Position struct {
	Bucket uint64
	Slot   int
}

// String returns the position as texts name it.
func (p Position) String() string { return fmt.Sprintf("bucket %d slot %d", p.Bucket, p.Slot) }

// at returns the fingerprint at p.
func (t Table) at(p Position) uint64 { return t[p.Bucket][p.Slot] }

// clone returns a copy that shares nothing with t.
func (t Table) clone() Table {
	c := slices.Clone(t)
	for i := range c {
		c[i] = slices.Clone(c[i])
	}
	return c
}

// Equal tells whether two tables hold the same in every slot.
func (t Table) Equal(u Table) bool { return slices.EqualFunc(t, u, slices.Equal) }

// Used returns the number of fingerprints.
func (t Table) Used() (n int) {
	for _, slots := range t {
		for _, fp := range slots {
			if fp != 0 {
				n++
			}
		}
	}
	return n
}

// arrival returns the first slot of some buckets that holds fp in after and did not in before.
func arrival(before, after Table, fp uint64, buckets ...uint64) (Position, bool) {
	for _, bucket := range buckets {
		for slot, now := range after[bucket] {
			if now == fp && before[bucket][slot] != fp {
				return Position{bucket, slot}, true
			}
		}
	}
	return Position{}, false
}

// read returns the table of a filter of at most MaxBuckets buckets, as its %#v draws it.
func read(f widths.Filter) (t Table, err error) {
	lines := strings.Split(fmt.Sprintf("%#v", f), "\n")
	for _, line := range lines[max(len(lines)-f.Config().Buckets, 0):] {
		_, cells, _ := strings.Cut(line, "|")
		var slots []uint64
		for cell := range strings.FieldsSeq(cells) {
			fp, err := strconv.ParseUint(cell, 16, 64)
			if err != nil && cell != "." {
				return nil, fmt.Errorf("trace: a slot reads %q: %w", cell, err)
			}
			slots = append(slots, fp)
		}
		if len(slots) != f.Config().BucketSize {
			return nil, fmt.Errorf("trace: %d slots in the line %q", len(slots), line)
		}
		t = append(t, slots)
	}
	if len(t) != f.Config().Buckets || t.Used() != f.Len() {
		return nil, fmt.Errorf("trace: the table shows %d fingerprints in %d buckets, the filter has %d", t.Used(), len(t), f.Len())
	}
	return t, nil
}

// replay makes the moves of a path on a copy of the table: fp, whose primary bucket is given, goes to
// the first position, what was there to the second, and so on to a free slot. It is an error if one
// of them goes where it may not live, or the path ends anywhere but in a free slot.
func replay(t Table, scheme *kick.Scheme, primary, fp uint64, path []Position) (Table, error) {
	t = t.clone()
	homes := [2]uint64{primary, scheme.Alternate(primary, fp)}
	for _, p := range path {
		if fp == 0 || p.Bucket != homes[0] && p.Bucket != homes[1] {
			return nil, fmt.Errorf("trace: fingerprint %x cannot go to %v", fp, p)
		}
		t[p.Bucket][p.Slot], fp = fp, t.at(p)
		homes = [2]uint64{p.Bucket, scheme.Alternate(p.Bucket, fp)}
	}
	if fp != 0 {
		return nil, fmt.Errorf("trace: the path leaves fingerprint %x without a slot", fp)
	}
	return t, nil
}
