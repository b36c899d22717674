package cuckoo

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nestfilter/nest/hashing"
)

// halves returns two filters of equal configuration with n random keys each, and the keys.
func halves(t *testing.T, width uint, c Config, n int) (f, g verbs, keys []uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(width), uint64(n)))
	f, g = mustNew(t, width, c), mustNew(t, width, c)
	for k := range 2 * n {
		h := r.Uint64()
		keys = append(keys, h)
		if err := []verbs{f, g}[k%2].InsertHash(h); err != nil {
			t.Fatal(err)
		}
	}
	return f, g, keys
}

// TestMerge_IsTheMultisetSum merges at every placement and several widths.
func TestMerge_IsTheMultisetSum(t *testing.T) {
	for _, width := range []uint{3, 8, 12, 31} {
		for p := range Placement(layouts * placements) {
			c := Config{Buckets: 64, Placement: p % placements, Layout: Layout(p / placements)}
			if c.narrow(width) {
				continue
			}
			if c.Layout.defaultSize(width) < 4 {
				c.Buckets = 128
			}
			f, g, keys := halves(t, width, c, 60)
			o := newOracle(f)
			for _, h := range keys {
				o.count[classOf(f, h)]++
			}
			before := g.clone()
			if err := f.merge(g); err != nil {
				t.Fatalf("%v: %v", f, err)
			}
			if o.len = len(keys); f.Len() != o.len {
				t.Errorf("%v: Len %d after merging, want %d", f, f.Len(), o.len)
			}
			checkAll(t, o)
			if !g.equal(before) {
				t.Errorf("%v: merging changed the other filter", g)
			}
		}
	}
}

func TestMerge_WithItselfDoubles(t *testing.T) {
	for l := range Layout(layouts) {
		f, _, keys := halves(t, 12, Config{Buckets: 64, Layout: l}, 50)
		if err := f.merge(f); err != nil {
			t.Fatal(err)
		}
		for k, h := range keys {
			if want := 2 - 2*(k%2); f.CountHash(h) < want {
				t.Errorf("%v: key %d: count %d, want %d", f, k, f.CountHash(h), want)
			}
		}
	}
}

// TestMerge_FullLeavesUnchanged merges two filters that do not fit into one.
func TestMerge_FullLeavesUnchanged(t *testing.T) {
	for l := range Layout(layouts) {
		f, g, _ := halves(t, 12, Config{Buckets: 64 / l.defaultSize(12), Layout: l}, 40)
		before := f.clone()
		if err := f.merge(g); !errors.Is(err, ErrFull) {
			t.Fatalf("%v: 80 keys in 64 slots: %v", f, err)
		}
		if !f.equal(before) {
			t.Errorf("%v: a merge that was refused changed the filter", f)
		}
		if f.Stats().Refusals != before.Stats().Refusals+1 {
			t.Errorf("%v: a refused merge counts %d refusals", f, f.Stats().Refusals)
		}
	}
}

// TestMerge_CountsItsKicks merges two halves into a table that they nearly fill.
func TestMerge_CountsItsKicks(t *testing.T) {
	f, g, _ := halves(t, 12, Config{Buckets: 16}, 30)
	before := f.Stats()
	if err := f.merge(g); err != nil {
		t.Fatal(err)
	}
	if after := f.Stats(); after.Kicks <= before.Kicks || after.LongestPath < before.LongestPath {
		t.Errorf("Stats %+v became %+v", before, after)
	}
}

func TestMerge_MismatchNamesTheField(t *testing.T) {
	base := Config{Buckets: 64}
	f := mustNew(t, 12, base)
	for want, c := range map[string]Config{
		"Buckets":                     {Buckets: 128},
		"BucketSize":                  {Buckets: 64, BucketSize: 2},
		"Layout":                      {Buckets: 64, Layout: SemiSorted},
		"Layout is packed and paired": {Buckets: 64, Layout: PairedSlots},
		"Placement":                   {Buckets: 64, Placement: XOR},
		"Hash":                        {Buckets: 64, Hash: hashing.XXH64(1)},
	} {
		err := f.merge(mustNew(t, 12, c))
		if !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s differs: %v", want, err)
		}
	}
	if err := f.merge(mustNew(t, 12, Config{Buckets: 64, Kick: RandomWalk, Seed: 9, MaxKicks: 3})); err != nil {
		t.Errorf("filters that differ in how they kick tell the same keys apart: %v", err)
	}
}

func TestEqual_SeesEveryDifference(t *testing.T) {
	f := mustNew(t, 12, Config{Buckets: 64})
	for _, c := range []Config{
		{Buckets: 65}, {Buckets: 64, Layout: SemiSorted}, {Buckets: 64, BucketSize: 2}, {Buckets: 64, Placement: XOR}, {Buckets: 64, Hash: hashing.XXH64(1)},
		{Buckets: 64, Kick: RandomWalk}, {Buckets: 64, MaxKicks: 9}, {Buckets: 64, Seed: 9}, {Buckets: 64, Kick: careful{}},
	} {
		if f.equal(mustNew(t, 12, c)) {
			t.Errorf("equal to a filter of %v", c)
		}
	}
	g := f.clone()
	if !f.equal(g) || !f.equal(mustNew(t, 12, Config{Buckets: 64, MaxBytes: 1 << 20})) {
		t.Error("differs from its equal")
	}
	if err := g.InsertHash(1 << 40); err != nil || f.equal(g) {
		t.Errorf("an insert into the clone is not seen: %v", err)
	}
}

// TestClone_GoesItsOwnWay clones a full filter of every policy and goes on with both: they do the
// same, generator included, and do not touch each other.
func TestClone_GoesItsOwnWay(t *testing.T) {
	for n := range 2 * len(policies) {
		k := policies[n/2]
		f := mustNew(t, 12, Config{Buckets: 32, Kick: k, MaxKicks: 50, Layout: Layout(n % 2)})
		r := rand.New(rand.NewPCG(5, 0x5eed))
		for f.InsertHash(r.Uint64()) == nil {
		}
		g := f.clone()
		e, _ := f.inner()
		before := bytes.Clone(e.Table.Data())
		later := []uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
		var first []error
		for _, h := range later {
			first = append(first, g.InsertHash(h))
		}
		if !bytes.Equal(before, e.Table.Data()) {
			t.Errorf("%s: the clone wrote into the original", k.Recipe())
		}
		for i, h := range later {
			if err := f.InsertHash(h); err != first[i] {
				t.Errorf("%s: key %d: %v, the clone said %v", k.Recipe(), i, err, first[i])
			}
		}
		if !f.equal(g) || f.Stats() != g.Stats() {
			t.Errorf("%s: the clone went another way", k.Recipe())
		}
	}
}
