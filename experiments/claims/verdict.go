package claims

// A Draft is a verdict whose rule is written out where it is made.
type Draft struct {
	Claim, Paper, Ours, Interval, Tolerance, Why string
	Status                                       Status
	Deterministic                                bool
}

// Verdict is the verdict with the status that the draft has.
func (d Draft) Verdict() Verdict {
	return Verdict{
		Claim: Claim{Says: d.Claim, Paper: d.Paper, Machine: !d.Deterministic},
		Ours:  d.Ours, Interval: d.Interval, Tolerance: d.Tolerance, Status: d.Status, Why: d.Why,
	}
}

// noCause is the reason of a verdict without one.
const noCause = "No cause is known: this is a defect of the filter, of the experiment or of the claim."

// Judge completes a verdict on deterministic counts: it holds, or differs without a cause that is shown.
func Judge(ok bool, d Draft) Verdict {
	d.Deterministic = true
	d.Status = Holds
	if !ok {
		d.Status = Unexplained
		if d.Why == "" {
			d.Why = noCause
		}
	}
	return d.Verdict()
}

// Known is the verdict on a claim that does not hold for a cause that is shown.
func Known(d Draft) Verdict {
	d.Deterministic = true
	d.Status = Differs
	return d.Verdict()
}

// Missing is the verdict on a claim that the profile has no data for.
func Missing(claim, paper, why string) Verdict {
	return Draft{Claim: claim, Paper: paper, Ours: "-", Why: why, Deterministic: true}.Verdict()
}
