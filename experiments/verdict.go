package experiments

import (
	"math"

	"github.com/nestfilter/nest/experiments/report"
)

// A Verdict is one claim held against what was measured.
type Verdict struct {
	report.Verdict

	// Known says of a difference that it is understood, for the reason given in Why, and no
	// defect of this module. Any other difference of a deterministic claim is.
	Known bool
}

// Failed tells whether the verdict is a defect: of this module, or of a claim in a way that nobody has
// explained yet.
func (v Verdict) Failed() bool { return v.Status == report.Differs && v.Deterministic && !v.Known }

// unexplained is the reason of a failed verdict.
const unexplained = "No reason is known: this is a defect of the filter, of the experiment or of the claim."

// judge completes a verdict on deterministic counts: it holds, or fails without a known reason.
func judge(ok bool, v report.Verdict) Verdict {
	v.Deterministic = true
	v.Status = report.Holds
	if !ok {
		v.Status = report.Differs
		if v.Why == "" {
			v.Why = unexplained
		}
	}
	return Verdict{Verdict: v}
}

// known is the verdict on a claim that does not hold for a reason that is understood.
func known(v report.Verdict) Verdict {
	v.Deterministic = true
	v.Status = report.Differs
	return Verdict{Verdict: v, Known: true}
}

// missing is the verdict on a claim that the profile has no data for.
func missing(claim, paper, why string) Verdict {
	return Verdict{Verdict: report.Verdict{Claim: claim, Paper: paper, Ours: "-", Why: why, Deterministic: true}}
}

// judged returns the verdicts, or those on the same claims as not measured in a profile whose tables are too small for them.
func (d *Data) judged(all []Verdict) []Verdict {
	if d.Setup.Profile != Tiny {
		return all
	}
	for i, v := range all {
		all[i] = missing(v.Claim, v.Paper, smallTables)
	}
	return all
}

// deviations is how many standard errors a comparison allows: normally distributed values exceed
// four once in 16 000.
const deviations = 4

// sample is the mean of some values and its standard error.
type sample struct {
	mean, err float64
	n         int
}

// sampleOf returns the sample of the values; with fewer than two the error is 0.
func sampleOf(xs []float64) sample {
	s := sample{n: len(xs)}
	for _, x := range xs {
		s.mean += x
	}
	s.mean /= float64(len(xs))
	if s.n < 2 {
		return s
	}
	sum := 0.0
	for _, x := range xs {
		sum += (x - s.mean) * (x - s.mean)
	}
	s.err = math.Sqrt(sum / float64(s.n-1) / float64(s.n))
	return s
}

// tolerance is how far apart two samples of one distribution may be.
func (s sample) tolerance(t sample) float64 { return deviations * math.Hypot(s.err, t.err) }
