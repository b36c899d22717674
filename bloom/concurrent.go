package bloom

import (
	"io"
	"sync"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/memory"
)

// Concurrent is a [Blocked] that any number of goroutines use at once, inserts included. It has the same table, the same rate and the
// same files. Make one with [NewConcurrent], or of the keys of a filter with [Blocked.Concurrent]. Inserts into the zero Concurrent and
// lookups in it panic.
//
// Lookups and inserts take no lock: an insert sets bits with atomic operations in one cache line, and writes to it only where a bit is
// clear. InsertUnique takes one of 64 locks, so that of several goroutines that insert a new key one is told that it has added it. A key
// is found from the moment on at which its last bit is set.
//
// It has no vector instructions, which have no atomic loads, so one goroutine is slower than with a Blocked. A Concurrent must not be copied.
type Concurrent struct {
	f     Blocked
	kept  *memory.Counter // Len
	locks *[uniqueLocks]sync.Mutex
}

// uniqueLocks is the number of locks of InsertUnique.
const uniqueLocks = 64

// NewConcurrent returns an empty filter, as [NewBlocked] does.
func NewConcurrent(c Config) (*Concurrent, error) {
	f := new(Concurrent)
	return f, f.adoptNew(NewBlocked(c))
}

// adoptNew makes f the filter of a Blocked that nobody else has.
func (f *Concurrent) adoptNew(g *Blocked, err error) error {
	if err != nil {
		return err
	}
	f.f, f.kept, f.locks = Blocked{g.base}, new(memory.Counter), new([uniqueLocks]sync.Mutex)
	f.kept.Set(int64(g.Len()))
	return nil
}

// Concurrent returns a [Concurrent] with the keys of f, which shares nothing with f.
func (f *Blocked) Concurrent() *Concurrent {
	g := new(Concurrent)
	_ = g.adoptNew(f.Clone(), nil)
	return g
}

// Blocked returns a [Blocked] with the keys of f, which shares nothing with f. It has every key that was inserted before the call. Of
// inserts at the same time any may be in it, or some bits of one, which does no harm.
func (f *Concurrent) Blocked() *Blocked {
	g := &Blocked{f.f.base}
	g.t.Words = make([]uint64, len(f.f.t.Words))
	f.f.table().CopyShared(g.table())
	if f.kept != nil {
		g.t.Keys = uint64(f.kept.Sum())
	}
	return g
}

// InsertHash inserts the key with digest h. It cannot fail: beyond its capacity a filter takes keys
// at a rising false-positive rate. It touches one cache line.
func (f *Concurrent) InsertHash(h uint64) {
	f.f.table().SetShared(h)
	f.kept.Add(h, 1)
}

// InsertHashes inserts every one of the digests hs.
func (f *Concurrent) InsertHashes(hs []uint64) {
	for _, h := range hs {
		f.f.table().SetShared(h)
	}
	if len(hs) > 0 {
		f.kept.Add(hs[0], int64(len(hs)))
	}
}

// InsertUniqueHash inserts the key with digest h if Contains says no, and tells whether it did.
// A false positive refuses a new key. Of goroutines that call it at the same time for one key that is not in the filter, one is told
// true. An InsertHash of that key at the same time counts as later.
func (f *Concurrent) InsertUniqueHash(h uint64) bool {
	t := f.f.table()
	if t.HasShared(h) {
		return false
	}
	lock := &f.locks[h%uniqueLocks]
	lock.Lock()
	defer lock.Unlock()
	if t.HasShared(h) {
		return false
	}
	t.SetShared(h)
	f.kept.Add(h, 1)
	return true
}

// ContainsHash reports whether the key with digest h may have been inserted. False is certain; true
// is wrong for a share of [Stats].FalsePositiveRate of the keys that were not inserted. It touches
// one cache line, and takes the same time whatever the answer.
func (f *Concurrent) ContainsHash(h uint64) bool { return f.f.table().HasShared(h) }

// ContainsHashes writes to dst[i] what [Concurrent.ContainsHash] says of hs[i]. It panics if dst is shorter than hs.
func (f *Concurrent) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	for i, h := range hs {
		dst[i] = f.f.table().HasShared(h)
	}
}

// Len returns the number of inserts as [Blocked] counts them. An insert that runs meanwhile may be in it or not.
func (f *Concurrent) Len() int {
	if f.kept == nil {
		return 0
	}
	return int(f.kept.Sum())
}

// Slots returns the number of bits of the table, m.
func (f *Concurrent) Slots() int { return f.f.Slots() }

// SizeBytes returns the size of the table in bytes.
func (f *Concurrent) SizeBytes() int { return f.f.SizeBytes() }

// Config returns the resolved configuration, which serves NewBlocked too.
func (f *Concurrent) Config() Config { return f.f.Config() }

// Stats returns counts and rates of the filter as it is now. It reads the whole table once.
func (f *Concurrent) Stats() Stats {
	t := &f.f.t
	if t.Slots == 0 {
		return Stats{} // of the zero filter
	}
	var blocks blockCounts
	var line [bloomcore.BlockWords]uint64
	for n := range t.Blocks {
		f.f.table().BlockShared(n, &line)
		blocks.add(&line)
	}
	found := blocks.content(t)
	return Stats{
		Inserted: f.Len(), Slots: f.Slots(), Used: int(found.used), LoadFactor: t.Share(found.used),
		EstimatedCount: estimate(t, found.used), FalsePositiveRate: found.rate,
	}
}

// Reset removes every key. Of inserts at the same time any may stay, or some bits of one.
func (f *Concurrent) Reset() {
	f.f.table().ResetShared()
	if f.kept != nil {
		f.kept.Set(0)
	}
}

// Clone returns a filter with the keys of f, as [Concurrent.Blocked] copies them.
func (f *Concurrent) Clone() *Concurrent {
	g := new(Concurrent)
	_ = g.adoptNew(f.Blocked(), nil)
	return g
}

// Equal tells whether f and g have the same bits, hashes, hash and table, as [Blocked.Equal] does. It copies both tables.
func (f *Concurrent) Equal(g *Concurrent) bool { return f.Blocked().Equal(g.Blocked()) }

// Merge makes f the union of f and g, as [Blocked.Merge] does. Others may use both meanwhile.
func (f *Concurrent) Merge(g *Concurrent) error {
	from := g.Blocked()
	if err := f.f.t.Match(pkg, &from.t); err != nil {
		return err
	}
	f.f.table().OrShared(from.table())
	if f.kept != nil {
		f.kept.Add(0, int64(from.Len()))
	}
	return nil
}

// AppendBinary appends the file of [Concurrent.Blocked] to b, but for one byte, which says that it was a Concurrent.
// [DecodeBlocked] and [OpenView] read it too. Others may use the filter meanwhile.
func (f *Concurrent) AppendBinary(b []byte) ([]byte, error) { return file.Encode(b, f.image) }

// MarshalBinary is [Concurrent.AppendBinary] to nothing.
func (f *Concurrent) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of [Concurrent.AppendBinary] to w, from a copy of the table.
func (f *Concurrent) WriteTo(w io.Writer) (int64, error) { return file.EncodeTo(w, f.image) }

// image returns the filter as a file.
func (f *Concurrent) image() (container.Image, error) {
	m, err := f.Blocked().image()
	m.Concurrent = true
	return m, err
}

// UnmarshalBinary makes f the filter in b, the file of a [Blocked] or a Concurrent, and fails as Blocked does. No other goroutine may use f
// meanwhile.
func (f *Concurrent) UnmarshalBinary(b []byte) error {
	g := f.receiver()
	return f.adoptNew(g, g.UnmarshalBinary(b))
}

// ReadFrom makes f the filter that [Concurrent.WriteTo] wrote, as [Concurrent.UnmarshalBinary] does, and returns how many bytes it took.
func (f *Concurrent) ReadFrom(r io.Reader) (int64, error) {
	g := f.receiver()
	n, err := g.ReadFrom(r)
	return n, f.adoptNew(g, err)
}

// receiver returns a filter that reads files as f does.
func (f *Concurrent) receiver() *Blocked {
	g := new(Blocked)
	g.t = bloomcore.Table{Hash: f.f.t.Hash, MaxBytes: f.f.t.MaxBytes}
	return g
}

// DecodeConcurrent returns the filter in b, as [DecodeBlocked] does.
func DecodeConcurrent(b []byte, known ...hashing.Hasher) (*Concurrent, error) {
	f := new(Concurrent)
	g, err := DecodeBlocked(b, known...)
	if err := f.adoptNew(g, err); err != nil {
		return nil, err
	}
	return f, nil
}

// String returns a short description: kind, shape and number of inserts.
func (f *Concurrent) String() string {
	return describe("Concurrent", f.Config(), f.Len(), f.SizeBytes())
}

// GoString is String: %#v of a filter does not print its table.
func (f *Concurrent) GoString() string { return f.String() }
