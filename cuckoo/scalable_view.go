package cuckoo

import (
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/kick"
)

// ScalableView answers queries from the bytes of a [Scalable]'s file, where they are. It is to a
// Scalable what [View] is to a [Filter]: what is said there of goroutines and of bytes that change
// holds here too. Make one with [OpenScalableView].
type ScalableView[F fingerprint.Width] struct {
	s    Scalable[F] // it has what queries need, and no more
	file container.View
}

// OpenScalableView returns a view of the filter in b, as [OpenView] does and with the same errors. It
// reads the header and the directory at the beginning of the table and checks their checksums. It does
// not read the table, so it takes some microseconds whatever the size.
func OpenScalableView[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*ScalableView[F], error) {
	v := new(ScalableView[F])
	err := v.open(b, known)
	if err != nil {
		return nil, file.Wrap(err)
	}
	return v, nil
}

// open makes v a view of the filter in b.
func (v *ScalableView[F]) open(b []byte, known []hashing.Hasher) (err error) {
	if v.file, err = container.NewView(b); err != nil {
		return err
	}
	shape, err := storedShapeIn(&v.file.Header, fingerprint.WidthOf[F](), Config{}, known)
	if err != nil {
		return err
	}
	parts := v.file.Parts()
	g, err := storedIn(&v.file.Header, parts, shape)
	if err != nil {
		return err
	}
	data, err := parts.Bytes(g.size)
	if err != nil {
		return err
	}
	s := &v.s
	s.config, s.shape, s.hash = g.config, g.config.shared(), hashing.NewDigester(g.config.Hash)
	s.tail, s.begin = uint8(tailBits(g.width)), uint8(g.begin)
	s.len, s.ghosts, s.excess = g.keys, g.entries-g.keys, g.excess
	s.engine = kick.Engine{Table: g.tableOver(data)}
	s.place = sidesOf(s.engine.Table.Buckets())
	return nil
}

// VerifyChecksum is [View.VerifyChecksum].
func (v *ScalableView[F]) VerifyChecksum() error { return file.Wrap(v.file.VerifyChecksum()) }

// Contains is [ScalableView.ContainsHash] of the key's digest.
func (v *ScalableView[F]) Contains(key []byte) bool { return v.s.ContainsHash(v.s.hash.Sum64(key)) }

// ContainsString is [ScalableView.ContainsHash] of the key's digest.
func (v *ScalableView[F]) ContainsString(key string) bool {
	return v.s.ContainsHash(v.s.hash.Sum64String(key))
}

// ContainsHash is [Scalable.ContainsHash].
func (v *ScalableView[F]) ContainsHash(h uint64) bool { return v.s.ContainsHash(h) }

// ContainsHashes is [Scalable.ContainsHashes].
func (v *ScalableView[F]) ContainsHashes(hs []uint64, dst []bool) { v.s.ContainsHashes(hs, dst) }

// Count is [ScalableView.CountHash] of the key's digest.
func (v *ScalableView[F]) Count(key []byte) int { return v.s.CountHash(v.s.hash.Sum64(key)) }

// CountString is [ScalableView.CountHash] of the key's digest.
func (v *ScalableView[F]) CountString(key string) int {
	return v.s.CountHash(v.s.hash.Sum64String(key))
}

// CountHash is [Scalable.CountHash].
func (v *ScalableView[F]) CountHash(h uint64) int { return v.s.CountHash(h) }

// Len is [Scalable.Len], as the file says it.
func (v *ScalableView[F]) Len() int { return v.s.Len() }

// Slots is [Scalable.Slots].
func (v *ScalableView[F]) Slots() int { return v.s.Slots() }

// Doublings is [Scalable.Doublings].
func (v *ScalableView[F]) Doublings() int { return v.s.Doublings() }

// LoadFactor is [Scalable.LoadFactor], as the file says it.
func (v *ScalableView[F]) LoadFactor() float64 { return v.s.LoadFactor() }

// SizeBytes is [Scalable.SizeBytes].
func (v *ScalableView[F]) SizeBytes() int { return v.s.SizeBytes() }

// FalsePositiveRate is [Scalable.FalsePositiveRate], as the file says how long the tails are.
func (v *ScalableView[F]) FalsePositiveRate() float64 { return v.s.FalsePositiveRate() }

// Config returns the configuration that the file says. Kick is nil where it is not built in.
func (v *ScalableView[F]) Config() ScalableConfig { return v.s.config }
