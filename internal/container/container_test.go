package container

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest/internal/errs"
)

// image returns a file with all sorts of parts, larger than a first step.
func image(n int) Image {
	words := make([]uint64, n)
	for i := range words {
		words[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	return Image{Header{Type: DLeft, Len: 3, Hash: "xxh64:0"},
		[]Part{{Bytes: []byte("seven..")}, {Zeros: 57}, {Words: words}}}
}

// TestSource_ReadsWhatImageWrote reads by every kind of reader.
func TestSource_ReadsWhatImageWrote(t *testing.T) {
	for _, n := range []int{0, 3, firstStep} {
		m := image(n)
		b, err := m.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		fromBytes, err := FromBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		fromLen, _, err1 := FromReader(bytes.NewReader(b))
		fromStream, _, err2 := FromReader(iotest.HalfReader(bytes.NewReader(b)))
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Source{fromBytes, fromLen, fromStream} {
			text, err1 := s.Bytes(7)
			gap, err2 := s.Bytes(57)
			words, err3 := s.Words(n)
			if err := errors.Join(err1, err2, CheckGap(gap, 0), err3, s.Finish()); err != nil || s.taken != int64(len(b)) {
				t.Fatalf("%d words, %d bytes of %d: %v", n, s.taken, len(b), err)
			}
			if string(text) != "seven.." || !slices.Equal(words, m.Parts[2].Words) {
				t.Error("other bytes than were written")
			}
		}
	}
}

func TestSource_TableMustBeTakenWhole(t *testing.T) {
	m := image(2)
	b, err := m.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := FromBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Bytes(81); !errors.Is(err, errs.Corrupt) {
		t.Errorf("more than there is: %v", err)
	}
	if err := s.Finish(); !errors.Is(err, errs.Corrupt) {
		t.Errorf("less than there is: %v", err)
	}
}

// full is a writer with room for some bytes.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	n := min(len(b), f.room)
	f.room -= n
	if n < len(b) {
		return n, io.ErrClosedPipe
	}
	return n, nil
}

func TestImage_WriteErrors(t *testing.T) {
	m := image(5)
	b, err := m.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	for room := range b {
		if n, err := m.WriteTo(&full{room}); n != int64(room) || !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("room for %d: %d, %v", room, n, err)
		}
	}
	m.Hash = strings.Repeat("x", MaxRecipe+1)
	if _, err := m.Append(nil); !errors.Is(err, errs.Config) {
		t.Errorf("a long recipe: %v", err)
	}
}

// TestSource_ReadErrorsAreTheReaders passes on what a reader says.
func TestSource_ReadErrorsAreTheReaders(t *testing.T) {
	m := image(5)
	b, err := m.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range b {
		_, err := DecodeFrom("x", io.MultiReader(bytes.NewReader(b[:n]), iotest.ErrReader(io.ErrClosedPipe)),
			func(s *Source) error {
				if _, err := s.Bytes(int(s.TableBytes)); err != nil {
					return err
				}
				return s.Finish()
			})
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
