package advice

import (
	"fmt"
	"io"
	"math"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/report"
)

// growthLoad is the load factor at which a growing filter doubles, as cuckoo.Scalable says it. Kicks that are needed
// from then on are few at first, so that it takes half a percent more.
const growthLoad = 0.96

// A Growing is the answer to who knows no number of keys: the filter that grows, and what it costs by the number that
// it turns out to be.
type Growing struct {
	FPR        float64   `json:"fpr"` // the highest false-positive rate that will do, for any number of keys
	Width      uint      `json:"f"`
	Spec       nest.Spec `json:"spec"`                        // with the rate that it keeps and its most doublings
	FirstBytes int       `json:"first_bytes"`                 // the size that it begins with
	BitsBefore float64   `json:"bits_per_item_before_growth"` // just before a growth; just after it twice as many
	Rows       []Grown   `json:"rows"`                        // what it is with a number of keys
	Reasons    reasons   `json:"reasons"`                     // why, and when to take something else
	Code       string    `json:"code"`                        // Go source that makes it
}

// A Grown is a growing filter with a number of keys in it.
type Grown struct {
	Keys        int     `json:"keys"`
	Doublings   int     `json:"doublings"` // how often the table has doubled
	Bytes       int     `json:"bytes"`
	BitsPerItem float64 `json:"bits_per_item"`
	RightBits   float64 `json:"right_size_bits_per_item"` // those of a cuckoo filter of the right size for the same rate
}

// Unknown answers for a rate and an unknown number of keys. It makes no table. The error is [ErrSpec].
func Unknown(fpr float64) (*Growing, error) {
	if err := (Spec{Keys: 1, FPR: fpr}).check(); err != nil {
		return nil, err
	}
	plans, err := nest.Plans(nest.Spec{FalsePositiveRate: fpr})
	if err != nil {
		return nil, impossible("no filter keeps a rate of %v for any number of keys: %s", fpr, reason(err))
	}
	s := plans[0].Spec
	g := &Growing{FPR: fpr, Width: uint(s.FingerprintBits), Spec: s, FirstBytes: plans[0].SizeBytes}
	g.BitsBefore = float64(g.Width) / growthLoad
	for n := 1000; err == nil && n <= 1_000_000_000; n *= 10 {
		if err = g.grow(n); err != nil && n <= 1_000_000 { // a billion keys may be beyond an int of 32 bits
			return nil, impossible("%s", reason(err))
		}
	}
	g.Reasons.say("cuckoo.Scalable begins with %s and doubles its table when it is full. It keeps a rate of %s for up to "+
		"%d doublings, and never makes more.", claims.Bytes(g.FirstBytes), claims.RateText(plans[0].FalsePositiveRate),
		g.Spec.MaxDoublings)
	g.Reasons.say("It takes %.1f bits per item just before a growth and %.1f just after it. A filter of the right size "+
		"needs %.1f: not knowing the size costs log2(1 + g/2) bits for g doublings, one that ends the tail, and the empty "+
		"slots after a growth.", g.BitsBefore, 2*g.BitsBefore, g.Rows[3].RightBits)
	g.Reasons = append(g.Reasons,
		"A lookup touches two cache lines, however often the filter has grown. It deletes, counts and merges.",
		"A Capacity near the final size saves doublings, each of which raises the rate. If you know a bound that you will "+
			"come near, give it as --n. If the keys can be read again, cuckoo.Filter is smaller.",
		"MaxBytes bounds the memory: beyond it Insert returns ErrFull.")
	g.Code = code(nest.Spec{Kind: nest.Scalable, FalsePositiveRate: fpr}, fmt.Sprintf("newFilter returns an empty filter "+
		"that grows with its keys. Its rate stays below %v; it begins with %s bytes.", fpr, group(g.FirstBytes)))
	return g, nil
}

// grow adds what the filter is with n keys. Keys whose tail has ended take a share of the slots beside their own, after
// so many doublings, as docs/SCALABLE.md has it.
func (g *Growing) grow(n int) error {
	right, err := nest.Plans(nest.Spec{Kind: nest.Cuckoo, Capacity: n, FalsePositiveRate: g.FPR, MaxBytes: math.MaxInt})
	if err != nil {
		return err
	}
	row := Grown{Keys: n, RightBits: 8 * float64(right[0].SizeBytes) / float64(n)}
	ended := func() float64 {
		return math.Ldexp(float64(max(0, row.Doublings-int(g.Width)+7)), 6-int(g.Width))
	}
	slots := 8 * float64(g.FirstBytes-8) / float64(g.Width) // behind the slots are 8 bytes
	for ; growthLoad*slots*(1-ended()) < float64(n); slots *= 2 {
		row.Doublings++
	}
	if row.Bytes = (g.FirstBytes-8)<<row.Doublings + 8; slots > float64(uint64(g.Spec.BucketSize)<<32) {
		return fmt.Errorf("%d keys take more than 2^32 buckets", n)
	}
	row.BitsPerItem = 8 * float64(row.Bytes) / float64(n)
	g.Rows = append(g.Rows, row)
	return nil
}

// Write prints the result for people, as [Result.Write] does.
func (g *Growing) Write(w io.Writer, width int) error {
	t := &report.Table{Columns: []string{"keys", "doublings", "size", "bits/item", "of the right size", "ratio"}}
	for _, r := range g.Rows {
		t.Rows = append(t.Rows, []string{
			group(r.Keys), fmt.Sprint(r.Doublings), claims.Bytes(r.Bytes), fmt.Sprintf("%.1f", r.BitsPerItem),
			fmt.Sprintf("%.1f", r.RightBits), fmt.Sprintf("%.1f", r.BitsPerItem/r.RightBits),
		})
	}
	_, err := fmt.Fprintf(w, "any number of keys at a false-positive rate of %s or less\n\nTake cuckoo.Scalable f=%d, "+
		"which grows.\n\n%s\n%s\n%s", claims.RateText(g.FPR), g.Width, report.List(g.Reasons), t.Text(width), g.Code)
	return err
}
