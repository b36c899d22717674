package lab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/hashing"
)

// A Registry is what can be run. It is a value: [Registry.Register] adds what is your own, or append to its fields. The
// zero Registry runs nothing.
type Registry struct {
	Experiments []*Experiment // run and reported in this order
	Parts

	// Reserved are names that charts have for something else, so that no part may have them: a filter of the paper,
	// say. One that ends in * stands for all that begin so.
	Reserved []string
}

// Register adds parts of one's own to the registry: each is a [Filter], a [Policy], a hashing.Hasher or a pointer to an
// [Experiment]. An error wraps [ErrRegistry] and says which one is none of these, incomplete, or there twice under its
// name, as [Registry.Check] does; the registry is then as it was. There is no registry of the whole program: a program
// makes one, registers its parts, and runs it or hands it to the command (cli.Main).
func (g *Registry) Register(own ...any) error {
	next := Registry{Reserved: g.Reserved, Experiments: slices.Clone(g.Experiments), Parts: Parts{
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
		case *Experiment:
			next.Experiments = append(next.Experiments, part)
		default:
			return fmt.Errorf("experiments: %w: part %d is a %T: want a Filter, Policy, hashing.Hasher or *Experiment",
				ErrRegistry, i, part)
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
		names[i] = e.Name
	}
	return names
}

// Only returns a registry that runs the named experiments alone, in the registry's order. An unknown name, or none, is
// an error that wraps [ErrExperiment] and lists the known ones.
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
	chosen := Registry{Parts: g.Parts, Reserved: g.Reserved}
	for i, e := range g.Experiments {
		if slices.Contains(names, known[i]) {
			chosen.Experiments = append(chosen.Experiments, e)
		}
	}
	return chosen, nil
}
