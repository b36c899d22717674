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
	scalableReader[F]
	viewed
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
	if v.file, err = container.NewView(b, known...); err != nil {
		return err
	}
	shape, err := storedShapeIn(&v.file.Header, fingerprint.WidthOf[F](), Config{})
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
	s := &v.scalableReader
	s.config, s.shape, s.hash = g.config, g.config.shared(), hashing.NewDigester(g.config.Hash)
	s.tail, s.begin = uint8(tailBits(g.config.width())), uint8(g.config.begin())
	s.len, s.extra, s.excess = g.keys, g.entries-g.keys, g.excess
	s.engine = kick.Engine{Table: g.tableOver(data)}
	s.place = sidesOf(s.engine.Table.Buckets())
	s.measure(&s.engine.Table)
	return nil
}
