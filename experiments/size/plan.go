package size

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/bloomcore"
)

// The kinds of filters, by the names that charts and tables give them.
const (
	Bloom    = "bloom"
	Blocked  = "blocked bloom"
	Counting = "counting bloom"
	Cuckoo   = "cuckoo"
)

// A Plan is one filter that was sized for a number of keys, without being made.
type Plan struct {
	// Kind is one of Bloom, Blocked, Counting and Cuckoo.
	Kind string `json:"kind"`
	// Bytes is the size of the table.
	Bytes int `json:"bytes"`
	// BitsPerItem is that size in bits for each of the keys asked for.
	BitsPerItem float64 `json:"bits_per_item"`
	// FPR is the predicted false-positive rate when the filter holds these keys.
	FPR float64 `json:"fpr"`
	// LinesHit and LinesMiss are the cache lines that a lookup touches, of a key that is present and
	// of one that is not, on average. A bucket that straddles two lines counts as one.
	LinesHit  int `json:"cache_lines_hit"`
	LinesMiss int `json:"cache_lines_miss"`
	// Deletes tells whether keys can be deleted.
	Deletes bool `json:"deletes"`

	// Width, BucketSize, Placement, Buckets and LoadFactor describe a cuckoo filter.
	Width      uint             `json:"f,omitempty"`
	BucketSize int              `json:"b,omitempty"`
	Placement  cuckoo.Placement `json:"-"` // MarshalJSON writes it
	Buckets    int              `json:"buckets,omitempty"`
	LoadFactor float64          `json:"load,omitempty"`
	// Slots and Hashes are the bits or counters of the others, and how many of them a key has.
	Slots  int `json:"slots,omitempty"`
	Hashes int `json:"hashes,omitempty"`
}

// minWidth is the narrowest fingerprint that is planned. Below it tables refuse early, because few
// fingerprints reach few buckets; see cuckoo.Config.
const minWidth = 6

// PlanCuckoo returns the smallest cuckoo filter with buckets of b slots that promises to hold n keys
// at a rate of at most fpr: the width of at least 6 bits, and what it costs.
//
// The error is [ErrSpec]: it says which rate is the lowest reachable, or that the table would be too
// large.
func PlanCuckoo(n int, fpr float64, b int, placement cuckoo.Placement) (Plan, error) {
	var best Plan
	var tooLarge error
	lowest := math.Inf(1)
	for width := uint(minWidth); width <= fingerprint.MaxWidth; width++ {
		p, err := CuckooOfWidth(n, width, b, placement)
		if err != nil {
			tooLarge = err
			break // wider tables are larger still
		}
		lowest = min(lowest, p.FPR)
		if p.FPR <= fpr && (best.Kind == "" || p.Bytes < best.Bytes) {
			best = p
		}
	}
	switch {
	case best.Kind != "":
		return best, nil
	case lowest < math.Inf(1):
		return Plan{}, fmt.Errorf("size: %w: the lowest reachable rate of %d keys is %.3g, with the widest fingerprints",
			ErrSpec, n, lowest)
	default:
		return Plan{}, tooLarge
	}
}

// CuckooOfWidth returns the cuckoo filter for n keys with fingerprints of width bits, at whatever rate.
// The error is [ErrSpec] for a table that is too large, or says which argument cuckoo.New refuses.
func CuckooOfWidth(n int, width uint, b int, placement cuckoo.Placement) (Plan, error) {
	c := cuckoo.Config{Capacity: n, BucketSize: b, Placement: placement, MaxBytes: math.MaxInt}
	c, bytes, err := cuckoo.Plan(c, width)
	if errors.Is(err, cuckoo.ErrTooLarge) {
		return Plan{}, fmt.Errorf("size: %w: a table has at most 2^32 buckets, too few for %d keys with %d slots in each", ErrSpec, n, b)
	}
	if err != nil {
		return Plan{}, fmt.Errorf("size: %w", err)
	}
	return Plan{
		Kind: Cuckoo, Bytes: bytes, BitsPerItem: perKey(bytes, n), FPR: cuckoo.PredictRate(width, b, c.Buckets, n),
		LinesHit: 2, LinesMiss: 2, Deletes: true,
		Width: width, BucketSize: b, Placement: placement, Buckets: c.Buckets,
		LoadFactor: float64(n) / float64(c.Buckets) / float64(b),
	}, nil
}

// PlanBloom returns the smallest filter of that kind, Bloom, Blocked or Counting, that keeps the rate
// fpr with n keys, with the fewest hashes that do. The error says what is wrong with n or fpr, or is [ErrSpec] for
// a table that is too large.
func PlanBloom(kind string, n int, fpr float64) (Plan, error) {
	optimal, hashes, predict := bloom.OptimalBits, bloom.OptimalHashes, bloom.PredictRate
	if kind == Blocked {
		optimal, hashes, predict = bloom.OptimalBlockedBits, bloom.OptimalBlockedHashes, bloom.PredictBlockedRate
	}
	slots, err := optimal(n, fpr)
	if errors.Is(err, bloom.ErrTooLarge) {
		return Plan{}, fmt.Errorf("size: %w: %s: %d keys at a rate of %v need more than 2^63 bits", ErrSpec, kind, n, fpr)
	}
	if err != nil {
		return Plan{}, fmt.Errorf("size: %w", err)
	}
	p := Plan{Kind: kind, Slots: slots, Hashes: hashes(slots, n), Deletes: kind == Counting}
	for p.Hashes > 1 && predict(slots, p.Hashes-1, n) <= fpr {
		p.Hashes--
	}
	p.FPR = predict(slots, p.Hashes, n)
	perWord := 64
	if kind == Counting {
		perWord = countersPerWord
	}
	words := slots/perWord + min(1, slots%perWord)
	switch {
	case uint64(words) > maxBytes/8:
		return Plan{}, fmt.Errorf("size: %w: %s: %d keys at a rate of %v need more than 2^56 bytes", ErrSpec, kind, n, fpr)
	case kind == Blocked && uint64(slots) > bloomcore.MaxBlocks*bloomcore.BlockBits:
		return Plan{}, fmt.Errorf("size: %w: a table has at most 2^32 blocks of %d bits, too few for %d keys", ErrSpec, bloomcore.BlockBits, n)
	}
	p.Bytes = 8 * words
	p.BitsPerItem = perKey(p.Bytes, n)
	p.LinesHit, p.LinesMiss = 1, 1
	if kind != Blocked {
		p.LinesHit = p.Hashes
		// Each slot looked at is taken with the probability of the load, and a free one ends the lookup.
		p.LinesMiss = min(p.Hashes, int(math.Round(1/(1-math.Pow(p.FPR, 1/float64(p.Hashes))))))
	}
	return p, nil
}

// maxBytes is the largest table of the Bloom filters, whatever their MaxBytes says.
const maxBytes = 1 << 56

const countersPerWord = 64 / counting.DefaultCounterBits

func perKey(bytes, n int) float64 { return 8 * float64(bytes) / float64(n) }

// OverBound returns the bits per item above log2(1/FPR), which is what every filter of the plan's own rate
// needs at least.
func (p Plan) OverBound() float64 { return p.BitsPerItem + math.Log2(p.FPR) }

// Parameters names the parameters: "f=13 b=4 additive" or "k=10".
func (p Plan) Parameters() string {
	if p.Kind == Cuckoo {
		return fmt.Sprintf("f=%d b=%d %v", p.Width, p.BucketSize, p.Placement)
	}
	return fmt.Sprintf("k=%d", p.Hashes)
}

// String names the filter and its parameters: "cuckoo f=13 b=4 additive", "bloom k=10".
func (p Plan) String() string { return p.Kind + " " + p.Parameters() }

// MarshalJSON writes the fields, the name of the filter and, of a cuckoo filter, its placement: of
// the others the zero value would read as one.
func (p Plan) MarshalJSON() ([]byte, error) {
	type fields Plan // without methods
	out := struct {
		Filter string `json:"filter"`
		fields
		Placement string `json:"placement,omitempty"`
	}{Filter: p.String(), fields: fields(p)}
	if p.Kind == Cuckoo {
		out.Placement = p.Placement.String()
	}
	return json.Marshal(out)
}
