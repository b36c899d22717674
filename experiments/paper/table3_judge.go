package paper

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// Judge compares space, rates and the order of speeds with the paper's.
func (SpaceAndSpeed) Judge(d *lab.Data) []claims.Verdict {
	var out []claims.Verdict
	lost, items := 0, 0
	for _, g := range d.Groups {
		if table3Paper.has(g) {
			out = append(out, table3Space(d.Setup.Profile, g), table3Rate(d.Setup.Profile, g))
		}
		lost, items = lost+g.Sum("lost"), items+g.Sum("items")
	}
	out = append(out, table3Predicted(d), claims.NoneLost(lost, items))
	for _, g := range d.Groups {
		if g.Series != "CF" && table3Paper.has(g) {
			out = append(out, table3Speed(d, g))
		}
	}
	return out
}

// roundedBits is how far a printed number of bits per item is from the true one at most.
const roundedBits = 0.005

// table3Space compares bits per item: a number that is chosen, or where the first insert fails.
func table3Space(p lab.Profile, g lab.Group) claims.Verdict {
	k, _ := catalogue.Named(g.Series)
	q, paper := measure.Power2(g.Param("slots")), table3Paper[g.Series]
	v := claims.Draft{
		Claim: g.Series + ": bits per item",
		Paper: fmt.Sprintf("%.2f, %.2f million items", paper.bits, paper.items),
	}
	if p == lab.Tiny {
		return claims.Missing(v.Claim, v.Paper, claims.SmallTables)
	}
	ours := stat.SampleOf(bitsOfRows(g))
	v.Ours = fmt.Sprintf("%.3f, %s", ours.Mean, slotsText(g))
	allowed, reason := roundedBits, "what rounding hides"
	if k.Items(q) == 0 {
		// The paper's is one fill, which scatters as ours do.
		scatter := stat.Deviations * ours.Err * math.Sqrt(float64(ours.N))
		doublings := float64(catalogue.PaperSlots - q)
		allowed += scatter + doublings*firstRefusalFalls[g.Series]*paper.bits
		reason = fmt.Sprintf("rounding, %d standard deviations of one fill, and %.2f%% for each doubling of the table up to the paper's, at which the first refusal comes sooner",
			stat.Deviations, 100*firstRefusalFalls[g.Series])
		v.Interval = fmt.Sprintf("%.3f to %.3f", ours.Mean-2*ours.Err, ours.Mean+2*ours.Err)
	}
	v.Tolerance = fmt.Sprintf("%.3f: %s", allowed, reason)
	return claims.Judge(math.Abs(ours.Mean-paper.bits) <= allowed, v)
}

// firstRefusalFalls is how much of its load a table loses with each doubling until the first refusal. For
// the cuckoo filters it is the fall of the paper's own plateaus in figure 2 from 2^15 buckets (.960) to
// 2^30 (.946); for the d-left filter that of its fluid limit, which TestDLeft_LoadsAreBelowFluidLimit
// of package counting integrates: .7528 at 2^10 buckets a table, .7415 at 2^14.
var firstRefusalFalls = map[string]float64{"CF": .001, "ss-CF": .001, "dl-CBF": .0038}

// bits are those of each trial.
func bitsOfRows(g lab.Group) []float64 {
	out := g.Ratios("size_bytes", "items")
	for i := range out {
		out[i] *= 8
	}
	return out
}

// roundedRate is how far a printed rate is from the true one at most.
const roundedRate = 0.00005

// Why two filters have another rate than the paper's.
const (
	whyBlocked = "The paper derives the nine bits from two hashes, h1 + i*h2, which in a block of 512 bits yields few different patterns; ours are independent. " +
		"The formula of independent bits (Putze, Sanders and Singler 2007) agrees with ours."
	whyDLeft = "The paper does not state the widths. At its load, 12 bits a slot make 1.21% with a counter of 2 bits, as here, and 0.60% with one of 1 bit: " +
		"no whole number of bits makes 0.76%."
)

// table3Rate compares measured rates.
func table3Rate(p lab.Profile, g lab.Group) claims.Verdict {
	paper, rate := table3Paper[g.Series], measure.Pooled(g)
	v := claims.Draft{Claim: g.Series + ": false-positive rate", Paper: stat.RateText(paper.rate)}
	if p == lab.Tiny {
		return claims.Missing(v.Claim, v.Paper, "Too few absent keys are looked up in this profile.")
	}
	lo, hi := rate.Interval()
	sigma := math.Sqrt(paper.rate / float64(rate.N))
	allowed := roundedRate + stat.Deviations*sigma
	v.Ours = fmt.Sprintf("%s, predicted %s", stat.RateText(rate.Value()), stat.RateText(predictedOf(g)))
	v.Interval = fmt.Sprintf("%s to %s", stat.RateText(lo), stat.RateText(hi))
	v.Tolerance = fmt.Sprintf("%.4f%%: what rounding hides, and %d standard errors of the count", 100*allowed, stat.Deviations)
	if math.Abs(rate.Value()-paper.rate) <= allowed {
		return claims.Judge(true, v)
	}
	switch g.Series {
	case "blk-BF":
		v.Why = whyBlocked
		return claims.Known(v)
	case "dl-CBF":
		v.Why = whyDLeft
		return claims.Known(v)
	}
	return claims.Judge(false, v)
}

// table3Predicted holds every filter's formula against its count.
func table3Predicted(d *lab.Data) claims.Verdict {
	worst, of := 0.0, "-"
	for _, g := range d.Groups {
		want := predictedOf(g) * float64(g.Sum("probes"))
		if off := math.Abs(float64(g.Sum("false_positives"))-want) / math.Sqrt(want); off >= worst {
			worst, of = off, g.Series
		}
	}
	return claims.Judge(worst <= stat.Deviations+1, claims.Draft{
		Claim:     "Each filter's measured rate is the one that its formula predicts",
		Paper:     "computed .186% (CF), .194% (BF), .176% (QF)",
		Ours:      fmt.Sprintf("at most %.1f standard errors away (%s)", worst, of),
		Tolerance: fmt.Sprintf("%d standard errors of the count: of six filters one exceeds them once in 290 000", stat.Deviations+1),
	})
}

// table3Speed compares the speed of filling with that of the cuckoo filter: which of both is faster.
func table3Speed(d *lab.Data, g lab.Group) claims.Verdict {
	base := d.Select("CF")
	paper := table3Paper[g.Series].speed / table3Paper["CF"].speed
	v := claims.Draft{
		Claim:     g.Series + ": construction speed over CF's",
		Paper:     fmt.Sprintf("%.2f", paper),
		Tolerance: "the same side of 1: absolute speeds are another machine's",
	}
	if d.Setup.Profile == lab.Tiny {
		return unmeasured(v, claims.SmallTables)
	}
	if len(base) == 0 {
		return unmeasured(v, noFilter)
	}
	ours, theirs := speedsOfGroup(g), speedsOfGroup(base[0])
	r, side := ratioOf(ours, theirs), faster
	if paper < 1 {
		side = span{0, 1}
	}
	v.Ours = fmt.Sprintf("%s: %.1f million keys/s, CF %.1f, %s, %s", stat.Digits(r.median, 3), stat.Median(ours), stat.Median(theirs), slotsText(g), r.made())
	return side.judge(v, r, cause{})
}
