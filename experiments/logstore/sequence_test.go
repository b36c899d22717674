package logstore

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest/hashing"
)

// text returns lines, of which some repeat.
func text(lines int) []byte {
	var b []byte
	for n := range uint64(lines) {
		b = fmt.Appendf(b, "line %d of %x\n", n%uint64(lines/3+1), hashing.Mix64(n%uint64(lines/3+1)))
	}
	return b
}

// TestImport_ExportsEqualBytes of texts and of bytes without lines, and takes no more room the second time.
func TestImport_ExportsEqualBytes(t *testing.T) {
	lines := 6000
	if *full {
		lines = 4_000_000
	}
	s := must(t, t.TempDir(), Options{Create: true})
	for name, b := range map[string][]byte{
		"empty": nil, "one": []byte("no end"), "ends": []byte("\n\n\n"), "text": text(lines), "small": text(100),
		"crlf": []byte("a\r\nb\r\n\x00c"), "wide": bytes.Repeat([]byte("x"), 3*maxChunk+5), "exact": bytes.Repeat([]byte("y"), maxChunk),
	} {
		first, err := s.Import(name, bytes.NewReader(b))
		if err != nil || first.Bytes != int64(len(b)) {
			t.Fatalf("%s: %+v, %v", name, first, err)
		}
		before := s.Stats()
		again, err := s.Import(name, iotest.OneByteReader(bytes.NewReader(b[:min(len(b), 1<<20)])))
		if len(b) <= 1<<20 && (err != nil || again.Stored != 0 || s.Stats().LogBytes != before.LogBytes) {
			t.Errorf("%s, again: %+v, %v; %d bytes more", name, again, err, s.Stats().LogBytes-before.LogBytes)
		}
		if _, err := s.Import(name, bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := s.Export(name, &out); err != nil || !bytes.Equal(out.Bytes(), b) {
			t.Errorf("%s: %d bytes of %d, %v", name, out.Len(), len(b), err)
		}
	}
	names, err := s.Names()
	if slices.Sort(names); err != nil || strings.Join(names, " ") != "crlf empty ends exact one small text wide" {
		t.Errorf("%q, %v", names, err)
	}
	if err := s.Export("none", io.Discard); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	of := sha1.Sum([]byte("no end"))
	chunk := append([]byte(chunkKey), of[:]...)
	if err := errors.Join(s.Compact(), s.Delete(chunk)); err != nil {
		t.Fatal(err)
	}
	if err := s.Export("one", io.Discard); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a chunk is missing: %v", err)
	}
	if err := s.Put(chunk, []byte("other")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Import("one", strings.NewReader("no end")); !errors.Is(err, ErrCorrupt) {
		t.Errorf("two chunks of one SHA-1: %v", err)
	}
	if _, err := s.Import("bad", iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Names(); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}
