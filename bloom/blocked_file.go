package bloom

import "github.com/nestfilter/nest/hashing"

// DecodeBlocked returns the filter in b, as [Blocked.UnmarshalBinary] does. Hashers that are not built in, or that hold
// a secret, are found by their recipe among known. So are hashing.DigestsOnly and the families
// for integers, under which key verbs panic: a file alone does not bring them in.
func DecodeBlocked(b []byte, known ...hashing.Hasher) (*Blocked, error) {
	f := new(Blocked)
	if err := f.decode(b, known); err != nil {
		return nil, err
	}
	return f, nil
}
