package versus

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/filtertest"
)

// Options say what to run. The defaults are those of the page.
type Options struct {
	_ struct{}

	// Capacities are the numbers of keys that every filter is made for, one run each. The default is 60,000 and 65,536:
	// tables of a power of two of slots come out partly empty for one and as large as the capacity for the other.
	Capacities []int
	// Kit are options of the conformance kit but the capacity. Its Seed is 1 and its Refusals are 2000 by default.
	Kit filtertest.Options
}

// resolve returns o with the defaults filled in.
func (o Options) resolve() Options {
	if len(o.Capacities) == 0 {
		o.Capacities = []int{60_000, 65_536}
	}
	o.Kit.Seed, o.Kit.Refusals = cmp.Or(o.Kit.Seed, 1), cmp.Or(o.Kit.Refusals, 2000)
	return o
}

// A Result is what was found about one filter at one capacity. Its JSON is a kept row.
type Result struct {
	Module  string  `json:"-"`
	Version string  `json:"-"` // "unknown" if the program does not know it
	Kept    *Source `json:"-"` // where a kept row comes from, nil for a result of Run

	Filter     string               `json:"filter"`
	Capacity   int                  `json:"capacity"`
	TargetRate float64              `json:"target_rate"` // 0 if none is claimed
	Remark     string               `json:"remark"`
	Findings   []filtertest.Finding `json:"findings"`
	// Filling counts lost keys while the filter is filled beyond its capacity. FillingError says why it is cut short: the
	// filter could not be made, or it panicked.
	Filling      []Point `json:"filling"`
	FillingError string  `json:"filling_error"`
}

// A Point has the numbers of keys that were offered, accepted and lost, during the filling of a filter.
type Point [3]int

const (
	offered = iota
	accepted
	lost
)

// perThousand returns the lost keys per 1000 accepted.
func (p Point) perThousand() float64 { return 1000 * float64(p[lost]) / float64(max(p[accepted], 1)) }

// Run runs the kit and the filling on every subject at every capacity, and calls progress before each. It takes some 15
// seconds a capacity. A panic of a filter is a finding and not one of Run.
func Run(subjects []Subject, o Options, progress func(filter string, capacity int)) (results []Result) {
	o = o.resolve()
	versions := Versions()
	for _, capacity := range o.Capacities {
		kit := o.Kit
		kit.Capacity = capacity
		for _, s := range subjects {
			r := Result{Module: s.Module, Version: cmp.Or(versions[s.Module], "unknown"), Filter: s.Name, Capacity: capacity,
				TargetRate: s.TargetRate, Remark: s.Remark}
			progress(r.label(), capacity)
			r.Findings = filtertest.Check(s.Adapter, kit).Findings
			r.fill(s.Adapter, kit.Seed)
			results = append(results, r)
		}
	}
	return results
}

// Filling goes up to fillingEnd times the capacity, in steps of 1/fillingSteps of it.
const (
	fillingSteps = 64
	fillingEnd   = 1.25
)

// fill offers random keys of 16 bytes to a filter and counts those lost at every step.
func (r *Result) fill(a filtertest.Adapter, seed uint64) {
	defer func() {
		if p := recover(); p != nil {
			r.FillingError = fmt.Sprintf("versus: panic after %d points: %v", len(r.Filling), p)
		}
	}()
	f, err := a.New(r.Capacity)
	if err != nil {
		r.FillingError = fmt.Sprintf("versus: %s for %d keys: %v", a.Name, r.Capacity, err)
		return
	}
	draw := rand.New(rand.NewPCG(seed, uint64(r.Capacity)))
	var keys [][]byte
	n := 0
	for step := 1; step <= fillingEnd*fillingSteps; step++ {
		for ; n < step*r.Capacity/fillingSteps; n++ {
			first := binary.LittleEndian.AppendUint64(nil, draw.Uint64())
			if key := binary.LittleEndian.AppendUint64(first, draw.Uint64()); f.Insert(key) {
				keys = append(keys, key)
			}
		}
		p := Point{offered: n, accepted: len(keys)}
		for _, key := range keys {
			if !f.Contains(key) {
				p[lost]++
			}
		}
		r.Filling = append(r.Filling, p)
	}
}

// Merge returns the measured results and the kept ones as the page lists them: by capacity, and within one other
// modules before this one.
func Merge(measured, kept []Result) []Result {
	all := slices.Concat(measured, kept)
	ours := func(r Result) int { return strings.Count(r.Module, OursModule) }
	slices.SortStableFunc(all, func(a, b Result) int { return cmp.Or(a.Capacity-b.Capacity, ours(a)-ours(b)) })
	return all
}

// Versions returns the version of every module in this program by path, from what the compiler wrote into it. A module
// replaced by a directory has "this tree", and an unknown path has "".
func Versions() map[string]string {
	versions := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions
	}
	for _, m := range info.Deps {
		versions[m.Path] = m.Version
		if m.Replace != nil {
			versions[m.Path] = cmp.Or(strings.TrimSuffix(m.Replace.Version, "(devel)"), "this tree")
		}
	}
	return versions
}
