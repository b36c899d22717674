package bloom

import (
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// DecodeSplitBlock returns the filter in b, as [SplitBlock.UnmarshalBinary] does. Hashers that are not built in, or that hold
// a secret, are found by their recipe among known. So is hashing.DigestsOnly, under
// which verbs that take keys panic: it is used only if known has it.
func DecodeSplitBlock(b []byte, known ...hashing.Hasher) (*SplitBlock, error) {
	return container.Decoded(file, b, (*SplitBlock).load, known)
}
