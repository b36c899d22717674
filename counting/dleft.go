package counting

import (
	"bytes"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/packed"
)

// errBuckets is what a refused insert returns; it is made once, so that no verb allocates.
var errBuckets = pkg.Errorf(ErrFull, "every bucket of the key is full")

// errUnmade is what the zero DLeft refuses keys with.
var errUnmade = pkg.Errorf(ErrConfig, "the zero DLeft takes no keys, make one with NewDLeft")

// DLeft is a d-left counting Bloom filter: four tables of buckets of four slots. A slot holds the
// remainder of one true fingerprint and a small counter of the keys that have it. A key goes to the
// least loaded of its four buckets, the leftmost of equals, and stays there.
//
// Keys with equal true fingerprints share one slot, so that a delete always finds the slot that the insert chose. A
// counter that reached its maximum is sticky, as in [Filter].
//
// Make one with [NewDLeft]. Any number of goroutines may read a DLeft at once, but none while another one changes it. A
// DLeft must not be copied, as its tables would be shared: see [DLeft.Clone].
type DLeft struct{ base[dleftKind] }

// dleftTable is what a DLeft has.
type dleftTable struct {
	classes    classes
	remainders packed.Table // of every slot, 0 if it is free
	extras     packed.Table // of every slot, the keys beyond the first; 0 if it is free
	top        uint64       // the largest number that a counter tells: 2^CounterBits
	config     DLeftConfig

	len, used int
}

// NewDLeft returns an empty filter. It allocates all memory that the filter will use. An error is [ErrConfig] or
// [ErrTooLarge], and then nothing was allocated.
func NewDLeft(c DLeftConfig) (*DLeft, error) {
	c, _, err := PlanDLeft(c)
	if err != nil {
		return nil, err
	}
	t, buckets := dleftTableOf(c), dleftTables*c.buckets()
	t.remainders = packed.Plain.New(uint(c.RemainderBits), dleftBucketSize, buckets)
	t.extras = packed.Plain.New(uint(c.CounterBits), dleftBucketSize, buckets)
	return dleftOf(t), nil
}

// dleftTableOf returns what an empty DLeft of a resolved configuration has, except for the tables.
func dleftTableOf(c DLeftConfig) dleftTable {
	return dleftTable{
		classes: classes{c.buckets(), 1<<c.RemainderBits - 1}, top: 1 << c.CounterBits, config: c,
	}
}

// dleftOf returns the filter over its tables.
func dleftOf(t dleftTable) *DLeft {
	hash := bloomcore.Table{Hash: hashing.NewDigester(t.config.Hash)}
	return &DLeft{base[dleftKind]{reader[dleftKind]{hash, t}}}
}

// DecodeDLeft returns the DLeft in b, as [Decode] returns a Filter.
func DecodeDLeft(b []byte, known ...hashing.Hasher) (*DLeft, error) {
	return container.Decoded(pkg, b, (*DLeft).read, known)
}

// InsertHash adds the key with digest h. It touches four buckets, and writes one of them.
//
// If another key with the same true fingerprint is present, a copy of this one or not, its counter counts one more,
// which never fails. Otherwise the key takes a free slot of its least loaded bucket; if all four buckets are full,
// InsertHash returns [ErrFull] and changes nothing. A key inserted 2^CounterBits times saturates its counter.
func (f *DLeft) InsertHash(h uint64) error {
	if err := f.add(f.classes.of(h), 1); err != nil {
		return err
	}
	f.len = bloomcore.AddLen(f.len, 1)
	return nil
}

// InsertHashes adds the digests hs in order, until one of them is refused. It returns how many were added, and
// [ErrFull] if that is not all.
func (f *DLeft) InsertHashes(hs []uint64) (n int, err error) {
	for i, h := range hs {
		if err := f.InsertHash(h); err != nil {
			return i, err
		}
	}
	return len(hs), nil
}

// InsertUniqueHash adds the key with digest h unless Contains says yes, and tells whether it did. A false positive
// refuses a new key, which must then not be deleted: see [DLeft.DeleteHash]. [ErrFull] is that of [DLeft.InsertHash].
func (f *DLeft) InsertUniqueHash(h uint64) (bool, error) {
	if f.ContainsHash(h) {
		return false, nil
	}
	err := f.InsertHash(h)
	return err == nil, err
}

// ContainsHash reports whether the key with digest h may be present. False is certain; true is wrong for a share of
// [DLeft.FalsePositiveRate] of the keys that were not inserted. It touches four buckets, whose cache misses overlap.
func (f *DLeft) ContainsHash(h uint64) bool { return f.has(h) }

func (f *dleftTable) has(h uint64) bool {
	c, t := f.classes.of(h), &f.remainders
	i, j, k, l := f.classes.buckets(c)
	if t.Layout == packed.Word {
		// All buckets are loaded before any is looked at: no branch depends on what was found.
		return t.Last.Equal(t.Word(i), c.remainder)|t.Last.Equal(t.Word(j), c.remainder)|
			t.Last.Equal(t.Word(k), c.remainder)|t.Last.Equal(t.Word(l), c.remainder) != 0
	}
	return t.Has(i, c.remainder) || t.Has(j, c.remainder) || t.Has(k, c.remainder) || t.Has(l, c.remainder)
}

// find returns the slot that holds the class.
func (f *dleftTable) find(c class) (bucket uint64, lane uint, ok bool) {
	i, j, k, l := f.classes.buckets(c)
	for _, bucket := range [dleftTables]uint64{i, j, k, l} {
		if lane, ok := f.remainders.Find(bucket, c.remainder); ok {
			return bucket, lane, true
		}
	}
	return 0, 0, false
}

// add counts n more keys of a class, n being 1 to top.
func (f *dleftTable) add(c class, n uint64) error {
	i, j, k, l := f.classes.buckets(c)
	least, mostFree := uint64(0), 0
	for _, bucket := range [dleftTables]uint64{i, j, k, l} {
		if lane, ok := f.remainders.Find(bucket, c.remainder); ok {
			f.extras.Set(bucket, lane, min(f.extras.Get(bucket, lane)+n, f.top-1))
			return nil
		}
		// The tables come from left to right, so the leftmost of equals stays.
		if free := f.remainders.Count(bucket, 0); free > mostFree {
			least, mostFree = bucket, free
		}
	}
	if mostFree == 0 {
		if f.config.Slots == 0 {
			return errUnmade
		}
		return errBuckets
	}
	lane, _ := f.remainders.Find(least, 0)
	f.remainders.Set(least, lane, c.remainder)
	if n > 1 {
		f.extras.Set(least, lane, n-1)
	}
	f.used++
	return nil
}

// LoadFactor returns the share of slots that are used, 0 to 1.
func (f *DLeft) LoadFactor() float64 { return f.load() }

func (f *dleftTable) load() float64 { return float64(f.used) / float64(max(1, f.config.Slots)) }

// FalsePositiveRate returns the share of keys that were not inserted for which Contains says yes, as the filter is now:
// used/(m*(2^RemainderBits-1)), where used is the number of used slots and m the number of buckets of a table.
//
// It is exact for keys whose digests are uniform, as each used slot holds another true fingerprint. With load alpha it
// is 16*alpha/(2^RemainderBits-1). It costs nothing.
func (f *DLeft) FalsePositiveRate() float64 { return f.rate() }

func (f *dleftTable) rate() float64 {
	return float64(f.used) / max(1, float64(f.classes.m)*float64(f.classes.span))
}

// Config returns the configuration with every default filled in, and with Slots and RemainderBits in place of Capacity
// and FalsePositiveRate. NewDLeft makes an empty filter of it that f can be merged with.
func (f *DLeft) Config() DLeftConfig { return f.config }

// Clone returns a copy that shares nothing with f.
func (f *DLeft) Clone() *DLeft {
	t := f.dleftTable
	t.remainders, t.extras = f.remainders.Clone(), f.extras.Clone()
	return dleftOf(t)
}

// Equal tells whether f and g have the same buckets, widths, hash and tables, so that they answer
// alike. Filters of one set of keys can differ: the order of inserts decides which slot a true
// fingerprint is in. Len may differ where counters are saturated, and MaxBytes may too.
func (f *DLeft) Equal(g *DLeft) bool {
	return f.config.match(g.config) == nil &&
		bytes.Equal(f.remainders.Data(), g.remainders.Data()) &&
		bytes.Equal(f.extras.Data(), g.extras.Data())
}

// Merge adds every key of g to f: the multiset sum of both. Counters that do not fit saturate. g is not changed, and
// may be f itself. Filters of different buckets, widths or hash give [ErrMismatch], and a sum that does not fit
// [ErrFull]. In both cases f is as it was: Merge works on a copy, so it needs the memory of a second filter meanwhile.
// It costs an insert for each used slot of g.
func (f *DLeft) Merge(g *DLeft) error {
	if err := f.config.match(g.config); err != nil {
		return err
	}
	sum := f.Clone()
	for bucket := range g.remainders.Buckets() {
		for lane := range g.remainders.Lanes() {
			remainder := g.remainders.Get(bucket, lane)
			if remainder == 0 {
				continue
			}
			if err := sum.add(g.classes.at(bucket, remainder), g.extras.Get(bucket, lane)+1); err != nil {
				return err
			}
		}
	}
	sum.len = bloomcore.AddLen(sum.len, g.len)
	f.dleftTable = sum.dleftTable
	return nil
}
