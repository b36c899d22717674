package nest_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/hashing"
)

// TestPlans_Best holds what Best takes for a million keys. The rule is that of the command nest size:
// the smallest table, unless one at most 5% larger touches fewer cache lines.
func TestPlans_Best(t *testing.T) {
	const n = 1_000_000
	for _, c := range []struct {
		rate    float64
		deletes bool
		kind    nest.Kind
		width   int
	}{
		{.3, false, nest.BlockedBloom, 0}, {.3, true, nest.Cuckoo, 6},
		{.05, false, nest.BlockedBloom, 0}, {.05, true, nest.Cuckoo, 8},
		{.01, false, nest.BlockedBloom, 0}, {.01, true, nest.Cuckoo, 10},
		{.002, false, nest.Cuckoo, 12}, {.002, true, nest.Cuckoo, 12},
		{.001, false, nest.Cuckoo, 13}, {.001, true, nest.Cuckoo, 13},
		{1e-6, false, nest.Cuckoo, 23}, {1e-6, true, nest.Cuckoo, 23},
		// Beyond 32-bit fingerprints, Bloom filters are what is left.
		{1e-10, false, nest.Bloom, 0}, {1e-10, true, nest.Counting, 0},
	} {
		s := nest.Spec{Capacity: n, FalsePositiveRate: c.rate, MustDelete: c.deletes}
		plans, err := nest.Plans(s)
		if err != nil {
			t.Errorf("%v: %v", s, err)
			continue
		}
		if got := plans[0].Spec; got.Kind != c.kind || got.FingerprintBits != c.width {
			t.Errorf("%v: got %v, want %s with f=%d", s, got, c.kind, c.width)
		}
		checkPlans(t, s, plans)
	}
}

// TestPlans_SemiSortSavesABit: Best takes semi-sorted buckets where it may, and they are a bit for each
// slot smaller than plain ones of the same rate; other kinds are planned without the wish.
func TestPlans_SemiSortSavesABit(t *testing.T) {
	const n = 1_000_000
	for _, rate := range []float64{.01, .001, 1e-6} {
		s := nest.Spec{Capacity: n, FalsePositiveRate: rate, MustDelete: true}
		plain, err := nest.Plans(s)
		if err != nil {
			t.Fatal(err)
		}
		s.Layout = cuckoo.SemiSorted
		sorted, err := nest.Plans(s)
		if err != nil {
			t.Fatal(err)
		}
		p, q := plain[0], sorted[0]
		saved := 8 * (p.SizeBytes - q.SizeBytes) // both are rounded up to bytes
		if q.Spec.Layout != cuckoo.SemiSorted || q.Spec.Slots != p.Spec.Slots || saved-p.Spec.Slots > 7 ||
			p.Spec.Slots-saved > 7 {
			t.Errorf("rate %v: %v of %d bytes, plain %v of %d", rate, q.Spec, q.SizeBytes, p.Spec, p.SizeBytes)
		}
		checkPlans(t, s, sorted)
		for _, p := range append(plain, sorted...) {
			if err := p.Spec.Validate(); err != nil {
				t.Errorf("plan %v: %v", p.Spec, err)
			}
		}
	}
}

// TestPlans_BestTriesEveryLayout: where a layout is asked for, Best has plans of it beside those without it, which a
// layout that nobody listed would not have.
func TestPlans_BestTriesEveryLayout(t *testing.T) {
	s := nest.Spec{Capacity: 10_000, FalsePositiveRate: .001}
	plain, err := nest.Plans(s)
	if err != nil {
		t.Fatal(err)
	}
	for {
		s.Layout++
		if _, err := s.Layout.MarshalText(); err != nil {
			break // that was the last
		}
		plans, err := nest.Plans(s)
		more := 0
		for _, p := range plans {
			if p.Spec.Layout == s.Layout {
				more++
			}
		}
		if err != nil || more == 0 || len(plans) != len(plain)+more {
			t.Errorf("%v: %d plans, %d of them of that layout, and %d without: %v", s, len(plans), more, len(plain),
				err)
		}
	}
	if s.Layout < 2 {
		t.Error("no layout but the first")
	}
}

// checkPlans holds the rule of the best plan and the order of the rest.
func checkPlans(t *testing.T, s nest.Spec, plans []nest.Plan) {
	t.Helper()
	best, smallest := plans[0], plans[0]
	for _, p := range plans {
		if p.SizeBytes < smallest.SizeBytes {
			smallest = p
		}
		if p.FalsePositiveRate > s.FalsePositiveRate {
			t.Errorf("%v: %v has a rate of %v", s, p.Spec, p.FalsePositiveRate)
		}
	}
	for i, p := range plans[1:] {
		fewer := p.LinesHit+p.LinesMiss < best.LinesHit+best.LinesMiss
		if fewer && float64(p.SizeBytes) <= 1.05*float64(smallest.SizeBytes) {
			t.Errorf("%v: %v touches fewer cache lines than %v", s, p, best)
		}
		if i > 0 && p.SizeBytes < plans[i].SizeBytes {
			t.Errorf("%v: %v is not in order", s, p)
		}
	}
	if float64(best.SizeBytes) > 1.05*float64(smallest.SizeBytes) {
		t.Errorf("%v: %v is much larger than %v", s, best, smallest)
	}
}

// TestPlans_BestOfBits: where the size is given, the lowest rate is taken, and the table fits.
func TestPlans_BestOfBits(t *testing.T) {
	for bits, kind := range map[float64]nest.Kind{6: nest.Bloom, 8: nest.Bloom, 14: nest.Cuckoo, 20: nest.Cuckoo} {
		s := nest.Spec{Capacity: 100_000, BitsPerItem: bits}
		plans, err := nest.Plans(s)
		if err != nil || plans[0].Spec.Kind != kind {
			t.Errorf("%v: %v, %v, want %s", s, plans, err, kind)
			continue
		}
		for i, p := range plans {
			if i > 0 && p.FalsePositiveRate < plans[i-1].FalsePositiveRate {
				t.Errorf("%v: %v is not in order", s, p)
			}
			if 8*p.SizeBytes > int(bits*100_000)+63 {
				t.Errorf("%v: %v has %d bytes", s, p.Spec, p.SizeBytes)
			}
		}
	}
}

// TestPlans_ArePromises makes the planned filters, fills them to their capacity and compares size and
// rate. Keys are fixed, so a run that passed passes again; the bound is six standard errors of the
// binomial count and 5% for the spread between tables, which other keys exceed less than once in 10^6.
func TestPlans_ArePromises(t *testing.T) {
	const n, queries = 20_000, 40_000
	for _, s := range []nest.Spec{
		{Capacity: n, FalsePositiveRate: .02},
		{Capacity: n, FalsePositiveRate: .02, MustDelete: true},
		{Capacity: n, BitsPerItem: 41, MustDelete: true},
		{Capacity: n, FalsePositiveRate: .002, Layout: cuckoo.SemiSorted},
	} {
		plans, err := nest.Plans(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range plans {
			f := mustNew(t, p.Spec)
			for k := range uint64(n) {
				if err := f.InsertHash(hashing.Mix64(k)); err != nil {
					t.Fatalf("%v: key %d: %v", p.Spec, k, err)
				}
			}
			hits := 0.0
			for k := range uint64(queries) {
				if f.ContainsHash(hashing.Mix64(n + k)) {
					hits++
				}
			}
			want := p.FalsePositiveRate * queries
			if d := hits - want; d*d > 36*(want+1)+.0025*want*want || p.SizeBytes != f.SizeBytes() ||
				p.Spec != f.Spec() {
				t.Errorf("%v: %v false positives, predicted %.1f; %d bytes, planned %d", f, hits, want, f.SizeBytes(),
					p.SizeBytes)
			}
		}
	}
}

// TestPlans_GoOnToWiderFingerprints: the narrowest can need a table beyond MaxBytes where wider ones do not. The error
// names the width that needs least.
func TestPlans_GoOnToWiderFingerprints(t *testing.T) {
	for _, s := range []nest.Spec{
		{Kind: nest.Cuckoo, BucketSize: 2, Capacity: 10_000_000, FalsePositiveRate: .001, MaxBytes: 32 << 20},
		{Kind: nest.Scalable, Capacity: 10_000_000, FalsePositiveRate: .001, MaxBytes: 64 << 20},
	} {
		plans, err := nest.Plans(s)
		if err != nil {
			t.Errorf("%v: %v", s, err)
			continue
		}
		if p := plans[0]; p.SizeBytes > s.MaxBytes || p.FalsePositiveRate > s.FalsePositiveRate {
			t.Errorf("%v: %v takes %d bytes at a rate of %v", s, p.Spec, p.SizeBytes, p.FalsePositiveRate)
		}
	}
	for want, s := range map[string]nest.Spec{
		"takes 13 bits and": {Kind: nest.Cuckoo, Capacity: 10_000_000, FalsePositiveRate: .001,
			MaxBytes: 1 << 20},
		"17 bits, MaxBytes is": {Kind: nest.Scalable, Capacity: 10_000_000, FalsePositiveRate: .001,
			MaxBytes: 32 << 20},
	} {
		if _, err := nest.Plans(s); !errors.Is(err, nest.ErrTooLarge) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", s, err, want)
		}
	}
}

// TestPlans_TakeTheWidestOfASize: where a bucket is a word, 13 to 16 bits take the same table.
func TestPlans_TakeTheWidestOfASize(t *testing.T) {
	for _, s := range []nest.Spec{{Kind: nest.ConcurrentCuckoo}, {Kind: nest.Cuckoo, Layout: cuckoo.Words}} {
		s.Capacity, s.FalsePositiveRate = 1_000_000, .001
		plans, err := nest.Plans(s)
		if err != nil || plans[0].Spec.FingerprintBits != 16 {
			t.Errorf("%v: %v, %v, want 16 bits", s, plans, err)
		}
	}
}

// TestPlans_EndWhereTablesDo holds that no plan is beyond what the kind's constructor can make, however
// it was sized, and although MaxBytes would allow it. Nothing is allocated.
func TestPlans_EndWhereTablesDo(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("the limits are beyond an int of 32 bits")
	}
	for kind, slots := range map[nest.Kind]uint64{
		nest.Bloom: 8 << 56, nest.BlockedBloom: 512 << 32, nest.SplitBlock: 256 << 32,
		nest.Counting: 2 << 56, nest.DLeft: 16 << 32,
	} {
		for _, s := range []nest.Spec{
			{Capacity: int(slots/2) + 1, FalsePositiveRate: .01},
			{Capacity: int(slots/16) + 1, BitsPerItem: 128},
			{Slots: int(slots) + 16, Hashes: 8},
		} {
			s.Kind, s.MaxBytes = kind, math.MaxInt
			if kind == nest.DLeft {
				s.Capacity *= 16
				s.FingerprintBits, s.Hashes = s.Hashes, 0
			}
			plans, err := nest.Plans(s)
			if !errors.Is(err, nest.ErrTooLarge) && !errors.Is(err, nest.ErrConfig) {
				t.Errorf("%v: %v, %v, want ErrTooLarge", s, plans, err)
			}
		}
	}
}

// TestPlans_GrowingBeginsAsPlanned compares the planned size with that of the filter made, under every kick policy.
func TestPlans_GrowingBeginsAsPlanned(t *testing.T) {
	for _, kick := range []string{"", "breadth-first", "look-ahead", "random-walk", "round-robin"} {
		for n := 1; n < 100_000; n += 1 + n/7 {
			s := nest.Spec{Kind: nest.Scalable, Capacity: n, BucketSize: 4 << (n % 2), Kick: kick,
				FingerprintBits: 8 + n%25}
			plans, err := nest.Plans(s)
			if err != nil {
				t.Fatalf("%v: %v", s, err)
			}
			f := mustNew(t, plans[0].Spec)
			if f.SizeBytes() != plans[0].SizeBytes || f.Spec() != plans[0].Spec {
				t.Errorf("%v: %d bytes, planned %d", f, f.SizeBytes(), plans[0].SizeBytes)
			}
		}
	}
}

func TestKinds_AreMade(t *testing.T) {
	kinds := nest.Kinds()
	if len(kinds) < 8 || kinds[0] != nest.Best {
		t.Errorf("Kinds are %v", kinds)
	}
	for _, kind := range kinds[1:] {
		f := mustNew(t, nest.Spec{Kind: kind, Capacity: 100, FalsePositiveRate: .01})
		if f.Spec().Kind != kind {
			t.Errorf("kind %s made %v", kind, f.Spec())
		}
		_, deletes := f.(nest.Deleter)
		if _, counts := f.(nest.Counter); counts != deletes {
			t.Errorf("kind %s: Counter %v, Deleter %v", kind, counts, deletes)
		}
		if _, grows := f.(nest.Grower); grows != (kind == nest.Scalable) {
			t.Errorf("kind %s: Grower %v", kind, grows)
		}
		_, err := nest.New(nest.Spec{Kind: kind, Capacity: 100, FalsePositiveRate: .01, MustDelete: true})
		if deletes != (err == nil) {
			t.Errorf("kind %s: Deleter %v, MustDelete %v", kind, deletes, err)
		}
	}
}

// TestPlans_OfNonsense plans filters that there are not. What is planned has a size and a rate, and the errors are
// ErrConfig or ErrTooLarge.
func TestPlans_OfNonsense(t *testing.T) {
	numbers := []int{math.MinInt, -1, 0, 1, 2, 33, math.MaxInt32, math.MaxInt}
	check := func(s nest.Spec) {
		plans, err := nest.Plans(s)
		if err != nil && !errors.Is(err, nest.ErrConfig) && !errors.Is(err, nest.ErrTooLarge) {
			t.Errorf("%v: %v", s, err)
		}
		for _, p := range plans {
			if !(p.FalsePositiveRate >= 0 && p.FalsePositiveRate <= 1) || p.SizeBytes < 0 {
				t.Errorf("%v: %+v", s, p)
			}
		}
	}
	for _, kind := range append(nest.Kinds(), nest.Best, "", "no kind") {
		for _, x := range numbers {
			for _, y := range numbers {
				check(nest.Spec{Kind: kind, Capacity: x, FingerprintBits: y})
				check(nest.Spec{Kind: kind, Slots: x, Hashes: y, BucketSize: y})
				check(nest.Spec{Kind: kind, Capacity: x, FalsePositiveRate: .01, Layout: cuckoo.Layout(y)})
				check(nest.Spec{Kind: kind, Capacity: x, FalsePositiveRate: .01, Placement: cuckoo.Placement(y)})
				check(nest.Spec{Kind: kind, Capacity: 9, FalsePositiveRate: .01, MaxBytes: x, MaxDoublings: y})
			}
			for _, rate := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 5e-324, .01, 1, 2, 1e300} {
				check(nest.Spec{Kind: kind, Capacity: x, FalsePositiveRate: rate})
				check(nest.Spec{Kind: kind, Capacity: x, BitsPerItem: rate})
			}
		}
	}
}
