package experiments

import "github.com/nestfilter/nest/experiments/lab"

// perKey is how many nanoseconds of one core a key of [lab.Trial].Needs takes, in the profiles quick and paper: the
// times of trials in the journal of a run, over the keys of its plan. Those of profile paper are measured for some
// sizes alone. On that machine [measure.Slowness] was 1.
var perKey = map[string][2]int{
	"table1":      {36, 263},
	"table2":      {22, 132},
	"table3":      {70, 239},
	"block-bits":  {37, 94},
	"fig2":        {76, 317},
	"fig3":        {22, 216},
	"fig4":        {32, 139},
	"fig5":        {56, 324},
	"fig6":        {69, 280},
	"fig7":        {28, 344},
	"fig8":        {72, 354},
	"bucket-size": {80, 323},
	"copies":      {26, 37},
	"policies":    {68, 315},
	"insert-cost": {136, 317},
	"space-by-n":  {45, 145},
	"overload":    {30, 39},
	"hash-cost":   {52, 55},
	"hash-seeds":  {24, 35},
	"growth":      {10, 54},
	"log-reads":   {31, 20},
	"windows":     {149, 77},
	"folklore":    {57, 34},
	"insert-time": {132, 113},
	"guard":       {100428, 57457},
}

// priced gives experiments their costs.
func priced(all []*lab.Experiment) []*lab.Experiment {
	for _, e := range all {
		ns := perKey[e.Name]
		e.PerKey = lab.Size{ns[0], ns[0], ns[1]}
	}
	return all
}
