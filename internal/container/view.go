package container

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// A View is a file whose table stays where it is.
type View struct {
	Header
	// Table is the table's bytes, with the checksum and nothing else behind them.
	Table []byte

	seed  uint64
	bytes []byte
}

// NewView reads the header of b and checks that b is as long as it says, no more and no less. It does not
// look at the table: [View.VerifyChecksum] does.
func NewView(b []byte, known ...hashing.Hasher) (View, error) {
	h, seed, err := parseHeader(b)
	if err != nil {
		return View{}, err
	}
	switch have, want := uint64(len(b)), h.FileBytes(); {
	case have < want:
		return View{}, tooShort(have, "the filter", want)
	case have > want:
		return View{}, Corrupt(want, "%d bytes follow the filter", have-want)
	}
	h.known = known
	from, to := h.Size(), len(b)-sumBytes
	return View{Header: h, Table: b[from:to:to], seed: seed, bytes: b}, nil
}

// VerifyChecksum reads the table and compares its checksum with the one in the file.
func (v *View) VerifyChecksum() error {
	sum := xxhash.NewWithSeed(v.seed)
	sum.Write(v.Table)
	end := len(v.bytes) - sumBytes
	if end < 0 {
		return fmt.Errorf("%w: a view that was not opened", errs.Config)
	}
	return checkSum(v.bytes[end:], sum.Sum64(), uint64(end))
}

// Parts takes the table of a [View] part by part, in order, as a [Source] does, but copies nothing.
type Parts struct {
	view *View
	at   int
}

// Parts returns what takes the table from its beginning.
func (v *View) Parts() *Parts { return &Parts{view: v} }

// Bytes takes the next n bytes of the table. They are the file's.
func (p *Parts) Bytes(n int) ([]byte, error) {
	if n > len(p.view.Table)-p.at {
		return nil, tooFew(p.view.TableBytes)
	}
	from := p.at
	p.at += n
	return p.view.Table[from:p.at:p.at], nil
}
