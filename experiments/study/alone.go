package study

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// timed is the number of lookups of a timing, and sampled that of the keys which the rounds ask for in turn, so that a table that no cache holds
// does not fit by being asked for the same lines.
const (
	timed   = 1 << 18
	sampled = 1 << 20
)

// A contender is a filter of a study, as one goroutine uses it.
type contender struct {
	label string
	// base is the label of the one that it is compared with, one before it; empty for none.
	base string
	make func(n int) (*holder, error)
	// made says that making the filter is part of what an insert costs.
	made bool
}

// contest times the contenders with n keys, adds their series and returns the filters with all keys. It is a share of the work.
func (r *runner) contest(n int, all []contender, share float64, set func(*measure.Contest)) (held []*holder, err error) {
	keys, absent := r.digests(n, sampled)
	hits := make([]uint64, sampled)
	random := rand.New(rand.NewPCG(r.Options.Seed, 1))
	for i := range hits {
		hits[i] = keys[random.IntN(n)]
	}
	contest := measure.Contest{
		Keys: measure.KeySet{Digests: keys}, Hits: measure.KeySet{Digests: hits}, Misses: measure.KeySet{Digests: absent},
		Lookups: timed, Rounds: r.Options.Rounds, Builds: min(r.Options.Rounds, mostBuilds(n)), Singles: true, Deletes: true,
		Report: func(done, total int) { r.report(n, done, total, 0, share) },
	}
	set(&contest)
	var entrants []*measure.Entrant
	for _, c := range all {
		// A table has up to 4 bytes a key; four times as much asks for each of its cache lines eight times before it is timed.
		entrants = append(entrants, &measure.Entrant{Name: c.label, Bytes: 16 * n, Make: func() (measure.Holder, error) { return c.make(n) }})
	}
	if err := contest.Run(r.ctx, entrants); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	for i, e := range entrants {
		if len(e.Build) == 0 || e.Held == nil {
			return nil, fmt.Errorf("study: %s: %w", e.Name, errRefused)
		}
		held = append(held, e.Held.(*holder))
		r.take(n, all[i], e)
	}
	return held, nil
}

// errRefused reports a filter that did not take the keys that it promised to take.
var errRefused = errors.New("a filter has no room for the keys that it was made for")

// mostBuilds is how often a filter of n keys is filled at most.
func mostBuilds(n int) int {
	if n > 1<<21 {
		return 5
	}
	return DefaultRounds
}

// take adds the times of an entrant.
func (r *runner) take(n int, c contender, e *measure.Entrant) {
	inserts := e.Fill
	if c.made {
		inserts = e.Build
	}
	for _, row := range []struct {
		what   string
		rounds measure.Rounds
	}{
		{"lookup, absent", e.Absent}, {"lookup, present", e.Present},
		{"lookup, absent, 256 at once", e.AbsentBatch}, {"lookup, present, 256 at once", e.PresentBatch},
		{"lookup, absent, 7 at once", e.AbsentSmall}, {"lookup, present, 7 at once", e.PresentSmall},
		{"insert", inserts}, {"insert, last tenth", e.LastTenth}, {"delete", e.Delete},
	} {
		if len(row.rounds) > 0 {
			r.add(Series{Section: alone, N: n, Subject: c.label, What: row.what, Unit: "ns", Rounds: row.rounds}, c.base)
		}
	}
	if e.LongestInsert > 0 {
		r.add(Series{Section: alone, N: n, Subject: c.label, What: "longest insert", Unit: "us", Rounds: measure.Rounds{float64(e.LongestInsert) / 1e3}}, c.base)
	}
}

// rate is the share of absent digests that a filter of n keys reports.
func (r *runner) rate(f *holder, n int) float64 {
	const probes = 1 << 24
	var hs [measure.ContestBatch]uint64
	found, next := 0, r.first(n)+uint64(n)
	for range probes / len(hs) {
		for i := range hs {
			hs[i] = hashing.Mix64(next)
			next++
		}
		found += f.positives(hs[:])
	}
	return float64(found) / probes
}

// note adds what has no rounds, being counted.
func (r *runner) note(n int, c contender, what, unit string, value float64) {
	r.add(Series{Section: alone, N: n, Subject: c.label, What: what, Unit: unit, Rounds: measure.Rounds{value}}, c.base)
}

// bitsPerItem is the size of a filter of n keys.
func bitsPerItem(f table, n int) float64 { return 8 * float64(f.SizeBytes()) / float64(n) }

// plain makes contenders of a cuckoo.Filter for n keys. The memory of its table has been written.
func plain[F fingerprint.Width](c cuckoo.Config) func(n int) (*holder, error) {
	return func(n int) (*holder, error) {
		c.Capacity = n
		f, err := cuckoo.New[F](c)
		if err != nil {
			return nil, err
		}
		f.Reset()
		return holdFilter(f), nil
	}
}

// runPaired measures paired slots at the promised capacity.
func runPaired(r *runner, n int) error {
	base := "plain, 12 bits, b = 4"
	all := []contender{
		{label: base, make: plain[fingerprint.Bits12](cuckoo.Config{})},
		{label: "paired, 11 bits, b = 4", base: base, make: plain[fingerprint.Bits11](cuckoo.Config{Layout: cuckoo.PairedSlots})},
		{label: "paired, 11 bits, b = 8", base: base, make: plain[fingerprint.Bits11](cuckoo.Config{Layout: cuckoo.PairedSlots, BucketSize: 8})},
		{label: "semi-sorted, 12 bits, b = 4", base: base, make: plain[fingerprint.Bits12](cuckoo.Config{Layout: cuckoo.SemiSorted})},
	}
	held, err := r.contest(n, all, 1, func(c *measure.Contest) { c.Longest = true })
	if err != nil {
		return err
	}
	for i, c := range all {
		r.note(n, c, "bits per item", "", bitsPerItem(held[i], n))
		r.note(n, c, "false positives, measured", "%", 100*r.rate(held[i], n))
		r.note(n, c, "false positives, predicted", "%", 100*held[i].FalsePositiveRate())
	}
	return nil
}
