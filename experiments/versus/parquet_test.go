package versus

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/experiments/must"
	parquet "github.com/parquet-go/parquet-go/bloom"
)

// newSplitBlock returns an empty filter of that many blocks.
func newSplitBlock(t *testing.T, blocks int) *bloom.SplitBlock {
	t.Helper()
	return must.Get(bloom.NewSplitBlock(bloom.Config{Slots: 8 * parquet.BlockSize * blocks}))(t)
}

// draw returns n random digests.
func draw(r *rand.Rand, n int) []uint64 {
	hs := make([]uint64, n)
	for i := range hs {
		hs[i] = r.Uint64()
	}
	return hs
}

// TestSplitBlock_IsThatOfParquet inserts digests into both filters, one half by one verb and
// one half by the other, the smallest and largest digests among them, and compares answers, false positives included.
func TestSplitBlock_IsThatOfParquet(t *testing.T) {
	const seed = 20260001
	for _, blocks := range []int{1, 2, 3, 7, 100, 1000, 1024, 30_011} {
		r, keys := rand.New(rand.NewPCG(seed, uint64(blocks))), 24*blocks // about one false positive in a hundred
		ours, theirs := newSplitBlock(t, blocks), make(parquet.SplitBlockFilter, blocks)
		hs := append(draw(r, keys), 0, 1, 1<<32-1, 1<<32, 1<<63, ^uint64(0))
		for i, h := range hs {
			if i%100 == 0 && blocks <= 100 && !bytes.Equal(ours.Bitset(), theirs.Bytes()) {
				t.Fatalf("%d blocks: bitsets differ after %d digests", blocks, i)
			}
			if i%2 == 0 {
				ours.InsertHash(h)
			} else {
				ours.InsertUniqueHash(h)
			}
			theirs.Insert(h)
		}
		if !bytes.Equal(ours.Bitset(), theirs.Bytes()) {
			t.Fatalf("%d blocks: bitsets differ", blocks)
		}

		ours, theirs = newSplitBlock(t, blocks), make(parquet.SplitBlockFilter, blocks)
		ours.InsertHashes(hs)
		theirs.InsertBulk(hs)
		if !bytes.Equal(ours.Bitset(), theirs.Bytes()) {
			t.Fatalf("%d blocks: bitsets of the batches differ", blocks)
		}

		asked := append(draw(r, 20_000), hs[:min(keys, 20_000)]...)
		found, positives := make([]bool, len(asked)), 0
		ours.ContainsHashes(asked, found)
		for i, h := range asked {
			if want := theirs.Check(h); ours.ContainsHash(h) != want || found[i] != want {
				t.Fatalf("%d blocks, %#x: ours say %t and %t, parquet-go %t", blocks, h, ours.ContainsHash(h), found[i], want)
			}
			if found[i] && i < 20_000 {
				positives++
			}
		}
		if positives == 0 {
			t.Errorf("%d blocks: no false positive among 20,000 digests: the comparison shows little", blocks)
		}
	}
}
