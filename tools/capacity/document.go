package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

//go:embed document.md
var documentText string

// tables are those of the document that follow from the compiled table, and checks those that are simulated.
var (
	tables = template.FuncMap{"sizes": sizes, "loads": loads}
	checks = template.FuncMap{"checkSmall": checkSmall, "checkLarge": checkLarge, "checkLimits": checkLimits}
)

// policies are the built-in ones by their numbers in package kick; those of placements are the same as of rules.
var policies = []cuckoo.KickPolicy{cuckoo.BreadthFirst, cuckoo.RandomWalk, cuckoo.RoundRobin, cuckoo.LookAhead}

// document checks the compiled table and returns docs/results/CAPACITY.md.
func document(seed uint64) ([]byte, error) {
	t, err := template.New("").Funcs(tables).Funcs(checks).Parse(documentText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, seed)
	return b.Bytes(), err
}

// slotsFor returns the slots of the table that a configuration asks for.
func slotsFor(c cuckoo.Config, width uint) (float64, error) {
	c.MaxBytes = math.MaxInt
	c.FingerprintBits = int(width)
	resolved, _, err := cuckoo.Plan(c)
	return float64(resolved.Buckets) * float64(resolved.BucketSize), err
}

// sizes are the bits per item of filters made for some numbers of keys.
func sizes() (string, error) {
	var b strings.Builder
	for _, place := range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
		for _, size := range []int{2, 4, 8} {
			for _, width := range []uint{8, 12, 16} {
				fmt.Fprintf(&b, "| %v | %d | %d | %g |", place, size, width, shape{b: uint(size), width: width}.probability())
				for n := 10; n <= 1_000_000; n *= 10 {
					slots, err := slotsFor(cuckoo.Config{Capacity: n, BucketSize: size, Placement: place}, width)
					if err != nil {
						return "", err
					}
					fmt.Fprintf(&b, " %.2f |", slots*float64(width)/float64(n))
				}
				fmt.Fprintln(&b)
			}
		}
	}
	return b.String(), nil
}

// loads are those that large tables are promised.
func loads() (string, error) {
	var b strings.Builder
	for p, policy := range policies {
		for _, size := range []int{2, 4, 8} {
			for _, width := range []uint{4, 5, 6, 7, 8, 10, 12, 16} {
				s := shape{b: uint(size), width: width, policy: kick.Policy(p)}
				robin := s.policy == kick.RoundRobin
				if p != 0 && !robin && width != 12 || robin && size == 2 {
					continue
				}
				fmt.Fprintf(&b, "| %v | %d | %d | %g |", policy, size, width, s.probability())
				c := cuckoo.Config{BucketSize: size, Kick: policy}
				if err := promised(&b, c, width, 1e5, 1e6, 1e7, 1e8, 1e9); err != nil {
					return "", err
				}
			}
		}
	}
	return b.String(), nil
}

// promised ends a line with the loads that tables made for c are promised, dashes where there is no such table.
func promised(b *strings.Builder, c cuckoo.Config, width uint, keys ...int) error {
	for _, c.Capacity = range keys {
		slots, err := slotsFor(c, width)
		switch {
		case errors.Is(err, cuckoo.ErrTooLarge), errors.Is(err, cuckoo.ErrConfig):
			b.WriteString(" - |")
		case err != nil:
			return err
		default:
			fmt.Fprintf(b, " %.3f |", float64(c.Capacity)/slots)
		}
	}
	b.WriteString("\n")
	return nil
}

// checkSmall fills small tables to their promise, each size often, and says how many were refused.
func checkSmall(seed uint64) (string, error) {
	const inserts = 4_000_000 // for each table
	var b strings.Builder
	for p, policy := range policies {
		for _, place := range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
			for _, size := range []int{2, 4, 8} {
				s := shape{b: uint(size), width: 8, rule: kick.Rule(place), policy: kick.Policy(p)}
				if size == 2 && s.policy == kick.RoundRobin {
					continue
				}
				fills, refused := 0, 0
				for m := 2; m <= 256; m += 1 + m/8 {
					if place == cuckoo.XOR && m&(m-1) != 0 {
						continue
					}
					f, err := cuckoo.New[fingerprint.Bits8](cuckoo.Config{
						Buckets: m, BucketSize: size, Placement: place, Kick: policy})
					if err != nil {
						return "", err
					}
					trials := inserts / f.Capacity()
					refused += s.broken(uint64(m), f.Capacity(), trials, seed)
					fills += trials
				}
				fmt.Fprintf(&b, "| %v | %v | %d | 8 | %d | %d | %.3g |\n", policy, place, size, fills, refused,
					float64(fills)*s.probability())
			}
		}
	}
	return b.String(), nil
}

// checkLarge fills tables of 2^24 slots and gives the smallest load at the first refusal.
func checkLarge(seed uint64) string {
	const slots, trials = 1 << 24, 3
	var b strings.Builder
	for _, size := range []uint{2, 4, 8} {
		for _, width := range []uint{8, 12} {
			stored := least(shape{b: size, width: width}.firstRefusals(slots/uint64(size), trials, seed))
			fmt.Fprintf(&b, "| %d | %d | %.3f | %.4f |\n", size, width, searchPlateau[size], float64(stored)/slots)
		}
	}
	return b.String()
}

// least is the smallest number at which a trial ended.
func least(ended []int) int {
	return slices.IndexFunc(ended, func(count int) bool { return count > 0 })
}

// checkLimits inserts into tables of 2^20 slots at the largest load promised, and says how far the longest search or walk
// is from its limit.
func checkLimits(seed uint64) string {
	const slots, tables, probes = 1 << 20, 4, 2_000_000
	var b strings.Builder
	line := func(s shape, load float64, limit int) {
		longest, refused := uint64(0), 0
		for table := range uint64(tables) {
			l, r := s.probe(slots/uint64(s.b), load, limit, probes, seed+table)
			longest, refused = max(longest, l), refused+r
		}
		fmt.Fprintf(&b, "| %v | %d | %.3f | %d | %d | %d | %d |\n", policies[s.policy], s.b, load, limit, tables*probes,
			longest, refused)
	}
	for _, size := range []uint{2, 4, 8} {
		for _, limit := range []int{50, 100, 200} {
			line(shape{b: size, width: 12}, searchPlateau[size], limit)
		}
		for p := range policies {
			if load, promised := walkPlateau[kick.Policy(p)][size]; promised {
				line(shape{b: size, width: 12, policy: kick.Policy(p)}, load, 500)
			}
		}
	}
	return b.String()
}
