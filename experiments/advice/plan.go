package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// A Plan is one filter that was sized for a number of keys, without being made: a nest.Plan with what tables and charts
// show of it. Plans can be compared.
type Plan struct {
	Filter      string    `json:"filter"`          // with the parameters: "cuckoo f=13 b=4 additive", "bloom k=10"
	Kind        string    `json:"kind"`            // the name of its catalogue.Kind
	Bytes       int       `json:"bytes"`           // of the table
	BitsPerItem float64   `json:"bits_per_item"`   // for each of the keys asked for
	FPR         float64   `json:"fpr"`             // predicted, with these keys
	LinesHit    int       `json:"cache_lines_hit"` // that a lookup touches, of a present key and of an absent one
	LinesMiss   int       `json:"cache_lines_miss"`
	Deletes     bool      `json:"deletes"` // tells whether keys can be deleted
	Spec        nest.Spec `json:"spec"`    // nest.New of it makes the filter
	Asked       nest.Spec `json:"-"`       // and so does that of what was planned: the same for the keys and the rate
}

// A form is a kind of the catalogue with what sets it apart from others of its kind; capacity and rate are to be added.
type form struct {
	catalogue.Kind
	name      string // "cuckoo b=4 xor"
	bucket    int    // size, 0 of a kind without buckets
	placement cuckoo.Placement
}

// forms are all kinds of the catalogue, those with buckets in every size under both placements.
func forms() (all []form) {
	for _, placement := range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
		for _, k := range catalogue.Kinds() {
			if k.Buckets == nil && placement == cuckoo.Additive {
				all = append(all, form{Kind: k, name: k.Name})
			}
			for _, b := range k.Buckets {
				name := fmt.Sprintf("%s %v", k.Name, placement)
				if len(k.Buckets) > 1 {
					name = fmt.Sprintf("%s b=%d %v", k.Name, b, placement)
				}
				all = append(all, form{k, name, b, placement})
			}
		}
	}
	return all
}

// windows are the filters that forget, of few generations and of many.
func windows() (all []form) {
	for _, g := range []int{2, 6, 14} {
		spec := nest.Spec{Kind: nest.Window, Generations: g}
		kind := catalogue.Kind{Name: "window", Spec: spec}
		all = append(all, form{Kind: kind, name: fmt.Sprintf("window g=%d", g), bucket: 4})
	}
	return all
}

// wanted are the forms that will do: with deletes, if keys must be deletable, and with a flag only if it is given.
func wanted(all []form, del bool, flags []string) []form {
	return slices.DeleteFunc(all, func(f form) bool {
		return del && !deletes(f.Spec.Kind) || f.Flag != "" && !slices.Contains(flags, f.Flag)
	})
}

// usual tells whether a form of several of its kind is measured: under additive placement, plain buckets of the default
// size under the other one too.
func (f form) usual() bool {
	return f.placement == cuckoo.Additive || f.Slower == "" && f.bucket == 4
}

// deletes tells whether keys can be deleted from filters of the kind.
func deletes(kind nest.Kind) bool {
	_, err := nest.Plans(nest.Spec{Kind: kind, Capacity: 1000, FalsePositiveRate: 0.01, MustDelete: true})
	return err == nil
}

// plan sizes a filter of the form by s, as nest.Plans does. Tables of any size are planned, whatever the machine has.
// The error is [ErrSpec] and says on one line why there is none.
func (f form) plan(s nest.Spec) (Plan, error) {
	const (
		most  = 1 << 56 // the largest table of the Bloom filters, whatever their MaxBytes says
		large = 1 << 30 // MaxBytes where it is least: a larger table must be asked for
	)
	s.Kind, s.Layout, s.MaxBytes = f.Spec.Kind, f.Spec.Layout, math.MaxInt
	s.BucketSize, s.Placement, s.Generations = f.bucket, f.placement, f.Spec.Generations
	found, err := nest.Plans(s)
	switch {
	case err != nil:
		return Plan{}, impossible("%s", reason(err))
	case uint64(found[0].SizeBytes) > most:
		return Plan{}, impossible("the table would be larger than 2^56 bytes")
	}
	p := found[0]
	if s.MaxBytes = 0; p.SizeBytes > large {
		s.MaxBytes = p.SizeBytes
	}
	p.Spec.MaxBytes = s.MaxBytes
	out := Plan{
		Kind: f.Name, Bytes: p.SizeBytes, BitsPerItem: 8 * float64(p.SizeBytes) / float64(s.Capacity),
		FPR: p.FalsePositiveRate, LinesHit: p.LinesHit, LinesMiss: p.LinesMiss, Deletes: deletes(s.Kind),
		Spec: p.Spec, Asked: s,
	}
	out.Filter = out.String()
	return out, nil
}

// reason is the first line of an error of package nest, without the bound on the table, which is none.
func reason(err error) string {
	text, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "nest: "), "\n")
	return strings.NewReplacer("invalid configuration: ", "", " within MaxBytes", "",
		fmt.Sprintf(", MaxBytes is %d", math.MaxInt), "").Replace(text)
}

// Entrant returns the planned filter for a contest. Its keys are digests, or the numbers of the texts that there are
// when it is opened.
func (p Plan) Entrant(texts *measure.Texts) *measure.Entrant {
	return &measure.Entrant{Name: p.String(), Open: func() (*measure.Loops, error) {
		if p.isStatic() {
			build := func(hs []uint64) (nest.Filter, error) { return nest.Build(p.Spec, hs) }
			return measure.FrontOfAll(p.Asked.Capacity, build, *texts), nil
		}
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
func (p Plan) isStatic() bool { return p.Spec.Kind == nest.Fuse }

// deletes says whether keys can be deleted, or that none can be added.
func (p Plan) deletes() string {
	switch {
	case p.isStatic():
		return "built once"
	case p.Deletes:
		return "yes"
	}
	return "no"
}

// lines are the cache lines of a hit and a miss together.
func (p Plan) lines() int { return p.LinesHit + p.LinesMiss }

// Parameters names the parameters: "f=13 b=4 additive" or "k=10".
func (p Plan) Parameters() string {
	s := p.Spec
	if s.FingerprintBits == 0 {
		return fmt.Sprintf("k=%d", s.Hashes)
	}
	if p.isStatic() {
		return fmt.Sprintf("f=%d segments=%d", s.FingerprintBits, s.Segments)
	}
	text := fmt.Sprintf("f=%d b=%d", s.FingerprintBits, p.bucket())
	if p.isCuckoo() {
		text += " " + s.Placement.String()
	}
	if s.Generations != 0 {
		text += fmt.Sprintf(" g=%d", s.Generations)
	}
	return text
}

// bucket is the number of slots of a bucket: 4 where the kind has no other.
func (p Plan) bucket() int { return cmp.Or(p.Spec.BucketSize, 4) }

// String names the filter and its parameters: "cuckoo f=13 b=4 additive", "bloom k=10".
func (p Plan) String() string { return p.Kind + " " + p.Parameters() }

// code returns a function of Go source that makes the filter of a spec. It compiles as it is behind a package clause.
func code(s nest.Spec, comment string) string {
	text, in, out, last := "", "", "nest.Filter", "return nest.New(s)"
	if s.Kind == nest.Fuse {
		in, last = "digests []uint64", "return nest.Build(s, digests)"
	}
	for line := range strings.Lines(report.Wrap("", comment, report.TextWidth-len("// "))) {
		text += "// " + line
	}
	if s.MustDelete || s.Kind == nest.Scalable {
		out = "nest.Deleter"
		last = "f, err := nest.New(s)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\treturn f.(nest.Deleter), nil"
	}
	return fmt.Sprintf(`import "github.com/nestfilter/nest"

%sfunc newFilter(%s) (%s, error) {
	var s nest.Spec
	if err := s.Set(%q); err != nil {
		return nil, err
	}
	%s
}
`, text, in, out, s, last)
}

// Code is [code] of the plan.
func (p Plan) Code() string {
	what := "an empty filter for"
	if p.isStatic() {
		what = "a filter of the digests of"
	}
	return code(p.Asked, fmt.Sprintf("newFilter returns %s %s keys. With all of them in it, the predicted "+
		"false-positive rate is %.3g; the table takes %s bytes.", what, group(p.Asked.Capacity), p.FPR, group(p.Bytes)))
}

// group writes n with a comma between groups of three digits.
func group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
