package sweep

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// Errors of grids, for errors.Is. Each is wrapped with what was wrong and what is known.
var (
	ErrGrid   = errors.New("grid cannot be measured")
	ErrMemory = errors.New("not enough memory")
)

// A Grid holds the values of each parameter. Every list must have at least one.
type Grid struct {
	// Widths are fingerprint bits, and BucketSizes slots per bucket.
	Widths, BucketSizes []int
	// Placements and Policies are tried in all combinations.
	Placements []cuckoo.Placement
	Policies   []lab.Policy
	// Hashes make the digests.
	Hashes []Hash
	// Slots are table sizes. A placement that needs a certain number of buckets gets the next larger one.
	Slots []int
	// Loads are the loads to fill to, above 0. At 1 the table is filled until it refuses a key.
	Loads []float64
	// Own are filters of one's own, each measured at its settings in place of the parameters of cuckoo
	// filters. With OwnOnly no cuckoo filter is measured.
	Own     []lab.Filter
	OwnOnly bool

	Trials int    // how often each combination is measured, each time with another seed
	Seed   uint64 // of all randomness
	Probes int    // absent keys looked up in each cell
	Timed  bool   // add columns of nanoseconds
}

// A Hash is a hash family under the name that the table shows. Without a Hasher the digests are random.
type Hash struct {
	Name   string
	Hasher hashing.Hasher
}

// RandomDigests is the name of the Hash without a Hasher.
const RandomDigests = "mix64"

// A Cell is one measurement.
type Cell struct {
	// Filter is "cuckoo" or the name of a filter of one's own.
	Filter string
	// Width is that of the fingerprints, or the number that a setting shows.
	Width int
	// Config says how to make a cuckoo filter; Buckets and what follows are zero for another.
	Config cuckoo.Config
	// Policy and Hash are what the table shows of them.
	Policy string
	Hash   Hash
	// Slots is the size asked for, and Load the share of the table's slots to fill.
	Slots int
	Load  float64
	Trial int
	// Seed is that of the cell: it follows from the grid's and from everything above.
	Seed   uint64
	Probes int
	Timed  bool

	setting *lab.Setting
	bytes   int // of the table, roughly for filters of one's own
	cost    float64
}

// An Estimate says what a grid will cost.
type Estimate struct {
	Cells int
	Time  time.Duration // on 2.5 GHz cores
	Bytes int           // of the tables that exist at a time
}

// maxCells bounds a grid: a million rows are what one can still look at.
const maxCells = 1_000_000

// Plan returns the cells in the order of their rows, and what they will cost on so many workers. It allocates
// no table. An error wraps [ErrGrid] and names the cell that cannot be made.
func (g Grid) Plan(workers int) ([]Cell, Estimate, error) {
	if err := g.check(); err != nil {
		return nil, Estimate{}, err
	}
	cells, err := g.cells()
	if err != nil {
		return nil, Estimate{}, err
	}
	workers = max(workers, 1)
	e := Estimate{Cells: len(cells)}
	sizes := make([]int, len(cells))
	for i, c := range cells {
		sizes[i] = c.bytes
		e.Time += time.Duration(c.cost / float64(workers) * float64(time.Second))
	}
	slices.Sort(sizes)
	for _, size := range sizes[max(len(sizes)-workers, 0):] {
		e.Bytes = min(e.Bytes, math.MaxInt-size) + size
	}
	return cells, e, nil
}

// Enough returns an error that wraps [ErrMemory] if the tables do not fit into the bytes available, as
// experiments.AvailableMemory has them.
func (e Estimate) Enough(available int64) error {
	if int64(e.Bytes) > available {
		return fmt.Errorf("sweep: %w: the largest tables take %d MiB at a time, %d MiB are available: take smaller n or fewer workers",
			ErrMemory, e.Bytes>>20, available>>20)
	}
	return nil
}

// check returns what is wrong with the lists, joined.
func (g Grid) check() error {
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("sweep: %w: "+format, append([]any{ErrGrid}, args...)...))
	}
	cells := 1.0
	count := func(name string, n int) {
		if n <= 0 {
			fail("%s: no value is given", name)
		}
		cells *= float64(n)
	}
	if !g.OwnOnly {
		count("f", len(g.Widths))
		count("b", len(g.BucketSizes))
		count("placement", len(g.Placements))
		count("kick", len(g.Policies))
		for _, f := range g.Widths {
			if f < 1 || f > fingerprint.MaxWidth {
				fail("f: %d, want 1 to %d", f, fingerprint.MaxWidth)
			}
		}
		for _, b := range g.BucketSizes {
			if b != 1 && b != 2 && b != 4 && b != 8 { // 0 is a default of package cuckoo, and no value of a grid
				fail("b: %d, want 1, 2, 4 or 8", b)
			}
		}
	}
	count("hash", len(g.Hashes))
	count("n", len(g.Slots))
	count("load", len(g.Loads))
	count("seeds", g.Trials)
	if cells > maxCells {
		fail("it has more than %d cells", maxCells)
	}
	for _, n := range g.Slots {
		if n < 1 {
			fail("n: %d, want at least 1", n)
		}
	}
	for _, l := range g.Loads {
		if !(l > 0 && l <= 1) {
			fail("load: %v, want above 0 and at most 1", l)
		}
	}
	if g.Probes < 1 {
		fail("probes: %d, want at least 1", g.Probes)
	}
	return errors.Join(errs...)
}

// filters are the cuckoo filters of all parameters and those of one's own at their settings, as cells without a size.
func (g Grid) filters() (out []Cell) {
	for _, f := range g.Widths {
		for _, b := range g.BucketSizes {
			for _, placement := range g.Placements {
				for _, policy := range g.Policies {
					out = append(out, Cell{Filter: cuckooFilter, Width: f, Policy: policy.Name,
						Config: cuckoo.Config{BucketSize: b, Placement: placement, Kick: policy.Kick}})
				}
			}
		}
	}
	if g.OwnOnly {
		out = nil
	}
	for _, f := range g.Own {
		for i := range f.Settings {
			out = append(out, Cell{Filter: f.Name, Width: f.Settings[i].Bits, setting: &f.Settings[i]})
		}
	}
	return out
}

// cells are every filter with every hash, size and load, and its trials.
func (g Grid) cells() (out []Cell, err error) {
	for _, c := range g.filters() {
		for _, c.Hash = range g.Hashes {
			for _, c.Slots = range g.Slots {
				slots, err := c.size()
				if err != nil {
					return nil, err
				}
				for _, c.Load = range g.Loads {
					for c.Trial = range g.Trials {
						c.Probes, c.Timed = g.Probes, g.Timed
						c.Seed = hashing.XXH64(g.Seed).Sum64String(c.String())
						keys := c.Load * float64(slots)
						c.cost = keys*measure.FillCost(slots) + (keys+float64(c.Probes))*measure.ProbeCost(slots)
						out = append(out, c)
					}
				}
			}
		}
	}
	return out, nil
}

// size sets the bytes, and the buckets of a cuckoo filter, and returns its number of slots. Of a placement that needs a
// certain number of buckets it takes the next larger one; a table too small for regions is left for package cuckoo to refuse.
func (c *Cell) size() (slots int, err error) {
	if c.setting != nil {
		c.bytes = c.Width * c.Slots / 8
		return c.Slots, nil
	}
	buckets := (c.Slots-1)/c.Config.BucketSize + 1
	switch c.Config.Placement {
	case cuckoo.XOR, cuckoo.PlainXOR:
		buckets = 1 << bits.Len(uint(buckets-1))
	case cuckoo.Region:
		const region = 1 << 14
		buckets = (buckets + region - 1) / region * region
	}
	c.Config.Buckets, c.Config.MaxBytes = buckets, math.MaxInt
	resolved, size, err := cuckoo.Plan(c.Config, uint(c.Width))
	if err != nil {
		return 0, fmt.Errorf("sweep: %w: f=%d b=%d placement=%v n=%d: %w", ErrGrid, c.Width, c.Config.BucketSize, c.Config.Placement, c.Slots, err)
	}
	c.bytes, c.Config.MaxBytes = size, size
	return resolved.Buckets * resolved.BucketSize, nil
}

// String names the cell: what its seed is made of.
func (c Cell) String() string {
	return fmt.Sprintf("filter=%s/f=%d/b=%d/placement=%v/policy=%s/hash=%s/n=%d/load=%s/trial=%d",
		c.Filter, c.Width, c.Config.BucketSize, c.Config.Placement, c.Policy, c.Hash.Name, c.Slots,
		strconv.FormatFloat(c.Load, 'g', -1, 64), c.Trial)
}
