package cuckoo

import (
	"bytes"
	"math/bits"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// verbs is what tests use of a filter of any width.
type verbs interface {
	InsertHash(h uint64) error
	InsertUniqueHash(h uint64) (bool, error)
	ContainsHash(h uint64) bool
	DeleteHash(h uint64) bool
	CountHash(h uint64) int
	InsertHashes(hs []uint64) (int, error)
	ContainsHashes(hs []uint64, dst []bool)
	DeleteHashes(hs []uint64) int
	Len() int
	Slots() int
	LoadFactor() float64
	FalsePositiveRate() float64
	SizeBytes() int
	Stats() Stats
	Config() Config
	Reset()
	String() string
	GoString() string
	MarshalBinary() ([]byte, error)

	inner() (*kick.Engine, uint)
	clone() verbs
	equal(g verbs) bool
	merge(g verbs) error
}

func (f *Filter[F]) inner() (*kick.Engine, uint) { return &f.engine, f.engine.Table.Width() }
func (f *Filter[F]) clone() verbs                { return f.Clone() }
func (f *Filter[F]) equal(g verbs) bool          { return f.Equal(g.(*Filter[F])) }
func (f *Filter[F]) merge(g verbs) error         { return f.Merge(g.(*Filter[F])) }

// makeWidth makes a filter of one width.
func makeWidth[F fingerprint.Width](c Config) (verbs, error) {
	f, err := New[F](c)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// byWidth holds the constructor of every width, at its number less one.
var byWidth = [fingerprint.MaxWidth]func(Config) (verbs, error){
	makeWidth[fingerprint.Bits1], makeWidth[fingerprint.Bits2], makeWidth[fingerprint.Bits3], makeWidth[fingerprint.Bits4],
	makeWidth[fingerprint.Bits5], makeWidth[fingerprint.Bits6], makeWidth[fingerprint.Bits7], makeWidth[fingerprint.Bits8],
	makeWidth[fingerprint.Bits9], makeWidth[fingerprint.Bits10], makeWidth[fingerprint.Bits11], makeWidth[fingerprint.Bits12],
	makeWidth[fingerprint.Bits13], makeWidth[fingerprint.Bits14], makeWidth[fingerprint.Bits15], makeWidth[fingerprint.Bits16],
	makeWidth[fingerprint.Bits17], makeWidth[fingerprint.Bits18], makeWidth[fingerprint.Bits19], makeWidth[fingerprint.Bits20],
	makeWidth[fingerprint.Bits21], makeWidth[fingerprint.Bits22], makeWidth[fingerprint.Bits23], makeWidth[fingerprint.Bits24],
	makeWidth[fingerprint.Bits25], makeWidth[fingerprint.Bits26], makeWidth[fingerprint.Bits27], makeWidth[fingerprint.Bits28],
	makeWidth[fingerprint.Bits29], makeWidth[fingerprint.Bits30], makeWidth[fingerprint.Bits31], makeWidth[fingerprint.Bits32],
}

// mustNew returns a filter of a width given at run time: of the type of that width or, where FingerprintBits
// says the width too, of fingerprint.Any.
func mustNew(t testing.TB, width uint, c Config) verbs {
	t.Helper()
	make := byWidth[width-1]
	if c.FingerprintBits != 0 {
		make = makeWidth[fingerprint.Any]
	}
	f, err := make(c)
	if err != nil {
		t.Fatalf("Bits%d, %v: %v", width, c, err)
	}
	return f
}

// bucketShapes are all kinds of buckets, but words, whose size follows from the width.
var bucketShapes = func() []Config {
	shapes := []Config{{BucketSize: 1}, {BucketSize: 2}, {BucketSize: 4}, {BucketSize: 8}}
	for l := SemiSorted; l < layouts; l++ {
		for _, b := range layoutTable[l].bucketSizes {
			if l != Words {
				shapes = append(shapes, Config{BucketSize: b, Layout: l})
			}
		}
	}
	return shapes
}()

// narrow tells whether fingerprints of that width are too narrow for the kind of bucket.
func (c Config) narrow(width uint) bool { return width < c.Layout.minWidth() }

// class is what a filter can tell apart: an unordered pair of homes and a fingerprint. A home is a bucket or, where slots are
// paired, the lower of its two slots, counted through the table.
type class struct{ i, j, fp uint64 }

// classOf returns the class of a digest, found without the code of the verbs.
func classOf(f verbs, h uint64) class {
	e, width := f.inner()
	fp := fingerprint.Of(h, width)
	i, lo := bits.Mul64(h, e.Table.Buckets())
	j := e.Scheme.Alternate(i, fp)
	if f.Config().Layout == PairedSlots {
		i, j = pairedHomes(e.Table.Lanes(), fp, i, j, lo>>62)
	}
	return class{min(i, j), max(i, j), fp}
}

// classAt returns the class of a fingerprint in that slot of a bucket.
func classAt(f verbs, i, slot, fp uint64) class {
	e, _ := f.inner()
	j := e.Scheme.Alternate(i, fp)
	if f.Config().Layout == PairedSlots {
		place, lanes := uint64(0), e.Table.Lanes()
		for mark := markOf(fp, lanes); !bytes.Contains([]byte(matchings[lanes][mark/(lanes/2)][2*place:2*place+2]), []byte{'0' + byte(slot)}); {
			place++
		}
		i, j = pairedHomes(lanes, fp, i, j, place)
	}
	return class{min(i, j), max(i, j), fp}
}

// matchings are, by bucket size, the pairs of slots of docs/FORMAT.md.
var matchings = map[uint][]string{
	4: {"0123", "0213", "0312"},
	8: {"01234657", "01243657", "01253467", "02134756", "02143567", "03124567", "04123756", "04152637"},
}

// markOf returns which of all matchings with all turns a fingerprint has.
func markOf(fp uint64, lanes uint) uint {
	return uint(uint32(fp)*0xc2b2ae35>>27) * uint(len(matchings[lanes])) * (lanes / 2) / 32
}

// pairedHomes returns the homes of a fingerprint by its place in bucket i.
func pairedHomes(lanes uint, fp, i, j, place uint64) (home, other uint64) {
	mark, places := markOf(fp, lanes), uint64(lanes/2)
	matching, turn := matchings[lanes][mark/(lanes/2)], uint64(mark)%places
	low := func(bucket, place uint64) uint64 { return bucket*uint64(lanes) + uint64(matching[2*place]-'0') }
	return low(i, place%places), low(j, place%places^turn)
}

// room returns how many copies of a class fit into an empty filter.
func (c class) room(f verbs) int {
	n := f.Config().BucketSize
	if f.Config().Layout == PairedSlots {
		n = 2
	}
	if c.i == c.j {
		return n
	}
	return 2 * n
}

// slots returns the slots that a fingerprint of the class may be in, a bit each, of a table of up to 64.
func (c class) slots(f verbs) (set uint64) {
	e, _ := f.inner()
	b := uint64(e.Table.Lanes())
	for slot := range e.Table.Buckets() * b {
		if classAt(f, slot/b, slot%b, c.fp) == c {
			set |= 1 << slot
		}
	}
	return set
}

// selfish is a user's policy that kicks slot 0 until it may not, and never looks for a free slot.
type selfish struct{}

func (selfish) Recipe() string { return "selfish" }

func (selfish) Kick(w *Walk) {
	_, j := w.Homes()
	for w.Swap(j, 0) {
		_, j = w.Homes()
	}
}

// careful is a user's policy that looks into every resident's alternate bucket before it kicks.
type careful struct{}

func (careful) Recipe() string { return "careful" }

func (careful) Kick(w *Walk) {
	for {
		_, here := w.Homes()
		if slot, ok := w.Free(here); ok {
			w.Swap(here, slot)
			return
		}
		victim := w.IntN(w.BucketSize())
		for slot := range w.BucketSize() {
			if _, ok := w.Free(w.Alternate(here, w.Slot(here, slot))); ok {
				victim = slot
			}
		}
		if !w.Swap(here, victim) {
			return
		}
	}
}

// policies are all kick policies that tests run, a user's among them.
var policies = []KickPolicy{BreadthFirst, RandomWalk, RoundRobin, LookAhead, selfish{}, careful{}}
