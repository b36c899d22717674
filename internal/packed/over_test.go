package packed

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/internal/errs"
)

// TestCheck_CountsSortedLanes fills buckets at random, half of them with few different values, so that
// prefixes and rests tie, and then flips a bit of each table.
func TestCheck_CountsSortedLanes(t *testing.T) {
	const seed, buckets = 1, 300
	random := rand.New(rand.NewPCG(seed, 2))
	for width := uint(MinSortedWidth); width <= MaxSortedWidth; width++ {
		table := SemiSorted.New(width, 4, buckets)
		found := 0
		for round := range 40 {
			for bucket := range uint64(buckets) {
				few := random.Uint64() >> (60 + random.Uint64N(4)) & table.mask
				for lane := range uint(sortedLanes) {
					table.Swap(bucket, lane, []uint64{0, few, few ^ 1, random.Uint64() & table.mask}[random.IntN(4)])
				}
			}
			want := uint64(0)
			for bucket := range uint64(buckets) {
				want += uint64(sortedLanes - table.Count(bucket, 0))
			}
			if got, err := table.Check(); got != want || err != nil {
				t.Fatalf("seed %d, width %d, round %d: %d used, %v, want %d", seed, width, round, got, err, want)
			}
			bit := random.Uint64N(buckets * table.bucketBits)
			table.data[bit>>3] ^= 1 << (bit & 7)
			if _, err := table.Check(); err != nil {
				found++
			}
			clear(table.data)
		}
		if found == 0 {
			t.Errorf("seed %d, width %d: no flipped bit put a bucket out of order", seed, width)
		}
	}
}

// TestCheckPart_PartsMakeTheWhole checks tables of every kind of bucket in one part and in parts of a few buckets.
func TestCheckPart_PartsMakeTheWhole(t *testing.T) {
	const seed, buckets = 1, 61
	random := rand.New(rand.NewPCG(seed, 3))
	tables := []Table{
		SemiSorted.New(9, 4, buckets), SemiSorted.New(30, 4, buckets),
		Plain.New(12, 4, buckets), Plain.New(31, 8, buckets), Plain.New(5, 1, buckets),
	}
	for _, table := range tables {
		want := uint64(0)
		for bucket := range table.Buckets() {
			for range table.Lanes() {
				if v := random.Uint64() & table.mask * random.Uint64N(2); v != 0 && table.Replace(bucket, 0, v) {
					want++
				}
			}
		}
		for least := uint64(1); least < 2*buckets; least += 7 {
			if got, err := table.inParts(least, table.checkPart); got != want || err != nil {
				t.Fatalf("seed %d, %d bits a bucket, parts of %d: %d used, %v, want %d", seed, table.bucketBits, least, got, err, want)
			}
		}
	}
}

// TestInParts_ReturnsTheFirstError has every bucket from 20 on fail.
func TestInParts_ReturnsTheFirstError(t *testing.T) {
	table := Plain.New(12, 4, 64)
	for least := uint64(1); least <= 64; least *= 2 {
		_, err := table.inParts(least, func(from, to uint64) (uint64, error) {
			if first := max(from, 20); first < to {
				return 0, corrupt(first, "bad")
			}
			return to - from, nil
		})
		if want := corrupt(20, "bad"); !errors.Is(err, errs.Corrupt) || err.Error() != want.Error() {
			t.Errorf("parts of %d: %v, want %v", least, err, want)
		}
	}
}

// BenchmarkCheck reads tables of 2^22 slots, nearly full ones.
func BenchmarkCheck(b *testing.B) {
	const buckets = 1 << 20
	for name, table := range map[string]Table{
		"plain/f=12": Plain.New(12, 4, buckets), "plain/f=16": Plain.New(16, 4, buckets),
		"sorted/f=13": SemiSorted.New(13, 4, buckets), "sorted/f=20": SemiSorted.New(20, 4, buckets),
	} {
		random := rand.New(rand.NewPCG(1, 4))
		for bucket := range table.Buckets() {
			for range table.Lanes() {
				if random.IntN(20) > 0 {
					table.Replace(bucket, 0, random.Uint64()&table.mask|1)
				}
			}
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(table.Data())))
			for b.Loop() {
				if _, err := table.Check(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/buckets, "ns/bucket")
		})
	}
}
