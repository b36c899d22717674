package cuckoo

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/packed"
)

var update = flag.Bool("update", false, "write the golden file anew")

const goldenFile = "testdata/golden_v1.txt"

// goldenLine fills one table to 90% and describes it by its size, its content and what its policy
// did.
func goldenLine(t *testing.T, width uint, c Config) string {
	c.Hash = hashing.XXH64(0) // the configuration is in the line
	f := mustNew(t, width, c)
	c.FingerprintBits = int(width)
	g := mustNew(t, width, c)
	r := rand.New(rand.NewPCG(uint64(width), 1))
	refused := 0
	for range f.Slots() * 9 / 10 {
		h := r.Uint64()
		err := f.InsertHash(h)
		if err != nil {
			refused++
		}
		if other := g.InsertHash(h); other != err {
			t.Fatalf("%v: digest %#x: %v, and of type Any %v", f, h, err, other)
		}
	}
	sameFile(t, g, f)
	if f.Stats() != g.Stats() {
		t.Errorf("%v counts %+v, and %+v of type Any", f, f.Stats(), g.Stats())
	}
	e, _ := f.inner()
	shown := f.Config()
	shown.FingerprintBits = 0
	return fmt.Sprintf("f=%d/%v bytes=%d len=%d refused=%d kicks=%d longest=%d table=%016x\n", width, shown,
		f.SizeBytes(), f.Len(), refused, f.Stats().Kicks, f.Stats().LongestPath, xxhash.Sum64(e.Table.Data()))
}

// goldenShapes calls do with every width and bucket size, as its logarithm.
func goldenShapes(do func(width uint, log int)) {
	for width := uint(1); width <= 32; width++ {
		for log := range 4 {
			do(width, log)
		}
	}
}

// TestGolden_V1 pins the tables that fixed digests make, at every width, bucket size, placement and
// policy, on every machine, with the width as a type and as fingerprint.Any. Do not change the lines of the file: filters that people stored would stop being
// readable. A new layout is a new version beside this one.
func TestGolden_V1(t *testing.T) {
	var got strings.Builder
	goldenShapes(func(width uint, log int) {
		for _, p := range []Placement{Additive, XOR, PlainXOR} {
			k := []KickPolicy{BreadthFirst, RandomWalk, RoundRobin}[(int(width)+log)%3]
			c := Config{Buckets: 61, BucketSize: 1 << log, Placement: p, Kick: k, Seed: 7, MaxBytes: 1 << 20}
			if p.powerOfTwo() {
				c.Buckets = 64
			}
			got.WriteString(goldenLine(t, width, c))
		}
	})
	for width := uint(packed.MinSortedWidth); width <= fingerprint.MaxWidth; width++ {
		for p := range Placement(placements) {
			k := []KickPolicy{BreadthFirst, RandomWalk, RoundRobin, LookAhead}[(width+uint(p))%4]
			got.WriteString(goldenLine(t, width, Config{Buckets: 64, Layout: SemiSorted, Placement: p, Kick: k, Seed: 7}))
		}
	}
	for width := uint(1); width <= fingerprint.MaxWidth; width++ {
		for p := range Placement(placements) {
			k := []KickPolicy{BreadthFirst, RandomWalk, RoundRobin, LookAhead}[(width+uint(p))%4]
			b := 4 << (width + uint(p)/2) % 2
			got.WriteString(goldenLine(t, width, Config{Buckets: 64, BucketSize: int(b), Layout: PairedSlots, Placement: p, Kick: k, Seed: 7}))
		}
	}
	if *update {
		if err := os.WriteFile(goldenFile, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	wantLines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(wantLines) || line != wantLines[i] {
			t.Fatalf("line %d:\n got %s\nwant %s", i+1, line, wantLines[min(i, len(wantLines)-1)])
		}
	}
}
