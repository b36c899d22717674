package maplet

import (
	"bytes"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// Map stores a value beside the fingerprint of each key. Its fingerprints have as many bits as the array type F has
// elements, or for fingerprint.Any as Config.FingerprintBits says. Make one with [New] or [Build]. The zero Map is
// empty and takes no pairs.
//
// Any number of goroutines may look up in a map at once. An operation that changes it needs the map to itself. A Map
// must not be copied, because both would share the table; use [Map.Clone].
type Map[F fingerprint.Width] struct{ table }

// New returns an empty map. It allocates all the memory that the map will use until it grows.
//
// The error is [ErrConfig], which names each field that is wrong, or [ErrTooLarge] if the table is beyond
// Config.MaxBytes. Nothing was allocated then.
func New[F fingerprint.Width](c Config) (*Map[F], error) {
	m := new(Map[F])
	if err := m.make(c, fingerprint.WidthOf[F]()); err != nil {
		return nil, err
	}
	return m, nil
}

// Build returns a map of the configuration that holds the pairs of the digests hs and the values vs. The errors are
// those of New, [ErrValue], [ErrConfig] where hs and vs have different lengths, and [ErrFull] where the pairs do not
// fit. The last three say how many had been inserted.
func Build[F fingerprint.Width](c Config, hs, vs []uint64) (*Map[F], error) {
	m, err := New[F](c)
	if err != nil {
		return nil, err
	}
	if n, err := m.InsertHashes(hs, vs); err != nil {
		return nil, fmt.Errorf("%w: %d of %d pairs were inserted", err, n, len(hs))
	}
	return m, nil
}

// Grow gives the map a table that promises to take capacity pairs, and no fewer buckets than it needs for that. It
// calls again once, which hands over the digest and the value of every pair that the new table is to have by calling
// insert, whose errors are those of [Map.InsertHash]. again must not use the map in another way than to look up in it,
// and must not keep insert.
//
// If again returns an error, Grow returns it. Then, and where the error is [ErrConfig] or [ErrTooLarge], the map is as
// it was. Otherwise its pairs are those that again handed over, and its Stats are new. The old and the new table are in
// memory at the same time.
func (m *Map[F]) Grow(capacity int, again func(insert func(h, v uint64) error) error) error {
	c := m.config
	if c.Buckets == 0 {
		return errUnmade
	}
	c.Capacity, c.Buckets = capacity, 0
	var grown table
	if err := grown.make(c, 0); err != nil {
		return err
	}
	if err := again(grown.insert); err != nil {
		return err
	}
	m.table = grown
	return nil
}

// Config returns the configuration with every default filled in and the number of Buckets in place of Capacity: New of
// it makes an empty map with the same table.
func (t *table) Config() Config { return t.config }

// Reset empties the map. It writes the whole table and allocates nothing.
func (m *Map[F]) Reset() {
	m.engine.Reset()
	m.len = 0
}

// Clone returns a map with equal content and Stats that shares nothing with m.
func (m *Map[F]) Clone() *Map[F] {
	c := &Map[F]{m.table}
	m.engine.CloneTo(&c.engine)
	return c
}

// Equal tells whether the two maps have the same configuration and the same bytes in their tables. Hashes are compared
// by their recipes. Maps of the same pairs can differ: the order of the inserts decides which slot a pair is in.
func (m *Map[F]) Equal(n *Map[F]) bool {
	return pkg.DifferIn(m.config.fields(), n.config.fields(), "MaxBytes") == nil && m.len == n.len &&
		bytes.Equal(m.engine.Table.Data(), n.engine.Table.Data())
}

// Len returns the number of pairs stored.
func (t *table) Len() int { return t.len }

// Slots returns the number of slots of the table.
func (t *table) Slots() int { return t.config.Buckets * t.config.BucketSize }

// LoadFactor returns the used slots as a share of all slots, from 0 to 1; of the zero Map it is 0.
func (t *table) LoadFactor() float64 { return float64(t.len) / float64(max(1, t.Slots())) }

// SizeBytes returns the size of the table in bytes, including 8 bytes of padding at its end.
func (t *table) SizeBytes() int { return len(t.engine.Table.Data()) }

// FalsePositiveRate returns the predicted share of absent keys that have a candidate, at the present load: that of a
// cuckoo.Filter with fingerprints of the same width. To within a few percent of its value it is also how many
// candidates of other keys a lookup gives on average.
func (t *table) FalsePositiveRate() float64 { return t.config.filter().PredictRate(t.len) }

// Stats returns what the inserts of the map did since it was made, read from a file, grown or Reset.
func (m *Map[F]) Stats() cuckoo.Stats { return cuckoo.Stats(m.engine.Stats) }

// String returns the widths, the configuration and the content in numbers, on one line.
func (t *table) String() string {
	return fmt.Sprintf("maplet.Map{%v len=%d load=%.4f}", t.config, t.len, t.LoadFactor())
}

// GoString is String: %#v of a map does not print its table.
func (t *table) GoString() string { return t.String() }

// initEngine makes the engine of t over its bytes.
func (t *table) initEngine() {
	t.engine.Init(t.engine.Table, t.place.Within(t.width), kick.BreadthFirst, kick.SearchLimit, 0)
}
