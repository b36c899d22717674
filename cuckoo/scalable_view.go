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
	s    Scalable[F] // its sub-filters have what queries need, and no more
	file container.View
}

// OpenScalableView returns a view of the filter in b, as [OpenView] does and with the same errors. It
// reads the header and the directory at the beginning of the table and checks their checksums. It does
// not read the tables of the sub-filters, so it takes some microseconds whatever
// their size. It allocates up to 1 KiB for each sub-filter, of which a file has 88 bytes at least.
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
	width, table := widthOf(&v.file.Header), v.file.Parts()
	shape, err := chainShapeIn(&v.file.Header, fingerprint.WidthOf[F](), Config{}, known)
	if err != nil {
		return err
	}
	c, err := chainIn(&v.file.Header, table, width, shape)
	if err != nil {
		return err
	}
	v.s.config, v.s.first, v.s.hash = c.config, c.first, hashing.NewDigester(c.config.Hash)
	v.s.levels = make([]level[F], len(c.rows))
	for n := range c.rows {
		data, err := c.tableIn(n, table)
		if err != nil {
			return err
		}
		r := &c.rows[n]
		sub, err := c.sub(r.buckets, width)
		if err != nil {
			return err
		}
		f := &Filter[F]{config: sub, len: int(r.len)}
		f.engine = kick.Engine{Table: sub.tableOver(width, data), Scheme: kick.NewScheme(XOR.rule(), r.buckets)}
		v.s.levels[n] = levelOf(f)
	}
	v.s.config.MaxBytes = 0 // which is about making a filter
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

// SubFilters is [Scalable.SubFilters].
func (v *ScalableView[F]) SubFilters() int { return v.s.SubFilters() }

// LoadFactor is [Scalable.LoadFactor].
func (v *ScalableView[F]) LoadFactor() float64 { return v.s.LoadFactor() }

// SizeBytes is [Scalable.SizeBytes].
func (v *ScalableView[F]) SizeBytes() int { return v.s.SizeBytes() }

// FalsePositiveRate is [Scalable.FalsePositiveRate].
func (v *ScalableView[F]) FalsePositiveRate() float64 { return v.s.FalsePositiveRate() }

// Config returns the configuration that the file says. Kick is nil where it is not built in.
func (v *ScalableView[F]) Config() ScalableConfig { return v.s.config }
