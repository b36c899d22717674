package logstore

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

// small are options under which checkpoints come often, and tiny more so.
const logName = "0000.log"

var small, tiny = Options{Create: true, every: 16 << 10}, Options{Create: true, every: 4 << 10}

// checkpoint makes a checkpoint now.
func checkpoint(s *Store) error { return s.alone(false, func() error { return s.checkpoint(s) }) }

// The script is a sequence of operations that depends on nothing: each appends one record, so the sequence number of a
// store says how many of them it has.

func scriptKey(n uint64) []byte {
	return fmt.Appendf(nil, "key %d", hashing.Mix64(n)%400)
}

func scriptValue(n uint64) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "%d,", n), 1+int(hashing.Mix64(n)>>40%30))
}

// step does operation n of the script.
func step(s *Store, n uint64) error {
	if n%5 == 4 {
		return s.Delete(scriptKey(n - 1))
	}
	return s.Put(scriptKey(n), scriptValue(n))
}

// model returns what a store has after n operations; a nil value is a deleted key.
func model(n uint64) map[string][]byte {
	m := map[string][]byte{}
	for k := range n {
		if k%5 == 4 {
			m[string(scriptKey(k-1))] = nil
		} else {
			m[string(scriptKey(k))] = scriptValue(k)
		}
	}
	return m
}

// same holds a store to have what the script has written after as many operations as its sequence says, and returns
// them.
func same(t *testing.T, s *Store) uint64 {
	t.Helper()
	n := s.sequence
	want := model(n)
	keys := 0
	for k := range 400 {
		key := fmt.Sprintf("key %d", k)
		got, err := s.Get([]byte(key))
		value, known := want[key]
		switch {
		case value != nil:
			keys++
			if err != nil || !bytes.Equal(got, value) {
				t.Fatalf("after %d operations %s: %.40q, %v, want %.40q", n, key, got, err, value)
			}
		case known && !errors.Is(err, ErrDeleted) && !errors.Is(err, ErrNotFound) || !known && err != ErrNotFound:
			t.Fatalf("after %d operations %s: %.40q, %v", n, key, got, err)
		}
	}
	if err := s.Check(); err != nil || s.Stats().Keys != keys {
		t.Fatalf("after %d operations: %v; %+v, want %d keys", n, err, s.Stats(), keys)
	}
	return n
}

// created returns an empty store in a new folder.
func created(t testing.TB) (s *Store, dir string) {
	t.Helper()
	dir = t.TempDir()
	return must.Get(Open(dir, Options{Create: true}))(t), dir
}

// closed returns the folder of a store that was closed with a value under each of some keys, and its log.
func closed(t *testing.T, value []byte, keys ...string) (dir, name string, log []byte) {
	t.Helper()
	s, dir := created(t)
	for _, key := range keys {
		must.Do(t, s.Put([]byte(key), value))
	}
	must.Do(t, s.Close())
	name = filepath.Join(dir, logName)
	return dir, name, must.Get(os.ReadFile(name))(t)
}

// is holds an error to be another one.
func is(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestStore_IsTheScript puts, deletes, compacts, and opens again.
func TestStore_IsTheScript(t *testing.T) {
	dir := t.TempDir()
	s := must.Get(Open(dir, small))(t)
	for n := range uint64(6000) {
		must.Do(t, step(s, n))
		if n%1500 == 1499 {
			same(t, s)
			must.Do(t, s.Compact())
			if st := s.Stats(); st.Deleted != 0 || st.LogBytes != st.LiveBytes {
				t.Fatalf("compacted: %+v", st)
			}
			same(t, s)
		}
		if n%1000 == 999 {
			must.Do(t, s.Close())
			if s = must.Get(Open(dir, small))(t); s.Recovered() != (Recovery{}) {
				t.Fatalf("after Close: %+v", s.Recovered())
			}
			if same(t, s) != n+1 {
				t.Fatalf("%d operations, want %d", s.sequence, n+1)
			}
		}
	}
	must.Do(t, errors.Join(s.Close(), s.Close()))
	_, err := s.Get(nil)
	for _, err := range []error{err, s.Put(nil, nil), s.Delete(nil), s.Sync(), s.Compact(), s.Check(), checkpoint(s),
		errOf(s.Names())} {
		is(t, "closed", err, ErrClosed)
	}
}

// TestStore_GrowsToTenThousandKeys, and reads the log once for each.
func TestStore_GrowsToTenThousandKeys(t *testing.T) {
	s := must.Get(Open(filepath.Join(t.TempDir(), "new"), Options{Create: true, every: 100_000}))(t)
	const n = 10_000
	for k := range n {
		must.Do(t, s.Put(fmt.Append(nil, k), fmt.Append(nil, -k)))
	}
	before := s.Stats().Reads
	for k := range n {
		has(t, s, fmt.Sprint(k), fmt.Sprint(-k))
	}
	st := s.Stats()
	if must.Do(t, errors.Join(s.Check(), s.Close())); st.Keys != n || float64(st.Reads-before) > 1.01*n {
		t.Errorf("%+v, %d reads before", st, before)
	}
}

// TestStore_BadInput is refused, and changes nothing. Empty keys and values are legal.
func TestStore_BadInput(t *testing.T) {
	s, dir := created(t)
	long, wide := make([]byte, MaxKey), make([]byte, MaxValue)
	must.Do(t, errors.Join(s.Put(long, wide), s.Put(nil, nil)))
	if empty, full := must.Get(s.Get(nil))(t), must.Get(s.Get(long))(t); empty == nil || len(empty) != 0 || len(full) != MaxValue {
		t.Errorf("%v, %d bytes", empty, len(full))
	}
	is(t, "long key", s.Put(append(long, 0), nil), ErrSize)
	is(t, "long value", s.Put(nil, append(wide, 0)), ErrSize)
	_, err := s.Import(strings.Repeat("n", MaxKey), strings.NewReader("text"))
	if is(t, "long name", err, ErrSize); s.Stats().Keys != 2 {
		t.Errorf("%d keys", s.Stats().Keys)
	}
	is(t, "no key", s.Delete([]byte("x")), ErrNotFound)
	must.Do(t, errors.Join(s.Delete(nil), s.Check()))
	is(t, "a deleted key", s.Delete(nil), ErrDeleted)
	is(t, "open already", errOf(Open(dir, Options{})), ErrLocked)
	must.Do(t, s.Close())
	is(t, "no folder", errOf(Open(filepath.Join(dir, "none"), Options{})), ErrNoStore)
	other := t.TempDir()
	os.WriteFile(filepath.Join(other, "letter"), nil, 0o600)
	err = errOf(Open(other, Options{Create: true}))
	if is(t, "a folder of others", err, ErrNoStore); !strings.Contains(err.Error(), "letter") {
		t.Error(err)
	}
}

// TestOpen_BadFiles are refused, and stay what they are.
func TestOpen_BadFiles(t *testing.T) {
	dir, name, log := closed(t, nil, "key")
	index := filepath.Join(dir, indexName)
	whole := must.Get(os.ReadFile(index))(t)
	n := must.Get(new(manifest).parse(whole))(t)
	m := whole[:n]
	later := bytes.Replace(m[:n-17], []byte("version 3"), []byte("version 4"), 1)
	for _, c := range []struct {
		b    []byte
		want error
	}{
		{bytes.Replace(whole, []byte("version 3"), []byte("version 4"), 1), ErrCorrupt}, // of which the checksum is wrong
		{fmt.Appendf(later, "%016x\n", hashing.XXH64(0).Sum64(later)), ErrVersion}, {m[:10], ErrCorrupt}, {nil, ErrCorrupt},
		{m[:n-3], ErrCorrupt}, {(&manifest{Log: 7}).encode(), ErrCorrupt}, {(&manifest{At: -8}).encode(), ErrCorrupt},
		{(&manifest{At: 1 << 40}).encode(), ErrCorrupt},
	} {
		os.WriteFile(index, c.b, 0o600)
		is(t, fmt.Sprintf("%.60q", c.b), errOf(Open(dir, Options{})), c.want)
	}
	os.WriteFile(index, whole, 0o600)
	must.Do(t, os.Truncate(name, maxLogBytes+8)) // a hole
	is(t, "a log longer than places reach", errOf(Open(dir, Options{})), ErrCorrupt)
	must.Do(t, errors.Join(os.Truncate(name, int64(len(log))), must.Get(Open(dir, Options{}))(t).Close(), os.Remove(index),
		os.Mkdir(index, 0o700)))
	if _, err := Open(dir, Options{}); err == nil {
		t.Error("a folder in place of the index was read")
	}
}

// TestStore_GoroutinesAgree: one puts, others read what they know to be there, and some sync.
func TestStore_GoroutinesAgree(t *testing.T) {
	s := must.Get(Open(t.TempDir(), small))(t)
	must.Do(t, s.Put([]byte("fixed"), []byte("value")))
	var wait sync.WaitGroup
	var done atomic.Bool
	for g := range 4 {
		wait.Go(func() {
			for !done.Load() && !t.Failed() {
				var synced error
				if g == 0 {
					synced = s.Sync()
				}
				if v, err := s.Get([]byte("fixed")); string(v) != "value" || err != nil || synced != nil {
					t.Errorf("%q, %v, %v", v, err, synced)
				}
			}
		})
	}
	for n := range uint64(3000) {
		must.Do(t, s.Put(scriptKey(n), scriptValue(n)))
		if n%1000 == 999 {
			must.Do(t, s.Compact())
		}
	}
	done.Store(true)
	wait.Wait()
	must.Do(t, errors.Join(s.Check(), s.Close()))
}

// TestOpen_CutsATornTail and says so, but refuses bytes that were synced.
func TestOpen_CutsATornTail(t *testing.T) {
	s, dir := created(t)
	for n := range uint64(100) {
		must.Do(t, errors.Join(step(s, n), s.Sync()))
	}
	whole := s.log.written
	crash(s)
	name := filepath.Join(dir, logName)
	b, _ := os.ReadFile(name)
	for cut := int64(1); cut <= 21; cut++ {
		os.WriteFile(name, b[:whole-cut], 0o600)
		s := must.Get(Open(dir, Options{}))(t)
		if r := s.Recovered(); same(t, s) != 99 || r.File != logName || r.Cut <= 0 || r.At+r.Cut != whole-cut {
			t.Fatalf("%d bytes short: %+v, %d operations", cut, r, s.sequence)
		}
		crash(s)
	}
	bad := bytes.Clone(b)
	bad[whole/2] ^= 4
	os.WriteFile(name, bad, 0o600)
	is(t, "damage in front of synced records", errOf(Open(dir, Options{})), ErrCorrupt)
	if now, _ := os.ReadFile(name); !bytes.Equal(now, bad) {
		t.Error("and Open changed the log")
	}
}

// crash closes the files of a store as the end of its process does.
func crash(s *Store) {
	s.log.file.Close()
	s.release()
}

// TestCheck_FindsEveryFlippedBit of every file, where the store was closed. In short runs it flips some of them.
func TestCheck_FindsEveryFlippedBit(t *testing.T) {
	dir := t.TempDir()
	s := must.Get(Open(dir, Options{Create: true, every: 2 << 10}))(t)
	for n := range uint64(60) {
		must.Do(t, step(s, n))
	}
	must.Do(t, s.Close())
	names, _ := osFiles(dir).names()
	every := 61
	if *full {
		every = 1
	}
	flipped := 0
	for _, name := range names {
		name = filepath.Join(dir, name)
		b, _ := os.ReadFile(name)
		for bit := 0; bit < 8*len(b); bit += every {
			b[bit/8] ^= 1 << (bit % 8)
			os.WriteFile(name, b, 0o600)
			flipped++
			s, err := Open(dir, Options{})
			if err == nil {
				err = errors.Join(s.Check(), s.Recovered().Index)
				crash(s)
			}
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
				t.Fatalf("bit %d of %s: %v", bit, name, err)
			}
			b[bit/8] ^= 1 << (bit % 8)
		}
		os.WriteFile(name, b, 0o600)
	}
	s = must.Get(Open(dir, Options{}))(t)
	if same(t, s) != 60 || flipped < 100 {
		t.Errorf("%d bits flipped", flipped)
	}
	crash(s)
}

// TestGet_SaysWhereTheDamageIs of a record that it reads, and Put and Compact refuse to go over it.
func TestGet_SaysWhereTheDamageIs(t *testing.T) {
	dir, name, b := closed(t, make([]byte, 10_000), "key", "next")
	key := []byte("key")
	for _, at := range []int{0, 4, 5, 9, 10, 11, 5000} {
		bad := bytes.Clone(b)
		bad[at] ^= 0x40
		os.WriteFile(name, bad, 0o600)
		s := must.Get(Open(dir, Options{}))(t)
		_, err := s.Get(key)
		for _, err := range []error{err, s.Put(key, nil), s.Delete(key), s.Compact(), s.Check()} {
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "0000.log: at byte 0") {
				t.Errorf("byte %d: %v", at, err)
			}
		}
		if v := must.Get(s.Get([]byte("next")))(t); len(v) != 10_000 {
			t.Errorf("byte %d, the next key has %d bytes", at, len(v))
		}
		crash(s)
	}
}

// has holds a key to have a value.
func has(t *testing.T, s *Store, key, value string) {
	t.Helper()
	if v := must.Get(s.Get([]byte(key)))(t); string(v) != value {
		t.Errorf("%.40q has %.40q, want %.40q", key, v, value)
	}
}

// errOf returns the error of a call.
func errOf[V any](_ V, err error) error { return err }

// imports has a store take a file.
func imports(t testing.TB, s *Store, name string, r io.Reader) {
	t.Helper()
	_, err := s.Import(name, r)
	must.Do(t, err)
}

// group is how many records one Sync is for.
const group = 10_000

// BenchmarkPut puts records of new keys, with a Sync for every ten thousand. BenchmarkAppend writes the same bytes to a
// file, 256 KiB at a time, with as many fsyncs.
func BenchmarkPut(b *testing.B) {
	benchmarkRecords(b, func(value []byte) (func(key []byte) error, func() error) {
		s := must.Get(Open(b.TempDir(), Options{Create: true}))(b)
		return func(key []byte) error { return s.Put(key, value) }, s.Sync
	})
}

func BenchmarkAppend(b *testing.B) {
	benchmarkRecords(b, func(value []byte) (func(key []byte) error, func() error) {
		f, err := os.Create(filepath.Join(b.TempDir(), "f"))
		must.Do(b, err)
		out, rest := bufio.NewWriterSize(f, bufferBytes), make([]byte, headBytes+len(value))
		return func(key []byte) error {
			out.Write(key)
			_, err := out.Write(rest)
			return err
		}, func() error { return errors.Join(out.Flush(), f.Sync()) }
	})
}

// benchmarkRecords puts new keys into what open returns.
func benchmarkRecords(b *testing.B, open func(value []byte) (put func(key []byte) error, sync func() error)) {
	for _, size := range []int{100, 1000, 4000} {
		b.Run(fmt.Sprintf("value=%d", size), func(b *testing.B) {
			n, r := uint64(0), newRecord(putKind, make([]byte, 8), make([]byte, size), 0)
			put, sync := open(r.value)
			b.SetBytes(r.size())
			for b.Loop() {
				binary.LittleEndian.PutUint64(r.key, hashing.Mix64(n))
				must.Do(b, put(r.key))
				if n++; n%group == 0 {
					must.Do(b, sync())
				}
			}
			must.Do(b, sync())
		})
	}
}

// TestStore_TenMillionKeys says what the index takes, from a store that begins empty. It is for -logstore.full.
func TestStore_TenMillionKeys(t *testing.T) {
	if !*full {
		t.Skip("for -logstore.full")
	}
	const n, sample = uint64(10_000_000), 500_000
	key := make([]byte, 8)
	s, _ := created(t)
	at := func(k uint64) []byte {
		binary.LittleEndian.PutUint64(key, hashing.Mix64(k))
		return key
	}
	most := 0.0
	for k := range n {
		must.Do(t, s.Put(at(k), at(k)))
		if k >= n/10 && k%100_000 == 0 {
			most = max(most, float64(s.index.SizeBytes())/float64(k))
		}
	}
	reads := func(from uint64) float64 {
		before := s.Stats().Reads
		for q := range uint64(sample) {
			s.Get(at(from + q*4999999%n))
		}
		return float64(s.Stats().Reads-before) / sample
	}
	present, absent, st := reads(0), reads(1<<40), s.Stats()
	each := float64(st.IndexBytes) / float64(n)
	t.Logf("index %.2f bytes a key, at most %.2f from a tenth of them on; reads per lookup %.4f present, %.4f absent", each,
		most, present, absent)
	if st.Keys != int(n) || each >= 8 || present > 1.01 || absent > 0.01 {
		t.Errorf("%+v", st)
	}
	must.Do(t, s.Close())
}
