package lab

import (
	"github.com/nestfilter/nest/experiments/claims"
)

// Judged returns the verdicts, or those on the same claims as not measured in a profile whose tables are too small for them.
func (d *Data) Judged(all []claims.Verdict) []claims.Verdict {
	if d.Setup.Profile != Tiny {
		return all
	}
	for i, v := range all {
		all[i] = claims.Verdict{Claim: v.Claim, Ours: "-", Why: claims.SmallTables}
	}
	return all
}
