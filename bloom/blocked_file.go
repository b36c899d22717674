package bloom

import (
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// DecodeBlocked returns the filter in b, as [Blocked.UnmarshalBinary] does. Hashers that are not built in, or that hold
// a secret, are found by their recipe among known. So is hashing.DigestsOnly, under
// which verbs that take keys panic: it is used only if known has it.
func DecodeBlocked(b []byte, known ...hashing.Hasher) (*Blocked, error) {
	return container.Decoded(file, b, (*Blocked).load, known)
}
