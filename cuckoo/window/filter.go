package window

import (
	"bytes"
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/packed"
)

// Filter is a cuckoo filter that forgets. Its fingerprints have as many bits as the array type F has elements, or for
// fingerprint.Any as Config.FingerprintBits says. Make one with [New]. The zero Filter is empty and takes no keys.
//
// Any number of goroutines may look up in a filter at once. An operation that changes it needs the filter to itself. A
// Filter must not be copied, because both would share the table; use [Filter.Clone].
type Filter[F fingerprint.Width] struct{ table }

// New returns an empty filter in generation 0. It allocates all the memory that the filter will use.
//
// The error is [ErrConfig], which names each field that is wrong, or [ErrTooLarge] if the table is beyond
// Config.MaxBytes. Nothing was allocated then.
func New[F fingerprint.Width](c Config) (*Filter[F], error) {
	f := new(Filter[F])
	if err := f.make(c, fingerprint.WidthOf[F]()); err != nil {
		return nil, err
	}
	return f, nil
}

// Config returns the configuration with every default filled in and the number of Buckets in place of Capacity: New of
// it makes an empty filter with the same table.
func (t *table) Config() Config { return t.config }

// Reset makes the filter what New has made: empty, in generation 0. It writes the whole table and allocates nothing.
func (f *Filter[F]) Reset() {
	f.empty()
	f.engine.Reset()
	f.forgotten = 0
	if f.ages > 0 {
		f.now, f.oldest = 0, 2-f.ages
		f.setAges()
	}
}

// Clone returns a filter with equal content and Stats that shares nothing with f.
func (f *Filter[F]) Clone() *Filter[F] {
	c := &Filter[F]{f.table}
	f.engine.CloneTo(&c.engine)
	return c
}

// Equal tells whether the two filters have the same configuration except for ForgetEarly and MaxBytes, the same
// generations and the same keys in the same slots. Filters of the same keys can differ: the order of the touches
// decides which slot a key is in. It takes a copy of both tables where slots are expired.
func (f *Filter[F]) Equal(g *Filter[F]) bool {
	return f.config.sameTable(g.config) == nil && f.now == g.now && f.oldest == g.oldest && f.live == g.live &&
		bytes.Equal(f.cleaned().Data(), g.cleaned().Data())
}

// cleaned returns the table without expired lanes.
func (t *table) cleaned() *packed.Table {
	if t.expired == 0 {
		return &t.engine.Table
	}
	c := t.engine.Table.Clone()
	t.lanes.Drop(&c, 0, c.Buckets())
	return &c
}

// Merge touches every key of g at the time at which g has touched it. First it advances to the generation of g, if that
// is later. Filters that count Keys have no common time: there a key of g keeps its age in generations, and can be
// forgotten up to one generation too early. g does not change. Merge works in a copy of the table.
//
// The error is [ErrMismatch] if the filters differ in the configuration except ForgetEarly and MaxBytes, and [ErrFull]
// if there is no room. Then f is as it was.
func (f *Filter[F]) Merge(g *Filter[F]) error {
	if err := f.config.sameTable(g.config); err != nil {
		return err
	}
	if f == g || f.ages == 0 {
		return nil
	}
	c := f.Clone()
	ahead := c.now - g.now
	if c.quota == 0 {
		c.advanceBy(-ahead)
		ahead = 0
	}
	c.sweep(math.MaxUint64)
	c.oldest = c.now + 2 - c.ages // f may have forgotten early what g has not
	c.setAges()
	if err := c.merge(&g.table, ahead); err != nil {
		return err
	}
	c.endGeneration()
	f.table = c.table
	return nil
}

// merge is Merge of a table that is not ahead of t, whose generations have a number that is so much higher.
func (t *table) merge(from *table, ahead int64) error {
	forgets := t.config.ForgetEarly
	t.config.ForgetEarly = false
	for bucket := range from.engine.Table.Buckets() {
		for lane := range from.engine.Table.Lanes() {
			x := from.engine.Table.Get(bucket, lane)
			if generation, alive := from.generation(x); alive && generation+ahead >= t.oldest {
				if err := t.takeIn(bucket, x&(1<<t.lanes.Width-1), generation+ahead); err != nil {
					return err
				}
			}
		}
	}
	t.config.ForgetEarly = forgets
	return nil
}

// generation returns that of a lane, and whether it is alive.
func (t *table) generation(lane uint64) (generation int64, alive bool) {
	age := int64(lane >> t.lanes.Width)
	generation = t.now - (t.age(t.now)-age+t.ages)%t.ages
	return generation, lane != 0 && generation >= t.oldest
}

// takeIn touches the class of a fingerprint in that bucket in a generation that is alive.
func (t *table) takeIn(bucket, fp uint64, generation int64) error {
	age := uint64(t.age(generation))
	other := t.engine.Scheme.Alternate(bucket, fp)
	for _, bucket := range [...]uint64{bucket, other} {
		if at, ok := t.lanes.FindLive(&t.engine.Table, bucket, fp); ok {
			if has, _ := t.generation(t.engine.Table.Get(bucket, at)); has < generation {
				t.reage(bucket, at, age)
			}
			return nil
		}
	}
	_, err := t.add(bucket, other, fp, age)
	return err
}

// Len returns the number of keys that are alive. Keys that cannot be told apart count once.
func (t *table) Len() int { return t.live }

// Slots returns the number of slots of the table.
func (t *table) Slots() int { return t.config.Buckets * t.config.BucketSize }

// Capacity returns the number of distinct keys that the filter promises to hold at once, however it was sized: see
// [Config].
func (f *Filter[F]) Capacity() int { return f.floor }

// LoadFactor returns the slots of keys that are alive as a share of all slots, from 0 to 1; of the zero Filter it is 0.
func (t *table) LoadFactor() float64 { return float64(t.live) / float64(max(1, t.Slots())) }

// SizeBytes returns the size of the table in bytes, including 8 bytes of padding at its end.
func (t *table) SizeBytes() int { return len(t.engine.Table.Data()) }

// FalsePositiveRate returns the predicted share of yes among keys that were never touched, at the present load: that of
// a cuckoo.Filter with fingerprints of the same width.
func (t *table) FalsePositiveRate() float64 { return t.config.PredictRate(t.live) }

// Stats are those of a cuckoo filter, and one more.
type Stats struct {
	cuckoo.Stats
	// Forgotten counts generations that ForgetEarly has forgotten.
	Forgotten uint64
}

// Stats returns what touches of the filter did since it was made, read from a file or Reset.
func (f *Filter[F]) Stats() Stats { return Stats{cuckoo.Stats(f.engine.Stats), f.forgotten} }

// String returns the configuration and the content in numbers, on one line.
func (t *table) String() string {
	return fmt.Sprintf("window.Filter{%v generation=%d len=%d load=%.4f}", t.config, t.now, t.live, t.LoadFactor())
}

// GoString is String: %#v of a filter does not print its table.
func (t *table) GoString() string { return t.String() }
