package container

import (
	"github.com/cespare/xxhash/v2"
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
func NewView(b []byte) (View, error) {
	h, seed, err := parseHeader(b)
	if err == nil {
		err = h.checkLength(uint64(len(b)))
	}
	if err != nil {
		return View{}, err
	}
	from, to := h.Size(), len(b)-sumBytes
	return View{Header: h, Table: b[from:to:to], seed: seed, bytes: b}, nil
}

// VerifyChecksum reads the table and compares its checksum with the one in the file.
func (v *View) VerifyChecksum() error {
	sum := xxhash.NewWithSeed(v.seed)
	sum.Write(v.Table)
	end := len(v.bytes) - sumBytes
	return checkSum(v.bytes[end:], sum.Sum64(), uint64(end))
}
