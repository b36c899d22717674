package advice

import (
	"cmp"
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
	"github.com/nestfilter/nest/cuckoo"
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
	// DefaultRounds is the number of rounds where CompareOptions sets none: enough for a 95% interval of the median
	// that leaves out the slowest and the fastest round.
	DefaultRounds = 11
	// MaxProbes is the largest number of random probes. It bounds the time of a comparison at rates below
	// 100/MaxProbes, whose intervals are then wider.
	MaxProbes = 10_000_000
	// minProbes is the smallest.
	minProbes = 10_000
	// PerEvent is the number of probes for each expected false positive of the lowest rate: 100 of them make a 95%
	// interval of about +-20%.
	PerEvent = 100
	// fewEvents is the least number of false positives whose rate says more than the predicted one: the interval of 10
	// of them is a factor of two either way, which is a bit.
	fewEvents = 10
)

// ErrNoProbes reports queries that are all keys, so that no rate can be measured.
var ErrNoProbes = errors.New("every query is a key, so no false-positive rate can be measured")

// CompareOptions say what to compare.
type CompareOptions struct {
	Keys *files.KeySet // what the filters hold
	// Queries are what they are asked; nil for random strings, 100 per expected false positive of the lowest rate and
	// [MaxProbes] at most. Those that are keys are counted apart, by the exact set.
	Queries *files.KeySet
	FPRs    []float64      // the false-positive rates to ask for, each above 0 and below 1
	Hash    hashing.Hasher // makes the digests, one for each key, which all filters share; nil is XXH64 with seed 0
	Seed    uint64         // decides the random probes and the order of timed lookups
	Rounds  int            // how often everything is timed; 0 is DefaultRounds
}

// A Compared is what was measured of one filter, or of a Go map.
type Compared struct {
	Filter      string      // names it in tables and charts: "cuckoo b=4"
	Asked       float64     // the rate that was asked for, 0 for the Go map
	Plan        Plan        // its size as planned: the largest reachable rate that is not above Asked
	Bytes       int         // its size as made; of the Go map, the growth of the heap and the text of the keys
	BitsPerItem float64     // that for each key
	Predicted   float64     // the filter's own prediction of its rate
	Measured    claims.Rate // the false positives among the probes
	// Build, Hit and Miss are the nanoseconds per key of building the filter, of looking up keys and of looking up
	// probes, all from strings: they include Comparison.Hash.
	Build, Hit, Miss measure.Rounds
	Note             string // what is unusual, or nothing

	held  nest.Filter // holds the keys until they are timed; nil for the Go map
	timed *measure.Entrant
}

// Exact tells whether the row is the Go map.
func (r *Compared) Exact() bool { return r.Filter == GoMap }

// OverBound returns the bits per item above log2(1/rate), at the measured rate, or at the predicted one where fewer
// than 10 false positives were seen; measured tells which.
func (r *Compared) OverBound() (bits float64, measured bool) {
	if r.Measured.Events < fewEvents {
		return r.BitsPerItem + math.Log2(r.Predicted), false
	}
	return r.BitsPerItem + math.Log2(r.Measured.Value()), true
}

// A Comparison is the outcome of [Compare]. Sizes and counts follow from the options. Times are the machine's, and so
// are the bytes of a Go map.
type Comparison struct {
	Options       CompareOptions // with defaults filled in
	Probes        int            // strings that are no keys, so that every yes is a false positive
	TruePositives int            // queries that are keys
	Hash          measure.Rounds // the nanoseconds of hashing one key in each round
	Rows          []*Compared    // the filters of the first rate, of the second, ..., and the Go map
	Notes         []string       // for the reader: few probes, a table that was grown

	ctx    context.Context
	hash   hashing.Digester
	keys   []uint64      // digests, in the order of the keys
	misses []string      // probes to be timed
	texts  measure.Texts // that are timed
}

// A LostKeyError reports a key that a filter denies after it was inserted: a defect of the filter or of its hash.
type LostKeyError struct {
	Filter   string
	Key      string // the first lost key
	Lost, Of int    // how many there are of all keys
}

// Error says which filter lost which key.
func (e *LostKeyError) Error() string {
	return fmt.Sprintf("compare: %s lost %d of %d keys, the first of them %.100q", e.Filter, e.Lost, e.Of, e.Key)
}

// Compare puts a user's own keys through every filter of this module and a Go map. It takes memory for the keys, 8
// bytes more for each, two maps and the filters, and some seconds for 100,000 keys at two rates. It stops soon after
// ctx is done, with ctx's error. Other errors are [ErrSpec], [ErrNoProbes], and a [*LostKeyError].
func Compare(ctx context.Context, o CompareOptions) (*Comparison, error) {
	if err := o.resolve(); err != nil {
		return nil, err
	}
	r := &Comparison{Options: o, ctx: ctx, hash: hashing.NewDigester(o.Hash)}
	for _, key := range o.Keys.Keys {
		r.keys = append(r.keys, r.hash.Sum64String(key))
	}
	for _, fpr := range o.FPRs {
		for _, f := range lineup {
			row, err := r.fill(f, fpr)
			if err != nil {
				return nil, err
			}
			r.Rows = append(r.Rows, row)
		}
	}
	if err := r.measureRates(); err != nil {
		return nil, err
	}
	r.Rows = append(r.Rows, r.goMap())
	if err := r.time(); err != nil {
		return nil, err
	}
	for _, row := range r.Rows {
		if row.Note != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("%s at %v: %s.", row.Filter, row.Asked, row.Note))
		}
	}
	for _, fpr := range o.FPRs {
		if best := r.smallest(fpr); best != nil {
			if text := static(len(r.keys), fpr, best.BitsPerItem); text != "" {
				r.Notes = append(r.Notes, fmt.Sprintf("static, at %v beside %s: %s", fpr, best.Filter, text))
			}
		}
	}
	return r, nil
}

// smallest is the smallest row that keeps an asked rate, nil if none does.
func (r *Comparison) smallest(fpr float64) (best *Compared) {
	for _, row := range r.Rows {
		if row.Asked == fpr && row.Predicted <= fpr*1.1 && (best == nil || row.Bytes < best.Bytes) {
			best = row
		}
	}
	return best
}

// resolve fills in the defaults, drops rates that come twice and checks the rest.
func (o *CompareOptions) resolve() error {
	if o.Keys == nil || len(o.Keys.Keys) == 0 {
		return impossible("no keys")
	}
	var rates []float64
	for _, fpr := range o.FPRs {
		if err := (Spec{Keys: len(o.Keys.Keys), FPR: fpr}).Validate(); err != nil {
			return err
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
		return impossible("no false-positive rate")
	case o.Rounds < 1 || o.Rounds > 10_000:
		return impossible("%d rounds, want 1 to 10000", o.Rounds)
	case o.Hash.Recipe() == hashing.DigestsOnly.Recipe():
		return impossible("the keys are strings, so DigestsOnly will not do")
	case integerhash.Is(o.Hash):
		return impossible("the keys are strings, and %s hashes integers only", o.Hash.Name())
	}
	return nil
}

// lineup is every filter of the module, in the order of the tables: the kinds of package nest, the cuckoo filter in
// several forms.
var lineup = Forms(slices.Concat([]Form{
	{Name: "cuckoo b=2", Spec: nest.Spec{Kind: nest.Cuckoo, BucketSize: 2}},
	{Name: "cuckoo b=4", Spec: nest.Spec{Kind: nest.Cuckoo, BucketSize: 4}},
	{Name: "cuckoo b=8", Spec: nest.Spec{Kind: nest.Cuckoo, BucketSize: 8}},
	{Name: "cuckoo b=4 xor", Spec: nest.Spec{Kind: nest.Cuckoo, BucketSize: 4, Placement: cuckoo.XOR}},
}, Layouts())...)

// fill makes a filter of the lineup with the keys at a rate. The promise of a capacity may fail, for narrow
// fingerprints sooner: then the table is grown.
func (r *Comparison) fill(f Form, fpr float64) (row *Compared, err error) {
	n := len(r.keys)
	for capacity := n; ; capacity += capacity/50 + 1 {
		if row, err = planned(f, fpr, capacity); err == nil {
			_, err = row.held.InsertHashes(r.keys)
		}
		if err == nil {
			if capacity > n {
				row.note("sized for %d keys, because tables for fewer refused these keys", capacity)
			}
			stats := row.held.Stats()
			row.Bytes, row.Predicted = stats.SizeBytes, stats.FalsePositiveRate
			row.BitsPerItem = 8 * float64(row.Bytes) / float64(n)
			row.timed = row.Plan.Entrant(&r.texts)
			return row, r.checkLost(row)
		}
		if !errors.Is(err, nest.ErrFull) || capacity > 2*n+100 {
			return nil, fmt.Errorf("compare: %s at %v: %w", f.Name, fpr, err)
		}
	}
}

// planned makes a filter: of the largest reachable rate that is not above fpr, or else the lowest.
func planned(f Form, fpr float64, capacity int) (*Compared, error) {
	row, s := &Compared{Filter: f.Name, Asked: fpr}, f.Spec
	s.Capacity, s.FalsePositiveRate, s.Hash = capacity, fpr, hashing.DigestsOnly.Recipe()
	plans, err := nest.Plans(s)
	if errors.Is(err, nest.ErrConfig) {
		s.FalsePositiveRate, s.FingerprintBits = 0, fingerprint.MaxWidth
		if widest, widestErr := nest.Plans(s); widestErr == nil {
			plans, err = widest, nil
			row.note("no width reaches the rate")
		}
	}
	if err == nil {
		row.Plan = Of(plans[0], capacity)
		row.held, err = nest.New(row.Plan.Spec)
	}
	return row, err
}

func (r *Compared) note(format string, args ...any) {
	if r.Note != "" {
		r.Note += "; "
	}
	r.Note += fmt.Sprintf(format, args...)
}

// checkLost asks for every key that the filter holds. The error is a [*LostKeyError].
func (r *Comparison) checkLost(row *Compared) error {
	lost := LostKeyError{Filter: row.Plan.String(), Of: len(r.keys)}
	for i, h := range r.keys {
		if i&0xffff == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		if !row.held.ContainsHash(h) {
			if lost.Lost++; lost.Lost == 1 {
				lost.Key = r.Options.Keys.Keys[i]
			}
		}
	}
	if lost.Lost > 0 {
		return &lost
	}
	return nil
}

// goMap makes the exact set and weighs it: by how much the heap grows, and the text of the keys, which it keeps alive
// and a filter does not.
func (r *Comparison) goMap() *Compared {
	row, keys := &Compared{Filter: GoMap}, r.Options.Keys
	before := heapBytes()
	set := make(exact, len(keys.Keys))
	for _, key := range keys.Keys {
		set[key] = struct{}{}
	}
	row.Bytes = max(0, heapBytes()-before) + keys.KeyBytes()
	runtime.KeepAlive(set)
	row.BitsPerItem = 8 * float64(row.Bytes) / float64(len(r.keys))
	row.Measured.N = r.Probes
	row.timed = &measure.Entrant{Name: GoMap, Bytes: row.Bytes, Open: func() (*measure.Loops, error) {
		return make(exact, len(r.keys)).loops(r.texts.All), nil
	}}
	return row
}

func heapBytes() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one may end a collection that was under way
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

// measureRates asks every filter for every probe.
func (r *Comparison) measureRates() error {
	digests, yes := make([]uint64, 0, measure.ContestBatch), make([]bool, measure.ContestBatch)
	flush := func() error {
		for _, row := range r.Rows {
			row.held.ContainsHashes(digests, yes)
			row.Measured.Events += measure.CountTrue(yes[:len(digests)])
			row.Measured.N += len(digests)
		}
		r.Probes += len(digests)
		digests = digests[:0]
		return r.ctx.Err()
	}
	for key := range r.probes() {
		if len(r.misses) < measure.TimedLookups {
			r.misses = append(r.misses, strings.Clone(key))
		}
		digests = append(digests, r.hash.Sum64String(key))
		if len(digests) == cap(digests) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if r.Probes == 0 {
		return fmt.Errorf("compare: %s: %w", r.Options.Queries.Name, ErrNoProbes)
	}
	if want := r.wanted(); r.Probes < want {
		r.Notes = append(r.Notes, fmt.Sprintf("%d probes are fewer than %d, %d for each expected false positive of the "+
			"lowest rate: its interval is wide.", r.Probes, want, PerEvent))
	}
	return nil
}

// wanted is the number of probes that the lowest predicted rate needs. A filter that is far better than it was asked to
// be, as the smallest tables are, does not make the others wait: it counts as ten times better at most.
func (r *Comparison) wanted() int {
	lowest := 1.
	for _, row := range r.Rows {
		lowest = min(lowest, max(row.Predicted, row.Asked/10))
	}
	if lowest*math.MaxInt32 < PerEvent {
		return math.MaxInt32
	}
	return max(minProbes, int(PerEvent/lowest)+1)
}

// probes yields the absent queries, and counts those that are keys, or random strings: 16 hexadecimal digits, keys left
// out.
func (r *Comparison) probes() func(yield func(string) bool) {
	o := r.Options
	if o.Queries != nil {
		return func(yield func(string) bool) {
			for _, q := range o.Queries.Keys {
				if o.Keys.Contains(q) {
					r.TruePositives++
				} else if !yield(q) {
					return
				}
			}
		}
	}
	n, random := min(r.wanted(), MaxProbes), rand.New(rand.NewPCG(o.Seed, 1))
	return func(yield func(string) bool) {
		var raw [8]byte
		for made := 0; made < n; {
			binary.BigEndian.PutUint64(raw[:], random.Uint64())
			key := hex.EncodeToString(raw[:])
			if o.Keys.Contains(key) {
				continue
			}
			if made++; !yield(key) {
				return
			}
		}
	}
}

// time has the rows compete: each is built and asked in every round, from strings.
func (r *Comparison) time() error {
	random := rand.New(rand.NewPCG(r.Options.Seed, 2)) // the first stream is that of the probes
	keys := r.Options.Keys.Keys
	hits := measure.SampleStrings(keys, random)
	s := texts(keys, hits, measure.SampleStrings(r.misses, random), r.hash)
	r.texts = s.texts
	s.contest.Rounds, s.contest.Builds = r.Options.Rounds, r.Options.Rounds
	var entrants []*measure.Entrant
	for _, row := range r.Rows {
		row.held = nil
		entrants = append(entrants, row.timed)
	}
	if err := s.contest.Run(r.ctx, entrants); err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	r.Hash = s.contest.HashTimes
	for _, row := range r.Rows {
		times := row.timed.Times
		if len(times) == 0 {
			return fmt.Errorf("compare: building %s again: %w", row.Plan, nest.ErrFull)
		}
		row.timed = nil
		row.Build, row.Hit = times[measure.StepBuild], times[measure.StepPresentBatch]
		row.Miss = times[measure.StepAbsentBatch]
	}
	return nil
}
