package filterfile

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// maxKeyFile is the longest file of a key that is read: 32 digits and white space about them.
const maxKeyFile = 64

// errKey says what the file of a key holds. It shows nothing of what it does hold.
var errKey = errors.New("want a SipHash key: 16 bytes, or 32 hexadecimal digits and white space about them")

// ReadKey reads the secret key of a SipHash: 16 bytes as they are, or their 32 hexadecimal digits with white
// space about them. The error shows nothing of what was read but its length.
func ReadKey(r io.Reader) (key [16]byte, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxKeyFile+1))
	if err != nil {
		return key, err
	}
	if len(data) == len(key) {
		return [16]byte(data), nil
	}
	digits := bytes.TrimSpace(data)
	if len(data) > maxKeyFile || len(digits) != hex.EncodedLen(len(key)) {
		return key, fmt.Errorf("%w; it has %d bytes or more", errKey, len(data))
	}
	if _, err := hex.Decode(key[:], digits); err != nil {
		return [16]byte{}, fmt.Errorf("%w; of its 32 characters some are no digits", errKey)
	}
	return key, nil
}
