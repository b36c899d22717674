package cuckoo

import (
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// ScalableView answers queries from the bytes of a [Scalable]'s file, where they are, as [View] does from those of a
// [Filter]. Make one with [OpenScalableView].
type ScalableView[F fingerprint.Width] struct {
	scalableReader[F]
	viewed
}

// OpenScalableView returns a view of the filter in b, as [OpenView] does and with the same errors. It reads the header
// and the directory at the beginning of the table, and not the table, so it takes some microseconds whatever the size.
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
	parts := v.file.Parts()
	g, err := storedIn(&v.file.Header, parts, fingerprint.WidthOf[F](), Config{})
	if err != nil {
		return err
	}
	size, _ := g.table.size(uint64(g.table.Buckets))
	data, err := parts.Bytes(size)
	if err != nil {
		return err
	}
	v.over(g.config, g.table.tableOver(data))
	v.len, v.extra, v.extraHits = g.keys, g.entries-g.keys, g.extraHits
	return nil
}
