package cuckoo

import "github.com/nestfilter/nest/internal/packed"

// A bucket of the layout packed.Word is compared where one word load has it, behind the bits of what stands before it.
// A verb writes the lowest flagged lane with Table.Set, which has its place.

// wordEqual flags the lanes of a bucket that hold fp, as [packed.Lanes.Equal] does.
func wordEqual(t *packed.Table, bucket, fp uint64) uint64 { return t.Last.Equal(t.Word(bucket), fp) }

// wordFree flags the lanes of a bucket that are empty.
func wordFree(t *packed.Table, bucket uint64) uint64 { return t.Last.Zero(t.Word(bucket)) }
