package logstore

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

// TestOpen_SyncsWhatItFinds: records that a killed process had written, and nobody synced, survive a Sync or a Close of
// the next process, though neither has anything to write.
func TestOpen_SyncsWhatItFinds(t *testing.T) {
	for _, end := range []func(*Store) error{(*Store).Sync, (*Store).Close} {
		for seed := range uint64(4) {
			d := newFaulty(t)
			s := must.Get(openIn(d, Options{Create: true}))(t)
			must.Do(t, errors.Join(s.Put([]byte("key"), []byte("value")), s.log.flush()))
			s.log.file.Close()
			s = must.Get(openIn(d, Options{}))(t)
			must.Do(t, end(s))
			s.log.file.Close()
			d.lose(t, rand.New(rand.NewPCG(seed, 1)))
			s = must.Get(Open(string(d.osFiles), Options{}))(t)
			has(t, s, "key", "value")
			crash(s)
		}
	}
}

// TestOpen_MakesAStoreAfterAFailure of any operation while it was made the first time.
func TestOpen_MakesAStoreAfterAFailure(t *testing.T) {
	for from := 0; ; from++ {
		d := newFaulty(t)
		d.from, d.to, d.syncs = from, from+1, true
		_, err := openIn(d, Options{Create: true})
		if err == nil {
			if from < 5 {
				t.Errorf("%d operations", from)
			}
			return
		}
		must.Do(t, onlyOurs(d.osFiles))
		s := must.Get(openIn(d, Options{Create: true}))(t)
		must.Do(t, errors.Join(s.Put([]byte("key"), nil), s.Close()))
	}
}

// TestOpen_KeepsFilesOfOthers that have the name of a log, and logs without their index.
func TestOpen_KeepsFilesOfOthers(t *testing.T) {
	_, _, log := closed(t, nil, "key")
	for _, b := range [][]byte{[]byte("a letter"), bytes.Repeat([]byte("a letter "), 99), log} {
		dir := t.TempDir()
		name := filepath.Join(dir, logName)
		must.Do(t, os.WriteFile(name, b, 0o600))
		is(t, string(b[:8]), errOf(Open(dir, Options{Create: true})), ErrNoStore)
		if !bytes.Equal(must.Get(os.ReadFile(name))(t), b) {
			t.Errorf("%.20q was written over", b)
		}
	}
}

// TestOpen_MakesFoldersThatSurvive: the folder above each one that it makes is synced.
func TestOpen_MakesFoldersThatSurvive(t *testing.T) {
	root := t.TempDir()
	var synced []string
	note := func(dir string) error { synced = append(synced, dir); return nil }
	deep := filepath.Join(root, "a", "b", "c")
	must.Do(t, errors.Join(makeFolder(deep, note), makeFolder(deep, note))) // the second time nothing is made
	slices.Sort(synced)
	if want := []string{root, filepath.Join(root, "a"), filepath.Join(root, "a", "b")}; !slices.Equal(synced, want) {
		t.Errorf("%q, want %q", synced, want)
	}
	file := filepath.Join(root, "file")
	os.WriteFile(file, nil, 0o600)
	if err := makeFolder(filepath.Join(file, "x"), note); err == nil {
		t.Error("a folder in a file")
	}
}

// TestOpen_EndsWhereNoFolderCanBeMade: without a name, in a folder that was removed, and where the system takes none.
func TestOpen_EndsWhereNoFolderCanBeMade(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	must.Do(t, os.Mkdir(gone, 0o777))
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Skip(err) // as on Windows
	}
	for _, dir := range []string{"", "store", "a/b/c", ".", "/proc/store", "/proc/a/b"} {
		err := errOf(Open(dir, Options{Create: true}))
		if err == nil || !strings.Contains(err.Error(), strings.Split(dir, "/b")[0]) {
			t.Errorf("%q was made, or the error does not name it: %v", dir, err)
		}
	}
}

// TestParseHead_RefusesLongValues also where int has 32 bits.
func TestParseHead_RefusesLongValues(t *testing.T) {
	for _, value := range []uint32{MaxValue + 1, 1 << 31, 1<<32 - 1, 1<<32 - 30} {
		r := newRecord(putKind, nil, nil, 1)
		b := r.appendTo(nil, 0)
		binary.LittleEndian.PutUint32(b[8:], value)
		if h, err := parseHead(b); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d: %+v, %v", value, h, err)
		}
	}
}

// sameDigest returns keys of 16 bytes that have one digest under hashing.XXH64(0). Of the second half of each it takes
// the rounds of the hash back.
func sameDigest(n int) (keys [][]byte) {
	const p1, p2, p4, p5 = 0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x85ebca77c2b2ae63, 0x27d4eb2f165667c5
	inverse := func(a uint64) (x uint64) { // modulo 2^64, by Newton's method
		for x = a; x*a != 1; {
			x *= 2 - x*a
		}
		return x
	}
	for k := range uint64(n) {
		h := bits.RotateLeft64((p5+16)^(bits.RotateLeft64(k*p2, 31)*p1), 27)*p1 + p4
		second := bits.RotateLeft64(h*inverse(p1), -31) * inverse(p2) // so that both cancel
		keys = append(keys, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, k), second))
	}
	return keys
}

// TestPut_KeysOfOneDigest beyond what two buckets hold are refused, and do not make the index grow for ever.
func TestPut_KeysOfOneDigest(t *testing.T) {
	keys := sameDigest(30)
	s, _ := created(t)
	stored, before := 0, s.Stats().IndexBytes
	for n, key := range keys {
		if s.hash.Sum64(key) != s.hash.Sum64(keys[0]) {
			t.Fatal("other digests")
		}
		if err := s.Put(key, key); err == nil {
			stored++
		} else if !errors.Is(err, ErrSize) || n < 4 {
			t.Fatalf("key %d: %v", n, err)
		}
	}
	if st := s.Stats(); stored > 8 || st.Keys != stored || st.IndexBytes > 2*before {
		t.Errorf("%d keys were stored: %+v, the index had %d bytes", stored, st, before)
	}
	for _, key := range keys[:stored] {
		has(t, s, string(key), string(key))
	}
	must.Do(t, errors.Join(s.Check(), s.Compact(), s.Check(), s.Close()))
}

// TestClose_MendsTheIndex that was damaged: the next Open has nothing to make anew.
func TestClose_MendsTheIndex(t *testing.T) {
	s, dir := created(t)
	must.Do(t, errors.Join(s.Put([]byte("key"), nil), s.Close()))
	name := filepath.Join(dir, indexName)
	b, _ := os.ReadFile(name)
	b[len(b)/2] ^= 1
	for _, b := range [][]byte{b, append(bytes.Clone(b), 0), b[:len(b)-40], b[:manifestBytes/2]} {
		os.WriteFile(name, b, 0o600)
		for _, damaged := range []bool{true, false} {
			s := must.Get(Open(dir, Options{}))(t)
			if r := s.Recovered(); (r.Index != nil) != damaged {
				t.Errorf("%+v, want damage %v", r, damaged)
			}
			must.Do(t, errors.Join(s.Check(), s.Close()))
		}
	}
}

// TestGet_KnowsARecordOfAnotherPlace: a disk that wrote a record to the wrong place is found out.
func TestGet_KnowsARecordOfAnotherPlace(t *testing.T) {
	dir, name, b := closed(t, nil, "a", "b")
	copy(b[len(b)/2:], b[:len(b)/2])
	os.WriteFile(name, b, 0o600)
	s := must.Get(Open(dir, Options{}))(t)
	is(t, "the record of a in place of b", errOf(s.Get([]byte("b"))), ErrCorrupt)
	crash(s)
}

// TestOpen_CutsATailThatHoldsRecords: a value may be the bytes of another store's log, which say nothing of this one.
func TestOpen_CutsATailThatHoldsRecords(t *testing.T) {
	s, dir := created(t)
	var inner []byte
	for n := range uint64(20) {
		r := newRecord(putKind, []byte("inner"), []byte("value"), n)
		r.synced = 1 << 20
		inner = r.appendTo(inner, 0)
	}
	must.Do(t, errors.Join(s.Put([]byte("key"), nil), s.Sync(), s.Put([]byte("12345678"), inner), s.log.flush()))
	whole := s.log.written
	crash(s)
	must.Do(t, os.Truncate(filepath.Join(dir, logName), whole-30))
	s = must.Get(Open(dir, Options{}))(t)
	if _, err := s.Get([]byte("key")); err != nil || s.Recovered().Cut == 0 {
		t.Errorf("%v, %+v", err, s.Recovered())
	}
	crash(s)
}

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
		if first := must.Get(s.Import(name, bytes.NewReader(b)))(t); first.Bytes != int64(len(b)) {
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
	must.Do(t, errors.Join(s.Compact(), s.Delete(chunk)))
	is(t, "a chunk is missing", s.Export("one", io.Discard), ErrCorrupt)
	must.Do(t, s.Put(chunk, []byte("other")))
	is(t, "two chunks of one SHA-1", errOf(s.Import("one", strings.NewReader("no end"))), ErrCorrupt)
	is(t, "a reader that fails", errOf(s.Import("bad", iotest.ErrReader(io.ErrClosedPipe))), io.ErrClosedPipe)
	must.Do(t, s.Close())
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
				s := must.Get(openIn(d, tiny))(t)
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
					s = must.Get(openIn(d, tiny))(t)
					if !lost {
						exports(name, want)
					}
					must.Do(t, s.Check())
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
		must.Do(t, s.Put(append([]byte(prefix), sum...), value))
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
		must.Do(t, s.Put([]byte(rootKey+c.name), append(binary.LittleEndian.AppendUint64(nil, c.size), c.lists...)))
		var out bytes.Buffer
		err := s.Export(c.name, &out)
		if c.right != (err == nil) || !c.right && !errors.Is(err, ErrCorrupt) || uint64(out.Len()) > c.size {
			t.Errorf("%s: %d bytes of %d, %v", c.name, out.Len(), c.size, err)
		}
	}
	must.Do(t, s.Put([]byte(rootKey+"short"), nil))
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
