package bloom

import (
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// Decode returns the filter in b, as [Filter.UnmarshalBinary] does. Hashers that are not built in, or that hold
// a secret, are found by their recipe among known. So is hashing.DigestsOnly, under
// which verbs that take keys panic: it is used only if known has it.
func Decode(b []byte, known ...hashing.Hasher) (*Filter, error) {
	return container.Decoded(file, b, (*Filter).load, known)
}
