package experiments

import "github.com/nestfilter/nest/experiments/lab"

// perKey is how many nanoseconds of one core a key of [lab.Trial].Needs takes, in the profiles quick and paper: the
// times of trials in the journal of a run, over the keys of its plan. Those of profile paper are measured for some
// sizes alone.
var perKey = map[string][2]int{
	"table1":      {71, 263},
	"table2":      {36, 132},
	"table3":      {172, 239},
	"block-bits":  {113, 94},
	"fig2":        {71, 317},
	"fig3":        {24, 216},
	"fig4":        {25, 139},
	"fig5":        {248, 324},
	"fig6":        {160, 280},
	"fig7":        {201, 344},
	"fig8":        {239, 354},
	"bucket-size": {45, 323},
	"copies":      {24, 37},
	"policies":    {88, 315},
	"insert-cost": {329, 317},
	"space-by-n":  {27, 145},
	"overload":    {21, 39},
	"hash-cost":   {54, 55},
	"hash-seeds":  {58, 35},
	"growth":      {24, 54},
	"log-reads":   {29, 20},
	"windows":     {96, 77},
	"folklore":    {33, 34},
	"insert-time": {518, 113},
	"guard":       {58763, 57457},
}

// priced gives experiments their costs.
func priced(all []*lab.Experiment) []*lab.Experiment {
	for _, e := range all {
		ns := perKey[e.Name]
		e.PerKey = lab.Size{ns[0], ns[0], ns[1]}
	}
	return all
}
