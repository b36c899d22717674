package advice

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

const (
	// GoMap is the name of the exact set that the filters of a comparison are compared with.
	GoMap = "go map"
	// MaxProbes is the largest number of random probes, and minProbes the smallest. At rates below 100/MaxProbes
	// intervals are wider.
	MaxProbes = 10_000_000
	minProbes = 10_000
	// PerEvent is the number of probes for each expected false positive of the lowest rate: 100 of them make a 95%
	// interval of about +-20%.
	PerEvent = 100
	// fewEvents is the least number of false positives whose rate says more than the predicted one: the interval of 10
	// of them is a factor of two either way, which is a bit.
	fewEvents = 10
)

var (
	// ErrNoProbes reports queries that are all keys, so that no rate can be measured.
	ErrNoProbes = errors.New("every query is a key, so no false-positive rate can be measured")
	// ErrLost reports a filter that denies a key which it holds: a defect of the filter or of its hash.
	ErrLost = measure.ErrLost
)

// CompareOptions say what to compare.
type CompareOptions struct {
	Keys *files.KeySet // what the filters hold, one at least
	// Queries are what they are asked; nil for random strings, 100 per expected false positive of the lowest rate and
	// [MaxProbes] at most. Those that are keys are counted apart, by the exact set.
	Queries *files.KeySet
	FPRs    []float64      // the false-positive rates to ask for, each above 0 and below 1; one at least
	Hash    hashing.Hasher // makes the digests, one for each key, which all filters share
	Seed    uint64         // decides the random probes and the order of timed lookups
	Rounds  int            // how often everything is timed, at least 1
}

// A Compared is what was measured of one filter, or of a Go map.
type Compared struct {
	Filter   string      // names it in tables and charts: "cuckoo b=4"
	Asked    float64     // the rate that was asked for, 0 for the Go map
	Plan     Plan        // of the largest reachable rate that is not above Asked; of the Go map the size alone
	Measured claims.Rate // the false positives among the probes

	timed *measure.Entrant // building, hits and misses, from strings: with Comparison.Hash
}

// Exact tells whether the row is the Go map.
func (r *Compared) Exact() bool { return r.Filter == GoMap }

// overBound is the bits per item above log2(1/rate), at the measured rate, or at the predicted one where fewer than 10
// false positives were seen.
func (r *Compared) overBound() float64 {
	if r.Measured.Events < fewEvents {
		return r.Plan.OverBound()
	}
	return r.Plan.BitsPerItem + math.Log2(r.Measured.Value())
}

// A Comparison is the outcome of [Compare]. Sizes and counts follow from the options. Times are the machine's, and so
// are the bytes of a Go map.
type Comparison struct {
	Options       CompareOptions
	Probes        int            // strings that are no keys, so that every yes is a false positive
	TruePositives int            // queries that are keys
	Hash          measure.Rounds // the nanoseconds of hashing one key in each round
	Rows          []*Compared    // the filters of the first rate, of the second, ..., and the Go map
	Notes         []string       // for the reader: few probes, a table that was grown

	ctx   context.Context
	texts measure.Texts // that are timed, the keys first
}

// Compare puts a user's own keys through every kind of filter and a Go map. It takes memory for the keys, two maps and
// the filters, and some seconds for 100,000 keys at two rates. It stops soon after ctx is done, with ctx's error. Other
// errors are [ErrSpec], [ErrNoProbes], and [ErrLost] of a filter that denies a key.
func Compare(ctx context.Context, o CompareOptions) (*Comparison, error) {
	if err := o.resolve(); err != nil {
		return nil, err
	}
	r := &Comparison{Options: o, ctx: ctx}
	for _, fpr := range o.FPRs {
		for _, f := range forms() {
			if !f.usual() {
				continue
			}
			row := &Compared{Filter: strings.TrimSuffix(f.name, " additive"), Asked: fpr}
			if err := r.plan(row, f); err != nil {
				return nil, fmt.Errorf("compare: %s at %v: %w", row.Filter, fpr, err)
			}
			r.Rows = append(r.Rows, row)
		}
	}
	r.Rows = append(r.Rows, r.goMap())
	if err := r.time(); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	if err := r.measureRates(); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	return r, nil
}

func (r *Comparison) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// smallest is the smallest row that keeps a rate, or of those that delete; nil if none does.
func (r *Comparison) smallest(fpr float64, deleting bool) (best *Compared) {
	for _, row := range r.Rows {
		fits := row.Asked == fpr && row.Plan.FPR <= fpr && (row.Plan.Deletes || !deleting)
		if fits && (best == nil || row.Plan.Bytes < best.Plan.Bytes) {
			best = row
		}
	}
	return best
}

// resolve drops rates that come twice and checks what follows from the keys.
func (o *CompareOptions) resolve() error {
	var rates []float64
	for _, fpr := range o.FPRs {
		if err := (Spec{Keys: len(o.Keys.Keys), FPR: fpr}).check(); err != nil {
			return err
		}
		if !slices.Contains(rates, fpr) {
			rates = append(rates, fpr)
		}
	}
	if o.FPRs = rates; o.Hash == hashing.DigestsOnly || integerhash.Is(o.Hash) {
		return impossible("the keys are strings, so that %s will not do", o.Hash.Name())
	}
	return nil
}

// plan sizes the filter of a row. Where no width reaches the rate, it has the widest fingerprints.
func (r *Comparison) plan(row *Compared, f form) (err error) {
	s := nest.Spec{Capacity: len(r.Options.Keys.Keys), FalsePositiveRate: row.Asked, Hash: hashing.DigestsOnly.Recipe()}
	if row.Plan, err = f.plan(s); err != nil {
		r.note("%s at %v: no width reaches the rate.", row.Filter, row.Asked)
		s.FalsePositiveRate, s.FingerprintBits = 0, fingerprint.MaxWidth
		row.Plan, err = f.plan(s)
	}
	row.timed = row.Plan.Entrant(&r.texts)
	return err
}

// goMap makes the exact set and weighs it: by how much the heap grows, and the text of the keys, which it keeps alive
// and a filter does not.
func (r *Comparison) goMap() *Compared {
	keys := r.Options.Keys
	before := heapBytes()
	set := make(exact, len(keys.Keys))
	for _, key := range keys.Keys {
		set[key] = struct{}{}
	}
	bytes := max(0, heapBytes()-before) + keys.KeyBytes()
	runtime.KeepAlive(set)
	return &Compared{
		Filter: GoMap,
		Plan:   Plan{Bytes: bytes, BitsPerItem: 8 * float64(bytes) / float64(len(keys.Keys))},
		timed: &measure.Entrant{Name: GoMap, Open: func() (*measure.Loops, error) {
			return make(exact, len(keys.Keys)).loops(r.texts.All), nil
		}},
	}
}

func heapBytes() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

type exact map[string]struct{}

// loops are those of a map, which has no batches. Keys are numbers of texts.
func (e exact) loops(texts []string) *measure.Loops {
	return &measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { e[texts[k]] = struct{}{}; return nil })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { _, ok := e[texts[k]]; return ok })
		},
	}
}

// ask counts the digests that the filter of a row reports.
func (r *Compared) ask(digests []uint64) int {
	f := r.timed.Held.Filter.(nest.Filter)
	return measure.InBatches(measure.Ready, f.ContainsHashes, measure.Batch)(digests)
}

// measureRates asks every filter for every key, and then for every probe.
func (r *Comparison) measureRates() error {
	hash := hashing.NewDigester(r.Options.Hash)
	filters, digests := r.Rows[:len(r.Rows)-1], []uint64{}
	for _, key := range r.Options.Keys.Keys {
		digests = append(digests, hash.Sum64String(key))
	}
	for _, row := range filters {
		if found := row.ask(digests); found < len(digests) {
			return fmt.Errorf("%s: %w: %d of %d", row.Filter, ErrLost, len(digests)-found, len(digests))
		}
	}
	digests = digests[:0]
	flush := func() error {
		for _, row := range filters {
			row.Measured.Events += row.ask(digests)
			row.Measured.N += len(digests)
		}
		r.Probes += len(digests)
		digests = digests[:0]
		return r.ctx.Err()
	}
	for key := range r.probes(&r.TruePositives) {
		if digests = append(digests, hash.Sum64String(key)); len(digests) == 1<<16 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	err := flush()
	r.Rows[len(filters)].Measured.N = r.Probes
	if want := r.wanted(); r.Probes < want {
		r.note("%d probes are fewer than %d, %d for each expected false positive of the lowest rate: its interval is wide.",
			r.Probes, want, PerEvent)
	}
	return err
}

// wanted is the number of probes that the lowest predicted rate needs. A filter that is far better than it was asked to
// be, as the smallest tables are, does not make the others wait: it counts as ten times better at most.
func (r *Comparison) wanted() int {
	lowest := 1.
	for _, row := range r.Rows[:len(r.Rows)-1] {
		lowest = min(lowest, max(row.Plan.FPR, row.Asked/10))
	}
	return int(min(max(minProbes, PerEvent/lowest+1), math.MaxInt32))
}

// probes yields the absent queries, and counts those that are keys, or random strings of 16 hexadecimal digits.
func (r *Comparison) probes(keys *int) func(yield func(string) bool) {
	o := r.Options
	n, random := min(r.wanted(), MaxProbes), rand.New(rand.NewPCG(o.Seed, 1))
	return func(yield func(string) bool) {
		if o.Queries != nil {
			for _, q := range o.Queries.Keys {
				if o.Keys.Contains(q) {
					*keys++
				} else if !yield(q) {
					return
				}
			}
			return
		}
		for made := 0; made < n; {
			key := hex.EncodeToString(binary.BigEndian.AppendUint64(nil, random.Uint64()))
			if o.Keys.Contains(key) {
				continue
			}
			if made++; !yield(key) {
				return
			}
		}
	}
}

// time has the rows compete: each is built and asked in every round, from strings. Filters that refuse the keys, as the
// promise of a Capacity permits, are left out.
func (r *Comparison) time() error {
	random := rand.New(rand.NewPCG(r.Options.Seed, 2)) // the first stream is that of the probes
	keys := r.Options.Keys.Keys
	var misses []string
	for key := range r.probes(new(int)) {
		if misses = append(misses, strings.Clone(key)); len(misses) == measure.TimedLookups {
			break
		}
	}
	if misses == nil {
		return fmt.Errorf("%s: %w", r.Options.Queries.Name, ErrNoProbes)
	}
	s := texts(keys, measure.SampleStrings(keys, random), measure.SampleStrings(misses, random),
		hashing.NewDigester(r.Options.Hash))
	r.texts = s.texts
	s.contest.Rounds, s.contest.Builds = r.Options.Rounds, r.Options.Rounds
	var entrants []*measure.Entrant
	for _, row := range r.Rows {
		entrants = append(entrants, row.timed)
	}
	err := s.contest.Run(r.ctx, entrants)
	r.Hash = s.contest.HashTimes
	r.Rows = slices.DeleteFunc(r.Rows, func(row *Compared) bool {
		refused := len(row.timed.Times) == 0
		if refused && err == nil {
			r.note("%s at %v: the table refused these keys.", row.Filter, row.Asked)
		}
		return refused
	})
	return err
}
