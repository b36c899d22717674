package nest_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/filetest"
)

// smallSpecs are small files of every type and layout, by the names that their golden files have.
var smallSpecs = []struct {
	name string
	spec nest.Spec
}{
	{"cuckoo", nest.Spec{Kind: nest.Cuckoo, FingerprintBits: 12, Slots: 20}},
	{"cuckoo-xor", nest.Spec{Kind: nest.Cuckoo, FingerprintBits: 31, BucketSize: 8, Slots: 32, Placement: cuckoo.XOR,
		Kick: "random-walk", Seed: 5}},
	{"cuckoo-one-slot", nest.Spec{Kind: nest.Cuckoo, FingerprintBits: 7, BucketSize: 1, Slots: 21,
		Placement: cuckoo.Additive}},
	{"cuckoo-semisort", nest.Spec{Kind: nest.Cuckoo, FingerprintBits: 13, Slots: 20, Layout: cuckoo.SemiSorted}},
	{"cuckoo-paired", nest.Spec{Kind: nest.Cuckoo, FingerprintBits: 11, Slots: 20, Layout: cuckoo.PairedSlots}},
	{"cuckoo-words", nest.Spec{Kind: nest.Cuckoo, FingerprintBits: 12, Slots: 15, Layout: cuckoo.Words}},
	{"concurrent-cuckoo", nest.Spec{Kind: nest.ConcurrentCuckoo, FingerprintBits: 12, Slots: 15}},
	{"concurrent-bloom", nest.Spec{Kind: nest.ConcurrentBloom, Slots: 512, Hashes: 9}},
	{"bloom", nest.Spec{Kind: nest.Bloom, Slots: 100, Hashes: 3}},
	{"blocked-bloom", nest.Spec{Kind: nest.BlockedBloom, Slots: 512, Hashes: 9}},
	{"split-block", nest.Spec{Kind: nest.SplitBlock, Slots: 256, Hashes: 8}},
	{"counting", nest.Spec{Kind: nest.Counting, Slots: 33, Hashes: 3, CounterBits: 4, Hash: "fnv1a:7"}},
	{"dleft", nest.Spec{Kind: nest.DLeft, Slots: 48, FingerprintBits: 9, CounterBits: 3}},
	{"scalable", nest.Spec{Kind: nest.Scalable, Capacity: 1, FingerprintBits: 13}},
	{"fuse", nest.Spec{Kind: nest.Fuse, FingerprintBits: 9}},
	{"window", nest.Spec{Kind: nest.Window, FingerprintBits: 12, Slots: 20, Generations: 6, Window: time.Minute}},
}

// smallKeys are what the small files hold, "a" twice.
var smallKeys = []string{"a", "hello", "cuckoo", "a"}

// small visits a small file of every type and layout.
func small(t testing.TB, visit func(name string, b []byte)) {
	for _, c := range smallSpecs {
		f, err := smallFilter(c.spec)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		visit(c.name, b)
	}
}

// smallFilter returns a filter of the small keys.
func smallFilter(s nest.Spec) (nest.Filter, error) {
	s.Hash = cmp.Or(s.Hash, "xxh64") // which was the default when files were first kept
	var hs []uint64
	d := hashing.NewDigester(hashing.XXH64(0))
	for _, key := range smallKeys {
		hs = append(hs, d.Sum64String(key))
	}
	if s.Kind == nest.Fuse {
		return nest.Build(s, hs)
	}
	f, err := nest.New(s)
	for k := 0; k < len(smallKeys) && err == nil; k++ {
		err = f.InsertString(smallKeys[k])
	}
	return f, err
}

// readers are the ways to read a file that look at all of it.
var readers = map[string]func(b []byte) error{
	"Open":   func(b []byte) error { _, err := nest.Open(b); return err },
	"Read":   func(b []byte) error { _, err := nest.Read(bytes.NewReader(b)); return err },
	"stream": func(b []byte) error { _, err := nest.Read(iotest.OneByteReader(bytes.NewReader(b))); return err },
	"OpenView": func(b []byte) error {
		v, err := nest.OpenView(b)
		if err != nil {
			return err
		}
		return v.VerifyChecksum()
	},
}

func TestOpen_TruncatedIsTooShort(t *testing.T) {
	small(t, func(name string, b []byte) {
		for n := range b {
			for how, read := range readers {
				err := read(b[:n])
				if !errors.Is(err, nest.ErrTooShort) && !(n == 0 && errors.Is(err, io.EOF)) {
					t.Fatalf("%s, %s of %d bytes of %d: %v", name, how, n, len(b), err)
				}
			}
		}
	})
}

func TestOpen_EveryFlippedBitIsNoticed(t *testing.T) {
	small(t, func(name string, b []byte) {
		for bit := range 8 * len(b) {
			b[bit/8] ^= 1 << (bit % 8)
			for how, read := range readers {
				err := read(b)
				if !errors.Is(err, nest.ErrCorrupt) && !errors.Is(err, nest.ErrVersion) &&
					!errors.Is(err, nest.ErrTooShort) {
					t.Fatalf("%s, %s with bit %d flipped: %v", name, how, bit, err)
				}
			}
			b[bit/8] ^= 1 << (bit % 8)
		}
	})
}

// TestOpen_ForgedBitsAreHarmless flips every bit, in short every seventh one, and makes the checksums right again. What
// is then accepted is a filter like any other.
func TestOpen_ForgedBitsAreHarmless(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	small(t, func(name string, b []byte) {
		accepted := 0
		for bit := 0; bit < 8*len(b); bit += step {
			b[bit/8] ^= 1 << (bit % 8)
			taken, err := openedFiles(t).Check(b)
			if err != nil {
				t.Fatalf("%s, bit %d: %v", name, bit, err)
			}
			if taken {
				accepted++
			}
			b[bit/8] ^= 1 << (bit % 8)
		}
		t.Logf("%s: of %d forgeries %d are filters", name, (8*len(b)+step-1)/step, accepted)
	})
}

// TestOpen_LyingSizesAllocateLittle claims large tables in small files, the checksums being right.
func TestOpen_LyingSizesAllocateLittle(t *testing.T) {
	small(t, func(name string, b []byte) {
		for _, size := range []uint64{1 << 20, 1 << 30, 1 << 33, 1 << 40, 1 << 59, 1<<64 - 1} {
			for at := 16; at < min(216, len(b)-8); at += 8 { // the directory of type 7 included
				forged := bytes.Clone(b)
				binary.LittleEndian.PutUint64(forged[16:], size)
				binary.LittleEndian.PutUint64(forged[at:], size)
				filetest.Reseal(forged)
				for how, read := range readers {
					if bytes := allocated(func() {
						if err := read(forged); err == nil {
							t.Errorf("%s: %s of a table of %d bytes in %d", name, how, size, len(b))
						}
					}); bytes > 3<<20 {
						t.Errorf("%s: %s of %d bytes that claim %d allocated %d", name, how, len(b), size, bytes)
					}
				}
			}
		}
	})
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestOpen_ErrorsSayWhatAndWhere(t *testing.T) {
	key := hashing.SipHash([16]byte{1})
	f, err := nest.New(nest.Spec{Kind: nest.Bloom, Slots: 100, Hashes: 3}, key)
	if err != nil {
		t.Fatal(err)
	}
	keyed, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	small(t, func(name string, b []byte) {
		change := func(at int, x byte) []byte {
			c := bytes.Clone(b)
			c[at] = x
			filetest.Reseal(c)
			return c
		}
		for _, c := range []struct {
			b    []byte
			want error
			text string
		}{
			{append(bytes.Clone(b), 0), nest.ErrCorrupt, fmt.Sprintf("at byte %d: 1 bytes follow", len(b))},
			{change(8, 2), nest.ErrVersion, "at byte 8: version 2, want 1"},
			{change(10, 99), nest.ErrVersion, "at byte 10: a filter of type 99"},
			{change(64, '!'), nest.ErrMismatch, `at byte 64: hashing: unknown hash family`},
			{change(0, 'x'), nest.ErrCorrupt, "no nest filter"},
			{change(36, 2), nest.ErrCorrupt, "at byte 36"},
			{keyed, nest.ErrMismatch, "at byte 64: hashing: hasher cannot be rebuilt"},
		} {
			if _, err := nest.Open(c.b); !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) {
				t.Errorf("%s: %v, want %v and %q", name, err, c.want, c.text)
			}
		}
	})
	if _, err := nest.Open(keyed, hashing.SipHash([16]byte{2})); !errors.Is(err, nest.ErrMismatch) {
		t.Errorf("the wrong key: %v", err)
	}
	if f, err := nest.Open(keyed, key); err != nil || f.Spec().Hash != key.Recipe() {
		t.Errorf("the key: %v", err)
	}
}

// TestRead_LeavesTheRest reads filters that stand one behind the other.
func TestRead_LeavesTheRest(t *testing.T) {
	var all bytes.Buffer
	count := 0
	small(t, func(_ string, b []byte) { all.Write(b); count++ })
	for ; count > 0; count-- {
		if _, err := nest.Read(&all); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := nest.Read(&all); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}
