package sweep

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
)

// Text is a grid as words. Numbers are lists of values and ranges: "8..16", "2,4", "1e5,2^20", "0.5..0.9:0.1", where
// the number behind the colon is the step. Ends that are not whole need one.
type Text struct {
	Widths, BucketSizes, Slots, Loads     string
	Placements, Policies, Hashes, Filters []string
	Trials, Probes                        int
	Seed                                  uint64
	Timed                                 bool
}

// cuckooFilter is the name that stands for cuckoo filters of all parameters among the names of filters.
const cuckooFilter = "cuckoo"

// Parse returns the grid that the words name, parts of one's own included. The errors, joined, name the list that
// is wrong and the known names.
func Parse(t Text, own lab.Parts) (Grid, error) {
	var errs []error
	note := func(name string, err error) {
		if err != nil && !errors.Is(err, ErrGrid) {
			err = fmt.Errorf("%w: %w", ErrGrid, err)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("sweep: %s: %w", name, err))
		}
	}
	own = own.Checked()
	g := Grid{Trials: t.Trials, Seed: t.Seed, Probes: t.Probes, Timed: t.Timed}
	var err error
	g.Widths, err = Ints(t.Widths)
	note("f", err)
	g.BucketSizes, err = Ints(t.BucketSizes)
	note("b", err)
	g.Slots, err = Ints(t.Slots)
	note("n", err)
	g.Loads, err = Floats(t.Loads)
	note("load", err)
	g.Placements, err = catalogue.Choose(t.Placements, catalogue.Placements(), cuckoo.Placement.String)
	note("placement", err)
	g.Policies, err = catalogue.Choose(t.Policies, Policies(own), func(p lab.Policy) string { return p.Name })
	note("kick", err)
	hashes, err := Hashes(own)
	note("hash", err)
	g.Hashes, err = catalogue.Choose(t.Hashes, hashes, func(h Hash) string { return h.Name })
	note("hash", err)
	named, err := catalogue.Choose(t.Filters, Filters(own), func(f lab.Filter) string { return f.Name })
	note("filter", err)
	g.OwnOnly = !slices.ContainsFunc(named, func(f lab.Filter) bool { return f.Settings == nil })
	g.Own = slices.DeleteFunc(named, func(f lab.Filter) bool { return f.Settings == nil })
	return g, errors.Join(errs...)
}

// Policies returns the built-in kick policies and those of one's own. The placement that an own one has is not
// used: a grid has its own.
func Policies(own lab.Parts) (out []lab.Policy) {
	for _, k := range catalogue.Policies() {
		out = append(out, lab.Policy{Name: k.Recipe(), Kick: k})
	}
	return append(out, own.Policies...)
}

// Hashes returns random digests, the families of package hashing that a seed makes and those of package integerhash,
// with seed 0, and those of one's own by their recipe. Their keys are consecutive integers. A family that is secret or draws its own seed
// is none of them.
func Hashes(own lab.Parts) ([]Hash, error) {
	out := []Hash{{Name: RandomDigests}}
	for _, name := range hashing.Names() {
		h, err := secret.New(name)
		if err != nil {
			return nil, fmt.Errorf("sweep: %w", err)
		}
		if _, err := hashing.Parse(h.Recipe()); err == nil { // else it cannot be measured again
			out = append(out, Hash{name, h})
		}
	}
	for _, h := range integerhash.Families(0) {
		out = append(out, Hash{h.Name(), h})
	}
	for _, h := range own.Families {
		out = append(out, Hash{h.Recipe(), h})
	}
	return out, nil
}

// Filters returns one that stands for cuckoo filters, without settings, and those of one's own.
func Filters(own lab.Parts) []lab.Filter {
	return append([]lab.Filter{{Name: cuckooFilter}}, own.Filters...)
}

// Ints reads a list of integers and ranges of them.
func Ints(text string) ([]int, error) {
	values, err := Floats(text)
	out := make([]int, len(values))
	for i, v := range values {
		if v != math.Trunc(v) || math.Abs(v) > 1<<40 || v > math.MaxInt {
			return nil, fmt.Errorf("%w: %v is no whole number in range", ErrGrid, v)
		}
		out[i] = int(v)
	}
	return out, err
}

// Floats reads a list of numbers and ranges of them. The values are sorted as they are given, each once. A range
// without a step goes up by 1 and is one of whole numbers.
func Floats(text string) (out []float64, err error) {
	seen := map[float64]bool{}
	for part := range strings.SplitSeq(text, ",") {
		values, err := span(strings.TrimSpace(part))
		if err != nil || len(out) > maxCells {
			return out, err
		}
		for _, v := range values {
			if !seen[v] {
				seen[v], out = true, append(out, v)
			}
		}
	}
	return out, nil
}

// span reads a number or a range.
func span(text string) ([]float64, error) {
	bad := func(format string, args ...any) ([]float64, error) {
		return nil, fmt.Errorf("%w: %q: "+format, append([]any{ErrGrid, text}, args...)...)
	}
	const want = "want a number such as 12, 1e6, 2^20 or 0.95, or a range such as 8..16 or 0.5..0.9:0.1"
	first, rest, isRange := strings.Cut(text, "..")
	from, ok := number(first)
	if !ok {
		return bad(want)
	}
	if !isRange {
		return []float64{from}, nil
	}
	last, by, hasStep := strings.Cut(rest, ":")
	to, ok := number(last)
	step := 1.0
	if hasStep && ok {
		step, ok = number(by)
	}
	switch {
	case !ok || !(step > 0) || !(to >= from):
		return bad(want)
	case !hasStep && (from != math.Trunc(from) || to != math.Trunc(to)):
		return bad("want a step behind a colon, such as %s..%s:0.1, since the ends are no whole numbers", first, last)
	case from < to && steps(from, to, step) < 1:
		return bad("want a step of at most %s, which leads from one end to the other", strconv.FormatFloat(to-from, 'g', 6, 64))
	}
	count := steps(from, to, step)
	if count >= maxCells {
		return bad("want at most %d values; a step behind a colon makes fewer", maxCells)
	}
	var out []float64
	for i := range int(count) + 1 {
		// 0.1 steps give 0.7, not 0.7000000000000001.
		v, err := strconv.ParseFloat(strconv.FormatFloat(from+float64(float64(i)*step), 'g', 12, 64), 64)
		if err != nil {
			return bad(want)
		}
		out = append(out, v)
	}
	return out, nil
}

func steps(from, to, step float64) float64 { return math.Floor((to-from)/step + 1e-9) }

func number(text string) (float64, bool) {
	if power, ok := strings.CutPrefix(text, "2^"); ok {
		k, err := strconv.ParseUint(power, 10, 6)
		return math.Ldexp(1, int(k)), err == nil && k <= 40
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}
