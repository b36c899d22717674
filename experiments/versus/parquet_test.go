package versus

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/nestfilter/nest/bloom"
	parquet "github.com/parquet-go/parquet-go/bloom"
)

// blockCounts are the sizes compared, in blocks: powers of two and others, up to a megabyte.
var blockCounts = []int{1, 2, 3, 7, 100, 1000, 1024, 30_011}

// eachSize runs a test at every size, with a generator of its own and as many keys as make a filter
// of about one false positive in a hundred.
func eachSize(t *testing.T, test func(t *testing.T, r *rand.Rand, blocks, keys int)) {
	const seed = 20260001
	for _, blocks := range blockCounts {
		t.Run(strconv.Itoa(blocks), func(t *testing.T) {
			t.Logf("seed %d", seed)
			test(t, rand.New(rand.NewPCG(seed, uint64(blocks))), blocks, 24*blocks)
		})
	}
}

// newSplitBlock returns an empty filter of that many blocks.
func newSplitBlock(t *testing.T, blocks int) *bloom.SplitBlock {
	t.Helper()
	return must(bloom.NewSplitBlock(bloom.Config{Bits: 8 * parquet.BlockSize * blocks}))(t)
}

// draw returns n random digests.
func draw(r *rand.Rand, n int) []uint64 {
	hs := make([]uint64, n)
	for i := range hs {
		hs[i] = r.Uint64()
	}
	return hs
}

// TestSplitBlock_DigestsMakeParquetBitset inserts digests into both filters, one half by one verb and
// one half by the other, the smallest and largest digests among them.
func TestSplitBlock_DigestsMakeParquetBitset(t *testing.T) {
	eachSize(t, func(t *testing.T, r *rand.Rand, blocks, keys int) {
		ours, theirs := newSplitBlock(t, blocks), make(parquet.SplitBlockFilter, blocks)
		hs := append(draw(r, keys), 0, 1, 1<<32-1, 1<<32, 1<<63, ^uint64(0))
		for i, h := range hs {
			if i%100 == 0 && blocks <= 100 && !bytes.Equal(ours.Bitset(), theirs.Bytes()) {
				t.Fatalf("bitsets differ after %d digests", i)
			}
			if i%2 == 0 {
				ours.InsertHash(h)
			} else {
				ours.InsertUniqueHash(h)
			}
			theirs.Insert(h)
		}
		if !bytes.Equal(ours.Bitset(), theirs.Bytes()) {
			t.Fatal("bitsets differ")
		}

		ours, theirs = newSplitBlock(t, blocks), make(parquet.SplitBlockFilter, blocks)
		ours.InsertHashes(hs)
		theirs.InsertBulk(hs)
		if !bytes.Equal(ours.Bitset(), theirs.Bytes()) {
			t.Fatal("bitsets of the batches differ")
		}
	})
}

// TestSplitBlock_AnswersAsParquet asks each filter, and each filter made of the other's bytes, for
// digests inserted by either and for others, and compares every answer, false positives included.
func TestSplitBlock_AnswersAsParquet(t *testing.T) {
	eachSize(t, func(t *testing.T, r *rand.Rand, blocks, keys int) {
		present := draw(r, keys)
		written, read := newSplitBlock(t, blocks), make(parquet.SplitBlockFilter, blocks)
		written.InsertHashes(present)
		read.InsertBulk(present)

		theirs := parquet.MakeSplitBlockFilter(written.Bitset())
		ours := must(bloom.SplitBlockFromBitset(read.Bytes(), bloom.Config{}))(t)
		stored := bytes.NewReader(written.Bitset())

		asked := append(draw(r, 20_000), present[:min(keys, 20_000)]...)
		found := make([]bool, len(asked))
		ours.ContainsHashes(asked, found)
		positives := 0
		for i, h := range asked {
			want := read.Check(h)
			if got := theirs.Check(h); got != want {
				t.Fatalf("%#x: parquet-go says %t of our bytes, %t of its own", h, got, want)
			}
			if got, err := parquet.CheckSplitBlock(stored, stored.Size(), h); err != nil || got != want {
				t.Fatalf("%#x: parquet-go reads %t, %v from our bytes, %t from its own", h, got, err, want)
			}
			if ours.ContainsHash(h) != want || written.ContainsHash(h) != want || found[i] != want {
				t.Fatalf("%#x: ours say %t, %t and %t, parquet-go %t", h, ours.ContainsHash(h), written.ContainsHash(h), found[i], want)
			}
			if want && i < 20_000 {
				positives++
			}
		}
		if positives == 0 {
			t.Error("no false positive among 20,000 digests: the comparison shows little")
		}
		if !ours.Equal(written) {
			t.Error("the filter of their bytes is not the filter of ours")
		}
	})
}
