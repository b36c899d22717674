// Package keyfile reads the keys that a user wants filters to be tried on: a text file with one key a
// line.
//
// A key is the bytes of its line, whatever they are: spaces, NUL and bytes that are no UTF-8
// belong to it. What ends a line does not: a line feed, and a carriage return right before it.
// A UTF-8 byte order mark at the start of the file is dropped. The last line needs no line feed.
// Blank lines are skipped and repeated keys dropped; a [Set] counts all of these.
package keyfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// MaxLine is the longest key in bytes, 64 MiB. It is there to stop at a file that is no list of keys
// before it fills the memory.
const MaxLine = 64 << 20

// Stdin is the file name that stands for standard input.
const Stdin = "-"

var (
	// ErrNoKeys reports a file without a single key.
	ErrNoKeys = errors.New("no keys")
	// ErrLineTooLong reports a line of more than MaxLine bytes.
	ErrLineTooLong = errors.New("line too long")
)

// A Set holds the distinct keys of one file. The text of each key is in memory once.
type Set struct {
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
func (s *Set) Contains(key string) bool {
	_, ok := s.index[key]
	return ok
}

// KeyBytes returns the total length of the distinct keys in bytes.
func (s *Set) KeyBytes() int {
	n := 0
	for _, k := range s.Keys {
		n += len(k)
	}
	return n
}

// String describes the set in one line: how many keys, and which lines were changed or dropped.
func (s *Set) String() string {
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

// Reason returns the cause inside the path error of a file, for errors that bear the name of the file
// already; other errors it returns as they are.
func Reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// bom is the UTF-8 form of the byte order mark.
const bom = "\xef\xbb\xbf"

// Parse reads keys of up to maxLine bytes. The error bears the name, and the line if there is one to name: r cannot be
// read, [ErrNoKeys], [ErrLineTooLong]. It needs memory for the distinct keys and about 60 bytes more for each.
func Parse(r io.Reader, name string, maxLine int) (*Set, error) {
	s := &Set{Name: name, index: map[string]struct{}{}}
	input := bufio.NewReader(r)
	if start, _ := input.Peek(len(bom)); string(start) == bom {
		s.BOM = true
		input.Discard(len(bom)) // was just peeked
	}
	lines := bufio.NewScanner(input)
	lines.Buffer(make([]byte, min(1<<16, maxLine+1)), maxLine+1) // a line feed is not counted, a carriage return is
	lines.Split(wholeLines)
	for lines.Scan() {
		if lines.Err() != nil && !bytes.HasSuffix(lines.Bytes(), []byte{'\n'}) {
			break // a line of which the rest could not be read
		}
		s.Lines++
		s.add(lines.Bytes())
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("%w: more than %d bytes", ErrLineTooLong, maxLine)
	}
	if err != nil {
		return nil, fmt.Errorf("keyfile: %s:%d: %w", name, s.Lines+1, Reason(err))
	}
	if len(s.Keys) > 0 {
		return s, nil
	}
	if s.Lines > 0 {
		return nil, fmt.Errorf("keyfile: %s: %w: all of its lines are blank (%d)", name, ErrNoKeys, s.Lines)
	}
	return nil, fmt.Errorf("keyfile: %s: %w: it is empty", name, ErrNoKeys)
}

// add takes the key of a line, which has its line feed but at the end of the file.
func (s *Set) add(line []byte) {
	if rest, ended := bytes.CutSuffix(line, []byte{'\n'}); ended {
		line = rest
		if rest, found := bytes.CutSuffix(line, []byte{'\r'}); found {
			line = rest
			s.CRLF++
		}
	}
	if len(line) == 0 {
		s.Blank++
		return
	}
	if _, ok := s.index[string(line)]; ok {
		s.Duplicates++
		return
	}
	key := string(line)
	s.index[key] = struct{}{}
	s.Keys = append(s.Keys, key)
}

// wholeLines splits for a [bufio.Scanner], each line with its line feed: without it one could not tell what ended a line.
func wholeLines(data []byte, final bool) (advance int, token []byte, err error) {
	if end := bytes.IndexByte(data, '\n') + 1; end > 0 {
		return end, data[:end], nil
	}
	if !final || len(data) == 0 {
		return 0, nil, nil
	}
	return len(data), data, nil
}
