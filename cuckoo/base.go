package cuckoo

import (
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// The types below have the methods that several filters share. A filter embeds them, so its methods are calls of theirs
// that the compiler knows.

// base is what every filter has: the hash of its keys and the size of its table.
type base struct {
	hash         hashing.Digester
	slots, bytes int
}

// measure takes the size of a table.
func (b *base) measure(t *packed.Table) {
	b.slots, b.bytes = int(t.Buckets())*int(t.Lanes()), len(t.Data())
}

// Slots returns the number of slots of the table.
func (b *base) Slots() int { return b.slots }

// SizeBytes returns the size of the table in bytes, with 8 bytes of padding at its end unless its layout is [Words]. It
// does not include what inserts need: the memory of the kick policy, by default some 25 KiB, and 240 KiB under the
// layout [PairedSlots]; the locks and versions of a [Concurrent], 13 KiB or so, and the memory of each search that runs
// at a time; and the old table while a [Scalable] grows, which is half as large.
func (b *base) SizeBytes() int { return b.bytes }

// held is the content of a filter that one goroutine changes at a time, and of its view.
type held struct {
	engine kick.Engine // of a view with a table and a scheme alone
	base
	len   int
	extra int // slots that are used beyond one for each key
}

// Len returns the number of fingerprints stored: keys inserted less keys deleted.
func (f *held) Len() int { return f.len }

// LoadFactor returns the used slots as a share of all slots, from 0 to 1. A key of a [Scalable] whose tail has ended
// can use several. Of a filter without a table it is 0.
func (f *held) LoadFactor() float64 { return float64(f.len+f.extra) / float64(max(f.slots, 1)) }

// Stats counts what the inserts of a filter did since it was made, read from a file, or Reset. It is the same for every
// filter of this package. Lookups and deletes are not counted, as counting would slow them down.
type Stats struct {
	// Kicks is the number of fingerprints that successful inserts moved, those of Merge and Compact included.
	Kicks uint64
	// LongestPath is the largest number of kicks of one successful insert.
	LongestPath uint64
	// Refusals is the number of inserts that returned ErrFull. A Merge that did counts as one, and an insert that made
	// a filter grow as none.
	Refusals uint64
}

// Stats returns what the filter has counted: three numbers that it has at hand. Those of a view are 0.
func (f *held) Stats() Stats { return Stats(f.engine.Stats) }

// fixed is the configuration of a filter that does not grow, and of its view.
type fixed struct{ config Config }

// viewed is the file of a view.
type viewed struct{ file container.View }

// VerifyChecksum reads the whole table and returns [ErrCorrupt] if its checksum is not the one in the file.
func (v *viewed) VerifyChecksum() error { return pkg.Wrap(v.file.VerifyChecksum()) }

// widthIn returns the width of the fingerprints in a table, given that of the type. In code for Bits1 to Bits32 it
// folds to a constant, so that Any costs those types nothing. (Were the type its own parameter, the verbs would load
// its dictionary.)
func widthIn(t *packed.Table, ofType uint) uint {
	if ofType != 0 {
		return ofType
	}
	return t.Width()
}
