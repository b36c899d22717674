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
// Any number of goroutines may query a View at once. Its bytes must stay as they are while it is used.
// If they change, the answers change. If a file that was mapped is made shorter, the next query of the
// missing part ends the program with a fault (SIGBUS).
type View[F fingerprint.Width] struct {
	reader[F]
	viewed
}

// OpenView returns a view of the filter in b. Hashers that are not built in, or that hold a secret, are
// found by their recipe among known. So is hashing.DigestsOnly, under which key verbs panic: a file
// alone does not bring it in. The kick policy may be any.
//
// It checks the header, and that b has the length that the header says. It does not read the table, so it takes about a
// microsecond whatever the size: [View.VerifyChecksum] checks the table. No table, however damaged, makes a query
// panic; a damaged one gives wrong answers. The errors are those of [Filter.UnmarshalBinary].
func OpenView[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*View[F], error) {
	v := new(View[F])
	opened, err := container.NewView(b, known...)
	if err == nil {
		v.config, err = configIn(&opened.Header, fingerprint.WidthOf[F](), Config{})
	}
	if err != nil {
		return nil, file.Wrap(err)
	}
	c := &v.config
	v.file, v.len, v.hash = opened, int(opened.Len), hashing.NewDigester(c.Hash)
	v.engine = kick.Engine{
		Table:  c.tableOver(opened.Table),
		Scheme: c.scheme(),
	}
	v.measure(&v.engine.Table)
	return v, nil
}
