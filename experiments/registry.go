package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/hashing"
)

// A Registry is what can be run. It is a value: [Registry.Register] adds what is your own, or append to its
// fields. The zero Registry runs nothing.
type Registry struct {
	Experiments []Experiment // run and reported in this order
	Parts
}

// Parts are filters, hash families and kick policies of one's own that the experiments measure
// beside the built-in ones.
type Parts struct {
	Filters  []Filter         // points in figures 3 and 4; their first setting in the panels of space and of overload
	Families []hashing.Hasher // figure 3: b = 4 on consecutive integer keys; cost and rate
	Policies []Policy         // figure 2: one line in each panel; load and insert cost
}

// A Filter is a kind of filter, measured at several settings.
type Filter struct {
	Name     string // its label in the chart: printable ASCII
	Settings []Setting
}

// A Setting is one point of a filter.
type Setting struct {
	// Bits is the number that the CSV shows: fingerprint bits or bits per item.
	Bits int
	// OneIn is about how many absent keys bring one false positive: it decides the number of probes.
	OneIn int
	// New returns an empty filter for n keys. It is filled with n digests or until one is refused.
	New func(n int, seed uint64) (Instance, error)
}

// An Instance is one filter under measurement. Every cuckoo.Filter is one; [Adapt] makes one of two
// functions.
type Instance interface {
	// InsertHashes inserts digests in order until one is refused and returns how many it took. An
	// error that wraps cuckoo.ErrFull ends the filling; another ends the experiment.
	InsertHashes(hs []uint64) (n int, err error)
	// ContainsHashes writes to dst[i] whether the filter reports hs[i].
	ContainsHashes(hs []uint64, dst []bool)
	// SizeBytes is the size of the table, once it is filled.
	SizeBytes() int
}

// A Policy is a kick policy and the placement to try it with.
type Policy struct {
	Name      string // its label in the chart: printable ASCII
	Kick      cuckoo.KickPolicy
	Placement cuckoo.Placement
}

// Default returns a registry of all experiments of this package: the paper's tables and figures, then the panels
// that it lacks.
func Default() Registry {
	return Registry{Experiments: append([]Experiment{
		Properties{}, LookupCost{}, SpaceAndSpeed{},
		LoadFactor{}, RateBySpace{}, SpaceByRate{}, LookupByShare{}, LookupByOccupancy{}, InsertByOccupancy{}, DeleteByOccupancy{},
	}, Panels()...)}
}

// Panels returns the experiments that the paper does not have.
func Panels() []Experiment {
	return []Experiment{LoadByPolicy{}, InsertCost{}, SpaceByKeys{}, Overload{}, HashCost{}, Growth{}}
}

// Adapt makes an Instance of a filter that takes one digest at a time.
func Adapt(insert func(digest uint64) error, contains func(digest uint64) bool, sizeBytes int) Instance {
	return adapted{insert, contains, sizeBytes}
}

type adapted struct {
	insert   func(uint64) error
	contains func(uint64) bool
	size     int
}

func (a adapted) InsertHashes(hs []uint64) (int, error) {
	for i, h := range hs {
		if err := a.insert(h); err != nil {
			return i, err
		}
	}
	return len(hs), nil
}

func (a adapted) ContainsHashes(hs []uint64, dst []bool) {
	for i, h := range hs {
		dst[i] = a.contains(h)
	}
}

func (a adapted) SizeBytes() int { return a.size }

// Register adds parts of one's own to the registry: each is a [Filter], a [Policy], a hashing.Hasher or an
// [Experiment]. An error wraps [ErrRegistry] and says which one is none of these, incomplete, or there twice under
// its name; the registry is then as it was.
func (g *Registry) Register(own ...any) error {
	next := Registry{Experiments: slices.Clone(g.Experiments), Parts: Parts{
		Filters: slices.Clone(g.Filters), Families: slices.Clone(g.Families), Policies: slices.Clone(g.Policies),
	}}
	for i, part := range own {
		switch part := part.(type) {
		case Filter:
			next.Filters = append(next.Filters, part)
		case Policy:
			next.Policies = append(next.Policies, part)
		case hashing.Hasher:
			next.Families = append(next.Families, part)
		case Experiment:
			next.Experiments = append(next.Experiments, part)
		default:
			return fmt.Errorf("experiments: %w: part %d is a %T: want a Filter, Policy, hashing.Hasher or Experiment", ErrRegistry, i, part)
		}
	}
	if err := next.Check(); err != nil {
		return err
	}
	*g = next
	return nil
}

// Names returns the names of the experiments, in their order.
func (g Registry) Names() []string {
	names := make([]string, len(g.Experiments))
	for i, e := range g.Experiments {
		names[i] = e.About().Name
	}
	return names
}

// Only returns a registry that runs the named experiments alone, in the registry's order. An unknown
// name, or none, is an error that wraps [ErrExperiment] and lists the known ones.
func (g Registry) Only(names ...string) (Registry, error) {
	known := g.Names()
	for _, n := range names {
		if !slices.Contains(known, n) {
			return Registry{}, fmt.Errorf("experiments: %w %q: want %s", ErrExperiment, n, strings.Join(known, ", "))
		}
	}
	if len(names) == 0 {
		return Registry{}, fmt.Errorf("experiments: %w: none was named: want %s", ErrExperiment, strings.Join(known, ", "))
	}
	chosen := Registry{Parts: g.Parts}
	for i, e := range g.Experiments {
		if slices.Contains(names, known[i]) {
			chosen.Experiments = append(chosen.Experiments, e)
		}
	}
	return chosen, nil
}

// Check returns everything that keeps the registry from being run: names that are empty, twice
// there or not printable ASCII, and parts that are incomplete. All of it wraps [ErrRegistry].
func (g Registry) Check() error {
	var errs []error
	seen := map[string]bool{}
	name := func(kind, s string) {
		switch {
		case s == "" || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }):
			errs = append(errs, fmt.Errorf("experiments: %w: %s %+q: want printable ASCII", ErrRegistry, kind, s))
		case seen[kind+s]:
			errs = append(errs, fmt.Errorf("experiments: %w: %s %q is there twice", ErrRegistry, kind, s))
		}
		seen[kind+s] = true
	}
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("experiments: %w: "+format, append([]any{ErrRegistry}, args...)...))
	}
	for i, e := range g.Experiments {
		if e == nil {
			fail("experiment %d is nil", i)
			continue
		}
		name("experiment", e.About().Name)
	}
	for _, f := range g.Filters {
		name("filter", f.Name)
		for i, s := range f.Settings {
			if s.New == nil || s.OneIn < 1 {
				fail("filter %q, setting %d: want New, and OneIn of at least 1", f.Name, i)
			}
		}
		if len(f.Settings) == 0 {
			fail("filter %q has no settings", f.Name)
		}
	}
	for i, h := range g.Families {
		if h == nil {
			fail("hash family %d is nil", i)
			continue
		}
		name("hash family", h.Recipe())
	}
	for _, p := range g.Policies {
		name("policy", p.Name)
		if p.Kick == nil {
			fail("policy %q: Kick is nil", p.Name)
		}
	}
	return errors.Join(errs...)
}
