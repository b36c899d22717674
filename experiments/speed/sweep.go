package speed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
)

// ErrGrid reports a grid that cannot be measured: it is wrapped with what was wrong and what is known.
var ErrGrid = errors.New("grid cannot be measured")

// A Grid is the parameters of cuckoo filters, of which every combination is measured. Numbers are lists of values and
// ranges: "8..16", "2,4", "1e5,2^20", "0.5..0.9:0.1", where the number behind the colon is the step.
type Grid struct {
	Widths, BucketSizes string // bits of a fingerprint, slots of a bucket
	Slots               string // of a table; a placement that needs a certain number of buckets gets the next larger one
	Loads               string // the shares of the slots to fill, above 0; at 1 the table is filled until it refuses a key
	Placements, Kicks   []string
	Hashes              []string // see [Hashes]
	Filters             []string // "cuckoo", and filters of one's own, each at its settings in place of the parameters
	Trials, Probes      int      // how often each combination is measured, under another seed; absent keys of each time
	Timed               bool     // adds columns of nanoseconds, and measures one cell at a time
}

const (
	// maxCells bounds a grid: so many rows are what one can still look at.
	maxCells = 100_000
	// cuckooFilter stands for cuckoo filters of all parameters among the names of filters.
	cuckooFilter = "cuckoo"
	// RandomDigests is the name, among the hashes, of digests that are random.
	RandomDigests = "mix64"
)

// A reader makes axes of lists, and gathers what is wrong with them.
type reader struct {
	errs  []error
	cells float64
}

// note takes a list of n values.
func (r *reader) note(name string, n int, err error) {
	if r.cells *= float64(n); err == nil && n < 1 {
		err = errors.New("no value is given")
	}
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("sweep: %w: %s: %w", ErrGrid, name, err))
	}
}

func (r *reader) numbers(name, text, want string, good func(x float64) bool) lab.Axis {
	xs, err := Floats(text)
	if bad := slices.IndexFunc(xs, func(x float64) bool { return !good(x) }); err == nil && bad >= 0 {
		err = fmt.Errorf("%v, want %s", xs[bad], want)
	}
	r.note(name, len(xs), err)
	return lab.Over(name, lab.ListOf(xs, func(x float64) lab.Value {
		if x == math.Trunc(x) {
			return lab.Int(int(x))
		}
		return lab.Share(x)
	}))
}

func (r *reader) named(name string, names []string, known []lab.Value) lab.Axis {
	vs, err := catalogue.Choose(names, known, lab.Value.String)
	r.note(name, len(vs), err)
	return lab.Over(name, lab.List(vs...))
}

// Sweep is the experiment of nest sweep, with parts of one's own. The errors, joined, are [ErrGrid]; they name the list
// that is wrong and the known names. A cell that cannot be made is an error of its plan.
func Sweep(g Grid, own lab.Parts) (*lab.Experiment, error) {
	own = own.Checked()
	r := &reader{cells: 1}
	numbers, named := r.numbers, r.named
	whole := func(low, high float64) func(x float64) bool {
		return func(x float64) bool { return low <= x && x <= high && x == math.Trunc(x) }
	}
	hashes, err := Hashes(own)
	r.note("hash", 1, err)
	axes := []lab.Axis{
		numbers("f", g.Widths, fmt.Sprintf("1 to %d", fingerprint.MaxWidth), whole(1, fingerprint.MaxWidth)),
		// 0 is a default of package cuckoo, and no value of a grid.
		numbers("b", g.BucketSizes, "1, 2, 4 or 8", func(b float64) bool { return b == 1 || b == 2 || b == 4 || b == 8 }),
		named("placement", g.Placements, measure.Placements(catalogue.Placements()...)(lab.Cell{})),
		named("kick", g.Kicks, Kicks(own)),
	}
	common := []lab.Axis{
		named("hash", g.Hashes, hashes),
		numbers("n", g.Slots, "at least 1", whole(1, 1<<40)), lab.Over("table", lab.From(tableOf)),
		numbers("load", g.Loads, "above 0 and at most 1", func(x float64) bool { return 0 < x && x <= 1 }),
	}
	known := []lab.Value{lab.Word(cuckooFilter)}
	for _, f := range own.Filters {
		known = append(known, lab.Named(f.Name, f))
	}
	filters := named("filter", g.Filters, known)
	if r.note("seeds", g.Trials, nil); r.cells > maxCells {
		r.errs = append(r.errs, fmt.Errorf("sweep: %w: it has more than %d cells", ErrGrid, maxCells))
	}
	r.note("probes", g.Probes, nil)
	block := func(own bool, axes ...lab.Axis) lab.Block {
		some := lab.Over("filter", func(c lab.Cell) []lab.Value {
			return slices.DeleteFunc(slices.Clone(filters.Of(c)), func(v lab.Value) bool { return own == (v.Of == nil) })
		})
		axes = slices.Concat([]lab.Axis{some}, axes, common)
		return lab.Block{Series: "{filter}", Axes: axes, Trials: func(lab.Cell) int { return g.Trials }}
	}
	e := &lab.Experiment{
		Name: "sweep", Title: "A grid of parameters", Params: "filter f b placement kick hash n load",
		Grid: lab.Grid{block(false, axes...), block(true, lab.Over("f", lab.OwnSettings))},
		Trial: lab.Trial{
			Counts: "slots offered stored size_bytes lost probes false_positives kicks longest_path " +
				"predicted_high predicted_low " + timedColumns,
			Needs: needs(g.Probes), Key: sweptKey, Run: swept(g.Probes),
		},
	}
	e.Revision = 2 * g.Probes // of kept trials, whose columns do not say it
	if g.Timed {
		e.Trial.Timed = timedColumns
		e.Revision++
	}
	return e, errors.Join(r.errs...)
}

// Kicks are the built-in kick policies and those of one's own.
func Kicks(own lab.Parts) []lab.Value {
	out := measure.Kicks(catalogue.Policies()...)(lab.Cell{})
	for _, p := range own.Policies {
		out = append(out, lab.Named(p.Name, p.Kick))
	}
	return out
}

// Hashes are random digests, the families of package hashing that a seed makes and those of package integerhash, with
// seed 0, and those of one's own by their recipe. Their keys are consecutive integers. A family that is secret or draws
// its own seed is none of them.
func Hashes(own lab.Parts) ([]lab.Value, error) {
	out := []lab.Value{lab.Word(RandomDigests)}
	for _, name := range hashing.Names() {
		h, err := secret.New(name)
		if err != nil {
			return nil, err
		}
		if _, err := hashing.Parse(h.Recipe()); err == nil { // else it cannot be measured again
			out = append(out, lab.Named(name, h))
		}
	}
	for _, h := range integerhash.Families(0) {
		out = append(out, lab.Named(h.Name(), h))
	}
	for _, h := range own.Families {
		out = append(out, lab.Named(h.Recipe(), h))
	}
	return out, nil
}

// A sized is the table of a cell: a cuckoo filter, or one of a user's.
type sized struct {
	config cuckoo.Config
	slots  int
	bytes  int64 // roughly, of a user's
}

// tableOf is that of a cell. Of a placement that needs a certain number of buckets it takes the next larger one.
func tableOf(c lab.Cell) lab.Value {
	n, b := c.Int("n"), c.Int("b")
	if b == 0 {
		return lab.Named("", sized{slots: n, bytes: int64(c.Int("f")) * int64(n) / 8})
	}
	t := sized{config: cuckoo.Config{BucketSize: b, Buckets: (n-1)/b + 1, MaxBytes: math.MaxInt}}
	t.config.Placement, t.config.Kick = c.Of("placement").(cuckoo.Placement), c.Of("kick").(cuckoo.KickPolicy)
	switch t.config.Placement {
	case cuckoo.XOR, cuckoo.PlainXOR:
		t.config.Buckets = 1 << bits.Len(uint(t.config.Buckets-1))
	}
	planned := t.config
	planned.FingerprintBits = c.Int("f")
	resolved, size, err := cuckoo.Plan(planned)
	if err != nil {
		panic(fmt.Errorf("%w: f=%d b=%d placement=%v n=%d: %w", ErrGrid, c.Int("f"), b, t.config.Placement, n, err))
	}
	t.config.MaxBytes, t.bytes, t.slots = size, int64(size), resolved.Buckets*resolved.BucketSize
	return lab.Named("", t)
}

// needs is about what a cell takes.
func needs(probes int) func(lab.Cell) (keys float64, bytes int64) {
	return func(c lab.Cell) (float64, int64) {
		t := c.Of("table").(sized)
		keys := c.Float("load") * float64(t.slots)
		return 2*keys + float64(probes), t.bytes
	}
}

// sweptKey is what the seed of a cell follows from.
func sweptKey(c lab.Cell) string {
	placement, _ := c.Of("placement").(cuckoo.Placement)
	return fmt.Sprintf("filter=%s/f=%s/b=%d/placement=%v/policy=%s/hash=%s/n=%s/load=%s",
		c.Text("filter"), c.Text("f"), c.Int("b"), placement, c.Text("kick"), c.Text("hash"), c.Text("n"), c.Text("load"))
}

// swept fills the filter of a cell, looks every key up that it took, and asks for absent ones.
func swept(probes int) func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
	return func(ctx context.Context, c lab.Cell, seed uint64) (counts []int, err error) {
		defer func() {
			if err != nil && ctx.Err() == nil {
				err = fmt.Errorf("%s: %w", sweptKey(c), err)
			}
		}()
		defer lab.Recovered(&err)
		t := c.Of("table").(sized)
		offered := int(c.Float("load") * float64(t.slots))
		clock := &clock{}
		setting, isOwn := c.Of("f").(lab.Setting)
		if isOwn {
			clock.Instance, err = setting.New(t.slots, seed)
		} else {
			clock.Instance, err = measure.NewCuckoo(c.Int("f"), t.config, seed)
			if c.Float("load") == 1 {
				offered++ // one more than there is room for
			}
		}
		if err != nil {
			return nil, err
		}
		hash, _ := c.Of("hash").(hashing.Hasher)
		counts, err = measure.CountRate(ctx, measure.Stream{Next: seed >> 1, Hash: hash}, clock, offered, probes)
		var stats cuckoo.Stats
		if native, ok := clock.Instance.(*measure.Cuckoo); ok {
			stats = native.Stats()
		}
		rate := math.Float64bits(predicted(clock.Instance))
		return slices.Concat([]int{t.slots, offered}, counts, []int{
			int(stats.Kicks), int(stats.LongestPath), int(int32(rate >> 32)), int(int32(rate)),
			int(clock.insert), int(clock.hit), int(clock.miss),
		}), err
	}
}

// predicted returns the rate that a filter expects of itself, by a method or in its Stats; NaN if it has none.
func predicted(f lab.Instance) float64 {
	switch f := f.(type) {
	case interface{ FalsePositiveRate() float64 }:
		return f.FalsePositiveRate()
	case interface{ ScanStats() nest.Stats }:
		return f.ScanStats().FalsePositiveRate
	case interface{ ScanStats() bloom.Stats }:
		return f.ScanStats().FalsePositiveRate
	case interface{ ScanStats() counting.Stats }:
		return f.ScanStats().FalsePositiveRate
	}
	return math.NaN()
}

// A clock measures how long a filter takes, without what makes the digests. Every key that was taken is looked
// up first, then absent ones.
type clock struct {
	lab.Instance
	stored, asked     int
	insert, hit, miss time.Duration
}

func (c *clock) InsertHashes(hs []uint64) (n int, err error) {
	c.insert += measure.Timed(len(hs), func() { n, err = c.Instance.InsertHashes(hs) }).Time
	c.stored += n
	return n, err
}

func (c *clock) ContainsHashes(hs []uint64, dst []bool) {
	lap := measure.Timed(len(hs), func() { c.Instance.ContainsHashes(hs, dst) })
	if c.asked < c.stored {
		c.hit += lap.Time
	} else {
		c.miss += lap.Time
	}
	c.asked += len(hs)
}

// timedColumns are those that the machine decides besides the seed.
const timedColumns = "insert_ns hit_ns miss_ns"

// Swept returns the names of the columns of nest sweep, those of times included if the grid is timed.
func Swept(timed bool) []string {
	columns := "filter f b placement kick hash n load trial seed slots offered stored refused_at load_reached kicks " +
		"longest_path lost false_positives probes measured_rate rate_low rate_high predicted_rate bits_per_item "
	if timed {
		columns += timedColumns
	}
	return strings.Fields(columns)
}

// SweptRow returns a row of a sweep as cells of [Swept]. What does not apply is empty: the slots of a filter of one's
// own, and where a table refused a key if it did not. Rates have their 95% interval; times are nanoseconds per key.
func SweptRow(r lab.Row) []string {
	only := func(applies bool, v any) any {
		if !applies {
			return ""
		}
		return v
	}
	isCuckoo, stored, offered := r.Cell.Has("b"), r.Count("stored"), r.Count("offered")
	rate := claims.Rate{Events: r.Count("false_positives"), N: r.Count("probes")}
	low, high := rate.Interval()
	predicted := math.Float64frombits(uint64(r.Count("predicted_high"))<<32 | uint64(uint32(r.Count("predicted_low"))))
	var row []any
	for _, v := range r.Params {
		row = append(row, v.Text)
	}
	row[7] = r.Cell.Float("load")
	row = append(row, r.Trial, fmt.Sprintf("0x%016x", r.Seed), only(isCuckoo, r.Count("slots")), offered, stored,
		only(stored < offered, stored), only(isCuckoo, r.Ratio("stored", "slots")), only(isCuckoo, r.Count("kicks")),
		only(isCuckoo, r.Count("longest_path")), r.Count("lost"), rate.Events, rate.N, rate.Value(), low, high, predicted,
		8*r.Ratio("size_bytes", "stored"))
	if r.Experiment.Trial.Timed != "" {
		row = append(row, r.Ratio("insert_ns", "stored"), r.Ratio("hit_ns", "stored"), r.Ratio("miss_ns", "probes"))
	}
	var t report.Table
	t.Add(row...)
	return t.Rows[0]
}
