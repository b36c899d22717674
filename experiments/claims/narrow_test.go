package claims

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// loads are those of so many fills.
func loads(t NarrowTable, fills int) []float64 {
	out := make([]float64, fills)
	for i := range out {
		out[i] = float64(t.Fill(uint64(i))) / float64(t.Slots())
	}
	return out
}

func TestValues_ChancesAreThoseOfDigests(t *testing.T) {
	for _, v := range []Values{NonZero, ZeroAsOne, All} {
		for f := 1; f <= MostWidth; f++ {
			const steps = 1 << 15
			got := make([]float64, 1<<f)
			for i := range uint64(steps) { // digests of equal distances
				got[v.of(i<<49, f)] += 1.0 / steps
			}
			for value, want := range v.chances(f) {
				if math.Abs(got[value]-want) > 1.0/steps {
					t.Errorf("%v, f = %d: value %d has a share of %g of the digests, want %g", v, f, value, got[value], want)
				}
			}
		}
	}
}

func TestOffsets_OnlyMultipliedZeroIsNone(t *testing.T) {
	for size := 1; size <= 30; size++ {
		for seed := range uint64(20) {
			if o := Hashed.table(5, size, seed); slices.Contains(o, 0) || slices.Max(o) >= 1<<size {
				t.Fatalf("2^%d buckets, seed %d: offsets %v", size, seed, o)
			}
		}
	}
	const step, mask = 0x5bd1e995, 1<<30 - 1
	if o := Multiplied.table(2, 30, 0); !slices.Equal(o, []uint32{0, step & mask, 2 * step & mask, 3 * step & mask}) {
		t.Errorf("multiplied offsets %v", o)
	}
}

// Whatever a walk does, a table has one value more for each key that was stored.
func TestTable_FillKeepsEveryKey(t *testing.T) {
	for _, v := range []Values{NonZero, ZeroAsOne, All} {
		for _, o := range []Offsets{Hashed, Multiplied} {
			table := NarrowTable{Size: 6, BucketSize: 3, Width: 3, Values: v, Offsets: o, Kicks: 20}
			source, stored := numbers{7}, 0
			w := table.walk(1, &source)
			for w.Insert(source.below(64), v.of(source.next(), 3)+1) {
				stored++
				if used := len(w.Slots) - bytes.Count(w.Slots, []byte{0}); used != stored {
					t.Fatalf("%v, %v: %d slots in use for %d keys", v, o, used, stored)
				}
			}
			if stored == 0 || stored > table.Slots() {
				t.Errorf("%v, %v: %d keys in %d slots", v, o, stored, table.Slots())
			}
		}
	}
}

// A table whose fingerprints are this module's fills as its filter does.
func TestTable_FillsLikeTheFilter(t *testing.T) {
	const fills, f, size = 200, 7, 10
	ours := loads(NarrowTable{Size: size, BucketSize: 4, Width: f, Kicks: 500}, fills)
	theirs := make([]float64, fills)
	for i := range theirs {
		filter, err := cuckoo.New[fingerprint.Any](cuckoo.Config{FingerprintBits: f, Buckets: 1 << size,
			Placement: cuckoo.XOR, Kick: cuckoo.RandomWalk, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		keys, stored := numbers{uint64(i) << 32}, 0
		for filter.InsertHash(keys.next()) == nil {
			stored++
		}
		theirs[i] = float64(stored) / (4 << size)
	}
	a, b := SampleOf(ours), SampleOf(theirs)
	near(t, "mean load", a.Mean, b.Mean, a.Tolerance(b))
}

// Of one value there are no other limits than its classes: the loads are distributed as the formula says. The largest
// distance of two such distributions is above 2.2 over the root of the number of fills once in 8 000.
func TestTable_OverfullIsExactForOneValue(t *testing.T) {
	const fills = 600
	for _, table := range []NarrowTable{
		{Size: 12, BucketSize: 4, Width: 1, Values: NonZero, Kicks: 500},
		{Size: 11, BucketSize: 8, Width: 1, Values: ZeroAsOne, Kicks: 500},
		{Size: 14, BucketSize: 2, Width: 1, Values: NonZero, Kicks: 500},
	} {
		got, most := loads(table, fills), 0.0
		slices.Sort(got)
		for i, load := range got {
			want := 1 - table.Reaches(load, 1)
			most = max(most, math.Abs(float64(i)/fills-want), math.Abs(float64(i+1)/fills-want))
		}
		if most > 2.2/math.Sqrt(fills) {
			t.Errorf("%+v: the shares of loads differ by %.3f from the formula's", table, most)
		}
	}
}

// With more values tables refuse earlier than the formula says, never later, and not by much.
func TestTable_OverfullIsALimit(t *testing.T) {
	const fills = 200
	for _, v := range []Values{NonZero, ZeroAsOne, All} {
		for _, o := range []Offsets{Hashed, Multiplied} {
			for f := 2; f <= 3; f++ {
				table := NarrowTable{Size: 12, BucketSize: 4, Width: f, Values: v, Offsets: o, Kicks: 500}
				got := loads(table, fills)
				slices.Sort(got)
				for i, load := range got {
					above := 1 - float64(i)/fills
					if limit := table.Reaches(load, 1); above > limit+4*math.Sqrt(limit*(1-limit)/fills)+2.0/fills {
						t.Errorf("%+v: a share of %.3f reaches %.4f, by the limit %.3f may", table, above, load, limit)
					}
				}
			}
		}
	}
}

// The points of the paper's figure 2 at b = 4, f = 1 to 4, of which [NarrowTable.Reaches] says how likely they are.
var cliff = map[int][4]float64{
	15: {0.1902, 0.4579, 0.8201, 0.9538},
	20: {0.1560, 0.3349, 0.6312, 0.9417},
	25: {0.1400, 0.2354, 0.3567, 0.6383},
	30: {0.0767, 0.1508, 0.3370, 0.4277},
}

func TestReaches_OnlyAllValuesReachThePapersPoints(t *testing.T) {
	for _, c := range []struct {
		values Values
		least  float64 // of the 16 chances, rounded
	}{{All, 7.4e-3}, {NonZero, 5.0e-205}, {ZeroAsOne, 5.0e-205}} {
		least := 1.0
		for size, points := range cliff {
			for i, load := range points {
				table := NarrowTable{Size: size, BucketSize: 4, Width: i + 1, Values: c.values, Kicks: 500}
				least = min(least, table.Reaches(load, 10))
			}
		}
		near(t, c.values.String(), least/c.least, 1, 0.05)
	}
}
