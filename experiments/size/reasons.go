package size

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
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
	switch {
	case p.isCuckoo():
		out.Say("A lookup touches two buckets, in two cache lines, whatever the answer.")
	case p.Kind == Blocked, p.Kind == SplitBlock:
		out.Say("A lookup touches one cache line.")
	case p.Kind == DLeft:
		out.Say("A lookup touches four buckets, in four cache lines, whatever the answer.")
	default:
		out.Say("A lookup touches up to %d cache lines if the key is present and about %d if not.", p.LinesHit, p.LinesMiss)
	}
	r.placements(&out)
	r.sorted(&out)
	if p.Kind == DLeft {
		out.Say("It deletes and counts, each key to 4. A full table returns ErrFull, as a cuckoo filter's does.")
	}
	if p.isCuckoo() {
		refusal := "1e-3" // the probability that cuckoo.Filter.Capacity states for its promise
		if p.BucketSize >= 4 && p.Width >= 8 {
			refusal = "1e-6"
		}
		out.Copies(p)
		out.Say("A table of this size refuses a set of %s distinct keys with a probability of %s at most; Insert then returns ErrFull and a larger Capacity helps.",
			group(r.Spec.Keys, ','), refusal)
		out.Say("A delete of a key that was never inserted can remove another's fingerprint.")
		if p.FPR < r.Spec.FPR/1.5 {
			out.Say("Fingerprints have whole bits, so the rate is %.1f times better than asked for; one bit less misses it.", r.Spec.FPR/p.FPR)
		}
	}
	return out
}

// Copies says what to think of where keys are deleted from the filter, if they can be.
func (r *Reasons) Copies(p Plan) {
	switch {
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
		if p.Bytes < out.Bytes && (r.Spec.SemiSort || p.Kind != SemiSorted) {
			out = p
		}
	}
	return out
}

// sorted says what semi-sorted buckets would save, or did.
func (r *Result) sorted(out *Reasons) {
	p := r.Plans[0]
	const slower = "sorts the fingerprints of each bucket, with which lookups take 1.5 to 1.9 times as long, in batches 3 times, and inserts and deletes up to 4 times"
	if p.Kind == SemiSorted {
		out.Say("It %s.", slower)
	} else if o, ok := r.first(SemiSorted); ok && o.Bytes < p.Bytes {
		out.Say("%v needs %.2f bits per item, %s less than the recommended filter: it %s. It is recommended only where --semi-sort asks for it.",
			o, o.BitsPerItem, stat.Percent(1-ratio(o, p), 2), slower)
	}
}

// absurd is how many times the recommended table another one may be to be worth a sentence.
const absurd = 10

// whens say when to take another kind than the recommended one.
var whens = map[string]string{
	Counting:   ": it deletes, and pays 4 bits for a counter where a Bloom filter has one bit",
	DLeft:      ": take it if keys are counted",
	SplitBlock: ": take it to share bytes with Parquet",
	Cuckoo:     ": take it if keys must be deleted",
	Blocked:    ": take it if one cache line per lookup is worth that",
}

// otherKinds compares the recommendation with the best plan of every other kind.
func (r *Result) otherKinds(out *Reasons) {
	p := r.Plans[0]
	if r.Spec.Delete {
		out.Say("Bloom filters without counters cannot delete.")
	}
	for _, kind := range Kinds() {
		other, ok := r.first(Name(kind))
		if !ok || other.Kind == p.Kind || other == r.smallest() || ratio(other, p) > absurd {
			continue
		}
		cost, when := fmt.Sprintf("%.2f times as much", ratio(other, p)), whens[other.Kind]
		if ratio(other, p) < 1 {
			cost = stat.Percent(1-ratio(other, p), 2) + " less, but more cache lines"
		}
		switch {
		case other.Kind == Cuckoo && p.Kind == SemiSorted:
			when = ": take it if time is dearer than memory"
		case other.Kind == Bloom && p.isCuckoo():
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
