package guard

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// All returns the experiment of this package.
func All() []lab.Old { return []lab.Old{guarded()} }

// guarded measures all guards before one store.
func guarded() lab.Simple {
	return lab.Simple{
		Declare: lab.About{
			Name:  "guard",
			Title: "Filters in front of a store on disk",
			Claim: "A filter in front of a store spares it the queries for absent keys. Ours: where rows are deleted, a Bloom filter sends ever more queries to the store for nothing; " +
				"a cuckoo filter deletes as well, in about a quarter of the memory of a counting Bloom filter and without a pause for building it anew.",
			Method: fmt.Sprintf("A bbolt file of rows of %d bytes under made-up domain names stands behind each guard, all made for a rate of 1%%. Steps of 5%% of the rows are deleted, "+
				"up to one half. After each step every guard gets the same queries. An absent key is a deleted row or one that never was, each as likely as another. On Linux the file has "+
				"no more than a twentieth of itself in memory while queries run: its pages are dropped before each guard's queries, and whenever so many were read. A read of the store is a second "+
				"query; it is wasted if there is no such row. A guard is built anew from a file that is not in memory.", rowBytes),
			NotShown: []string{
				"The page cache of a system, which keeps the pages that are used most: here all are dropped at a time. Times are those of this machine's disk.",
				"Memory while a guard is built anew: that reads the whole file.",
				"Writes by several programs: here the guard hears of every delete.",
			},
			Params: []string{"guard", "deleted_percent"},
			Counts: []string{"rows", "queries", "absent", "reads", "wasted", "denied", "table_bytes", "set_bytes", "ns", "p50_ns", "p99_ns", "delete_ns", "rebuild_ns", "file_bytes", "disk_pages"},
			Derived: []lab.Derived{
				{Name: "wasted_per_query", Of: func(r lab.Row) float64 { return r.Ratio("wasted", "queries") }},
				{Name: "bits_per_row", Of: func(r lab.Row) float64 {
					return lab.Quotient(8*(r.Count("table_bytes")+r.Count("set_bytes")), r.Count("rows"))
				}},
				{Name: "ns_per_query", Of: func(r lab.Row) float64 { return r.Ratio("ns", "queries") }},
			},
			Timed: []string{"set_bytes", "ns", "p50_ns", "p99_ns", "delete_ns", "rebuild_ns", "file_bytes", "disk_pages", "bits_per_row", "ns_per_query"},
		},
		Trials:  trials,
		Figures: figures,
		Claims:  judged,
		Table:   overview,
	}
}

// absentPercents are the shares of queries for absent keys.
var absentPercents = []int{50, 90, 99}

// shareName is the series of such a share.
func shareName(absent int) string { return fmt.Sprintf("%d%% absent", absent) }

// step is how many percent of the rows are deleted between two measurements, and last where that ends.
const (
	step = 5
	last = 50
)

// size is what a profile measures.
type size struct{ rows, queries, trials int }

var sizes = map[lab.Profile]size{lab.Tiny: {1000, 30, 1}, lab.Quick: {10_000, 1000, 1}, lab.Paper: {100_000, 10_000, 1}}

// trials are a job for each share. A trial makes the store once, for all guards.
func trials(s lab.Setup) ([]lab.Job, error) {
	z := sizes[s.Profile]
	var steps [][]lab.Value
	for percent := 0; percent <= last; percent += step {
		for _, k := range kinds {
			steps = append(steps, []lab.Value{lab.Word(k.name), lab.Int(percent)})
		}
	}
	var jobs []lab.Job
	for _, absent := range absentPercents {
		jobs = append(jobs, lab.Job{
			Series: shareName(absent), Params: steps[0], Steps: steps[1:], Trials: z.trials,
			Cost:  float64(z.rows)*60e-6 + float64(len(steps))*(float64(z.queries)*30e-6+2e-3),
			Bytes: int64(z.rows) * 200,
			Run: func(ctx context.Context, seed uint64) ([]int, error) {
				return measureGuards(ctx, seed, z, absent)
			},
		})
	}
	return jobs, nil
}

// A post is a guard at work.
type post struct {
	kind
	guard
	setBytes         int
	deletes, rebuilt time.Duration // since the last measurement
}

// A run is one trial.
type run struct {
	size
	seed    uint64
	absent  int // percent
	store   *store
	posts   []*post
	deleted int // rows 0 to deleted-1
	hash    hashing.Digester
	sum     byte
}

// measureGuards deletes rows step by step and asks all guards after each.
func measureGuards(ctx context.Context, seed uint64, z size, absent int) (counts []int, err error) {
	r := &run{size: z, seed: seed, absent: absent, hash: hashing.NewDigester(nil)}
	if r.store, err = newStore(ctx, seed, z.rows); err != nil {
		return nil, err
	}
	counts, err = r.all(ctx)
	if failed := r.store.close(err == nil); err == nil {
		err = failed
	} else if failed != nil {
		err = fmt.Errorf("%w (%w)", err, failed)
	}
	return counts, err
}

// all fills the guards and makes every step.
func (r *run) all(ctx context.Context) (counts []int, err error) {
	for _, k := range kinds {
		p := &post{kind: k}
		if err := r.fill(p); err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		r.posts = append(r.posts, p)
	}
	for percent := 0; percent <= last; percent += step {
		if err := r.deleteTo(ctx, r.rows*percent/100); err != nil {
			return nil, err
		}
		for _, p := range r.posts {
			if percent > 0 && p.rebuild > 0 && percent%p.rebuild == 0 {
				if err := r.store.cold(); err != nil {
					return nil, err
				}
				var failed error
				p.rebuilt = measure.Timed(1, func() { failed = r.fill(p) }).Time
				if failed != nil {
					return nil, failed
				}
			}
			row, err := r.ask(ctx, p, percent)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			counts = append(counts, row...)
		}
	}
	return counts, nil
}

// fill makes the guard of what the store has.
func (r *run) fill(p *post) (err error) {
	if p.guard, err = p.empty(r.rows - r.deleted); err != nil {
		return err
	}
	return r.store.each(func(key []byte) error { return p.insert(r.hash.Sum64(key), string(key)) })
}

// deleteTo deletes rows from the store, and tells the guards.
func (r *run) deleteTo(ctx context.Context, deleted int) error {
	from := r.deleted
	err := r.store.batches(ctx, from, deleted, func(b *bbolt.Bucket, i int) error { return b.Delete([]byte(name(r.seed, i))) })
	if err != nil {
		return err
	}
	r.deleted = max(from, deleted)
	var keys []string
	for i := from; i < deleted; i++ {
		keys = append(keys, name(r.seed, i))
	}
	for _, p := range r.posts {
		p.deletes = measure.Timed(len(keys), func() {
			for _, key := range keys {
				p.delete(r.hash.Sum64String(key), key)
			}
		}).Time
		if l, ok := p.guard.(*listed); ok {
			p.setBytes = heapOf(l.deleted)
		}
	}
	return nil
}

// heapOf is what a copy of a set takes.
func heapOf(set map[string]struct{}) int {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one only empties pools
	runtime.ReadMemStats(&before)
	other := make(map[string]struct{})
	for key := range set {
		other[strings.Clone(key)] = struct{}{}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(other)
	return max(0, int(after.HeapAlloc)-int(before.HeapAlloc))
}

// query returns the key of a query, and whether the store has it.
func (r *run) query(i, percent int) (key string, present bool) {
	h := hashing.Mix64(r.seed + uint64(percent)<<40 + uint64(i))
	at := int(h >> 32 % (1 << 31))
	if int(h%100) >= r.absent {
		return name(r.seed, r.deleted+at%(r.rows-r.deleted)), true
	}
	if at %= r.rows + r.deleted; at < r.deleted {
		return name(r.seed, at), false
	}
	return name(r.seed, r.rows+at-r.deleted), false
}

// ask makes the queries of a step of one guard, and returns the counts.
func (r *run) ask(ctx context.Context, p *post, percent int) ([]int, error) {
	if err := r.store.cold(); err != nil {
		return nil, err
	}
	absent, reads, wasted, denied, pages := 0, 0, 0, 0, 0
	took := make([]time.Duration, r.queries)
	total := time.Duration(0)
	for i := range took {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		key, present := r.query(i, percent)
		before := diskReads()
		maybe, found := false, false
		var sum byte
		var failed error
		took[i] = measure.Timed(1, func() {
			if maybe = p.maybe(r.hash.Sum64String(key), key); maybe {
				found, sum, failed = r.store.get(key)
			}
		}).Time
		if failed != nil {
			return nil, failed
		}
		total += took[i]
		pages += diskReads() - before
		if r.sum += sum; maybe {
			reads++
		}
		if maybe && !found {
			wasted++
		}
		if err := r.store.bounded(); err != nil {
			return nil, err
		}
		if !present {
			absent++
		}
		if found != present {
			denied++
		}
	}
	slices.Sort(took)
	file, err := r.store.bytes()
	counts := []int{
		r.rows, r.queries, absent, reads, wasted, denied, p.bytes(), p.setBytes,
		int(total), int(took[len(took)/2]), int(took[len(took)*99/100]), int(p.deletes), int(p.rebuilt), file, pages,
	}
	p.deletes, p.rebuilt = 0, 0
	return counts, err
}
