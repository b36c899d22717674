package experiments

import (
	"slices"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/folklore"
	"github.com/nestfilter/nest/experiments/guard"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/panels"
	"github.com/nestfilter/nest/experiments/paper"
)

// Default returns a registry of all experiments of this package: the paper's tables and figures, then the panels that
// it lacks.
func Default() lab.Registry {
	reserved := []string{"m = 2^*"} // lines of figure 2
	for _, k := range catalogue.Paper() {
		reserved = append(reserved, k.Name, k.Label)
	}
	all := slices.Concat(paper.All(), panels.All(), folklore.All(), guard.All())
	return lab.Registry{Reserved: reserved, Experiments: priced(all)}
}
