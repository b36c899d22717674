package logstore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/nestfilter/nest/hashing"
)

// group is how many records one Sync is for.
const group = 10_000

// BenchmarkPut puts records of new keys, with a Sync for every ten thousand. BenchmarkAppend writes the same bytes to a
// file, 256 KiB at a time, with as many fsyncs.
func BenchmarkPut(b *testing.B) {
	benchmarkRecords(b, func(value []byte) (func(key []byte) error, func() error) {
		s := must(Open(b.TempDir(), Options{Create: true}))(b)
		return func(key []byte) error { return s.Put(key, value) }, s.Sync
	})
}

func BenchmarkAppend(b *testing.B) {
	benchmarkRecords(b, func(value []byte) (func(key []byte) error, func() error) {
		f, err := os.Create(filepath.Join(b.TempDir(), "f"))
		check(b, err)
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
				check(b, put(r.key))
				if n++; n%group == 0 {
					check(b, sync())
				}
			}
			check(b, sync())
		})
	}
}

// BenchmarkGet reads records that are in the page cache.
func BenchmarkGet(b *testing.B) {
	const n = 200_000
	s := must(Open(b.TempDir(), Options{Create: true}))(b)
	key := make([]byte, 8)
	for k := range uint64(n) {
		binary.LittleEndian.PutUint64(key, hashing.Mix64(k))
		check(b, s.Put(key, make([]byte, 100)))
	}
	check(b, s.Sync())
	for _, from := range []uint64{0, 1 << 40} {
		b.Run(fmt.Sprintf("hit=%v", from == 0), func(b *testing.B) {
			for b.Loop() {
				binary.LittleEndian.PutUint64(key, hashing.Mix64(from+rand.Uint64N(n)))
				s.Get(key)
			}
		})
	}
	s.Close()
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
		check(t, s.Put(at(k), at(k)))
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
	check(t, s.Close())
}
