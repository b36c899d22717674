package experiments

import "github.com/nestfilter/nest/experiments/lab"

// perKey is how many nanoseconds of one core a key of [lab.Trial].Needs takes, in the profiles quick and paper: the
// times of trials in the journal of a run, over the keys of its plan. Those of profile paper are of some sizes alone,
// and .49 of what another machine took, as those of quick are. Where they were measured, [measure.Slowness] is 1.
var perKey = map[string][2]int{
	"table1":      {22, 129},
	"table2":      {18, 65},
	"table3":      {37, 117},
	"block-bits":  {26, 46},
	"fig2":        {36, 155},
	"fig3":        {10, 106},
	"fig4":        {15, 68},
	"fig5":        {24, 159},
	"fig6":        {36, 137},
	"fig7":        {9, 169},
	"fig8":        {40, 173},
	"bucket-size": {41, 158},
	"copies":      {16, 18},
	"policies":    {38, 154},
	"insert-cost": {59, 155},
	"space-by-n":  {19, 71},
	"overload":    {11, 19},
	"hash-cost":   {28, 27},
	"hash-seeds":  {15, 17},
	"growth":      {4, 26},
	"log-reads":   {19, 10},
	"windows":     {112, 38},
	"forgetting":  {90, 60},
	"folklore":    {24, 17},
	"insert-time": {82, 55},
	"guard":       {51324, 28154},
}

// priced gives experiments their costs.
func priced(all []*lab.Experiment) []*lab.Experiment {
	for _, e := range all {
		ns := perKey[e.Name]
		e.PerKey = lab.Size{ns[0], ns[0], ns[1]}
	}
	return all
}
