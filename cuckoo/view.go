package cuckoo

import (
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/kick"
)

// View answers queries from the bytes of a filter's file, where they are: in a mapped file, or an embedded asset. It
// copies nothing and cannot change the filter. Make one with [OpenView]. It answers as the [Filter] does, by the same
// methods; Len is as the file says it, and Config has no Kick where the policy is not built in.
//
// Any number of goroutines may query a View at once. Its bytes must stay as they are while it is used. If they change,
// the answers change. If a file that was mapped is made shorter, the next query of the missing part ends the program
// with a fault (SIGBUS).
type View[F fingerprint.Width] struct {
	reader[F]
	viewed
}

// OpenView returns a view of the filter in b. Hashers are found as [Decode] finds them, and the kick policy may be any.
// It checks the header, and that b has the length that the header says. It does not read the table, so it takes about a
// microsecond whatever the size: [View.VerifyChecksum] checks the table. No table, however damaged, makes a query
// panic; a damaged one gives wrong answers. The errors are those of [Filter.UnmarshalBinary].
func OpenView[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*View[F], error) {
	return container.Opened(pkg, b, known, func(v *View[F], file *container.View) (err error) {
		if v.config, err = configIn(&file.Header, fingerprint.WidthOf[F](), Config{}); err != nil {
			return err
		}
		c := &v.config
		v.file, v.len, v.hash = *file, int(file.Len), hashing.NewDigester(c.Hash)
		v.engine = kick.Engine{Table: c.tableOver(file.Table), Scheme: c.scheme()}
		v.measure(&v.engine.Table)
		return nil
	})
}

// ScalableView answers queries from the bytes of a [Scalable]'s file, where they are, as [View] does from those of a
// [Filter]. Make one with [OpenScalableView].
type ScalableView[F fingerprint.Width] struct {
	scalableReader[F]
	viewed
}

// OpenScalableView returns a view of the filter in b, as [OpenView] does and with the same errors. It reads the header
// and the directory at the beginning of the table, and not the table, so it takes some microseconds whatever the size.
func OpenScalableView[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*ScalableView[F], error) {
	return container.Opened(pkg, b, known, func(v *ScalableView[F], file *container.View) error {
		parts := file.Parts()
		g, err := storedIn(&file.Header, parts, fingerprint.WidthOf[F](), Config{})
		if err != nil {
			return err
		}
		size, _ := g.table.size(uint64(g.table.Buckets))
		data, err := parts.Bytes(size)
		if err != nil {
			return err
		}
		v.over(g.config, g.table.tableOver(data))
		v.file, v.len, v.extra, v.extraHits = *file, g.keys, g.entries-g.keys, g.extraHits
		return nil
	})
}
