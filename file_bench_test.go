package nest_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/hashing"
)

// benchFiles visits filters of 1 and of 64 MiB, or with NEST_BENCH_LARGE of 1 GiB, of every kind that matters for the
// speed of files, and their files. Their pages were all written to.
func benchFiles(b *testing.B, visit func(b *testing.B, f nest.Filter, file []byte)) {
	sizes := []int{1 << 20, 64 << 20}
	if testing.Short() {
		sizes = sizes[:1]
	}
	if os.Getenv("NEST_BENCH_LARGE") != "" {
		sizes = []int{1 << 30}
	}
	for _, size := range sizes {
		for _, s := range []nest.Spec{
			{Kind: nest.Cuckoo, FingerprintBits: 12, Slots: size / 48 * 32},
			{Kind: nest.Cuckoo, FingerprintBits: 16, Slots: size / 2},
			{Kind: nest.Cuckoo, FingerprintBits: 13, Slots: size / 48 * 32, Layout: cuckoo.SemiSorted},
			{Kind: nest.Bloom, Slots: 8*size - 64, Hashes: 8},
			{Kind: nest.DLeft, Slots: size / 48 * 32, FingerprintBits: 10},
			{Kind: nest.Scalable, FingerprintBits: 16},
		} {
			b.Run(fmt.Sprintf("filter=%s/f=%d/layout=%v/bytes=%d", s.Kind, s.FingerprintBits, s.Layout, size),
				func(b *testing.B) {
					f, file := benchFile(b, s, size)
					visit(b, f, file)
				})
		}
	}
}

// benchFile returns a filter of some size, with at least a key for every 256 bytes of it, and its file. One that grows
// has that size after the growth that takes it beyond half of it, as sizes double.
func benchFile(b *testing.B, s nest.Spec, size int) (nest.Filter, []byte) {
	b.Helper()
	f, err := nest.New(s)
	if err != nil {
		b.Fatal(err)
	}
	hs := make([]uint64, 1<<16)
	for next, left := uint64(0), size/256; left > 0; next += uint64(len(hs)) {
		for i := range hs {
			hs[i] = hashing.Mix64(next + uint64(i))
		}
		if _, err := f.InsertHashes(hs); err != nil {
			b.Fatal(err)
		}
		if f.SizeBytes() > size/2 {
			left -= len(hs)
		}
	}
	file, err := f.MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	return f, file
}

// BenchmarkFile times files beside copies of as many bytes: into memory that is there for what writes, and
// into new memory for what reads.
func BenchmarkFile(b *testing.B) {
	benchFiles(b, func(b *testing.B, f nest.Filter, file []byte) {
		memory := make([]byte, 0, len(file))
		memory = append(memory, file...)
		run := func(name string, op func() error) {
			b.Run("op="+name, func(b *testing.B) {
				b.SetBytes(int64(len(file)))
				for b.Loop() {
					if err := op(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("copy", func() error { copy(memory, file); return nil })
		run("append", func() error { _, err := f.AppendBinary(memory[:0]); return err })
		run("writeto", func() error { _, err := f.WriteTo(io.Discard); return err })
		run("clone", func() error { copied = bytes.Clone(file); return nil })
		run("unmarshal", func() error { return f.(decoder).UnmarshalBinary(file) })
		run("readfrom", func() error { _, err := f.(decoder).ReadFrom(bytes.NewReader(file)); return err })
		run("stream", func() error {
			_, err := f.(decoder).ReadFrom(io.MultiReader(bytes.NewReader(file)))
			return err
		})
	})
}

var copied []byte

type decoder interface {
	UnmarshalBinary(b []byte) error
	ReadFrom(r io.Reader) (int64, error)
}

// BenchmarkView times opening a view, on bytes and on a file.
func BenchmarkView(b *testing.B) {
	benchFiles(b, func(b *testing.B, _ nest.Filter, file []byte) {
		name := filepath.Join(b.TempDir(), "a.nest")
		if err := nest.Save(name, bytes.NewBuffer(file)); err != nil {
			b.Fatal(err)
		}
		b.Run("op=openview", func(b *testing.B) {
			for b.Loop() {
				if _, err := nest.OpenView(file); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("op=mapfile", func(b *testing.B) {
			for b.Loop() {
				m, err := nest.MapFile(name)
				if err != nil || m.Close() != nil {
					b.Fatal(err)
				}
			}
		})
	})
}
