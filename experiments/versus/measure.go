package versus

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/filtertest"
)

// Options say what to run.
type Options struct {
	_ struct{}

	// Capacities are the numbers of keys that every filter is made for, one run each. The default is 60,000 and 65,536:
	// tables of a power of two of slots come out partly empty for one and as large as the capacity for the other.
	Capacities []int
	// Seed chooses all keys. The default is 1.
	Seed uint64
	// Kit are further options of the conformance kit; Capacity and Seed are set from the above.
	Kit filtertest.Options
}

// resolve returns o with the defaults filled in, but for those of the kit.
func (o Options) resolve() Options {
	if len(o.Capacities) == 0 {
		o.Capacities = DefaultCapacities
	}
	o.Seed = cmp.Or(o.Seed, 1)
	return o
}

// DefaultCapacities are the capacities of a run that names none.
var DefaultCapacities = []int{60_000, 65_536}

// A Result is what was found about one filter at one capacity.
type Result struct {
	Subject
	// Version is that of the module, "" if the program does not know it.
	Version string
	// Capacity is the number of keys that the filter was made for.
	Capacity int
	// Report has the findings of the kit.
	Report filtertest.Report
	// Filling counts lost keys while the filter is filled beyond its capacity.
	Filling []Point
	// FillingError says why Filling is cut short: the filter could not be made, or it panicked.
	FillingError error
	// Kept says where a kept row comes from. It is nil for a result of Run.
	Kept *Source
}

// A Point is a count of lost keys during the filling of a filter.
type Point struct{ Offered, Accepted, Lost int }

// PerThousand returns the lost keys per 1000 accepted.
func (p Point) PerThousand() float64 { return 1000 * float64(p.Lost) / float64(max(p.Accepted, 1)) }

// Run runs the kit and the filling on every subject at every capacity, and calls progress before each. It takes some 15
// seconds a capacity. A panic of a filter is a finding and not one of Run.
func Run(subjects []Subject, o Options, progress func(s Subject, capacity int)) (results []Result) {
	o = o.resolve()
	versions := Versions()
	for _, capacity := range o.Capacities {
		kit := o.Kit
		kit.Capacity, kit.Seed = capacity, o.Seed
		for _, s := range subjects {
			progress(s, capacity)
			r := Result{Subject: s, Version: versions[s.Module], Capacity: capacity, Report: filtertest.Check(s.Adapter, kit)}
			r.Filling, r.FillingError = fill(s.Adapter, capacity, o.Seed)
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
func fill(a filtertest.Adapter, capacity int, seed uint64) (points []Point, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("versus: panic after %d points: %v", len(points), p)
		}
	}()
	f, err := a.New(capacity)
	if err != nil {
		return nil, fmt.Errorf("versus: %s for %d keys: %w", a.Name, capacity, err)
	}
	draw := rand.New(rand.NewPCG(seed, uint64(capacity)))
	var accepted [][16]byte
	offered := 0
	for step := 1; step <= fillingEnd*fillingSteps; step++ {
		for ; offered < step*capacity/fillingSteps; offered++ {
			var key [16]byte
			binary.LittleEndian.PutUint64(key[:8], draw.Uint64())
			binary.LittleEndian.PutUint64(key[8:], draw.Uint64())
			if f.Insert(key[:]) {
				accepted = append(accepted, key)
			}
		}
		lost := 0
		for i := range accepted {
			if !f.Contains(accepted[i][:]) {
				lost++
			}
		}
		points = append(points, Point{offered, len(accepted), lost})
	}
	return points, nil
}

// Merge returns the measured results and the kept ones as the page lists them: by capacity, and within one other
// modules before this one.
func Merge(measured, kept []Result) []Result {
	all := slices.Concat(measured, kept)
	ours := func(r Result) int { return strings.Count(r.Module, oursModule) }
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

// Numbers reads whole numbers from 1 to a largest one with commas between them, powers of two as 2^20.
func Numbers(list string, most int) (numbers []int, err error) {
	for field := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimPrefix(field, "2^"))
		if strings.HasPrefix(field, "2^") && 0 <= n && n < 63 {
			n = 1 << n
		}
		if err != nil || n < 1 || n > most {
			return nil, fmt.Errorf("%q: want a number from 1 to %d", field, most)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}
