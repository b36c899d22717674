package bench

import (
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/speed"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// filter is the shape that the paper has most of: 12 bits and b = 4.
type filter = cuckoo.Filter[fingerprint.Bits12]

// load is that of a filled table.
const load = catalogue.FullLoad

// fill inserts keys 0, 1, 2, ... until the filter has the given share of its slots in use.
func fill(tb testing.TB, f *filter, share float64) {
	keys := uint64(float64(f.Slots()) * share)
	for k := uint64(f.Len()); k < keys; k++ {
		if err := f.InsertHash(hashing.Mix64(k)); err != nil {
			tb.Fatal(err)
		}
	}
}

// sizes are the numbers of slots: a table in the first-level cache, in the second, and beyond it.
// Tables of 8 and 64 million slots take seconds to fill; they are measured where NEST_BENCH_LARGE
// is set.
func sizes() []int {
	n := []int{1 << 10, 1 << 17, 1 << 20}
	if os.Getenv("NEST_BENCH_LARGE") != "" {
		n = append(n, 1<<23, 1<<26)
	}
	return n
}

// every says to measure every load with every share of hits and every batch, and every kick policy under
// every placement, and not only one of them at a time away from the middle.
func every() bool { return os.Getenv("NEST_BENCH_ALL") != "" }

// A lookup is one way to ask a table.
type lookup struct {
	load, hit float64
	batch     int
}

// lookups are those of BenchmarkContains.
func lookups(all bool) (out []lookup) {
	for _, load := range []float64{0.5, 0.9, load} {
		for _, hit := range []float64{0, 0.5, 1} {
			for _, batch := range []int{0, 64, 256} {
				if all || load == catalogue.FullLoad || hit == 0 && batch != 64 {
					out = append(out, lookup{load, hit, batch})
				}
			}
		}
	}
	return out
}

// name is what follows the subject in a benchmark's name, its keys in the order that all benchmarks of the
// module use.
func (l lookup) name(n int) string {
	name := "/n=" + strconv.Itoa(n) + "/load=" + strconv.FormatFloat(l.load, 'g', -1, 64) + "/hit=" + strconv.FormatFloat(l.hit, 'g', -1, 64)
	if l.batch > 0 {
		name += "/batch=" + strconv.Itoa(l.batch)
	}
	return name
}

// filters are the cuckoo filters under every placement and in every layout.
func filters() (all []catalogue.Entry) {
	for _, p := range catalogue.Placements() {
		all = append(all, catalogue.Cuckoo(p, nil))
	}
	return append(all, catalogue.Layouts()...)
}

// policies are the cuckoo filters under every kick policy: all placements, or the default alone.
func policies(all bool) (out []catalogue.Entry) {
	for _, p := range catalogue.Placements() {
		for _, k := range catalogue.Policies() {
			if all || p == cuckoo.XOR || k.Recipe() == cuckoo.BreadthFirst.Recipe() {
				out = append(out, catalogue.Cuckoo(p, k))
			}
		}
	}
	return out
}

// A bed is a filter of n slots, with its keys.
type bed struct {
	*measure.Turn
	n int
}

// open makes a bed, or skips: Region needs a large table.
func open(b *testing.B, e catalogue.Entry, n int) bed {
	b.Helper()
	turn, err := speed.Open(b.Context(), e, n)
	if err != nil {
		b.Skip(err)
	}
	return bed{turn, n}
}

// empty takes all keys out.
func (b bed) empty() (*measure.Loops, error) { b.Reset(); return b.Loops, nil }

// refill fills the bed anew, and returns the laps of the stretches.
func (b bed) refill() ([]measure.Lap, error) {
	laps, _, err := b.Fills(b.empty, 0, speed.Stops(b.n)...)
	return laps, err
}

// eachBed runs a benchmark for every filter and size, each with a table filled to load 0.95.
func eachBed(b *testing.B, entries []catalogue.Entry, run func(b *testing.B, bed bed)) {
	for _, e := range entries {
		for _, n := range sizes() {
			b.Run(e.Params+"/n="+strconv.Itoa(n)+"/load="+strconv.FormatFloat(catalogue.FullLoad, 'g', -1, 64), func(b *testing.B) {
				made := open(b, e, n)
				if _, err := made.Fill(catalogue.KeysAt(n, load)); errors.Is(err, cuckoo.ErrFull) {
					b.Skip(err) // a policy that stops early
				} else if err != nil {
					b.Fatal(err)
				}
				bits := bitsPerItem(made.Turn)
				run(b, made)
				b.ReportMetric(bits, "bits/item")
			})
		}
	}
}

// timed runs a benchmark of laps and reports the nanoseconds per key as ns/op, in place of those of one lap.
// What the lap does outside its own time is not counted.
func timed(b *testing.B, lap func() (measure.Lap, error)) {
	b.Helper()
	var total measure.Lap
	for b.Loop() {
		l, err := lap()
		if err != nil {
			b.Fatal(err)
		}
		total.Add(l)
	}
	b.ReportMetric(total.PerKey(), "ns/op")
}

// bitsPerItem is the size of the table for each key that it holds.
func bitsPerItem(t *measure.Turn) float64 { return 8 * float64(t.SizeBytes()) / float64(t.Stored) }

// BenchmarkContains looks up integer keys, hash included, one a time or in batches, hits and misses in
// random order.
func BenchmarkContains(b *testing.B) {
	for _, s := range filters() {
		for _, n := range sizes() {
			made, err := speed.Open(b.Context(), s, n)
			for _, l := range lookups(every()) {
				b.Run(s.Params+l.name(n), func(b *testing.B) {
					if err != nil {
						b.Skip(err)
					}
					if _, err := made.Fill(catalogue.KeysAt(n, l.load)); err != nil { // loads ascend
						b.Skip(err) // a placement or a layout that refuses early
					}
					probes := speed.Probes(made.Stored, l.hit, 1)
					timed(b, func() (measure.Lap, error) { return made.Ask(probes, l.batch) })
					b.ReportMetric(bitsPerItem(made), "bits/item")
				})
			}
		}
	}
}

// BenchmarkGather reads two words of 8 bytes a key at random places of an array as large as a table of 12
// bits a slot: what the memory allows.
func BenchmarkGather(b *testing.B) {
	for _, n := range sizes() {
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) {
			run, _ := speed.Gather(n*12/8, n)
			timed(b, run)
		})
	}
}

// BenchmarkInsert fills a table one key a time; ns/op is the mean over the whole fill, ns/key@0.3 that of
// the stretch that ends at load 0.3.
func BenchmarkInsert(b *testing.B) {
	eachBed(b, append(policies(every()), catalogue.Layouts()...), func(b *testing.B, bed bed) {
		loads := speed.Loads()
		stretches := make([]measure.Lap, len(loads))
		timed(b, func() (whole measure.Lap, err error) {
			laps, err := bed.refill()
			for i, lap := range laps {
				stretches[i].Add(lap)
				whole.Add(lap)
			}
			return whole, err
		})
		for i, load := range loads {
			b.ReportMetric(stretches[i].PerKey(), "ns/key@"+strconv.FormatFloat(load, 'g', -1, 64))
		}
	})
}

// BenchmarkBuild makes filters of ready digests.
func BenchmarkBuild(b *testing.B) {
	eachBed(b, filters(), func(b *testing.B, bed bed) {
		hs := speed.Digests(catalogue.KeysAt(bed.n, load))
		timed(b, func() (measure.Lap, error) { return bed.Bulk(hs) })
	})
}

// BenchmarkDelete deletes a table's keys in the order of their insertion. The fill before each round is
// not counted.
func BenchmarkDelete(b *testing.B) {
	eachBed(b, filters(), func(b *testing.B, bed bed) {
		timed(b, func() (measure.Lap, error) {
			if _, err := bed.refill(); err != nil {
				return measure.Lap{}, err
			}
			return bed.Delete(bed.Stored, nil)
		})
	})
}

// keyBytes is the length of a key of bytes.
const keyBytes = 16

// byteKeys returns the bytes of the keys from, ..., to-1, one behind the other: two integers each that look random.
func byteKeys(from, to int) (keys []byte) {
	for k := uint64(from); k < uint64(to); k++ {
		keys = binary.LittleEndian.AppendUint64(keys, hashing.Mix64(k))
		keys = binary.LittleEndian.AppendUint64(keys, hashing.Mix64(^k))
	}
	return keys
}

// BenchmarkContainsKey looks up absent keys of 16 bytes, as bytes and as a string. What they take above
// BenchmarkContains at hit=0 is the hash, which BenchmarkHash has by itself, less that of an integer.
func BenchmarkContainsKey(b *testing.B) {
	const probes = 1 << 16 // a MiB, which leaves the table its cache
	for _, p := range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
		for _, n := range sizes() {
			f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: n / 4, Placement: p})
			if err != nil {
				b.Fatal(err)
			}
			fill(b, f, load)
			keys := byteKeys(0, probes)
			text := string(keys)
			for _, form := range []string{"bytes", "string"} {
				b.Run(catalogue.Cuckoo(p, nil).Params+lookup{load: load}.name(n)+"/key="+form, func(b *testing.B) {
					found := 0
					timed(b, func() (measure.Lap, error) {
						start := time.Now()
						if form == "bytes" {
							for rest := keys; len(rest) > 0; rest = rest[keyBytes:] {
								found += one(f.Contains(rest[:keyBytes]))
							}
						} else {
							for rest := text; len(rest) > 0; rest = rest[keyBytes:] {
								found += one(f.ContainsString(rest[:keyBytes]))
							}
						}
						return measure.Lap{Time: time.Since(start), Keys: probes}, nil
					})
					if found > probes*b.N/100 {
						b.Fatalf("%d of %d keys are found that are not there", found, probes*b.N)
					}
				})
			}
		}
	}
}

// one is 1 for true, without a branch.
func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// BenchmarkHash makes the digests of keys of 16 bytes.
func BenchmarkHash(b *testing.B) {
	keys := byteKeys(0, 1<<12)
	d := hashing.NewDigester(hashing.XXH64(0))
	sum := uint64(0)
	b.Run("hash=xxh64/key=bytes", func(b *testing.B) {
		timed(b, func() (measure.Lap, error) {
			start := time.Now()
			for rest := keys; len(rest) > 0; rest = rest[keyBytes:] {
				sum += d.Sum64(rest[:keyBytes])
			}
			return measure.Lap{Time: time.Since(start), Keys: len(keys) / keyBytes}, nil
		})
	})
	if sum == 0 { // which uses it
		b.Fatal("all digests add up to 0")
	}
}
