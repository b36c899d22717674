package rivals

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/FastFilter/xorfilter"
	"github.com/nestfilter/nest/bloom/fuse"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

var golden = flag.Bool("fuse.golden", false, "write the filters of xorfilter that package bloom/fuse tests with")

// TestFuse_IsXorfilters: a filter of either module, written and read by the other, has the same answers and bytes.
func TestFuse_IsXorfilters(t *testing.T) {
	exchange[uint8, fingerprint.Bits8](t, "8")
	exchange[uint16, fingerprint.Bits16](t, "16")
	exchange[uint32, fingerprint.Bits32](t, "32")
}

func exchange[T xorfilter.Unsigned, F fingerprint.Width](t *testing.T, bits string) {
	hs := make([]uint64, 100_000)
	for i := range hs {
		hs[i] = hashing.Mix64(uint64(i))
	}
	for _, n := range []int{1, 2, 7, 100, 1000, 30_000} {
		theirs := must.Get(xorfilter.NewBinaryFuse[T](slices.Clone(hs[:n])))(t)
		var b bytes.Buffer
		must.Get(0, theirs.Save(&b))(t)
		if n == 100 {
			name := "../../../bloom/fuse/testdata/xorfilter" + bits + ".bin"
			if *golden {
				must.Get(0, os.WriteFile(name, b.Bytes(), 0o644))(t)
			}
			if kept, err := os.ReadFile(name); err != nil || !bytes.Equal(kept, b.Bytes()) {
				t.Errorf("%s is not what xorfilter writes: %v", name, err)
			}
		}
		read := must.Get(fuse.DecodeXorfilter[F](b.Bytes(), nil))(t)
		if again, err := read.AppendXorfilter(nil); err != nil || !bytes.Equal(again, b.Bytes()) {
			t.Errorf("%d keys: other bytes, %v", n, err)
		}
		ours := must.Get(fuse.Build[F](fuse.Config{Segments: 3}, hs[:n]))(t)
		written := must.Get(ours.AppendXorfilter(nil))(t)
		back := must.Get(xorfilter.LoadBinaryFuse[T](bytes.NewReader(written)))(t)
		for _, h := range hs {
			if read.ContainsHash(h) != theirs.Contains(h) || ours.ContainsHash(h) != back.Contains(h) {
				t.Fatalf("%d keys: another answer for %#x", n, h)
			}
		}
	}
}
