package advice

import (
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// A Plan is one filter that was sized for a number of keys, without being made: a nest.Plan with what tables and charts
// show of it. Plans can be compared.
type Plan struct {
	Filter      string  `json:"filter"`          // with the parameters: "cuckoo f=13 b=4 additive", "bloom k=10"
	Kind        string  `json:"kind"`            // Bloom, Blocked, ..., PairedSlots
	Bytes       int     `json:"bytes"`           // of the table
	BitsPerItem float64 `json:"bits_per_item"`   // for each of the keys asked for
	FPR         float64 `json:"fpr"`             // predicted, with these keys
	LinesHit    int     `json:"cache_lines_hit"` // that a lookup touches, of a key that is present and of one that is not
	LinesMiss   int     `json:"cache_lines_miss"`
	Deletes     bool    `json:"deletes"` // tells whether keys can be deleted

	// A table of fingerprints; the placement, with its name, is a cuckoo filter's.
	Width      uint             `json:"f,omitempty"`
	BucketSize int              `json:"b,omitempty"`
	Placement  cuckoo.Placement `json:"-"`
	Buckets    int              `json:"buckets,omitempty"`
	LoadFactor float64          `json:"load,omitempty"`
	// Slots and Hashes are the bits or counters of the others, and how many of them a key has.
	Slots  int `json:"slots,omitempty"`
	Hashes int `json:"hashes,omitempty"`

	PlacementName string    `json:"placement,omitempty"`
	Spec          nest.Spec `json:"-"` // nest.New of it makes the filter
}

// Of returns a plan of package nest, made for n keys, as this package shows it.
func Of(p nest.Plan, n int) Plan {
	s := p.Spec
	out := Plan{
		Kind: Name(s), Bytes: p.SizeBytes, BitsPerItem: 8 * float64(p.SizeBytes) / float64(n), FPR: p.FalsePositiveRate,
		LinesHit: p.LinesHit, LinesMiss: p.LinesMiss, Deletes: Deletes(s.Kind), Spec: s,
	}
	if s.FingerprintBits == 0 {
		out.Slots, out.Hashes = s.Slots, s.Hashes
	} else {
		out.Width, out.BucketSize, out.Placement = uint(s.FingerprintBits), cmp.Or(s.BucketSize, 4), s.Placement
		out.Buckets, out.LoadFactor = s.Slots/out.BucketSize, float64(n)/float64(s.Slots)
	}
	if out.isCuckoo() {
		out.PlacementName = s.Placement.String()
	}
	out.Filter = out.String()
	return out
}

// Plans returns the filters that will do for s, as nest.Plans does, the one that it ranks first before the others.
// Tables of any size are planned, whatever the machine has. The error is [ErrSpec] and says on one line why there is
// none.
func Plans(s nest.Spec) (out []Plan, err error) {
	const most = 1 << 56 // the largest table of the Bloom filters, whatever their MaxBytes says
	s.MaxBytes = math.MaxInt
	found, err := nest.Plans(s)
	for _, p := range found {
		if uint64(p.SizeBytes) <= most {
			out = append(out, Of(p, s.Capacity))
		}
	}
	switch {
	case err != nil:
		return nil, impossible("%s", reason(err))
	case len(out) == 0:
		return nil, impossible("the table would be larger than 2^56 bytes")
	}
	return out, nil
}

// AllPlans is [Plans] with cuckoo filters of the given layouts beside the packed ones. All of them are ranked together,
// by the rule of nest.Plans.
func AllPlans(s nest.Spec, layouts ...cuckoo.Layout) (all []Plan, err error) {
	for _, s.Layout = range append([]cuckoo.Layout{cuckoo.Packed}, layouts...) {
		plans, failed := Plans(s)
		err = cmp.Or(err, failed)
		all = append(all, slices.DeleteFunc(plans, func(p Plan) bool { return slices.Contains(all, p) })...)
	}
	if len(all) == 0 {
		return nil, err
	}
	rank(all, s.BitsPerItem != 0)
	return all, nil
}

// rank sorts plans by size or, where their size is given, by rate, and moves the one to the front that nest.Plans would
// recommend.
func rank(plans []Plan, sized bool) {
	lines := func(p Plan) int { return p.LinesHit + p.LinesMiss }
	slices.SortStableFunc(plans, func(p, q Plan) int {
		better := cmp.Compare(p.Bytes, q.Bytes)
		if sized {
			better = cmp.Compare(p.FPR, q.FPR)
		}
		return cmp.Or(better, lines(p)-lines(q))
	})
	best := 0
	for i, p := range plans {
		if !sized && lines(p) < lines(plans[best]) && float64(p.Bytes) <= (1+Slack)*float64(plans[0].Bytes) {
			best = i
		}
	}
	p := plans[best]
	copy(plans[1:], plans[:best])
	plans[0] = p
}

// reason is the first line of an error of package nest without what every one of them says.
func reason(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	for _, sentinel := range []error{nest.ErrConfig, nest.ErrTooLarge} {
		if errors.Is(err, sentinel) {
			text = strings.TrimPrefix(text, "nest: "+sentinel.Error()+": ")
		}
	}
	return strings.TrimPrefix(text, "nest: ")
}

// Entrant returns the planned filter for a contest. Its keys are digests, or the numbers of the texts that there are
// when it is opened.
func (p Plan) Entrant(texts *measure.Texts) *measure.Entrant {
	return &measure.Entrant{Name: p.String(), Bytes: p.Bytes, Open: func() (*measure.Loops, error) {
		f, err := nest.New(p.Spec)
		if err != nil {
			return nil, err
		}
		return measure.Front(f, *texts), nil
	}}
}

// OverBound returns the bits per item above log2(1/FPR), which is what every filter of the plan's own rate needs at
// least.
func (p Plan) OverBound() float64 { return p.BitsPerItem + math.Log2(p.FPR) }

func (p Plan) isCuckoo() bool { return p.Spec.Kind == nest.Cuckoo }

// Parameters names the parameters: "f=13 b=4 additive" or "k=10".
func (p Plan) Parameters() string {
	switch {
	case p.isCuckoo():
		return fmt.Sprintf("f=%d b=%d %v", p.Width, p.BucketSize, p.Placement)
	case p.Width != 0:
		return fmt.Sprintf("f=%d b=%d", p.Width, p.BucketSize)
	}
	return fmt.Sprintf("k=%d", p.Hashes)
}

// String names the filter and its parameters: "cuckoo f=13 b=4 additive", "bloom k=10".
func (p Plan) String() string { return p.Kind + " " + p.Parameters() }

// Code returns the imports and a function of Go source that makes the planned filter with the Capacity of s and, of the
// kinds that are sized by it, the rate of s; where that is 0, the table is the plan's. It compiles as it is in a file
// with a package clause before it.
func Code(p Plan, s Spec) string {
	typ, call := code(p, s)
	return function(fmt.Sprintf("newFilter returns an empty filter for %s keys. With all of them in it, the predicted "+
		"false-positive rate is %.3g; the table takes %s bytes.", group(s.Keys, ','), p.FPR, group(p.Bytes, ',')), typ, call)
}

// function returns the imports and a function that returns what the call makes, which is of the type of a package of
// this module, perhaps of a fingerprint.
func function(comment, typ, call string) string {
	pkg, _, _ := strings.Cut(typ, ".")
	var b strings.Builder
	fmt.Fprintf(&b, "import (\n%q\n", "github.com/nestfilter/nest/"+pkg)
	if strings.Contains(typ, "[") {
		fmt.Fprintf(&b, "%q\n", "github.com/nestfilter/nest/fingerprint")
	}
	b.WriteString(")\n\n")
	for line := range strings.Lines(report.Wrap("", comment, report.TextWidth-len("// "))) {
		b.WriteString("// " + line)
	}
	fmt.Fprintf(&b, "func newFilter() (*%s, error) {\n\treturn %s\n}\n", typ, call)
	source, err := format.Source([]byte(b.String()))
	if err != nil {
		return b.String() // it is still readable; a test compiles every form of it
	}
	return string(source)
}

// code returns the type of the filter and the call that makes it.
func code(p Plan, s Spec) (typ, call string) {
	const defaultMaxBytes = 1 << 30 // of the filters on the smallest machine: a larger table must be asked for
	r, width := rowOf(p.Spec), ""
	fields := "Capacity: " + group(s.Keys, '_')
	switch {
	case p.isCuckoo():
		width = fmt.Sprintf("[fingerprint.Bits%d]", p.Width)
		if r.field != "" {
			fields += ", " + r.field
		}
		if p.BucketSize != 4 {
			fields += fmt.Sprintf(", BucketSize: %d", p.BucketSize)
		}
		if p.Placement == cuckoo.XOR {
			fields += ", Placement: cuckoo.XOR"
		}
	case s.FPR != 0:
		fields += ", FalsePositiveRate: " + strconv.FormatFloat(s.FPR, 'g', -1, 64)
	case r.field != "":
		fields = fmt.Sprintf("%s: %s, Hashes: %d", r.field, group(p.Slots, '_'), p.Hashes)
	default:
		fields += fmt.Sprintf(", RemainderBits: %d", p.Width)
	}
	if p.Bytes > defaultMaxBytes {
		fields += ", MaxBytes: " + group(p.Bytes, '_')
	}
	pkg, name, _ := strings.Cut(r.typ, ".")
	name = strings.TrimPrefix(name, "Filter")
	return r.typ + width, fmt.Sprintf("%s.New%s%s(%s.%s{%s})", pkg, name, width, pkg, cmp.Or(r.config, "Config"), fields)
}

// group writes n with a separator between groups of three digits.
func group(n int, sep byte) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + string(sep) + s[i:]
	}
	return s
}
