package size

import (
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/stat"
)

// Reasons are sentences that explain a recommendation.
type Reasons []string

// Say adds a sentence, or several.
func (r *Reasons) Say(format string, args ...any) { *r = append(*r, fmt.Sprintf(format, args...)) }

func (r *Result) reasons() (out Reasons) {
	p, smallest := r.Plans[0], r.smallest()
	out.Say("%v needs %.2f bits per item (%s in all) and promises %s. Every filter needs at least log2(1/%v) = %.2f bits.",
		p, p.BitsPerItem, stat.Bytes(p.Bytes), stat.RateText(p.FPR), r.Spec.FPR, r.BoundBits)
	if smallest.Bytes != p.Bytes {
		out.Say("%v is %s smaller, but touches %d cache lines for a hit and %d for a miss, against %d and %d.",
			smallest, stat.Percent(1-ratio(smallest, p), 2), smallest.LinesHit, smallest.LinesMiss, p.LinesHit, p.LinesMiss)
	}
	r.otherKinds(&out)
	if lookup := rowOf(p.Spec).lookup; lookup != "" {
		out.Say("%s", lookup)
	} else {
		out.Say("A lookup touches up to %d cache lines if the key is present and about %d if not.", p.LinesHit, p.LinesMiss)
	}
	r.placements(&out)
	r.layouts(&out)
	if p.Spec.Kind == nest.DLeft {
		out.Say("It deletes and counts, each key to 4. A full table returns ErrFull, as a cuckoo filter's does.")
	}
	if p.isCuckoo() {
		out.Copies(p)
		if refusal := p.refusal(); refusal != "" {
			out.Say("A table of this size refuses a set of %s distinct keys with a probability of %s at most; Insert then returns ErrFull and a larger Capacity helps.",
				group(r.Spec.Keys, ','), refusal)
		} else {
			out.Say("So narrow, it promises nothing: where Insert returns ErrFull, a larger Capacity helps.")
		}
		out.Say("A delete of a key that was never inserted can remove another's fingerprint.")
		if p.FPR < r.Spec.FPR/1.5 {
			out.Say("Fingerprints have whole bits, so the rate is %.1f times better than asked for; one bit less misses it.", r.Spec.FPR/p.FPR)
		}
	}
	if text := Static(r.Spec.Keys, r.Spec.FPR, p.BitsPerItem); text != "" && !r.Spec.Delete {
		out.Say("%s", text)
	}
	return out
}

// Static says how much smaller than so many bits per item a static filter of the rate would be, which takes no key after it is
// built; it is empty where it would not be smaller.
func Static(keys int, fpr, bits float64) string {
	width := law.FuseWidth(fpr)
	less := bits - law.FuseBits(keys, width)
	if less < 0.005 {
		return ""
	}
	return fmt.Sprintf("If all keys are known when the filter is built and none comes or goes later, a static filter is smaller: binary fuse with %d-bit "+
		"fingerprints takes %.2f bits per item at %s, %.2f less. nest has none; github.com/FastFilter/xorfilter has it with 8, 16 and 32 bits.",
		width, bits-less, stat.RateText(math.Exp2(-float64(width))), less)
}

// refusal is the probability that cuckoo.Filter.Capacity states for its promise, or empty where it promises nothing.
func (p Plan) refusal() string {
	paired := p.Spec.Layout == cuckoo.PairedSlots
	switch {
	case paired && p.Width < 8:
		return ""
	case p.BucketSize >= 4 && (p.Width >= 12 || p.Width >= 8 && !paired):
		return "1e-6"
	}
	return "1e-3"
}

// Copies says what to think of where keys are deleted from the filter, if they can be.
func (r *Reasons) Copies(p Plan) {
	switch {
	case p.Spec.Layout == cuckoo.PairedSlots:
		r.Say("It deletes. It holds at most 4 copies of one key, of some keys 2: insert each key once, or use InsertUnique.")
	case p.isCuckoo() && p.BucketSize > 0:
		r.Say("It deletes. It holds at most 2b = %d copies of one key: insert each key once, or use InsertUnique.", 2*p.BucketSize)
	case p.Deletes:
		r.Say("It deletes. Delete only keys that were inserted.")
	}
}

// smallest is the smallest of the plans that are in the choice.
func (r *Result) smallest() Plan {
	out := r.Plans[0]
	for _, p := range r.Plans {
		if p.Bytes < out.Bytes && r.Spec.takes(p) {
			out = p
		}
	}
	return out
}

// layouts says what other layouts would save, or what that of the recommended filter costs.
func (r *Result) layouts(out *Reasons) {
	p := r.Plans[0]
	if slower := rowOf(p.Spec).slower; slower != "" {
		out.Say("It %s.", slower)
	}
	for _, row := range rows {
		if o, ok := r.first(row.name); ok && o.Bytes < p.Bytes && !r.Spec.takes(o) {
			out.Say("%v needs %.2f bits per item, %s less than the recommended filter: it %s. It is recommended only where --%s asks for it.",
				o, o.BitsPerItem, stat.Percent(1-ratio(o, p), 2), row.slower, row.flag)
		}
	}
}

// takes tells whether a plan may be recommended.
func (s Spec) takes(p Plan) bool {
	return rowOf(p.Spec).slower == "" || slices.Contains(s.Layouts, p.Spec.Layout)
}

// absurd is how many times the recommended table another one may be to be worth a sentence.
const absurd = 10

// otherKinds compares the recommendation with the best plan of every other kind, but for other layouts.
func (r *Result) otherKinds(out *Reasons) {
	p := r.Plans[0]
	if r.Spec.Delete {
		out.Say("Bloom filters without counters cannot delete.")
	}
	for _, row := range rows {
		other, ok := r.first(row.name)
		if !ok || row.slower != "" || row.name == p.Kind || other == r.smallest() || ratio(other, p) > absurd {
			continue
		}
		cost, when := fmt.Sprintf("%.2f times as much", ratio(other, p)), row.when
		if ratio(other, p) < 1 {
			cost = stat.Percent(1-ratio(other, p), 2) + " less, but more cache lines"
		}
		switch {
		case row.kind == nest.Cuckoo && p.isCuckoo():
			when = ": take it if time is dearer than memory"
		case row.kind == nest.Bloom && p.isCuckoo():
			when = ", and cannot delete; the lower the rate, the better the cuckoo filter compares (Fan et al. 2014, figure 4: its lines cross at 0.36%)"
		}
		out.Say("%v needs %.2f bits per item, %s%s.", other, other.BitsPerItem, cost, when)
	}
}

// first returns the best ranked plan of a kind.
func (r *Result) first(kind string) (Plan, bool) {
	i := slices.IndexFunc(r.Plans, func(p Plan) bool { return p.Kind == kind })
	if i < 0 {
		return Plan{}, false
	}
	return r.Plans[i], true
}

// placements says what the other placement of a recommended cuckoo filter would cost.
func (r *Result) placements(out *Reasons) {
	p := r.Plans[0]
	i := slices.IndexFunc(r.Plans, func(o Plan) bool {
		return o.Kind == p.Kind && o.BucketSize == p.BucketSize && o.Placement != p.Placement
	})
	switch {
	case !p.isCuckoo() || i < 0:
	case p.Placement == cuckoo.Additive:
		out.Say("Placement xor has a slightly faster lookup, but rounds the buckets up to a power of two: %.2f times the memory here (load factor %.2f).",
			ratio(r.Plans[i], p), r.Plans[i].LoadFactor)
	default:
		out.Say("Placement xor rounds the buckets up to a power of two, which costs nothing here (load factor %.2f), and has the faster lookup.", p.LoadFactor)
	}
}

func ratio(a, b Plan) float64 { return float64(a.Bytes) / float64(b.Bytes) }
