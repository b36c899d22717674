// Package guard measures what a filter saves, and what it costs, in front of a store on disk: a bbolt file, which is
// read only if the filter does not say that the key is absent.
//
// Rows are deleted while queries run. A guard that cannot delete goes stale: it sends queries for deleted rows to the
// store, where they find nothing. Such a read is wasted.
package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
	"go.etcd.io/bbolt"
)

// All returns the experiment of this package.
func All() []*lab.Experiment { return []*lab.Experiment{guarded()} }

// byMachine are the counts that the machine decides.
const byMachine = "set_bytes ns p50_ns p99_ns delete_ns rebuild_ns riding_ns file_bytes disk_pages"

// guarded measures all guards before one store. A trial makes the store once, for all guards.
func guarded() *lab.Experiment {
	return &lab.Experiment{
		Name:  "guard",
		Title: "Filters in front of a store on disk",
		Claim: "A filter in front of a store spares it the queries for absent keys. Ours: where rows are deleted, a Bloom " +
			"filter sends ever more queries to the store for nothing; a cuckoo filter deletes as well, in about a quarter of " +
			"the memory of a counting Bloom filter and without a pause for building it anew.",
		Method: "A bbolt file of rows of " + strconv.Itoa(rowBytes) + " bytes under made-up domain names stands behind " +
			"each guard. Bloom filters have the bytes of the cuckoo filter, the other filters a rate of 1%. Steps of 5% of " +
			"the rows are deleted, up to one half. After each step the guards get the same queries, in an order that turns. " +
			"An absent key is a deleted row or one that never was, each as likely as another. On Linux the file has no more " +
			"than a twentieth of itself in memory while queries run: its pages are dropped before each guard's queries, and " +
			"whenever so many were read. A read of the store is a second query; it is wasted if there is no such row. A " +
			"guard is built anew from a file that is not in memory: a scan, and inserts, which alone are left where the " +
			"store is scanned anyway.",
		Limits: []string{
			"The page cache of a system, which keeps the pages that are used most: here all are dropped at a time. Times are " +
				"those of this machine's disk.",
			"Memory while a guard is built anew: that reads the whole file.",
			"A sorted list of digests, which takes 8 bytes for each deleted row; the sets are maps of Go.",
			"Writes by several programs: here the guard hears of every delete.",
		},
		Params: "guard deleted_percent",
		Grid: lab.Grid{{Series: "{absent}% absent", Trials: lab.Times(1, 1, 3), Axes: []lab.Axis{
			lab.Over("absent", lab.Ints(50, 90, 99)),
			lab.Over("rows", lab.By(lab.Ints(1000), lab.Ints(10_000), lab.Ints(100_000))),
			lab.Over("queries", lab.By(lab.Ints(30), lab.Ints(1000), lab.Ints(4000))),
		}}},
		Trial: lab.Trial{
			Counts: "rows queries absent gone gone_read reads wasted denied table_bytes " + byMachine, Timed: byMachine,
			Steps: []lab.Axis{
				lab.Over("deleted_percent", lab.Ints(percents...)),
				lab.Over("guard", lab.ListOf(kinds, func(k kind) lab.Value { return lab.Word(k.name) })),
			},
			Needs: func(c lab.Cell) (keys float64, bytes int64) {
				rows, asked := c.Float("rows"), float64(len(percents)*len(kinds))
				return 2*rows + asked*c.Float("queries"), int64(rows) * 200
			},
			Run: func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
				return measureGuards(ctx, run{seed: seed, rows: c.Int("rows"), queries: c.Int("queries"), absent: c.Int("absent")})
			},
		},
		Columns: []lab.Column{
			{Name: "wasted_per_query", Of: lab.Div("wasted", "queries")},
			{Name: "bits_per_row", Of: func(r lab.Row) float64 {
				return lab.Quotient(8*(r.Count("table_bytes")+r.Count("set_bytes")), r.Count("rows"))
			}},
			{Name: "ns_per_query", Of: lab.Div("ns", "queries")},
		},
		Timed: "bits_per_row ns_per_query", Plots: plots(), Claims: []lab.Rule{lab.Judged(judged)}, Table: overview,
	}
}

// percents are the shares of the rows that are deleted, step by step.
var percents = []int{0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50}

// A run is one trial.
type run struct {
	rows, queries int
	absent        int // percent of the queries
	seed          uint64
	store         *store
	guards        []*guard
	deleted       int // rows 0 to deleted-1
	hash          hashing.Digester
}

// measureGuards fills the guards, deletes rows step by step, and asks all guards after each.
func measureGuards(ctx context.Context, r run) (counts []int, err error) {
	r.hash = hashing.NewDigester(hashing.XXH64(0)) // the published results are of it
	if r.store, err = newStore(ctx, r.seed, r.rows); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.store.close()) }()
	for _, k := range kinds {
		r.guards = append(r.guards, &guard{kind: k})
	}
	for step, percent := range percents {
		if err := r.deleteTo(ctx, r.rows*percent/100); err != nil {
			return nil, err
		}
		counted := make([][]int, len(kinds))
		for i := range measure.Turns(step+int(r.seed%uint64(len(kinds))), len(kinds)) {
			g := r.guards[i]
			if percent == 0 || g.rebuild > 0 && percent%g.rebuild == 0 {
				err = r.fill(g)
			}
			if percent == 0 {
				g.rebuilt, g.riding = 0, 0
			}
			if err == nil {
				counted[i], err = r.ask(ctx, g, percent)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", g.name, err)
			}
		}
		counts = append(counts, slices.Concat(counted...)...)
	}
	return counts, nil
}

// fill makes the guard of what the store has: a scan of it, and inserts.
func (r *run) fill(g *guard) error {
	var keys []string
	err := errors.Join(r.store.cold(), g.empty(r.rows-r.deleted))
	scan := measure.Timed(0, func() {
		err = cmp.Or(err, r.store.each(func(key []byte) error { keys = append(keys, string(key)); return nil }))
	})
	g.riding = measure.Timed(0, func() {
		for i := 0; i < len(keys) && err == nil; i++ {
			err = g.insert(r.hash.Sum64String(keys[i]))
		}
	}).Time
	g.rebuilt = scan.Time + g.riding
	return err
}

// deleteTo deletes rows from the store, and tells the guards.
func (r *run) deleteTo(ctx context.Context, deleted int) error {
	from := r.deleted
	var keys []string
	err := r.store.batches(ctx, from, deleted, func(b *bbolt.Bucket, i int) error {
		keys = append(keys, name(r.seed, i))
		return b.Delete([]byte(name(r.seed, i)))
	})
	if err != nil {
		return err
	}
	r.deleted = deleted
	for _, g := range r.guards {
		g.deletes = measure.Timed(len(keys), func() {
			for _, key := range keys {
				g.delete(r.hash.Sum64String(key), key)
			}
		}).Time
		g.setBytes = g.setSize()
	}
	return nil
}

// query returns the key of a query, and whether the store has it or had it.
func (r *run) query(i, percent int) (key string, present, gone bool) {
	h := hashing.Mix64(r.seed + uint64(percent)<<40 + uint64(i))
	at := int(h >> 32 % (1 << 31))
	if int(h%100) >= r.absent {
		return name(r.seed, r.deleted+at%(r.rows-r.deleted)), true, false
	}
	if at %= r.rows + r.deleted; at < r.deleted {
		return name(r.seed, at), false, true
	}
	return name(r.seed, r.rows+at-r.deleted), false, false
}

// ask makes the queries of a step of one guard, and returns what it counted.
func (r *run) ask(ctx context.Context, g *guard, percent int) ([]int, error) {
	if err := r.store.cold(); err != nil {
		return nil, err
	}
	absent, deleted, deletedRead, reads, hits, denied, pages := 0, 0, 0, 0, 0, 0, 0
	took, total := make([]time.Duration, r.queries), time.Duration(0)
	for i := range took {
		key, present, gone := r.query(i, percent)
		before, found, read, err := diskReads(), false, 0, ctx.Err()
		took[i] = measure.Timed(1, func() {
			if err == nil && g.maybe(r.hash.Sum64String(key), key) {
				read = 1
				found, err = r.store.get(key)
			}
		}).Time
		total += took[i]
		pages += diskReads() - before
		if err == nil {
			err = r.store.bounded()
		}
		if err != nil {
			return nil, err
		}
		reads += read
		if !present {
			absent++
		}
		if gone {
			deleted, deletedRead = deleted+1, deletedRead+read
		}
		if found != present {
			denied++
		}
		if found {
			hits++
		}
	}
	slices.Sort(took)
	file, err := r.store.bytes()
	counts := []int{r.rows, r.queries, absent, deleted, deletedRead, reads, reads - hits, denied, g.bytes(), g.setBytes,
		int(total), int(took[len(took)/2]), int(took[len(took)*99/100]), int(g.deletes), int(g.rebuilt), int(g.riding),
		file, pages}
	g.deletes, g.rebuilt, g.riding = 0, 0, 0
	return counts, err
}
