package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/hashing"
)

// ErrOptions reports options that cannot be run.
var ErrOptions = errors.New("invalid options")

// A Study is a comparison that has a name.
type Study struct {
	Name, Title string
	// Sizes are the numbers of keys unless others are named, Quick those of a quick run.
	Sizes, Quick []int
	// Min and Max are the smallest and the largest number of keys.
	Min, Max int
	// one says that there is one number of keys in a run.
	one bool
	// turn is about how long a round takes at a number of keys.
	turn func(n int) time.Duration
	run  func(r *runner, n int) error
}

// minKeys is the smallest number of keys of one goroutine.
const minKeys = 1 << 10

// MinKeys is the smallest number of keys that every study takes, goroutines that share them included: each has a block of its own.
func MinKeys() int { return 2 * block * max(runtime.GOMAXPROCS(0), slices.Max(Goroutines())) }

// Studies returns all studies.
func Studies() []Study {
	return []Study{
		{
			Name: "paired", Title: "Paired slots beside plain buckets of the same rate", Sizes: []int{1_000_000}, Quick: []int{100_000}, Min: minKeys, Max: 1 << 28,
			turn: func(n int) time.Duration { return 4 * contestTurn(n, 1) }, run: runPaired,
		},
		{
			Name: "growth", Title: "A filter that has grown beside one of the right size", Sizes: []int{32_000, 1_000_000, 16_000_000}, Quick: []int{32_000, 250_000}, Min: minKeys, Max: 1 << 28,
			turn: func(n int) time.Duration { return 4 * contestTurn(n, 2) }, run: runGrowth,
		},
		{
			Name: "shared", Title: "Filters that goroutines share", Sizes: []int{1_000_000}, Quick: []int{100_000}, Min: MinKeys(), Max: 1 << 25, one: true,
			turn: func(n int) time.Duration { return 4*contestTurn(n, 1) + time.Duration(len(points()))*DefaultTurn }, run: runShared,
		},
	}
}

// contestTurn is about how long a turn of a filter of n keys takes: a fill with inserts of so many times the usual cost, and
// lookups.
func contestTurn(n int, inserts float64) time.Duration {
	perInsert, perLookup := 60*inserts, 80.
	if n > 1<<21 {
		perInsert, perLookup = 200*inserts, 200
	}
	return time.Duration(float64(n)*perInsert + timed*perLookup)
}

// Names returns the names of all studies.
func Names() (names []string) {
	for _, s := range Studies() {
		names = append(names, s.Name)
	}
	return names
}

// Find returns the study of a name. The error is [catalogue.ErrUnknown] with the names that there are.
func Find(name string) (Study, error) {
	for _, s := range Studies() {
		if s.Name == name {
			return s, nil
		}
	}
	return Study{}, fmt.Errorf("%q is %w: want one of %s", name, catalogue.ErrUnknown, strings.Join(Names(), ", "))
}

// Options say what to measure.
type Options struct {
	// Study is the name of the study.
	Study string
	// Sizes are the numbers of keys; nil for those of the study.
	Sizes []int
	// Rounds is how often everything is timed; 0 is DefaultRounds.
	Rounds int
	// Turn is the time of one measurement of throughput; 0 is DefaultTurn.
	Turn time.Duration
	Seed uint64
	// MemoryBytes is the memory that may be taken; 0 is as much as one likes.
	MemoryBytes uint64
	// Report is called after each turn; it may be nil.
	Report func(lab.Progress)
}

// DefaultRounds make a 95% interval of the median that leaves out the fastest and the slowest.
const DefaultRounds = 11

// bytesPerKey bounds the memory for a key: those of the keys, of the times of two filters' inserts, and of a sync.Map.
const bytesPerKey = 200

// Resolve returns the options with defaults filled in, and the study. The error is [ErrOptions] or [catalogue.ErrUnknown] and says what to give instead.
func (o Options) Resolve() (Options, Study, error) {
	s, err := Find(o.Study)
	if err != nil {
		return o, s, fmt.Errorf("study: %w", err)
	}
	if o.Sizes == nil {
		o.Sizes = s.Sizes
	}
	o.Sizes = slices.Compact(slices.Sorted(slices.Values(o.Sizes)))
	o.Rounds, o.Turn = cmp.Or(o.Rounds, DefaultRounds), cmp.Or(o.Turn, DefaultTurn)
	switch {
	case o.Rounds < 1 || o.Rounds > 1000:
		return o, s, fmt.Errorf("study: %w: %d rounds: want 1 to 1000", ErrOptions, o.Rounds)
	case len(o.Sizes) == 0 || s.one && len(o.Sizes) > 1:
		return o, s, fmt.Errorf("study: %w: %d numbers of keys: %s wants one", ErrOptions, len(o.Sizes), s.Name)
	}
	for _, n := range o.Sizes {
		if n < s.Min || n > s.Max {
			return o, s, fmt.Errorf("study: %w: n = %d keys: %s wants %d to %d", ErrOptions, n, s.Name, s.Min, s.Max)
		}
	}
	if need := bytesPerKey * uint64(slices.Max(o.Sizes)); o.MemoryBytes > 0 && need > o.MemoryBytes {
		return o, s, fmt.Errorf("study: %w: n = %d keys need %d MiB of memory, and there are %d MiB", ErrOptions, slices.Max(o.Sizes), need>>20, o.MemoryBytes>>20)
	}
	return o, s, nil
}

// Expected is about how long the run of resolved options takes on an idle machine.
func (o Options) Expected(s Study) (total time.Duration) {
	for _, n := range o.Sizes {
		total += time.Duration(o.Rounds) * s.turn(n)
	}
	return total
}

// Run measures. It stops soon after ctx is done, with ctx's error. Other errors are [ErrOptions], [catalogue.ErrUnknown], [measure.ErrLost], and
// a refusal of a key by a filter that promised to take it.
func Run(ctx context.Context, o Options) (*Result, error) {
	o, s, err := o.Resolve()
	if err != nil {
		return nil, err
	}
	r := &runner{ctx: ctx, study: s, Result: &Result{Options: o, Title: s.Title, Procs: runtime.GOMAXPROCS(0)}}
	for _, n := range o.Sizes {
		if err := s.run(r, n); err != nil {
			return nil, err
		}
		r.before += s.turn(n) * time.Duration(o.Rounds)
	}
	return r.Result, nil
}

// A runner is the state of a run.
type runner struct {
	*Result
	ctx    context.Context
	study  Study
	before time.Duration // as expected, of sizes that are done
}

// report tells that a share of the work of n keys is done.
func (r *runner) report(n, done, total int, from, to float64) {
	if r.Options.Report == nil {
		return
	}
	share := from + (to-from)*float64(done)/float64(total)
	spent := r.before + time.Duration(share*float64(r.study.turn(n))*float64(r.Options.Rounds))
	r.Options.Report(lab.Progress{Experiment: fmt.Sprintf("%s, n=%d", r.study.Name, n), Done: done, Total: total, Share: float64(spent) / float64(r.Options.Expected(r.study))})
}

// first is the number whose digest is the first of n keys. The numbers behind it are those of the other keys, and then of absent ones.
func (r *runner) first(n int) uint64 {
	return rand.New(rand.NewPCG(r.Options.Seed, uint64(n))).Uint64()
}

// digests returns the n keys, and so many others that are absent.
func (r *runner) digests(n, others int) (keys, absent []uint64) {
	start := r.first(n)
	all := make([]uint64, n+others)
	for i := range all {
		all[i] = hashing.Mix64(start + uint64(i)) // a bijection
	}
	return all[:n:n], all[n:]
}
