package size

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/stat"
)

// reasons says why the first plan is recommended.
func (r *Result) reasons() []string {
	p := r.Plans[0]
	out := []string{fmt.Sprintf("%v needs %.2f bits per item (%s in all) and promises %s. Every filter needs at least log2(1/%v) = %.2f bits.",
		p, p.BitsPerItem, stat.Bytes(p.Bytes), stat.RateText(p.FPR), r.Spec.FPR, r.BoundBits)}
	out = append(out, r.whyNotSmallest()...)
	out = append(out, r.againstBloom()...)
	out = append(out, r.lookupCost()...)
	out = append(out, r.placements()...)
	out = append(out, r.sorted()...)
	if p.Kind == DLeft {
		out = append(out, "It deletes and counts, each key to 4. A full table returns ErrFull, as a cuckoo filter's does.")
	}
	if p.isCuckoo() {
		out = append(out, fmt.Sprintf("It deletes. It holds at most 2b = %d copies of one key: insert each key once, or use InsertUnique.", 2*p.BucketSize))
		out = append(out, fmt.Sprintf("A table of this size refuses a set of %s distinct keys with a probability of %s at most; Insert then returns ErrFull and a larger Capacity helps.",
			group(r.Spec.Keys, ','), p.refusal()))
		out = append(out, "A delete of a key that was never inserted can remove another's fingerprint.")
		if p.FPR < r.Spec.FPR/1.5 {
			out = append(out, fmt.Sprintf("Fingerprints have whole bits, so the rate is %.1f times better than asked for; one bit less misses it.", r.Spec.FPR/p.FPR))
		}
	}
	return out
}

// refusal is the probability that cuckoo.Filter.Capacity states for its promise.
func (p Plan) refusal() string {
	if p.BucketSize >= 4 && p.Width >= 8 {
		return "1e-6"
	}
	return "1e-3"
}

// whyNotSmallest explains a recommendation that is not the smallest table.
func (r *Result) whyNotSmallest() []string {
	p, smallest := r.Plans[0], r.smallest()
	if smallest.Bytes == p.Bytes {
		return nil
	}
	return []string{fmt.Sprintf("%v is %s smaller, but touches %d cache lines for a hit and %d for a miss, against %d and %d.",
		smallest, stat.Percent(1-ratio(smallest, p), 2), smallest.LinesHit, smallest.LinesMiss, p.LinesHit, p.LinesMiss)}
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
func (r *Result) sorted() []string {
	p := r.Plans[0]
	const slower = "sorts the fingerprints of each bucket, with which lookups take 1.5 to 1.9 times as long, in batches 3 times, and inserts and deletes up to 4 times"
	if p.Kind == SemiSorted {
		return []string{"It " + slower + "."}
	}
	o, ok := r.first(SemiSorted)
	if !ok || o.Bytes >= p.Bytes {
		return nil
	}
	return []string{fmt.Sprintf("%v needs %.2f bits per item, %s less than the recommended filter: it %s. It is recommended only where --semi-sort asks for it.",
		o, o.BitsPerItem, stat.Percent(1-ratio(o, p), 2), slower)}
}

// absurd is how many times the recommended table another one may be to be worth a sentence.
const absurd = 10

// againstBloom compares the recommendation with the other families.
func (r *Result) againstBloom() []string {
	p := r.Plans[0]
	var out []string
	if r.Spec.Delete {
		out = append(out, "Bloom filters without counters cannot delete.")
	}
	for _, kind := range []string{Bloom, Blocked, SplitBlock, Counting, DLeft, Cuckoo} {
		other, ok := r.first(kind)
		if !ok || kind == p.Kind || other == r.smallest() || ratio(other, p) > absurd {
			continue
		}
		text := fmt.Sprintf("%v needs %.2f bits per item, %.2f times as much", other, other.BitsPerItem, ratio(other, p))
		if ratio(other, p) < 1 {
			text = fmt.Sprintf("%v needs %.2f bits per item, %s less, but more cache lines", other, other.BitsPerItem, stat.Percent(1-ratio(other, p), 2))
		}
		switch {
		case kind == Counting:
			text += ": it deletes, and pays 4 bits for a counter where a Bloom filter has one bit"
		case kind == DLeft:
			text += ": take it if keys are counted"
		case kind == SplitBlock:
			text += ": take it to share bytes with Parquet"
		case kind == Cuckoo && p.Kind == SemiSorted:
			text += ": take it if time is dearer than memory"
		case kind == Cuckoo:
			text += ": take it if keys must be deleted"
		case kind == Blocked:
			text += ": take it if one cache line per lookup is worth that"
		case kind == Bloom && p.isCuckoo():
			text += ", and cannot delete; the lower the rate, the better the cuckoo filter compares (Fan et al. 2014, figure 4: its lines cross at 0.36%)"
		}
		out = append(out, text+".")
	}
	return out
}

// first returns the best ranked plan of a kind.
func (r *Result) first(kind string) (Plan, bool) {
	i := slices.IndexFunc(r.Plans, func(p Plan) bool { return p.Kind == kind })
	if i < 0 {
		return Plan{}, false
	}
	return r.Plans[i], true
}

// lookupCost says what a lookup touches.
func (r *Result) lookupCost() []string {
	switch p := r.Plans[0]; {
	case p.isCuckoo():
		return []string{"A lookup touches two buckets, in two cache lines, whatever the answer."}
	case p.Kind == Blocked, p.Kind == SplitBlock:
		return []string{"A lookup touches one cache line."}
	case p.Kind == DLeft:
		return []string{"A lookup touches four buckets, in four cache lines, whatever the answer."}
	default:
		return []string{fmt.Sprintf("A lookup touches up to %d cache lines if the key is present and about %d if not.", p.LinesHit, p.LinesMiss)}
	}
}

// placements says what the other placement of a recommended cuckoo filter would cost.
func (r *Result) placements() []string {
	p := r.Plans[0]
	if !p.isCuckoo() {
		return nil
	}
	i := slices.IndexFunc(r.Plans, func(o Plan) bool {
		return o.Kind == p.Kind && o.BucketSize == p.BucketSize && o.Placement != p.Placement
	})
	if i < 0 {
		return nil
	}
	o := r.Plans[i]
	if p.Placement == cuckoo.Additive {
		return []string{fmt.Sprintf("Placement xor has a slightly faster lookup, but rounds the buckets up to a power of two: %.2f times the memory here (load factor %.2f).",
			ratio(o, p), o.LoadFactor)}
	}
	return []string{fmt.Sprintf("Placement xor rounds the buckets up to a power of two, which costs nothing here (load factor %.2f), and has the faster lookup.", p.LoadFactor)}
}

func ratio(a, b Plan) float64 { return float64(a.Bytes) / float64(b.Bytes) }
