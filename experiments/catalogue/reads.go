package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/kick"
)

// A tracer says which parts of its table a filter reads in a lookup. It computes addresses as the filter does:
// a test finds in the bytes at those addresses what the filter answers, and every trial compares answers.
type tracer struct {
	// note tells the tracer of a key that was inserted; nil where it need not know.
	note func(digest uint64)
	// reads calls visit for each read of a lookup with the offset in bytes from the table's beginning and
	// the size, and returns the answer if the reads depend on it; otherwise it returns true.
	reads func(digest uint64, visit func(offset, size int)) bool
	// answers says that reads returns what Contains does.
	answers bool
}

// WordBytes is what every filter but the blocked one reads at a time, and LineBytes the size of a cache line.
const WordBytes, LineBytes = 8, 64

// traceCuckoo makes tracers of cuckoo filters with 4 slots a bucket, which a word holds, under XOR: one
// word for each of both buckets, loaded before either is looked at. The 8 KiB by which semi-sorted buckets
// are decoded are the same for all lookups and not counted.
func traceCuckoo(c cuckoo.Config, width uint) func(slots int, _ *measure.Loops) tracer {
	bucketBits := 4 * width
	if c.Layout == cuckoo.SemiSorted {
		bucketBits -= 4
	}
	return func(slots int, _ *measure.Loops) tracer {
		scheme := kick.NewScheme(kick.XOR, uint64(slots)/4)
		return tracer{reads: func(h uint64, visit func(offset, size int)) bool {
			i, j := scheme.Pair(h, fingerprint.Of(h, width))
			visit(int(i*uint64(bucketBits)>>3), WordBytes)
			visit(int(j*uint64(bucketBits)>>3), WordBytes)
			return true
		}}
	}
}

// traceCells is the tracer of a Bloom filter of cells of so many bits: one word for each hash, up to the
// first cell that is zero. It keeps a bit for each cell, because the filter's are its own.
func traceCells(cells uint64, hashes int, width uint64) tracer {
	nonzero := make([]uint64, (cells+63)/64)
	return tracer{
		note: func(h uint64) {
			for range hashes {
				cell := bloomcore.Reduce(h, cells)
				nonzero[cell>>6] |= 1 << (cell & 63)
				h = bloomcore.Next(h)
			}
		},
		reads: func(h uint64, visit func(offset, size int)) bool {
			for range hashes {
				cell := bloomcore.Reduce(h, cells)
				visit(int(cell*width>>6)*WordBytes, WordBytes)
				if nonzero[cell>>6]>>(cell&63)&1 == 0 {
					return false
				}
				h = bloomcore.Next(h)
			}
			return true
		},
		answers: true,
	}
}

// traceBlocks is the tracer of a blocked Bloom filter: the block of the key, whatever is in it.
func traceBlocks(bits uint64) tracer {
	blocks := bits / bloomcore.BlockBits
	return tracer{reads: func(h uint64, visit func(offset, size int)) bool {
		visit(int(bloomcore.Reduce(h, blocks))*(bloomcore.BlockBits/8), bloomcore.BlockBits/8)
		return true
	}}
}

// traceWays is the tracer of a filter of several tables, such as a d-left counting Bloom filter, whose buckets of
// remainders fit into a word: one for each of the four, loaded before any is looked at. Counters are not read.
func traceWays(tables, buckets, bucketSize, remainderBits int) tracer {
	m, span := uint64(buckets), uint64(1)<<remainderBits-1
	bucketBits := uint64(bucketSize * remainderBits)
	return tracer{reads: func(h uint64, visit func(offset, size int)) bool {
		bucket, remainder := dleftClass(h, m, span)
		turn := hashing.Mix64(remainder)
		for table := range uint64(tables) {
			b := bucket
			if table > 0 {
				b = (bucket + bloomcore.Reduce(turn, m)) % m
				turn = bloomcore.Next(turn)
			}
			visit(int((table*m+b)*bucketBits>>3), WordBytes)
		}
		return true
	}}
}

// dleftClass returns the bucket in the leftmost of tables of m buckets and the remainder of a digest.
func dleftClass(h, m, span uint64) (bucket, remainder uint64) {
	bucket, rest := bits.Mul64(h, m)
	return bucket, bloomcore.Reduce(rest, span) + 1
}

// A touchCount adds up what lookups read.
type touchCount struct {
	references, lines int
	seen              []int // lines of the present lookup
}

// visit counts a read. References to one and the same bucket, or bit, are as many as there are.
func (t *touchCount) visit(offset, size int) {
	t.references++
	for line := offset / LineBytes; line <= (offset+size-1)/LineBytes; line++ {
		// A cluster of a quotient filter is read from one line to the next.
		if n := len(t.seen); n == 0 || t.seen[n-1] != line && !slices.Contains(t.seen, line) {
			t.seen = append(t.seen, line)
			t.lines++
		}
	}
}

// A FillSize is what a profile measures of a filter in tables 1 and 2.
type FillSize struct {
	Q      int // 2^q slots
	Trials int
	Probes int // absent keys of a trial
	Traced int // keys, and absent keys, whose reads are counted
}

// FillCounts are what tables 1 to 3 count of a filter, and what follows from them.
var (
	FillCounts  = []string{"items", "size_bytes", "lost", "probes", "false_positives"}
	FillDerived = []lab.Column{
		{Name: "bits_per_item", Of: lab.Per(8, "size_bytes", "items")},
		{Name: "false_positive_rate", Of: lab.Div("false_positives", "probes")},
		{Name: "predicted_rate", Of: PredictedRate},
	}
)

// PredictedRate is what the formula of the row's filter says of its items.
func PredictedRate(r lab.Row) float64 {
	e, ok := Find(r.Series)
	if !ok {
		return math.NaN()
	}
	return e.Predict(measure.Power2(r.Param("slots")), r.Count("items"))
}

// TouchCounts are the counts of [Entry.Touches], behind FillCounts.
var TouchCounts = []string{"traced", "positive_references", "positive_lines", "negative_references", "negative_lines"}

// Touches fills the filter and counts what lookups read, of keys that it holds and of keys that are absent. What
// a tracer answers must be what the filter does.
func (e Entry) Touches(ctx context.Context, z FillSize, seed uint64) (f *measure.Loops, counts []int, err error) {
	t, tr, err := e.traced(ctx, z.Q, seed)
	if err != nil {
		return nil, nil, err
	}
	held := measure.Stream{Next: seed}
	offered := t.Stored
	if e.UntilFull() {
		offered = (t.Stored/chunk + 1) * chunk // of which the last ones were not tried
	}
	absent := measure.Stream{Next: seed + uint64(offered)*measure.SplitMixStep}
	recalled, err := recall(t, held, t.Stored, absent, z.Probes)
	if err != nil {
		return nil, nil, err
	}
	counts = append([]int{t.Stored, t.SizeBytes()}, append(recalled, min(z.Traced, t.Stored))...)
	for _, from := range []measure.Stream{held, absent} {
		c, err := tr.touches(t.Loops, from, min(z.Traced, t.Stored))
		if err != nil {
			return nil, nil, err
		}
		counts = append(counts, c.references, c.lines)
	}
	return t.Loops, counts, nil
}

// traced returns the filter of 2^q slots with all its items, and its tracer.
func (e Entry) traced(ctx context.Context, q int, seed uint64) (*measure.Turn, tracer, error) {
	t, err := e.open(ctx, q, seed)
	if err != nil {
		return nil, tracer{}, err
	}
	tr := e.trace(1<<q, t.Loops)
	if _, err = t.Fill(cmp.Or(e.Items(q), math.MaxInt)); e.UntilFull() {
		err = measure.Unfilled(err)
	}
	if err == nil && tr.note != nil {
		err = (&measure.Stream{Next: seed}).Each(ctx, t.Stored, chunk, func(keys []uint64) error {
			for _, k := range keys {
				tr.note(hashing.Mix64(k))
			}
			return nil
		})
	}
	return t, tr, err
}

// touches counts the reads of the lookups of the next n keys of the stream.
func (tr tracer) touches(f *measure.Loops, s measure.Stream, n int) (touchCount, error) {
	var c touchCount
	keys := make([]uint64, n)
	s.Fill(keys)
	for i, k := range keys {
		c.seen = c.seen[:0]
		answer := tr.reads(hashing.Mix64(k), c.visit)
		if real := f.Contains(keys[i:i+1]) == 1; tr.answers && answer != real {
			return c, fmt.Errorf("key %#x: the reads that are counted say %t, the filter says %t", k, answer, real)
		}
	}
	return c, nil
}
