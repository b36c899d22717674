package experiments

import (
	"context"
	"fmt"
	"time"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/report"
)

// speedRounds is how often each operation is timed; benchstat asks for at least six. Tiny has one.
const speedRounds = 10

// A table of 2^16 slots is small enough for the second-level cache and for a brief measurement: these
// timings say that nothing is wrong, the benchmarks of package experiments/bench say how fast things
// are. Cuckoo filters are filled to 95%.
const (
	speedSlots = 1 << 16
	speedKeys  = speedSlots * 95 / 100
)

// Timings measures inserts and lookups of four filters for bench.txt, interleaved in rounds so that
// a disturbance hits all of them. It takes about a second on an idle core, and its results depend on the
// machine.
func Timings(ctx context.Context, p Profile, seed uint64) ([]report.Bench, error) {
	filters := []struct {
		name string // without the number of keys, which comes before the load
		load string
		make func() (Instance, error)
	}{
		{"filter=cuckoo/f=12/b=4/placement=additive", "/load=0.95", func() (Instance, error) {
			return newCuckoo(12, cuckoo.Config{Buckets: speedSlots / 4}, seed)
		}},
		{"filter=cuckoo/f=12/b=4/placement=xor", "/load=0.95", func() (Instance, error) {
			return newCuckoo(12, cuckoo.Config{Buckets: speedSlots / 4, Placement: cuckoo.XOR}, seed)
		}},
		{"filter=bloom/bits=13/k=9", "", func() (Instance, error) {
			f, err := bloom.New(bloom.Config{Bits: 13 * speedKeys, Hashes: 9})
			return bloomInstance{f}, err
		}},
		{"filter=blocked-bloom/bits=13/k=9", "", func() (Instance, error) {
			f, err := bloom.NewBlocked(bloom.Config{Bits: 13 * speedKeys, Hashes: 9})
			return bloomInstance{f}, err
		}},
	}
	rounds := speedRounds
	if p == Tiny {
		rounds = 1
	}
	var out []report.Bench
	for range rounds {
		for _, f := range filters {
			instance, err := f.make()
			if err != nil {
				return nil, fmt.Errorf("experiments: timing %s: %w", f.name, err)
			}
			lines, err := timeOne(ctx, fmt.Sprintf("%s/n=%d%s", f.name, speedKeys, f.load), instance, seed)
			if err != nil {
				return nil, err
			}
			out = append(out, lines...)
		}
	}
	return out, nil
}

// timeOne fills one filter and looks up its keys and as many absent ones. The digests are made
// beforehand, so that only the filter is timed.
func timeOne(ctx context.Context, name string, f Instance, seed uint64) ([]report.Bench, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	s := stream{next: seed}
	keys, absent, dst := make([]uint64, speedKeys), make([]uint64, speedKeys), make([]bool, speedKeys)
	s.fill(keys)
	s.fill(absent)
	line := func(verb, hit string, start time.Time) report.Bench {
		ns := float64(time.Since(start).Nanoseconds()) / speedKeys
		return report.Bench{
			Name:    fmt.Sprintf("Benchmark%s/%s%s", verb, name, hit),
			N:       speedKeys,
			Metrics: []report.Metric{{Value: ns, Unit: "ns/op"}, {Value: 8 * float64(f.SizeBytes()) / speedKeys, Unit: "bits/item"}},
		}
	}
	start := time.Now()
	if _, err := f.InsertHashes(keys); err != nil {
		return nil, fmt.Errorf("experiments: timing %s: %w", name, err)
	}
	out := []report.Bench{line("Insert", "", start)}
	start = time.Now()
	f.ContainsHashes(keys, dst)
	out = append(out, line("Contains", "/hit=1", start))
	start = time.Now()
	f.ContainsHashes(absent, dst)
	return append(out, line("Contains", "/hit=0", start)), nil
}
