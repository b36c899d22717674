package files

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/hashing"
)

// ErrNoKeys reports a file without a single key.
var ErrNoKeys = errors.New("no keys")

// A KeySet holds the distinct keys of one file. The text of each key is in memory once.
type KeySet struct {
	// Name is the file's name as it was given, or "standard input".
	Name string
	// Keys are the distinct keys in the order of their first lines. It has at least one.
	Keys []string
	// Lines is the number of lines of the file.
	Lines int
	// Blank is the number of lines that were skipped because nothing was on them.
	Blank int
	// Duplicates is the number of lines that were dropped because an earlier line was equal.
	Duplicates int
	// CRLF is the number of lines from whose end a carriage return was taken.
	CRLF int
	// BOM tells that the file began with a byte order mark.
	BOM bool

	index map[string]struct{}
}

// Contains tells whether key is in the set. It is exact.
func (s *KeySet) Contains(key string) bool {
	_, ok := s.index[key]
	return ok
}

// KeyBytes returns the total length of the distinct keys in bytes.
func (s *KeySet) KeyBytes() int {
	n := 0
	for _, k := range s.Keys {
		n += len(k)
	}
	return n
}

// String describes the set in one line: how many keys, and which lines were changed or dropped.
func (s *KeySet) String() string {
	var notes []string
	for _, c := range []struct {
		n    int
		what string
	}{{s.Duplicates, "duplicate"}, {s.Blank, "blank"}, {s.CRLF, "ending in CRLF"}} {
		if c.n > 0 {
			notes = append(notes, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if s.BOM {
		notes = append(notes, "byte order mark dropped")
	}
	text := fmt.Sprintf("%s: %d distinct keys in %d lines", s.Name, len(s.Keys), s.Lines)
	if notes != nil {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text
}

// bom is the UTF-8 form of the byte order mark.
const bom = "\xef\xbb\xbf"

// ParseKeys reads a text with one key of up to maxLine bytes a line. A key is the bytes of its line, but for a carriage
// return at its end. A UTF-8 byte order mark at the start is dropped. Blank lines are skipped and repeated keys
// dropped; the set counts all of these.
//
// The error bears the name, and the line if there is one to name: r cannot be read, [ErrNoKeys], [ErrLineTooLong]. It
// needs memory for the distinct keys and about 60 bytes more for each.
func ParseKeys(r io.Reader, name string, maxLine int) (*KeySet, error) {
	s := &KeySet{Name: name, index: map[string]struct{}{}}
	input := bufio.NewReader(r)
	if start, _ := input.Peek(len(bom)); string(start) == bom {
		s.BOM = true
		input.Discard(len(bom)) // was just peeked
	}
	c := newCutter(hashing.Digester{}, s.take, nil)
	c.limit(maxLine)
	err := c.each(input, name)
	switch {
	case err != nil:
		return nil, err
	case len(s.Keys) == 0:
		return nil, fmt.Errorf("%s: %w, but %d blank lines", name, ErrNoKeys, s.Lines)
	}
	return s, nil
}

// take keeps the keys of lines.
func (s *KeySet) take(b *batch) (int, error) {
	for i := range b.n {
		s.Lines++
		line := bytes.TrimSuffix(b.run(i, i+1), []byte{'\n'})
		line, found := bytes.CutSuffix(line, []byte{'\r'})
		if found {
			s.CRLF++
		}
		if len(line) == 0 {
			s.Blank++
			continue
		}
		if _, ok := s.index[string(line)]; ok {
			s.Duplicates++
			continue
		}
		key := string(line)
		s.index[key] = struct{}{}
		s.Keys = append(s.Keys, key)
	}
	return b.n, nil
}

// maxSecret is the longest file of a secret key that is read: 32 digits and white space about them.
const maxSecret = 64

// errSecret says what the file of a secret key holds. It shows nothing of what it does hold.
var errSecret = errors.New("want a SipHash key: 16 bytes, or 32 hexadecimal digits and white space about them")

// ReadSecret reads the secret key of a SipHash: 16 bytes as they are, or their 32 hexadecimal digits with white
// space about them. The error shows nothing of what was read but its length.
func ReadSecret(r io.Reader) (key [16]byte, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSecret+1))
	if err != nil {
		return key, err
	}
	if len(data) == len(key) {
		return [16]byte(data), nil
	}
	digits, err := hex.DecodeString(string(bytes.TrimSpace(data)))
	if err != nil || len(digits) != len(key) || len(data) > maxSecret {
		return key, fmt.Errorf("%w; it has %d bytes or more", errSecret, len(data))
	}
	return [16]byte(digits), nil
}

// errKeys reports a filter that has no keys of the form of a line.
var errKeys = errors.New("it cannot be asked for lines")

// checkHash tells whether lines can be hashed so.
func checkHash(h hashing.Hasher) error {
	switch {
	case h == hashing.DigestsOnly:
		return fmt.Errorf("%w: it holds digests that were made elsewhere (hash %s)", errKeys, h.Recipe())
	case integerhash.Is(h):
		return fmt.Errorf("%w: the hash family %s is for integers", errKeys, h.Name())
	}
	return nil
}
