// Package compare puts a user's own keys through every filter of this module and a Go map, and
// reports what each costs: bits per item, false-positive rate and time.
//
// # Terms
//
//   - Candidate: one filter, sized by nest.Plans for the number of keys at one asked rate.
//   - Probe: a string that is not among the keys, so that every yes is a false positive. Probes are the
//     user's queries, or random strings. Queries that are keys are counted apart, by the exact set.
//   - Round: one timed build, run of hits and run of misses of every candidate in turn.
//
// # What is deterministic
//
// Sizes and counts follow from the keys, the queries, the hash and the seed. Times are the machine's, and so
// are the bytes of a Go map.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/size"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/hashing"
)

// GoMap is the name of the exact set that the filters are compared with.
const GoMap = "go map"

// DefaultRounds is the number of rounds where Options sets none: enough for a 95% interval of the
// median that leaves out the slowest and the fastest round.
const DefaultRounds = 11

// MaxProbes is the largest number of random probes. It bounds the time of a comparison at rates below
// 100/MaxProbes, whose intervals are then wider.
const MaxProbes = 10_000_000

var (
	// ErrOptions reports options that cannot be run.
	ErrOptions = errors.New("invalid options")
	// ErrNoProbes reports queries that are all keys, so that no rate can be measured.
	ErrNoProbes = errors.New("every query is a key, so no false-positive rate can be measured")
)

// Options say what to compare.
type Options struct {
	// Keys are what the filters hold.
	Keys *files.KeySet
	// Queries are what they are asked; nil for random strings, 100 per expected false positive of the
	// lowest rate and [MaxProbes] at most.
	Queries *files.KeySet
	// FPRs are the false-positive rates to ask for, each above 0 and below 1.
	FPRs []float64
	// Hash makes the digests, one for each key, which all filters share; nil is XXH64 with seed 0.
	Hash hashing.Hasher
	// Seed decides the random probes and the order of timed lookups.
	Seed uint64
	// Rounds is how often everything is timed; 0 is DefaultRounds.
	Rounds int
}

// A Row is what was measured of one candidate.
type Row struct {
	// Filter names it in tables and charts: "cuckoo b=4".
	Filter string
	// Asked is the rate that was asked for, 0 for the Go map.
	Asked float64
	// Plan is its size as planned: the largest reachable rate that is not above Asked.
	Plan size.Plan
	// Bytes is its size as made; of the Go map, the growth of the heap and the text of the keys.
	Bytes int
	// BitsPerItem is that in bits for each key.
	BitsPerItem float64
	// Predicted is the filter's own prediction of its rate.
	Predicted float64
	// Measured counts the false positives among the probes.
	Measured stat.Rate
	// Build, Hit and Miss are the nanoseconds per key of building the filter, of looking up keys and
	// of looking up probes, all from strings: they include Result.Hash.
	Build, Hit, Miss measure.Rounds
	// Note says what is unusual, or nothing.
	Note string
}

// Exact tells whether the row is the Go map.
func (r *Row) Exact() bool { return r.Filter == GoMap }

// minEvents is the least number of false positives whose rate says more than the predicted one: the interval
// of 10 of them is a factor of two either way, which is a bit.
const minEvents = 10

// OverBound returns the bits per item above log2(1/rate), at the measured rate, or at the predicted one
// where fewer than 10 false positives were seen; measured tells which.
func (r *Row) OverBound() (bits float64, measured bool) {
	if r.Measured.Events < minEvents {
		return r.BitsPerItem + math.Log2(r.Predicted), false
	}
	return r.BitsPerItem + math.Log2(r.Measured.Value()), true
}

// A Result is the outcome of a comparison.
type Result struct {
	// Options are the options with defaults filled in.
	Options Options
	// Probes is the number of probes, and TruePositives the number of queries that are keys.
	Probes, TruePositives int
	// Hash is the nanoseconds of hashing one key in each round.
	Hash measure.Rounds
	// Rows hold the candidates of the first rate, of the second, ..., and the Go map.
	Rows []Row
	// Notes are for the reader: few probes, a table that was grown.
	Notes []string
}

// A LostKeyError reports a key that a filter denies after it was inserted: a defect of the filter or of
// its hash.
type LostKeyError struct {
	// Filter names the candidate.
	Filter string
	// Key is the first lost key, Lost how many there are of all keys.
	Key      string
	Lost, Of int
}

// Error says which filter lost which key.
func (e *LostKeyError) Error() string {
	return fmt.Sprintf("compare: %s lost %d of %d keys, the first of them %.100q", e.Filter, e.Lost, e.Of, e.Key)
}

// Run compares. It takes memory for the keys, 8 bytes more for each, two maps and the filters, and some
// seconds for 100,000 keys at two rates. It stops soon after ctx is done, with ctx's error.
//
// The error is [ErrOptions], [ErrNoProbes], or a [*LostKeyError].
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.resolve(); err != nil {
		return nil, err
	}
	r := &runner{ctx: ctx, o: o, hash: hashing.NewDigester(o.Hash)}
	for _, key := range o.Keys.Keys {
		r.keys = append(r.keys, r.hash.Sum64String(key))
	}
	result := &Result{Options: o}
	for _, fpr := range o.FPRs {
		for _, l := range lineup {
			c, err := r.candidate(l, fpr)
			if err != nil {
				return nil, err
			}
			r.candidates = append(r.candidates, c)
		}
	}
	if err := r.measureRates(result); err != nil {
		return nil, err
	}
	r.candidates = append(r.candidates, r.goMap(result))
	if err := r.time(result); err != nil {
		return nil, err
	}
	for _, c := range r.candidates {
		result.Rows = append(result.Rows, c.row)
		if c.row.Note != "" {
			result.Notes = append(result.Notes, fmt.Sprintf("%s at %v: %s.", c.row.Filter, c.row.Asked, c.row.Note))
		}
	}
	for _, fpr := range o.FPRs {
		if best := result.smallest(fpr); best != nil {
			if text := size.Static(len(o.Keys.Keys), fpr, best.BitsPerItem); text != "" {
				result.Notes = append(result.Notes, fmt.Sprintf("static, at %v beside %s: %s", fpr, best.Filter, text))
			}
		}
	}
	return result, nil
}

// smallest is the smallest row that keeps an asked rate, nil if none does.
func (r *Result) smallest(fpr float64) (best *Row) {
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Asked == fpr && row.Predicted <= fpr*1.1 && (best == nil || row.Bytes < best.Bytes) {
			best = row
		}
	}
	return best
}

// resolve fills in the defaults, drops rates that come twice and checks the rest.
func (o *Options) resolve() error {
	if o.Keys == nil || len(o.Keys.Keys) == 0 {
		return fmt.Errorf("compare: %w: no keys", ErrOptions)
	}
	var rates []float64
	for _, fpr := range o.FPRs {
		if err := (size.Spec{Keys: len(o.Keys.Keys), FPR: fpr}).Validate(); err != nil {
			return fmt.Errorf("compare: %w: %w", ErrOptions, err)
		}
		if !slices.Contains(rates, fpr) {
			rates = append(rates, fpr)
		}
	}
	o.FPRs, o.Rounds = rates, cmp.Or(o.Rounds, DefaultRounds)
	if o.Hash == nil {
		o.Hash = hashing.XXH64(0)
	}
	switch {
	case len(rates) == 0:
		return fmt.Errorf("compare: %w: no false-positive rate", ErrOptions)
	case o.Rounds < 1 || o.Rounds > 10_000:
		return fmt.Errorf("compare: %w: %d rounds, want 1 to 10000", ErrOptions, o.Rounds)
	case o.Hash.Recipe() == hashing.DigestsOnly.Recipe():
		return fmt.Errorf("compare: %w: the keys are strings, so DigestsOnly will not do", ErrOptions)
	case integerhash.Is(o.Hash):
		return fmt.Errorf("compare: %w: the keys are strings, and %s hashes integers only", ErrOptions, o.Hash.Name())
	}
	return nil
}
