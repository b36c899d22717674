package logstore

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
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
	s, _ := created(t)
	for name, b := range map[string][]byte{
		"empty": nil, "one": []byte("no end"), "ends": []byte("\n\n\n"), "text": text(lines), "small": text(100),
		"crlf": []byte("a\r\nb\r\n\x00c"), "wide": bytes.Repeat([]byte("x"), 3*maxChunk+5), "exact": bytes.Repeat([]byte("y"),
			maxChunk),
	} {
		if first := must(s.Import(name, bytes.NewReader(b)))(t); first.Bytes != int64(len(b)) {
			t.Fatalf("%s: %+v", name, first)
		}
		before := s.Stats()
		again, err := s.Import(name, iotest.OneByteReader(bytes.NewReader(b[:min(len(b), 1<<20)])))
		if len(b) <= 1<<20 && (err != nil || again.Stored != 0 || s.Stats().LogBytes != before.LogBytes) {
			t.Errorf("%s, again: %+v, %v; %d bytes more", name, again, err, s.Stats().LogBytes-before.LogBytes)
		}
		imports(t, s, name, bytes.NewReader(b))
		var out bytes.Buffer
		if err := s.Export(name, &out); err != nil || !bytes.Equal(out.Bytes(), b) {
			t.Errorf("%s: %d bytes of %d, %v", name, out.Len(), len(b), err)
		}
	}
	names, err := s.Names()
	if slices.Sort(names); err != nil || strings.Join(names, " ") != "crlf empty ends exact one small text wide" {
		t.Errorf("%q, %v", names, err)
	}
	is(t, "no file", s.Export("none", io.Discard), ErrNotFound)
	of := sha1.Sum([]byte("no end"))
	chunk := append([]byte(chunkKey), of[:]...)
	check(t, errors.Join(s.Compact(), s.Delete(chunk)))
	is(t, "a chunk is missing", s.Export("one", io.Discard), ErrCorrupt)
	check(t, s.Put(chunk, []byte("other")))
	is(t, "two chunks of one SHA-1", errOf(s.Import("one", strings.NewReader("no end"))), ErrCorrupt)
	is(t, "a reader that fails", errOf(s.Import("bad", iotest.ErrReader(io.ErrClosedPipe))), io.ErrClosedPipe)
	check(t, s.Close())
}

// TestImport_IsAllOrNothing has one operation of the file system after the other fail, in an import in place of an
// older one and in one of a new name: after an error the name is what it was, at once and for who opens the store
// again.
func TestImport_IsAllOrNothing(t *testing.T) {
	was, now := text(30), text(300)
	for _, syncs := range []bool{false, true} {
		for _, lasting := range []int{1, 1 << 30} {
			for fault, fails := 0, 1; fails > 0; fault++ {
				d := newFaulty(t)
				s := d.store(t, tiny)
				imports(t, s, "old", bytes.NewReader(was))
				exports := func(name string, want []byte) {
					t.Helper()
					var out bytes.Buffer
					err := s.Export(name, &out)
					if want == nil && errors.Is(err, ErrNotFound) || want != nil && err == nil && bytes.Equal(out.Bytes(), want) {
						return
					}
					t.Fatalf("fault %d+%d, syncs %v: %q has %d bytes, want %d; %v", fault, lasting, syncs, name, out.Len(), len(want),
						err)
				}
				fails = 0
				for name, before := range map[string][]byte{"old": was, "new": nil} {
					d.from, d.syncs = d.ops+fault, syncs
					d.to = d.from + lasting
					want := now
					if _, err := s.Import(name, bytes.NewReader(now)); err != nil {
						want, fails = before, fails+1
					}
					lost := s.dir.lost != nil && lasting > 1 // the disk neither synced the record nor took it back
					d.from, d.to = 0, 0
					exports(name, want)
					s.log.file.Close()
					s = d.store(t, tiny)
					if !lost {
						exports(name, want)
					}
					check(t, s.Check())
				}
				if s.log.file.Close(); fails == 0 && fault < 5 {
					t.Errorf("%d operations", fault)
				}
			}
		}
	}
}

// TestExport_WritesNoMoreThanItSays of a store that somebody made by hand: lists name nothing, or more than there is.
func TestExport_WritesNoMoreThanItSays(t *testing.T) {
	s, _ := created(t)
	put := func(prefix string, of byte, value []byte) []byte {
		sum := bytes.Repeat([]byte{of}, sha1.Size)
		check(t, s.Put(append([]byte(prefix), sum...), value))
		return sum
	}
	chunk, nothing := put(chunkKey, 1, []byte("chunk\n")), put(chunkKey, 2, nil)
	twice, none := put(listKey, 5, append(chunk, chunk...)), make([]byte, sha1.Size)
	for _, c := range []struct {
		name  string
		size  uint64
		lists []byte
		right bool
	}{
		{"right", 12, twice, true}, {"no list", 5, nil, false}, {"no file", 0, nil, true},
		{"a list of half a sum", 1 << 62, put(listKey, 8, make([]byte, 21)), false}, {"half a list", 12, twice[:8], false},
		{"an empty chunk", listSums, put(listKey, 6, nothing), false}, {"an empty list", 6, put(listKey, 7, nil), false},
		{"one byte less", 11, twice, false}, {"one chunk", 6, twice, false}, {"one byte more", 13, twice, false},
		{"negative", 1<<64 - 1, twice, false}, {"missing", 6, none, false},
		{"missing chunk", 6, put(listKey, 9, none), false},
	} {
		check(t, s.Put([]byte(rootKey+c.name), append(binary.LittleEndian.AppendUint64(nil, c.size), c.lists...)))
		var out bytes.Buffer
		err := s.Export(c.name, &out)
		if c.right != (err == nil) || !c.right && !errors.Is(err, ErrCorrupt) || uint64(out.Len()) > c.size {
			t.Errorf("%s: %d bytes of %d, %v", c.name, out.Len(), c.size, err)
		}
	}
	check(t, s.Put([]byte(rootKey+"short"), nil))
	is(t, "a short root", s.Export("short", io.Discard), ErrCorrupt)
	crash(s)
}

// TestExport_EndsWhenNobodyTakesIt: an error of the writer ends it, before all of the log is read.
func TestExport_EndsWhenNobodyTakesIt(t *testing.T) {
	s, _ := created(t)
	imports(t, s, "long", bytes.NewReader(bytes.Repeat([]byte("one line\n"), 1<<19)))
	before := s.Stats().Reads
	r, w := io.Pipe()
	r.Close()
	if err := s.Export("long", w); !errors.Is(err, io.ErrClosedPipe) || s.Stats().Reads-before > 1<<18 {
		t.Errorf("%v after %d reads", err, s.Stats().Reads-before)
	}
	crash(s)
}
