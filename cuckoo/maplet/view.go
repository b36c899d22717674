package maplet

import (
	"iter"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// View answers lookups from the bytes of a map's file, where they are: in a mapped file, or an embedded asset. It copies
// nothing and cannot change the map. Make one with [OpenView].
//
// Any number of goroutines may use a View at once. Its bytes must stay as they are meanwhile. If a file that was mapped is
// made shorter, the next lookup in the missing part ends the program with a fault (SIGBUS).
type View[F fingerprint.Width] struct {
	t    table
	file container.View
}

// OpenView returns a view of the map in b. Hashers that are not built in, or that hold a secret, are found by their recipe among
// known, and so is hashing.DigestsOnly.
//
// It checks the header, and that b has the length that the header says. It does not read the table, so it takes about a
// microsecond whatever the size: [View.VerifyChecksum] checks the table. No table, however damaged, makes a lookup panic; a
// damaged one gives wrong answers. The errors are those of [Map.UnmarshalBinary].
func OpenView[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*View[F], error) {
	v := new(View[F])
	opened, err := container.NewView(b)
	if err != nil {
		return nil, file.Wrap(err)
	}
	c, width, err := configIn(&opened.Header, fingerprint.WidthOf[F](), known)
	if err != nil {
		return nil, file.Wrap(err)
	}
	v.t.over(c, width, fingerprint.WidthOf[F]() == 0, c.lanesOver(width, opened.Table))
	v.file, v.t.len = opened, int(opened.Len)
	return v, nil
}

// VerifyChecksum reads the whole table and returns [ErrCorrupt] if its checksum is not the one in the file.
func (v *View[F]) VerifyChecksum() error { return file.Wrap(v.file.VerifyChecksum()) }

// LookupHash is [Map.LookupHash].
func (v *View[F]) LookupHash(h uint64) iter.Seq[uint64] { return v.t.candidates(h) }

// Lookup is [View.LookupHash] of the key's digest.
func (v *View[F]) Lookup(key []byte) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for value := range v.t.candidates(v.t.hash.Sum64(key)) {
			if !yield(value) {
				return
			}
		}
	}
}

// LookupString is [View.LookupHash] of the key's digest.
func (v *View[F]) LookupString(key string) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for value := range v.t.candidates(v.t.hash.Sum64String(key)) {
			if !yield(value) {
				return
			}
		}
	}
}

// LookupHashes is [Map.LookupHashes].
func (v *View[F]) LookupHashes(hs []uint64) iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) { v.t.visitAll(hs, yield) }
}

// ContainsHash is [Map.ContainsHash].
func (v *View[F]) ContainsHash(h uint64) bool { return v.t.contains(h) }

// Contains is [View.ContainsHash] of the key's digest.
func (v *View[F]) Contains(key []byte) bool { return v.t.contains(v.t.hash.Sum64(key)) }

// ContainsString is [View.ContainsHash] of the key's digest.
func (v *View[F]) ContainsString(key string) bool {
	return v.t.contains(v.t.hash.Sum64String(key))
}

// ContainsHashes is [Map.ContainsHashes].
func (v *View[F]) ContainsHashes(hs []uint64, dst []bool) { v.t.containsAll(hs, dst) }

// Len returns the number of pairs stored, as the file says it.
func (v *View[F]) Len() int { return v.t.len }

// Slots returns the number of slots of the table.
func (v *View[F]) Slots() int { return v.t.slots() }

// LoadFactor returns the used slots as a share of all slots, from 0 to 1.
func (v *View[F]) LoadFactor() float64 { return v.t.loadFactor() }

// SizeBytes returns the size of the table in bytes, with the 8 bytes of padding behind it.
func (v *View[F]) SizeBytes() int { return len(v.t.engine.Table.Data()) }

// FalsePositiveRate is [Map.FalsePositiveRate].
func (v *View[F]) FalsePositiveRate() float64 { return v.t.rate() }

// Config returns the configuration that the file says.
func (v *View[F]) Config() Config { return v.t.config }

// String is [Map.String] of the map in the file.
func (v *View[F]) String() string { return v.t.describe("View") }
