package cuckoo

import (
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/kick"
)

// View answers queries from the bytes of a filter's file, where they are: in a mapped file, or an
// embedded asset. It copies nothing and cannot change the filter. Make one with [OpenView].
//
// Any number of goroutines may query a View at once. Its bytes must stay as they are while it is used.
// If they change, the answers change. If a file that was mapped is made shorter, the next query of the
// missing part ends the program with a fault (SIGBUS).
type View[F fingerprint.Width] struct {
	f    Filter[F] // its engine has a table and a scheme, which is what queries need, and no more
	file container.View
}

// OpenView returns a view of the filter in b. Hashers that are not built in, or that hold a secret, are
// found by their recipe among known. So is hashing.DigestsOnly, under which key verbs panic: a file
// alone does not bring it in. The kick policy may be any.
//
// It checks the header, and that b has the length that the header says. It does not read the table, so
// it takes about a microsecond whatever the size: [View.VerifyChecksum] checks the table. No table,
// however damaged, makes a query panic; a damaged one gives wrong answers. The errors are those of
// [Filter.UnmarshalBinary].
func OpenView[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*View[F], error) {
	v := new(View[F])
	opened, err := container.NewView(b)
	if err == nil {
		v.f.config, err = configIn(&opened.Header, fingerprint.WidthOf[F](), Config{}, known)
	}
	if err != nil {
		return nil, file.Wrap(err)
	}
	c, width := &v.f.config, widthOf(&opened.Header)
	v.file, v.f.len, v.f.hash = opened, int(opened.Len), hashing.NewDigester(c.Hash)
	v.f.engine = kick.Engine{
		Table:  c.tableOver(width, opened.Table),
		Scheme: c.scheme(),
	}
	return v, nil
}

// VerifyChecksum reads the whole table and returns [ErrCorrupt] if its checksum is not the one in the
// file.
func (v *View[F]) VerifyChecksum() error { return file.Wrap(v.file.VerifyChecksum()) }

// Contains is [View.ContainsHash] of the key's digest.
func (v *View[F]) Contains(key []byte) bool { return v.f.ContainsHash(v.f.hash.Sum64(key)) }

// ContainsString is [View.ContainsHash] of the key's digest.
func (v *View[F]) ContainsString(key string) bool {
	return v.f.ContainsHash(v.f.hash.Sum64String(key))
}

// ContainsHash is [Filter.ContainsHash].
func (v *View[F]) ContainsHash(h uint64) bool { return v.f.ContainsHash(h) }

// ContainsHashes is [Filter.ContainsHashes].
func (v *View[F]) ContainsHashes(hs []uint64, dst []bool) { v.f.ContainsHashes(hs, dst) }

// Count is [View.CountHash] of the key's digest.
func (v *View[F]) Count(key []byte) int { return v.f.CountHash(v.f.hash.Sum64(key)) }

// CountString is [View.CountHash] of the key's digest.
func (v *View[F]) CountString(key string) int { return v.f.CountHash(v.f.hash.Sum64String(key)) }

// CountHash is [Filter.CountHash].
func (v *View[F]) CountHash(h uint64) int { return v.f.CountHash(h) }

// Len returns the number of fingerprints stored, as the file says it.
func (v *View[F]) Len() int { return v.f.len }

// Slots returns the number of slots of the table.
func (v *View[F]) Slots() int { return v.f.Slots() }

// LoadFactor returns the used slots as a share of all slots, from 0 to 1.
func (v *View[F]) LoadFactor() float64 { return v.f.LoadFactor() }

// Capacity is [Filter.Capacity]. Where Config().Kick is nil, it is that of a filter with a user's policy.
func (v *View[F]) Capacity() int { return v.f.Capacity() }

// SizeBytes returns the size of the table in bytes, with the 8 bytes of padding behind it.
func (v *View[F]) SizeBytes() int { return v.f.SizeBytes() }

// FalsePositiveRate is [Filter.FalsePositiveRate].
func (v *View[F]) FalsePositiveRate() float64 { return v.f.FalsePositiveRate() }

// Config returns the configuration that the file says. Kick is nil where it is not built in.
func (v *View[F]) Config() Config { return v.f.config }
