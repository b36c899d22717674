package bitsandblooms

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
)

// pkg is what errors begin with.
const pkg = config.Package("bitsandblooms")

// MaxHashes is the largest number of locations of a key. The other module has no limit. Decode refuses a
// file with more, because the time of a query grows with the number.
const MaxHashes = 1024

// Config says what filter to make. Package bloom's planning finds Slots and Hashes for a rate.
type Config struct {
	_ struct{}

	// Slots is the number of bits of the table, m.
	Slots int
	// Hashes is the number of locations of a key, k: 1 to MaxHashes.
	Hashes int
	// MaxBytes is the largest table, in bytes, that may be allocated; beyond it the error is
	// bloom.ErrTooLarge. The default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
}

// Validate reports everything that is wrong with c for New, each problem on a line of its own, or
// nil. All of it is bloom.ErrConfig.
func (c Config) Validate() error {
	problems := config.Problems{Package: pkg}
	if c.Slots < 1 {
		problems.Wrong("Slots is %d, want at least 1", c.Slots)
	}
	if c.Hashes < 1 || c.Hashes > MaxHashes {
		problems.Wrong("Hashes is %d, want 1 to %d", c.Hashes, MaxHashes)
	}
	problems.Check([]config.Field{config.Limit(&c.MaxBytes)})
	return problems.Err()
}

// fits returns bloom.ErrTooLarge for more bits than allowed.
func (c Config) fits(bits uint64) error {
	limit := uint64(config.MaxBytes(c.MaxBytes))
	if bits > min(limit, bloomcore.MaxTableBytes)*8 || bits > math.MaxInt {
		return pkg.Errorf(errs.TooLarge, "%d bits, MaxBytes is %d", bits, limit)
	}
	return nil
}

// Filter is a classic Bloom filter with the table of github.com/bits-and-blooms/bloom. Make one
// with [New] or [Decode]: the zero Filter is empty, and gets a table of 512 bits and 8 hashes with its first key.
//
// Any number of goroutines may read a Filter at once, but none while another one changes it.
type Filter struct {
	t      bloomcore.Table // its Hash is not used
	length uint64          // of the bit set, in bits
}

// New returns an empty filter. An error is bloom.ErrConfig or bloom.ErrTooLarge, and then nothing was allocated.
func New(c Config) (*Filter, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := c.fits(uint64(c.Slots)); err != nil {
		return nil, err
	}
	return build(c, uint64(c.Slots)), nil
}

// build returns an empty filter of a checked configuration.
func build(c Config, length uint64) *Filter {
	t := bloomcore.Table{Slots: uint64(c.Slots), Hashes: c.Hashes, CellBits: 1, MaxBytes: c.MaxBytes}
	return &Filter{t: bloomcore.Classic.New(t), length: length}
}

// Insert adds the key. It cannot fail: beyond its capacity a filter takes keys at a rising
// false-positive rate. It touches k words of the table and makes k divisions of 64 bits.
func (f *Filter) Insert(key []byte) { f.add(baseOf(key), true) }

// InsertString is [Filter.Insert] of the bytes of the string.
func (f *Filter) InsertString(key string) { f.Insert([]byte(key)) }

// InsertUnique inserts the key if Contains says no, and tells whether it did. A false positive
// refuses a new key. It costs what [Filter.Insert] does.
func (f *Filter) InsertUnique(key []byte) bool { return f.add(baseOf(key), false) }

// InsertUniqueString is [Filter.InsertUnique] of the bytes of the string.
func (f *Filter) InsertUniqueString(key string) bool { return f.InsertUnique([]byte(key)) }

// add sets the bits of a key and tells whether one of them was clear. It counts the key if so, and every key if again.
func (f *Filter) add(h base, again bool) bool {
	if f.t.Slots == 0 {
		*f = *build(Config{Slots: 512, Hashes: 8, MaxBytes: f.t.MaxBytes}, 512)
	}
	words, m := f.t.Words, f.t.Slots
	var unset uint64
	for i := range uint64(f.t.Hashes) {
		p := h.location(i) % m
		word, bit := &words[p>>6], uint64(1)<<(p&63)
		unset |= bit &^ *word
		*word |= bit
	}
	if unset != 0 || again {
		f.t.Keys++
	}
	return unset != 0
}

// Contains reports whether the key may have been inserted. False is certain; true is wrong for a share of
// FalsePositiveRate of [Filter.ScanStats] of the keys that were not inserted. It stops at the first clear bit.
func (f *Filter) Contains(key []byte) bool {
	h := baseOf(key)
	words, m := f.t.Words, f.t.Slots
	for i := range uint64(f.t.Hashes) {
		if p := h.location(i) % m; words[p>>6]>>(p&63)&1 == 0 {
			return false
		}
	}
	return m != 0 // as in the zero Filter, which has nothing
}

// ContainsString is [Filter.Contains] of the bytes of the string.
func (f *Filter) ContainsString(key string) bool { return f.Contains([]byte(key)) }

// Len returns the number of inserts: calls of the Insert verbs and calls of the InsertUnique verbs
// that returned true. The keys of decoded bytes do not count, as their number is not in them.
func (f *Filter) Len() int { return f.t.Len() }

// Slots returns the number of bits of the table, m.
func (f *Filter) Slots() int { return int(f.t.Slots) }

// SizeBytes returns the size of the table in bytes.
func (f *Filter) SizeBytes() int { return f.t.SizeBytes() }

// Config returns Slots, Hashes and MaxBytes. New makes an empty filter of it that f can be merged with.
func (f *Filter) Config() Config {
	return Config{Slots: int(f.t.Slots), Hashes: f.t.Hashes, MaxBytes: f.t.MaxBytes}
}

// Reset removes every key. The memory is kept.
func (f *Filter) Reset() { f.t.Reset() }

// Clone returns a copy that shares nothing with f.
func (f *Filter) Clone() *Filter { return &Filter{t: f.t.Clone(), length: f.length} }

// Equal tells whether f and g have the same bits, hashes and table, so that they answer alike. Len may differ.
func (f *Filter) Equal(g *Filter) bool { return f.t.Equal(&g.t) }

// Merge makes f the union of f and g, as if every key of g had been inserted into f; g is not changed. Len becomes the
// sum of both. Filters of different bits or hashes give bloom.ErrMismatch, and f is as it was.
func (f *Filter) Merge(g *Filter) error { return f.t.Union(pkg, &g.t) }

// ScanStats returns counts and rates of the filter as it is now, and reads the whole table. The k locations of a key
// come from four words and are not quite independent, so the rate is a little too low in small tables.
func (f *Filter) ScanStats() bloom.Stats {
	used, _, rate := f.t.Measure()
	return bloom.Stats{
		Inserted: f.t.Len(), Slots: f.Slots(), Used: int(used), LoadFactor: f.t.Share(used), FalsePositiveRate: rate,
	}
}

// String returns a short description: bits, hashes and number of inserts.
func (f *Filter) String() string {
	return fmt.Sprintf("bitsandblooms.Filter{bits=%d/hashes=%d, len %d, %d bytes}",
		f.t.Slots, f.t.Hashes, f.t.Len(), f.t.SizeBytes())
}

// GoString is String: %#v of a filter does not print its table.
func (f *Filter) GoString() string { return f.String() }
